// Tests of convolutions: the nodes they record, values and gradients against direct loops, transposes against the
// matrix, and what they refuse.
#include "topos/neural/convolution.h"

#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"
#include "support/golden.h"
#include "support/windows.h"

namespace topos::test {
namespace {

Value zeros(Tape& tape, const Shape& shape, ElementType element = f32) {
  return tape.input(Tensor::full({element, shape}, 0));
}

TEST(Conv2d, records_windows_and_a_product) {
  Tape tape;
  const auto x = zeros(tape, {2, 3, 5, 6});
  const auto w = zeros(tape, {4, 3, 3, 2});
  const auto b = zeros(tape, {4});
  conv2d(x, w, b, {{2, 1}, {1, 0}, {1, 2}});
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Input [2, 3, 5, 6]
1 Input [4, 3, 3, 2]
2 Input [4]
3 Pad 0 axis=2 start=1 full_extent=7 [2, 3, 7, 6]
4 Unfold 3 axis=2 size=3 step=2 dilation=1 [2, 3, 3, 3, 6]
5 Unfold 4 axis=4 size=2 step=1 dilation=2 [2, 3, 3, 3, 4, 2]
6 Permute 5 order=[0, 2, 4, 1, 3, 5] [2, 3, 4, 3, 3, 2]
7 Reshape 6 shape=[24, 18] [24, 18]
8 Permute 1 order=[1, 2, 3, 0] [3, 3, 2, 4]
9 Reshape 8 shape=[18, 4] [18, 4]
10 MatMul 7, 9 [24, 4]
11 BroadcastAlong 2 axis=0 extent=24 [24, 4]
12 Add 10, 11 [24, 4]
13 Reshape 12 shape=[2, 3, 4, 4] [2, 3, 4, 4]
14 Permute 13 order=[0, 3, 1, 2] [2, 4, 3, 4]
tape: 15 nodes, 0 parameters, 3 inputs)"));
}

TEST(Conv2d, without_bias_records_no_addition) {
  Tape tape;
  const auto x = zeros(tape, {1, 1, 3, 3});
  const auto w = zeros(tape, {1, 1, 2, 2});
  const auto size = tape.size();
  EXPECT_EQ(conv2d(x, w).shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(tape.size(), size + 9);
}

TEST(Conv2d, groups_record_a_batched_product) {
  Tape tape;
  const auto x = zeros(tape, {2, 4, 3, 3});
  const auto w = zeros(tape, {6, 2, 2, 2});
  const auto b = zeros(tape, {6});
  conv2d(x, w, b, {.groups = 2});
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Input [2, 4, 3, 3]
1 Input [6, 2, 2, 2]
2 Input [6]
3 Unfold 0 axis=2 size=2 step=1 dilation=1 [2, 4, 2, 2, 3]
4 Unfold 3 axis=4 size=2 step=1 dilation=1 [2, 4, 2, 2, 2, 2]
5 Reshape 4 shape=[2, 2, 2, 2, 2, 2, 2] [2, 2, 2, 2, 2, 2, 2]
6 Permute 5 order=[1, 0, 3, 5, 2, 4, 6] [2, 2, 2, 2, 2, 2, 2]
7 Reshape 6 shape=[2, 8, 8] [2, 8, 8]
8 Reshape 1 shape=[2, 3, 2, 2, 2] [2, 3, 2, 2, 2]
9 Permute 8 order=[0, 2, 3, 4, 1] [2, 2, 2, 2, 3]
10 Reshape 9 shape=[2, 8, 3] [2, 8, 3]
11 MatMul 7, 10 [2, 8, 3]
12 Reshape 2 shape=[2, 3] [2, 3]
13 BroadcastAlong 12 axis=1 extent=8 [2, 8, 3]
14 Add 11, 13 [2, 8, 3]
15 Reshape 14 shape=[2, 2, 2, 2, 3] [2, 2, 2, 2, 3]
16 Permute 15 order=[1, 0, 4, 2, 3] [2, 2, 3, 2, 2]
17 Reshape 16 shape=[2, 6, 2, 2] [2, 6, 2, 2]
tape: 18 nodes, 0 parameters, 3 inputs)"));
}

/// Every combination of strides, paddings, dilations and groups, the axes unlike each other.
std::vector<ConvolutionOptions> all_options() {
  std::vector<ConvolutionOptions> all;
  for (const Extent groups : {1, 2, 4})
    for (const Extent stride : {1, 2, 3})
      for (const Extent padding : {0, 1, 2})
        for (const Extent dilation : {1, 2})
          all.push_back({{stride, 4 - stride}, {padding, (padding + 1) % 3}, {dilation, 3 - dilation}, groups});
  return all;
}
std::string text_of(const ConvolutionOptions& o) {
  return "stride " + std::to_string(o.stride.rows) + " padding " + std::to_string(o.padding.rows) + " dilation " +
         std::to_string(o.dilation.rows) + " groups " + std::to_string(o.groups);
}

TEST(Conv2d, is_the_direct_loop_with_its_gradients) {
  Random random(1);
  for (const auto& options : all_options()) {
    SCOPED_TRACE(text_of(options));
    const auto x = whole(random, {2, 4, 6, 7});
    const auto w = whole(random, {4, 4 / options.groups, 3, 2});
    const auto b = whole(random, {4});
    const auto product = direct_conv2d(x, w, options);
    const auto g = whole(random, product.shape());
    const auto got =
        pulled({x, w, b}, g, [&](const std::vector<Value>& in) { return conv2d(in[0], in[1], in[2], options); });
    auto bias = broadcast_along(b, 0, 2);
    bias = broadcast_along(bias, 2, product.shape()[2]);
    bias = broadcast_along(bias, 3, product.shape()[3]);
    const auto [to_image, to_kernel] = direct_conv2d_gradients(x, w, g, options);
    EXPECT_TRUE(bits_agree(got.value, product + bias));
    EXPECT_TRUE(bits_agree(got.gradients[0], to_image));
    EXPECT_TRUE(bits_agree(got.gradients[1], to_kernel));
    EXPECT_TRUE(bits_agree(got.gradients[2], sum(g, {0, 2, 3})));
  }
}

TEST(Conv2d, is_the_same_by_every_reading_in_every_element) {
  Random random(2);
  for (const auto element : {f32, f64, bf16})
    for (const ConvolutionOptions& options :
         {ConvolutionOptions{}, ConvolutionOptions{{2, 1}, {1, 2}, {1, 2}, 1}, ConvolutionOptions{2, 1, 1, 2}}) {
      const std::vector<Tensor> in{random.tensor({element, {2, 2, 6, 5}}, -1, 1),
                                   random.tensor({element, {4, 2 / options.groups, 3, 2}}, -1, 1),
                                   random.tensor({element, {4}}, -1, 1)};
      const ValueFunction f = [&](const std::vector<Value>& v) { return conv2d(v[0], v[1], v[2], options); };
      const auto value = value_of(f, in);
      cotangents_of(f, in, random.tensor(value.type(), -1, 1));
    }
}

TEST(Conv2d, an_image_does_not_know_its_batch) {
  Random random(3);
  const auto x = random.tensor({f32, {3, 2, 5, 5}}, -1, 1);
  const auto w = random.tensor({f32, {2, 2, 3, 3}}, -1, 1);
  const ValueFunction f = [](const std::vector<Value>& in) { return conv2d(in[0], in[1], {1, 1}); };
  const auto all = value_of(f, {x, w});
  for (Extent i = 0; i < 3; ++i) EXPECT_TRUE(bits_agree(value_of(f, {narrow(x, 0, i, 1), w}), narrow(all, 0, i, 1)));
}

TEST(Conv2d, ABatchOfNothingIsNothing) {
  Tape tape;
  const auto x = zeros(tape, {0, 1, 4, 4});
  const auto w = zeros(tape, {2, 1, 3, 3});
  const Symbol y = conv2d(x, w);
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(network.entry({y}).lower().forward(network.parameters()).of(y).shape(), (Shape{0, 2, 2, 2}));
}

TEST(Conv1d, is_the_direct_loop_with_its_gradients) {
  Random random(4);
  for (const Convolution1dOptions& options : {Convolution1dOptions{}, Convolution1dOptions{2, 1, 1, 1},
                                              Convolution1dOptions{1, 2, 2, 2}, Convolution1dOptions{3, 0, 2, 1}}) {
    const auto x = whole(random, {2, 4, 9});
    const auto w = whole(random, {2, 4 / options.groups, 3});
    const ConvolutionOptions wide{{1, options.stride}, {0, options.padding}, {1, options.dilation}, options.groups};
    const auto image = reshape(x, {2, 4, 1, 9});
    const auto kernel = reshape(w, {2, 4 / options.groups, 1, 3});
    const auto product = direct_conv2d(image, kernel, wide);
    const Shape shape{2, 2, product.shape()[3]};
    const auto g = whole(random, shape);
    const auto got = pulled({x, w}, g, [&](const std::vector<Value>& in) { return conv1d(in[0], in[1], options); });
    const auto [to_image, to_kernel] = direct_conv2d_gradients(image, kernel, reshape(g, product.shape()), wide);
    EXPECT_TRUE(bits_agree(got.value, reshape(product, shape)));
    EXPECT_TRUE(bits_agree(got.gradients[0], reshape(to_image, x.shape())));
    EXPECT_TRUE(bits_agree(got.gradients[1], reshape(to_kernel, w.shape())));
  }
}

/// The convolution as a matrix [image, output] of one image, found by asking it for the unit images.
Tensor matrix_of(const Tensor& w, const Shape& image, const ConvolutionOptions& options) {
  const auto size = image.volume();
  std::vector<double> unit(static_cast<std::size_t>(size * size));
  for (Extent i = 0; i < size; ++i) unit[static_cast<std::size_t>(i * size + i)] = 1;
  const auto images = Tensor::from({size, image[1], image[2], image[3]}, unit, w.element());
  const auto outputs =
      value_of([&](const std::vector<Value>& in) { return conv2d(in[0], in[1], options); }, {images, w});
  return reshape(outputs, {size, outputs.volume() / size});
}

TEST(Conv2dTransposed, is_the_transpose_of_the_matrix) {
  Random random(5);
  for (const auto& options : all_options()) {
    SCOPED_TRACE(text_of(options));
    const Shape image{1, 4, 6, 7};
    const auto w = whole(random, {4, 4 / options.groups, 3, 2});
    const auto matrix = matrix_of(w, image, options);  // [image, output]
    const auto small = convolved_shape(image, w.shape(), options);
    const auto x = whole(random, small);
    const auto left = [&](Extent axis, Extent size, Extent stride, Extent padding, Extent dilation) {
      return (image.at(axis) + 2 * padding - (size - 1) * dilation - 1) % stride;
    };
    const Pair output_padding(left(2, 3, options.stride.rows, options.padding.rows, options.dilation.rows),
                              left(3, 2, options.stride.columns, options.padding.columns, options.dilation.columns));
    const TransposedOptions transposed{options.stride, options.padding, options.dilation, options.groups,
                                       output_padding};
    const auto g = whole(random, image);
    const auto got =
        pulled({x, w}, g, [&](const std::vector<Value>& in) { return conv2d_transposed(in[0], in[1], transposed); });
    const auto column = reshape(x, {x.volume(), 1});
    EXPECT_TRUE(bits_agree(got.value, reshape(matmul(matrix, column), image) + 0.0));
    const auto row = reshape(g, {1, g.volume()});
    EXPECT_TRUE(bits_agree(got.gradients[0], reshape(matmul(row, matrix), small) + 0.0));
    // The kernel's gradient pairs the same numbers as the convolution's, image and cotangent exchanged.
    EXPECT_TRUE(bits_agree(got.gradients[1], direct_conv2d_gradients(g, w, x, options)[1]));
  }
}

TEST(Conv2dTransposed, adds_its_bias_to_every_place) {
  Random random(6);
  const auto x = whole(random, {2, 2, 3, 3}), w = whole(random, {2, 3, 2, 2}), b = whole(random, {3});
  const TransposedOptions options{2, 0, 1, 1, 1};
  const auto plain =
      value_of([&](const std::vector<Value>& in) { return conv2d_transposed(in[0], in[1], options); }, {x, w});
  const auto g = whole(random, plain.shape());
  const auto got = pulled(
      {x, w, b}, g, [&](const std::vector<Value>& in) { return conv2d_transposed(in[0], in[1], in[2], options); });
  auto bias = broadcast_along(b, 0, 2);
  bias = broadcast_along(bias, 2, 7);
  bias = broadcast_along(bias, 3, 7);
  EXPECT_TRUE(bits_agree(got.value, plain + bias));
  EXPECT_TRUE(bits_agree(got.gradients[2], sum(g, {0, 2, 3})));
}

TEST(Conv1dTransposed, is_the_two_dimensional_one_of_a_row) {
  Random random(7);
  const auto x = whole(random, {2, 2, 4}), w = whole(random, {2, 3, 3}), b = whole(random, {3});
  const auto line = value_of(
      [](const std::vector<Value>& in) { return conv1d_transposed(in[0], in[1], in[2], {2, 1, 1, 1, 1}); }, {x, w, b});
  const auto image = value_of(
      [](const std::vector<Value>& in) {
        return conv2d_transposed(in[0], in[1], in[2], {{1, 2}, {0, 1}, 1, 1, {0, 1}});
      },
      {reshape(x, {2, 2, 1, 4}), reshape(w, {2, 3, 1, 3}), b});
  EXPECT_EQ(line.shape(), (Shape{2, 3, 8}));
  EXPECT_TRUE(bits_agree(line, reshape(image, line.shape())));
}

TEST(Conv2dLayer, holds_its_parameters) {
  Random random(8);
  Tape tape;
  const auto w = whole(random, {4, 1, 3, 3}), b = whole(random, {4}), x = whole(random, {1, 2, 5, 5});
  const Conv2d layer(tape, w, b, {.padding = 1, .groups = 2});
  const auto input = tape.input(x);
  const Symbol y = layer(input);
  EXPECT_EQ(layer.parameters(), (std::vector<Symbol>{layer.weights(), layer.bias()}));
  const auto network = std::move(tape).into_network();
  EXPECT_TRUE(bits_agree(
      network.forward(network.parameters()).of(y),
      value_of([](const std::vector<Value>& in) { return conv2d(in[0], in[1], in[2], {.padding = 1, .groups = 2}); },
               {x, w, b})));
  Tape other;
  EXPECT_TRUE(throws([&] { Conv2d(other, w, x); }, {ErrorKind::type, "Conv2d"}));
  EXPECT_TRUE(throws([&] { Conv2d(other, w, b, {.groups = 3}); }, {ErrorKind::type, "Conv2d", {}, {"3 groups"}}));
  EXPECT_TRUE(throws([&] { Conv2d(other, w, b, {.stride = 0}); }, {ErrorKind::argument, "Conv2d", {}, {"stride"}}));
  EXPECT_TRUE(other.empty());
}

TEST(Convolutions, refuse_what_does_not_fit) {
  Tape tape;
  const auto x = zeros(tape, {2, 4, 5, 5});
  const auto w = zeros(tape, {6, 4, 3, 3});
  const auto b = zeros(tape, {6});
  const auto size = tape.size();
  const auto refused = [&](ErrorKind kind, const Value& weights, const Value& bias, const ConvolutionOptions& options,
                           std::string word) {
    const auto line = static_cast<std::uint32_t>(__LINE__) + 1;
    return throws([&] { conv2d(x, weights, bias, options); },
                  {kind, "conv2d", {x.type().text(), weights.type().text(), bias.type().text()}, {word}, line});
  };
  EXPECT_TRUE(refused(ErrorKind::type, x, b, {}, "each of 2 filters"));
  EXPECT_TRUE(refused(ErrorKind::type, b, b, {}, "[b, c, h, w]"));
  EXPECT_TRUE(refused(ErrorKind::type, w, w, {}, "[f]"));
  EXPECT_TRUE(refused(ErrorKind::type, w, b, {.groups = 2}, "channels a group"));
  EXPECT_TRUE(refused(ErrorKind::type, w, b, {.groups = 3}, "do not divide"));
  EXPECT_TRUE(refused(ErrorKind::type, w, b, {.dilation = 3}, "does not fit"));
  EXPECT_TRUE(refused(ErrorKind::argument, w, b, {.stride = {1, 0}}, "stride"));
  EXPECT_TRUE(refused(ErrorKind::argument, w, b, {.padding = -1}, "padding"));
  EXPECT_TRUE(refused(ErrorKind::argument, w, b, {.dilation = 0}, "dilation"));
  EXPECT_TRUE(refused(ErrorKind::argument, w, b, {.groups = 0}, "groups"));
  EXPECT_TRUE(throws([&] { conv1d(x, w); }, {ErrorKind::type, "conv1d", {}, {"[b, c, l]"}}));
  EXPECT_TRUE(throws([&] { conv2d_transposed(x, w); }, {ErrorKind::type, "conv2d_transposed", {}, {"6 channels"}}));
  EXPECT_EQ(tape.size(), size);
  const auto k = zeros(tape, {4, 3, 2, 2});
  EXPECT_TRUE(throws([&] { conv2d_transposed(x, k, {.output_padding = 1}); },
                     {ErrorKind::argument, "conv2d_transposed", {}, {"output padding", "not below"}}));
  EXPECT_TRUE(throws([&] { conv2d_transposed(x, k, {.padding = 3}); },
                     {ErrorKind::type, "conv2d_transposed", {}, {"leaves nothing"}}));
  EXPECT_TRUE(throws([&] { conv2d(x, zeros(tape, {6, 4, 3, 3}, f64), b); },
                     {ErrorKind::type, "conv2d", {}, {"more than one element"}}));
}

}  // namespace
}  // namespace topos::test
