// What the emitted module raises: convolutions, pools and batch norms as StableHLO's own operations, forward and
// backward.
#include <gtest/gtest.h>

#include "support/convolution_models.h"
#include "support/emitted.h"
#include "support/golden.h"

namespace topos::test {
namespace {

/// The lines of a module that mention a word.
std::string lines_with(const std::string& module, const std::string& word) {
  std::istringstream stream(module);
  std::string text;
  for (std::string line; std::getline(stream, line);)
    if (line.find(word) != std::string::npos) text += line.substr(line.find_first_not_of(' ')) + "\n";
  return text;
}

TEST(Raise, AConvolutionAndItsPoolToTheCharacter) {
  const auto model = pooled_convolution({1, 1, 6, 6}, {2, 1, 3, 3}, 0, 2);
  EXPECT_EQ(emitted(model.network.entry({model.pooled}).lower()), plate("emission-4-convolution.mlir"));
  // The posture does not reach the module.
  EXPECT_EQ(emitted(model.network.entry({model.pooled}).backward().lower()), plate("emission-4-convolution.mlir"));
}

std::string convolution_lines(const ConvolutionOptions& options, ElementType element = f32) {
  const auto step = training_step(options, element);
  return lines_with(emitted(step.network.entry(step.roots).lower()), "stablehlo.convolution");
}

TEST(Raise, every_product_of_a_training_step_is_a_convolution) {
  const std::string counts = " {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : ";
  EXPECT_EQ(
      convolution_lines({{2, 1}, {1, 2}, {1, 2}, 1}),
      "%v11_windows = stablehlo.convolution(%arg0, %v11_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->"
      "[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [2, 2]], rhs_dilate = [1, 2]}" +
          counts +
          "(tensor<2x2x9x8xf32>, tensor<2x3x2x3xf32>) -> tensor<2x5x10x3xf32>\n"
          "%v134_windows = stablehlo.convolution(%arg0, %v134_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->"
          "[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [2, 2]], rhs_dilate = [2, 1]}" +
          counts +
          "(tensor<2x2x9x8xf32>, tensor<2x5x10x3xf32>) -> tensor<2x3x2x3xf32>\n"
          "%v154 = stablehlo.convolution(%v154_cotangent, %v154_kernel) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->"
          "[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [2, 1], rhs_dilate = "
          "[1, 2], reverse = [true, true]}" +
          counts + "(tensor<2x5x10x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x2x11x12xf32>\n");
}

TEST(Raise, what_no_window_reaches_is_cut_and_filled_up) {
  const auto lines = convolution_lines({{4, 3}, 0, 1, 1});  // of 9 and 8 places: 2 rows and no column are left
  EXPECT_NE(lines.find("pad = [[0, -2], [0, 0]], rhs_dilate = [4, 3]}"), std::string::npos) << lines;
  EXPECT_NE(lines.find("pad = [[2, 4], [1, 1]], lhs_dilate = [4, 3], reverse"), std::string::npos) << lines;
}

TEST(Raise, nothing_of_the_windows_is_left) {
  for (const ConvolutionOptions& options :
       {ConvolutionOptions{}, ConvolutionOptions{{2, 1}, {1, 2}, {1, 2}, 1}, ConvolutionOptions{{4, 3}, 0, 1, 1}}) {
    const auto step = training_step(options);
    const auto module = emitted(step.network.entry(step.roots).lower());
    EXPECT_EQ(count_of(module, "stablehlo.convolution("), 3u) << module;
    EXPECT_EQ(count_of(module, "\"stablehlo.reduce_window\""), 1u);
    EXPECT_EQ(count_of(module, "\"stablehlo.select_and_scatter\""), 1u);
    for (const auto* word : {"concatenate", "stablehlo.pad", "dot_general", "stablehlo.select "})
      EXPECT_EQ(count_of(module, word), 0u) << word << " in\n" << module;
    // Padding is read past, its gradient is cut.
    EXPECT_EQ(count_of(module, "stablehlo.slice"), options.padding == Pair(0) ? 0u : 2u);
  }
}

TEST(Raise, APoolsGradientScatters) {
  const auto step = training_step({});
  const auto module = emitted(step.network.entry(step.roots).lower());
  const auto start = module.find("\"stablehlo.select_and_scatter\"");
  const auto line = module.rfind("    %v", start);
  const auto name = module.substr(line + 4, module.find(' ', line + 4) - line - 4);
  std::string expected = R"(    NAME_zero = stablehlo.constant dense<0.0> : tensor<f32>
    NAME = "stablehlo.select_and_scatter"(%v14, NAME_cotangent, NAME_zero) ({
    ^bb0(NAME_left: tensor<f32>, NAME_right: tensor<f32>):
      NAME_kept = stablehlo.compare GE, NAME_left, NAME_right, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return NAME_kept : tensor<i1>
    }, {
    ^bb0(NAME_total: tensor<f32>, NAME_part: tensor<f32>):
      NAME_sum = stablehlo.add NAME_total, NAME_part : tensor<f32>
      stablehlo.return NAME_sum : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 3>, window_strides = array<i64: 1, 1, 1, 2>} : (tensor<2x3x7x7xf32>, tensor<2x3x6x3xf32>, tensor<f32>) -> tensor<2x3x7x7xf32>
)";
  for (auto at = expected.find("NAME"); at != std::string::npos; at = expected.find("NAME"))
    expected.replace(at, 4, name);
  EXPECT_NE(module.find(expected), std::string::npos) << module;
}

TEST(Raise, BFloat16AccumulatesInF32) {
  const auto step = training_step({}, bf16);
  const auto module = emitted(step.network.entry(step.roots).lower());
  EXPECT_EQ(count_of(lines_with(module, "stablehlo.convolution("), "_accumulated = "), 3u) << module;
  EXPECT_EQ(count_of(lines_with(module, "stablehlo.select_and_scatter"), "_accumulated = "), 1u);
  EXPECT_EQ(count_of(lines_with(module, "_seed = stablehlo.constant dense<0xFF80>"), "bf16"), 1u);
}

TEST(Raise, ATransposedConvolutionIsOne) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {1, 2, 3, 3}}, 1));
  const auto w = tape.parameter(Tensor::full({f32, {2, 3, 2, 2}}, 1));
  const Symbol y = conv2d_transposed(x, w, {.stride = {2, 1}, .dilation = {1, 2}, .output_padding = {1, 0}});
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(lines_with(emitted(network.entry({y}).lower()), "stablehlo.convolution("),
            "%v11 = stablehlo.convolution(%v11_cotangent, %v11_kernel) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, "
            "0, 1], "
            "window = {stride = [1, 1], pad = [[1, 2], [2, 2]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = "
            "[true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x3x2xf32>, "
            "tensor<3x2x2x2xf32>) -> tensor<1x3x7x5xf32>\n");
}

TEST(Raise, batch_norms_with_their_statistics) {
  Tape tape;
  const BatchNorm norm(tape, {1, 2}, {0, 1}, 1e-5);
  const auto x = tape.input(Random(33).tensor({f32, {4, 2}}, -1, 1));
  const auto [output, mean, variance] = norm.express(x);
  const auto given_mean = tape.input({0, 0}), given_variance = tape.input({1, 1});
  const auto inference = norm.express_with(x, given_mean, given_variance);
  const Symbol trained = output, m = mean, v = variance, inferred = inference;
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(emitted(network.entry({trained}).observe({v, m}).lower()),
            R"(module @topos {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %v21:3 = "stablehlo.batch_norm_training"(%arg2, %arg0, %arg1) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64} : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
    return %v21#0, %v21#2, %v21#1 : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
)");
  EXPECT_EQ(emitted(network.entry({inferred}).lower()),
            R"(module @topos {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4x2xf32>, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>) -> (tensor<4x2xf32>) {
    %v34 = "stablehlo.batch_norm_inference"(%arg2, %arg0, %arg1, %arg3, %arg4) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64} : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    return %v34 : tensor<4x2xf32>
  }
}
)");
}

TEST(Raise, an_interior_that_somebody_reads_is_emitted_too) {
  const auto model = pooled_convolution({1, 1, 6, 6}, {2, 1, 3, 3}, 0, 2);
  const Symbol rows(model.pooled.family(), 6);
  const auto module = emitted(model.network.entry({model.pooled, rows}).lower());
  EXPECT_EQ(count_of(module, "stablehlo.convolution("), 0u);  // observed: a barrier
  EXPECT_EQ(count_of(module, "%v6 = "), 1u);
  EXPECT_EQ(count_of(module, "dot_general"), 1u);
}

}  // namespace
}  // namespace topos::test
