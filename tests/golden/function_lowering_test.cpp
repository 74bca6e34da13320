// The StableHLO lines of functions, extremes, windows and narrow accumulations.
#include <gtest/gtest.h>

#include "support/lowering.h"

namespace topos::test {
namespace {

TEST(Lowering, of_elementary_functions) {
  const auto line = [](const char* operation) {
    return std::string("%v1 = stablehlo.") + operation + " %arg0 : tensor<2xf32>\n";
  };
  const Shape s{2};
  EXPECT_EQ(of_one(s, [](const Value& x) { return expm1(x); }), line("exponential_minus_one"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return log1p(x); }), line("log_plus_one"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return sin(x); }), line("sine"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return cos(x); }), line("cosine"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return rsqrt(x); }), line("rsqrt"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return logistic(x); }), line("logistic"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return abs(x); }), line("abs"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return sign(x); }), line("sign"));
  EXPECT_EQ(of_one(s, [](const Value& x) { return erf(x); }),
            "%v1 = chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>\n");
  EXPECT_EQ(of_two(s, s, [](const Value& a, const Value& b) { return power(a, b); }),
            "%v2 = stablehlo.power %arg0, %arg1 : tensor<2xf32>\n");
  EXPECT_EQ(of_two(s, s, [](const Value& a, const Value& b) { return minimum(a, b); }),
            "%v2 = stablehlo.minimum %arg0, %arg1 : tensor<2xf32>\n");
}

TEST(Lowering, of_erf_derivative) {
  EXPECT_EQ(of_one({2}, [](const Value& x) { return erf_derivative(x); }),
            "%v1_squared = stablehlo.multiply %arg0, %arg0 : tensor<2xf32>\n"
            "%v1_negated = stablehlo.negate %v1_squared : tensor<2xf32>\n"
            "%v1_bell = stablehlo.exponential %v1_negated : tensor<2xf32>\n"
            "%v1_scale = stablehlo.constant dense<1.1283791670955126> : tensor<2xf32>\n"
            "%v1 = stablehlo.multiply %v1_bell, %v1_scale : tensor<2xf32>\n");
}

TEST(Lowering, of_softplus) {
  EXPECT_EQ(of_one(
                {2}, [](const Value& x) { return softplus(x); }, f64),
            "%v1_zero = stablehlo.constant dense<0.0> : tensor<2xf64>\n"
            "%v1_positive = stablehlo.maximum %arg0, %v1_zero : tensor<2xf64>\n"
            "%v1_magnitude = stablehlo.abs %arg0 : tensor<2xf64>\n"
            "%v1_negated = stablehlo.negate %v1_magnitude : tensor<2xf64>\n"
            "%v1_exp = stablehlo.exponential %v1_negated : tensor<2xf64>\n"
            "%v1_rest = stablehlo.log_plus_one %v1_exp : tensor<2xf64>\n"
            "%v1 = stablehlo.add %v1_positive, %v1_rest : tensor<2xf64>\n");
}

TEST(Lowering, of_stop_gradient_is_its_operand) {
  EXPECT_EQ(of_one({2},
                   [](const Value& x) {
                     const auto kept = stop_gradient(x);
                     return -kept;
                   }),
            "%v2 = stablehlo.negate %arg0 : tensor<2xf32>\n");
}

TEST(Lowering, of_the_largest_along_an_axis) {
  const auto largest = [](const Value& x) { return max_along(x, 1); };
  EXPECT_EQ(of_one({2, 3}, largest),
            "%v1_low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
            "%v1 = stablehlo.reduce(%arg0 init: %v1_low) applies stablehlo.maximum across dimensions = [1] : "
            "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n");
  EXPECT_EQ(of_one({2, 3}, largest, i64),
            "%v1_low = stablehlo.constant dense<-9223372036854775808> : tensor<i64>\n"
            "%v1 = stablehlo.reduce(%arg0 init: %v1_low) applies stablehlo.maximum across dimensions = [1] : "
            "(tensor<2x3xi64>, tensor<i64>) -> tensor<2xi64>\n");
  EXPECT_NE(of_one({2, 3}, largest, bf16).find("dense<0xFF80> : tensor<bf16>"), std::string::npos);
}

TEST(Lowering, of_the_place_of_the_largest) {
  // The smallest count among the places that hold the largest, or NaN.
  const auto place = [](const Value& x) { return argmax_along(x, 0); };
  EXPECT_EQ(of_one({2, 3}, place),
            "%v1_low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
            "%v1_peak = stablehlo.reduce(%arg0 init: %v1_low) applies stablehlo.maximum across dimensions = [0] : "
            "(tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>\n"
            "%v1_spread_peak = stablehlo.broadcast_in_dim %v1_peak, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>\n"
            "%v1_equal = stablehlo.compare EQ, %arg0, %v1_spread_peak, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
            "tensor<2x3xi1>\n"
            "%v1_nan = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
            "tensor<2x3xi1>\n"
            "%v1_chosen = stablehlo.or %v1_equal, %v1_nan : tensor<2x3xi1>\n"
            "%v1_count = stablehlo.iota dim = 0 : tensor<2x3xi64>\n"
            "%v1_none = stablehlo.constant dense<2> : tensor<2x3xi64>\n"
            "%v1_places = stablehlo.select %v1_chosen, %v1_count, %v1_none : tensor<2x3xi1>, tensor<2x3xi64>\n"
            "%v1_seed = stablehlo.constant dense<2> : tensor<i64>\n"
            "%v1 = stablehlo.reduce(%v1_places init: %v1_seed) applies stablehlo.minimum across dimensions = [0] : "
            "(tensor<2x3xi64>, tensor<i64>) -> tensor<3xi64>\n");
  // Integers have no NaN to look for.
  EXPECT_EQ(of_one({2, 3}, place, i64).find("compare NE"), std::string::npos);
}

TEST(Lowering, of_windows_taken_apart) {
  EXPECT_EQ(of_one({8}, [](const Value& x) { return unfold(x, 0, 2, 3, 4); }),
            "%v1_row0 = stablehlo.slice %arg0 [0:4:3] : (tensor<8xf32>) -> tensor<2xf32>\n"
            "%v1_tap0 = stablehlo.reshape %v1_row0 : (tensor<2xf32>) -> tensor<2x1xf32>\n"
            "%v1_row1 = stablehlo.slice %arg0 [4:8:3] : (tensor<8xf32>) -> tensor<2xf32>\n"
            "%v1_tap1 = stablehlo.reshape %v1_row1 : (tensor<2xf32>) -> tensor<2x1xf32>\n"
            "%v1 = stablehlo.concatenate %v1_tap0, %v1_tap1, dim = 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> "
            "tensor<2x2xf32>\n");
  EXPECT_EQ(of_one({2, 5, 3}, [](const Value& x) { return unfold(x, 1, 1, 2, 1); }),
            "%v1_row0 = stablehlo.slice %arg0 [0:2, 0:5:2, 0:3] : (tensor<2x5x3xf32>) -> tensor<2x3x3xf32>\n"
            "%v1 = stablehlo.reshape %v1_row0 : (tensor<2x3x3xf32>) -> tensor<2x3x1x3xf32>\n");
}

TEST(Lowering, of_windows_added_back) {
  const auto whole = [](const Value& x) { return fold(x, 0, 2, 3, 4, 9); };
  EXPECT_EQ(of_one({2, 2}, whole),
            "%v1_zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%v1_zeros = stablehlo.constant dense<0.0> : tensor<9xf32>\n"
            "%v1_tap0 = stablehlo.slice %arg0 [0:2, 0:1] : (tensor<2x2xf32>) -> tensor<2x1xf32>\n"
            "%v1_row0 = stablehlo.reshape %v1_tap0 : (tensor<2x1xf32>) -> tensor<2xf32>\n"
            "%v1_spread0 = stablehlo.pad %v1_row0, %v1_zero, low = [0], high = [5], interior = [2] : (tensor<2xf32>, "
            "tensor<f32>) -> tensor<9xf32>\n"
            "%v1_sum0 = stablehlo.add %v1_zeros, %v1_spread0 : tensor<9xf32>\n"
            "%v1_tap1 = stablehlo.slice %arg0 [0:2, 1:2] : (tensor<2x2xf32>) -> tensor<2x1xf32>\n"
            "%v1_row1 = stablehlo.reshape %v1_tap1 : (tensor<2x1xf32>) -> tensor<2xf32>\n"
            "%v1_spread1 = stablehlo.pad %v1_row1, %v1_zero, low = [4], high = [1], interior = [2] : (tensor<2xf32>, "
            "tensor<f32>) -> tensor<9xf32>\n"
            "%v1 = stablehlo.add %v1_sum0, %v1_spread1 : tensor<9xf32>\n");
  // Narrow numbers are added in the wide element and rounded once.
  const auto narrow = of_one({2, 2}, whole, bf16);
  EXPECT_TRUE(narrow.starts_with("%v1_promoted = stablehlo.convert %arg0 : (tensor<2x2xbf16>) -> tensor<2x2xf32>\n"));
  EXPECT_TRUE(
      narrow.ends_with("%v1_sum1 = stablehlo.add %v1_sum0, %v1_spread1 : tensor<9xf32>\n"
                       "%v1 = stablehlo.convert %v1_sum1 : (tensor<9xf32>) -> tensor<9xbf16>\n"));
}

TEST(Lowering, of_bf16_accumulates_in_f32) {
  EXPECT_EQ(of_two(
                {2, 3}, {3, 4}, [](const Value& a, const Value& b) { return matmul(a, b); }, bf16),
            "%v2_accumulated = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, "
            "tensor<3x4xbf16>) -> tensor<2x4xf32>\n"
            "%v2 = stablehlo.convert %v2_accumulated : (tensor<2x4xf32>) -> tensor<2x4xbf16>\n");
  EXPECT_EQ(of_one(
                {2, 3}, [](const Value& x) { return sum(x, {1}); }, bf16),
            "%v1_promoted = stablehlo.convert %arg0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>\n"
            "%v1_seed = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%v1_accumulated = stablehlo.reduce(%v1_promoted init: %v1_seed) applies stablehlo.add across dimensions = "
            "[1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
            "%v1 = stablehlo.convert %v1_accumulated : (tensor<2xf32>) -> tensor<2xbf16>\n");
  // The totals of the operations along a lane too.
  for (const auto& body : {of_one(
                               {2, 3}, [](const Value& x) { return log_softmax(x, 1); }, bf16),
                           of_one(
                               {2, 3}, [](const Value& x) { return softmax(x, 1); }, bf16),
                           of_one({2, 3}, [](const Value& x) { return logsumexp(x, 1); }, bf16)}) {
    EXPECT_NE(body.find("%v1_total_promoted = stablehlo.convert %v1_exp : (tensor<2x3xbf16>) -> tensor<2x3xf32>\n"),
              std::string::npos);
    EXPECT_NE(body.find("%v1_total = stablehlo.convert %v1_total_accumulated : (tensor<2xf32>) -> tensor<2xbf16>\n"),
              std::string::npos);
  }
  const auto added = body_of(
      [](Tape& tape) {
        const auto rows = input(tape, {4, 3}, bf16);
        const auto places = input(tape, {4}, i64);
        return scatter(rows, places, 6);
      },
      bf16);
  EXPECT_NE(added.find("%v2_promoted = stablehlo.convert %arg0 : (tensor<4x3xbf16>) -> tensor<4x3xf32>\n"),
            std::string::npos);
  EXPECT_NE(added.find("-> tensor<6x3xbf16>\n"), std::string::npos);
}

TEST(Lowering, of_a_bf16_mean_divides_in_f32) {
  EXPECT_EQ(of_one(
                {4}, [](const Value& x) { return mean(x); }, bf16),
            "%v1 = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>\n"
            "%v2_seed = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%v2 = stablehlo.reduce(%v1 init: %v2_seed) applies stablehlo.add across dimensions = [0] : "
            "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
            "%v3 = stablehlo.constant dense<4.0> : tensor<f32>\n"
            "%v4 = stablehlo.divide %v2, %v3 : tensor<f32>\n"
            "%v5 = stablehlo.convert %v4 : (tensor<f32>) -> tensor<bf16>\n");
}

}  // namespace
}  // namespace topos::test
