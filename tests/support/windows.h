// Convolutions and pools as direct loops over integers: the second opinion on windows.
#pragma once
#include <array>
#include <vector>

#include "support/numbers.h"
#include "support/random.h"
#include "topos/topos.h"

namespace topos::test {

/// Whole numbers of -3 .. 3: sums and products of these are exact in f32.
inline Tensor whole(Random& random, const Shape& shape, ElementType element = f32) {
  std::vector<double> values(static_cast<std::size_t>(shape.volume()));
  for (auto& value : values) value = static_cast<double>(random.below(7)) - 3;
  return Tensor::from(shape, values, element);
}

/// A rank-4 array of doubles.
struct Grid {
  Shape shape;
  std::vector<double> values;

  explicit Grid(const Shape& shape) : shape(shape), values(static_cast<std::size_t>(shape.volume())) {}
  explicit Grid(const Tensor& x) : shape(x.shape()), values(numbers_of(x)) {}
  double& at(Extent a, Extent b, Extent c, Extent d) {
    return values[static_cast<std::size_t>(((a * shape[1] + b) * shape[2] + c) * shape[3] + d)];
  }
  Tensor tensor(ElementType element) const { return Tensor::from(shape, values, element); }
};

/// One product of a convolution: output (n, f, y, x) takes image (n, c, i, j) times kernel (f, k, p, q).
template <class Each>
void each_tap(const Shape& image, const Shape& kernel, const Shape& output, const ConvolutionOptions& o, Each&& each) {
  const auto filters = kernel[0] / o.groups, channels = kernel[1];
  for (Extent n = 0; n < output[0]; ++n)
    for (Extent f = 0; f < output[1]; ++f)
      for (Extent y = 0; y < output[2]; ++y)
        for (Extent x = 0; x < output[3]; ++x)
          for (Extent k = 0; k < channels; ++k)
            for (Extent p = 0; p < kernel[2]; ++p)
              for (Extent q = 0; q < kernel[3]; ++q) {
                const auto i = y * o.stride.rows + p * o.dilation.rows - o.padding.rows;
                const auto j = x * o.stride.columns + q * o.dilation.columns - o.padding.columns;
                if (i < 0 || i >= image[2] || j < 0 || j >= image[3]) continue;
                each(std::array{n, f, y, x}, std::array{n, f / filters * channels + k, i, j}, std::array{f, k, p, q});
              }
}

inline Shape convolved_shape(const Shape& image, const Shape& kernel, const ConvolutionOptions& o) {
  const auto count = [](Extent extent, Extent size, Extent stride, Extent padding, Extent dilation) {
    return (extent + 2 * padding - (size - 1) * dilation - 1) / stride + 1;
  };
  return {image[0], kernel[0], count(image[2], kernel[2], o.stride.rows, o.padding.rows, o.dilation.rows),
          count(image[3], kernel[3], o.stride.columns, o.padding.columns, o.dilation.columns)};
}

using Place = std::array<Extent, 4>;
inline double& at(Grid& grid, const Place& p) { return grid.at(p[0], p[1], p[2], p[3]); }

inline Tensor direct_conv2d(const Tensor& x, const Tensor& w, const ConvolutionOptions& o) {
  Grid image(x), kernel(w), output(convolved_shape(x.shape(), w.shape(), o));
  each_tap(image.shape, kernel.shape, output.shape, o, [&](const Place& out, const Place& in, const Place& tap) {
    at(output, out) += at(image, in) * at(kernel, tap);
  });
  return output.tensor(x.element());
}
/// The cotangents of image and kernel.
inline std::array<Tensor, 2> direct_conv2d_gradients(const Tensor& x, const Tensor& w, const Tensor& g,
                                                     const ConvolutionOptions& o) {
  Grid image(x), kernel(w), cotangent(g), to_image(x.shape()), to_kernel(w.shape());
  each_tap(image.shape, kernel.shape, cotangent.shape, o, [&](const Place& out, const Place& in, const Place& tap) {
    at(to_image, in) += at(cotangent, out) * at(kernel, tap);
    at(to_kernel, tap) += at(cotangent, out) * at(image, in);
  });
  return {to_image.tensor(x.element()), to_kernel.tensor(x.element())};
}

/// A recording's value and the gradients of its sum weighted by g, all by the interpreter.
struct Pulled {
  Tensor value;
  std::vector<Tensor> gradients;
};
template <class F>
Pulled pulled(const std::vector<Tensor>& in, const Tensor& g, F&& f) {
  Tape tape(g.element());
  std::vector<Value> values;
  for (const auto& payload : in) values.push_back(tape.parameter(payload));
  const Value out = f(values);
  const auto weights = tape.leaf(g);
  const auto product = out * weights;
  const Symbol target = out, loss = sum(product);
  const std::vector<Symbol> wrt(values.begin(), values.end());
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  const auto field = run.backward(loss);
  Pulled result{run.of(target), {}};
  for (const auto symbol : wrt) result.gradients.push_back(field.of(symbol));
  return result;
}

}  // namespace topos::test
