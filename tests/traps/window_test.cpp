// Mistakes that other libraries made with windows and normalisation, each as the kind of mistake, with its number.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/bits.h"
#include "support/edges.h"
#include "support/windows.h"

namespace topos::test {
namespace {

/// f of `in` by every reading, weighted by ones: the value and the operands' cotangents.
struct Reading {
  Tensor value;
  std::vector<Tensor> gradients;
};
Reading read(const std::vector<Tensor>& in, const ValueFunction& f) {
  auto value = value_of(f, in);
  auto gradients = cotangents_of(f, in, Tensor::full(value.type(), 1));
  return {std::move(value), std::move(gradients)};
}

Tensor whole_f64(Random& random, const Shape& shape) { return whole(random, shape, f64); }

TEST(Traps, N01_AnUnusedTailOfAStridedDilatedConvolution) {
  const auto x = Tensor::from<double>({2, 1, 2}, {7, 3, 3, 2});
  const auto w = Tensor::from<double>({2, 1, 2}, {3, 6, 4, 2});
  const auto got = read({x, w}, [](const std::vector<Value>& in) { return conv1d(in[0], in[1], {2, 1, 2, 1}); });
  EXPECT_EQ(got.value.text(), "[[[18], [6]], [[12], [4]]]");
  EXPECT_EQ(got.gradients[0].text(), "[[[0, 8]], [[0, 8]]]");
  EXPECT_EQ(got.gradients[1].text(), "[[[0, 5]], [[0, 5]]]");
  // Every length of the tail: places that no window reaches take exactly nothing.
  Random random(41);
  for (Extent length = 3; length < 14; ++length)
    for (const Convolution1dOptions& options :
         {Convolution1dOptions{3, 0, 1, 1}, Convolution1dOptions{4, 0, 2, 1}, Convolution1dOptions{5, 1, 1, 1}}) {
      const auto image = whole_f64(random, {1, 1, length}), kernel = whole_f64(random, {1, 1, 2});
      const auto tail =
          read({image, kernel}, [&](const std::vector<Value>& in) { return conv1d(in[0], in[1], options); });
      const auto slope = numbers_of(tail.gradients[0]), taps = numbers_of(kernel);
      const auto count = tail.value.shape()[2];
      for (Extent i = 0; i < length; ++i) {
        double expected = 0;
        for (Extent window = 0; window < count; ++window)
          for (Extent k = 0; k < 2; ++k)
            if (window * options.stride + k * options.dilation - options.padding == i)
              expected += taps[static_cast<std::size_t>(k)];
        EXPECT_EQ(slope[static_cast<std::size_t>(i)], expected);
      }
    }
}

TEST(Traps, N03_DepthwiseWeightGradientsOfEveryChannelCount) {
  for (Extent channels = 1; channels <= 40; ++channels) {
    const auto x = Tensor::full({f32, {1, channels, 6, 6}}, 1), w = Tensor::full({f32, {channels, 1, 3, 3}}, 1);
    const auto g = Tensor::full({f32, {1, channels, 3, 3}}, 1);
    const auto got = pulled({x, w}, g, [&](const std::vector<Value>& in) {
      return conv2d(in[0], in[1], {.stride = 2, .padding = 1, .groups = channels});
    });
    auto expected = Tensor::from<float>({1, 3, 3}, {4, 6, 6, 6, 9, 9, 6, 9, 9});
    EXPECT_TRUE(bits_agree(got.gradients[1], broadcast_along(reshape(expected, {1, 3, 3}), 0, channels))) << channels;
  }
}

TEST(Traps, N04_AGradientHasTheShapeOfItsOperand) {
  for (const Extent groups : {1, 2})
    for (const Extent stride : {1, 2, 3})
      for (const Extent dilation : {1, 2})
        for (const Extent size : {1, 2}) {
          const auto x = Tensor::full({f32, {3, 4, 5}}, 1), w = Tensor::full({f32, {6, 4 / groups, size}}, 1);
          const auto got = read({x, w}, [&](const std::vector<Value>& in) {
            return conv1d(in[0], in[1], {stride, 1, dilation, groups});
          });
          EXPECT_EQ(got.gradients[0].type(), x.type());
          EXPECT_EQ(got.gradients[1].type(), w.type());
          const auto back = Tensor::full({f32, {4, 6 / groups, size}}, 1);
          const auto turned = read({x, back}, [&](const std::vector<Value>& in) {
            return conv1d_transposed(in[0], in[1], {stride, 0, dilation, groups, stride - 1});
          });
          EXPECT_EQ(turned.gradients[0].type(), x.type());
          EXPECT_EQ(turned.gradients[1].type(), back.type());
        }
}

TEST(Traps, N05_ATransposedConvolutionReadsTheCotangentAtItsStride) {
  const auto x = Tensor::from<double>({1, 1, 2}, {1, 2});
  const auto w = Tensor::from<double>({1, 1, 1}, {-0.7767});
  const ValueFunction f = [](const std::vector<Value>& in) { return conv1d_transposed(in[0], in[1], {.stride = 2}); };
  EXPECT_EQ(value_of(f, {x, w}).text(), "[[[-0.7767, 0, -1.5534]]]");
  const auto slope = numbers_of(cotangents_of(f, {x, w}, Tensor::from<double>({1, 1, 3}, {1.5, 0, 0.7}))[0]);
  EXPECT_DOUBLE_EQ(slope[0], -0.7767 * 1.5);
  EXPECT_DOUBLE_EQ(slope[1], -0.7767 * 0.7);
  // A kernel of one tap at any stride: only the places of the stride are read.
  Random random(45);
  for (const Extent stride : {2, 3, 4}) {
    const auto g = whole_f64(random, {1, 1, 3 * stride + 1});
    const auto got = numbers_of(
        pulled({whole_f64(random, {1, 1, 4}), Tensor::full({f64, {1, 1, 1}}, 2)}, g, [&](const std::vector<Value>& in) {
          return conv1d_transposed(in[0], in[1], {.stride = stride});
        }).gradients[0]);
    for (Extent i = 0; i < 4; ++i)
      EXPECT_EQ(got[static_cast<std::size_t>(i)], 2 * numbers_of(g)[static_cast<std::size_t>(i * stride)]);
  }
}

TEST(Traps, N06_StrideAndDilationOfATransposeAreNotExchanged) {
  Random random(46);
  for (const auto& [stride, dilation] : {std::pair<Extent, Extent>{2, 1}, {1, 2}, {3, 2}, {2, 3}}) {
    // The matrix of the convolution, column by column from the unit vectors.
    const Extent length = 5, whole_length = (length - 1) * stride + 2 * dilation + 1;
    const auto kernel = whole_f64(random, {1, 1, 3});
    std::vector<double> unit(static_cast<std::size_t>(whole_length * whole_length));
    for (Extent i = 0; i < whole_length; ++i) unit[static_cast<std::size_t>(i * whole_length + i)] = 1;
    const auto images = Tensor::from({whole_length, 1, whole_length}, unit);
    const auto columns = value_of(
        [&](const std::vector<Value>& in) { return conv1d(in[0], in[1], {stride, 0, dilation, 1}); }, {images, kernel});
    const auto matrix = reshape(columns, {whole_length, length});
    const auto x = whole_f64(random, {1, 1, length}), g = whole_f64(random, {1, 1, whole_length});
    const auto got = pulled({x, kernel}, g, [&](const std::vector<Value>& in) {
      return conv1d_transposed(in[0], in[1], {stride, 0, dilation, 1, 0});
    });
    EXPECT_TRUE(bits_agree(reshape(got.value, {whole_length, 1}), matmul(matrix, reshape(x, {length, 1}))));
    EXPECT_TRUE(bits_agree(reshape(got.gradients[0], {1, length}), matmul(reshape(g, {1, whole_length}), matrix)));
  }
}

TEST(Traps, N08_OverlappingWindowsAccumulateAtTheirMaximum) {
  std::vector<double> numbers(24);
  for (std::size_t i = 0; i < 24; ++i) numbers[i] = static_cast<double>(i + 1);
  numbers[1 * 6 + 1] = 88;
  const auto x = Tensor::from({1, 1, 4, 6}, numbers);
  const auto got = read({x}, [](const std::vector<Value>& in) { return max_pool(in[0], 3, 2, 1); });
  EXPECT_EQ(got.value.text(), "[[[[88, 88, 12], [88, 88, 24]]]]");
  std::vector<double> expected(24);
  expected[1 * 6 + 1] = 4;
  expected[1 * 6 + 5] = 1;
  expected[3 * 6 + 5] = 1;
  EXPECT_EQ(numbers_of(got.gradients[0]), expected);
  // What goes in comes out, whatever overlaps.
  Random random(48);
  for (const Extent size : {2, 3, 4})
    for (const Extent stride : {1, 2, 3}) {
      const auto image = whole_f64(random, {1, 2, 6, 5});
      const auto pool = read({image}, [&](const std::vector<Value>& in) { return max_pool(in[0], size, stride, 1); });
      EXPECT_EQ(sum(pool.gradients[0]).item(), static_cast<double>(pool.value.volume()));
    }
}

TEST(Traps, N10_APoolOfNaNIsNaN) {
  const double bad = std::numeric_limits<double>::quiet_NaN(), low = -std::numeric_limits<double>::infinity();
  const auto pooled = [](const std::vector<double>& window, Pair padding) {
    const auto x = Tensor::from({1, 1, 1, static_cast<Extent>(window.size())}, window);
    const Pair size(1, static_cast<Extent>(window.size()));
    return numbers_of(
        value_of([&](const std::vector<Value>& in) { return max_pool(in[0], size, size, padding); }, {x}));
  };
  for (const auto& window : std::vector<std::vector<double>>{{bad, bad}, {0, bad}, {bad, 0}, {low, bad}, {1, bad, 2}})
    EXPECT_TRUE(std::isnan(pooled(window, 0)[0]));
  // Padding neither hides it nor invents a number; a window of -inf stays -inf.
  EXPECT_TRUE(std::isnan(pooled({bad, bad}, {0, 1})[0]));
  EXPECT_EQ(pooled({low, low}, {0, 1}), (std::vector<double>{low, low}));
}

TEST(Traps, N12_ThePaddingOfEachSideHasItsOwnDivisor) {
  const auto ones = Tensor::full({f64, {1, 1, 2, 2}}, 1);
  const auto averaged = [&](const Tensor& x, Pair low, Pair high, bool counted) {
    return value_of([&](const std::vector<Value>& in) { return average_pool(in[0], 2, 1, {low, high, counted}); }, {x});
  };
  EXPECT_EQ(averaged(ones, 0, 1, true).text(), "[[[[1, 0.5], [0.5, 0.25]]]]");
  EXPECT_EQ(averaged(ones, 1, 0, true).text(), "[[[[0.25, 0.5], [0.5, 1]]]]");
  EXPECT_EQ(averaged(ones, {1, 0}, {0, 1}, true).text(), "[[[[0.5, 0.25], [1, 0.5]]]]");
  EXPECT_EQ(averaged(ones, {0, 1}, {1, 0}, true).text(), "[[[[0.5, 1], [0.25, 0.5]]]]");
  // Not counted, the mean of ones is one, whichever side is padded.
  for (const Extent a : {0, 1})
    for (const Extent b : {0, 1})
      for (const Extent c : {0, 1})
        for (const Extent d : {0, 1}) {
          const auto x = Tensor::full({f64, {1, 1, 3, 4}}, 1);
          for (const double one : numbers_of(averaged(x, {a, b}, {c, d}, false))) EXPECT_EQ(one, 1);
        }
}

TEST(Traps, N14_NormalisedByTheBiasedVarianceKeptAsTheUnbiased) {
  std::vector<double> numbers;
  for (int row = 0; row < 4; ++row)
    for (int i = 1; i <= 4; ++i) numbers.push_back(row + i);
  Tape tape(f64);
  const BatchNorm norm(tape, {1}, {0}, 1e-5);
  const auto x = tape.input(Tensor::from({4, 1, 2, 2}, numbers));
  const auto [output, mean, variance] = norm.express(x);
  const Symbol y = output, m = mean, v = variance;
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(m).text(), "[4]");
  EXPECT_EQ(run.of(v).text(), "[2.5]");
  EXPECT_NEAR(numbers_of(run.of(y))[0], -1.89736, 5e-6);
  const RunningStatistics start{Tensor::from({1}, {0.0}), Tensor::from({1}, {1.0})};
  const auto next = start.step(run.of(m), run.of(v), 16, 0.1);
  EXPECT_NEAR(numbers_of(next.variance)[0], 1.1666667, 5e-8);
  EXPECT_NEAR(numbers_of(next.mean)[0], 0.4, 1e-15);
}

TEST(Traps, H11_BatchNormIsRightInEveryOrder) {
  Tape tape(f64);
  const BatchNorm norm(tape, {1}, {0}, 0.5);
  const auto t = tape.parameter(0.0);
  const auto start = tape.leaf({0, 1, 3}), direction = tape.leaf({1, 0, 0});
  const auto spread = broadcast(t, {3});
  const auto moved = spread * direction;
  const auto point = start + moved;
  const auto rows = reshape(point, {3, 1});
  const auto normalized = norm(rows);
  const auto flat = reshape(normalized, {3});
  const auto picked = flat * direction;
  std::vector<Symbol> orders{sum(picked)};
  for (int order = 1; order <= 4; ++order) orders.push_back(tape.differentiate(orders.back(), {t}).of(t));
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  const double expected[] = {-0.929981109951, 0.263913558229, 0.171187172905, 0.0994736274991, 0.00250090829665};
  for (std::size_t order = 0; order < 5; ++order)
    EXPECT_NEAR(run.of(orders[order]).item(), expected[order], 1e-9 * std::abs(expected[order]) + 1e-12) << order;
}

/// d^2 L / dx^2 of L = sum(f(x)^2), f linear in x, as a matrix: the gradient of each entry of the gradient.
std::vector<double> hessian(const Tensor& x, const std::function<Value(Tape&, const Value&)>& f) {
  Tape tape(f64);
  const auto input = tape.parameter(x);
  const auto y = f(tape, input);
  const auto squares = y * y;
  const auto loss = sum(squares);
  const auto slope = tape.resolve(tape.differentiate(loss, {input}).of(input));
  const auto flat = reshape(slope, {x.volume()});
  std::vector<Symbol> rows;
  for (Extent i = 0; i < x.volume(); ++i) {
    const auto entry = sum(narrow(flat, 0, i, 1));
    rows.push_back(tape.differentiate(entry, {input}).of(input));
  }
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  std::vector<double> all;
  for (const auto row : rows)
    for (const double number : numbers_of(run.of(row))) all.push_back(number);
  return all;
}

TEST(Traps, H12_TheSecondDerivativeOfATransposeIsTransposed) {
  const auto w = Tensor::from<double>({2, 3, 1, 1}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(hessian(Tensor::from<double>({1, 2, 1, 1}, {1, -1}),
                    [&](Tape& tape, const Value& x) { return conv2d_transposed(x, tape.leaf(w)); }),
            (std::vector<double>{28, 64, 64, 154}));
  // Strides, dilation and groups: 2 A A^T, A the matrix of the transpose, found by the unit vectors.
  Random random(52);
  for (const Extent groups : {1, 2}) {
    const auto kernel = whole_f64(random, {2, 2, 2, 2});
    const TransposedOptions options{{2, 1}, {0, 1}, {1, 2}, groups, {1, 0}};
    const ValueFunction f = [&](const std::vector<Value>& in) { return conv2d_transposed(in[0], in[1], options); };
    std::vector<double> unit(64);
    for (std::size_t i = 0; i < 8; ++i) unit[i * 8 + i] = 1;
    const auto images = value_of(f, {Tensor::from({8, 2, 2, 2}, unit), kernel});
    const auto matrix = reshape(images, {8, images.volume() / 8});
    const auto expected = matmul(matrix, permute(matrix, {1, 0})) * 2.0;
    EXPECT_EQ(hessian(whole_f64(random, {1, 2, 2, 2}),
                      [&](Tape& tape, const Value& x) { return conv2d_transposed(x, tape.leaf(kernel), options); }),
              numbers_of(expected));
  }
}

}  // namespace
}  // namespace topos::test
