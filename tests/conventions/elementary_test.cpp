// Lines of docs/conventions.md about opcodes of one number a place: values and cotangents at their edges.
#include <gtest/gtest.h>

#include "support/edges.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

const ValueFunction minimum_of = [](const In& in) { return minimum(in[0], in[1]); };
const ValueFunction abs_of = [](const In& in) { return abs(in[0]); };
const ValueFunction rsqrt_of = [](const In& in) { return rsqrt(in[0]); };
const ValueFunction log1p_of = [](const In& in) { return log1p(in[0]); };
const ValueFunction softplus_of = [](const In& in) { return softplus(in[0]); };
const ValueFunction logistic_of = [](const In& in) { return logistic(in[0]); };
const ValueFunction power_of = [](const In& in) { return power(in[0], in[1]); };

class Elementary : public testing::TestWithParam<ElementType> {
 protected:
  Tensor make(std::initializer_list<double> values) const { return row(values, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Floats, Elementary, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Elementary, minimum_is_nan_beside_nan_and_puts_minus_zero_below_plus_zero) {
  EXPECT_TRUE(bits_agree(value_of(minimum_of, {make({nan, 1, nan, 0.0, -0.0, 0.0, infinity, -infinity}),
                                               make({1, nan, nan, -0.0, 0.0, 0.0, 2, -3})}),
                         make({nan, nan, nan, -0.0, -0.0, 0.0, 2, -infinity})));
}

TEST_P(Elementary, minimum_gives_a_tie_and_nan_to_the_second_operand) {
  const auto g = cotangents_of(minimum_of, {make({1, 2, 3, nan, 1, 0.0, -0.0}), make({2, 2, 1, 1, nan, -0.0, 0.0})},
                               make({10, 20, 30, 40, 50, infinity, nan}));
  EXPECT_TRUE(bits_agree(g[0], make({10, 0, 0, 0, 0, 0, 0})));
  EXPECT_TRUE(bits_agree(g[1], make({0, 20, 30, 40, 50, infinity, nan})));
  const auto second = second_cotangents_of(minimum_of, {make({1, 2, 3}), make({2, 2, 1})}, make({5, 6, 7}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0, 0})));
  EXPECT_TRUE(bits_agree(second[1], make({0, 0, 0})));
  EXPECT_TRUE(bits_agree(second[2], make({1, 1, 1})));
}

TEST_P(Elementary, sign_keeps_zeros_and_nan_and_passes_nothing) {
  const auto f = [](const In& in) { return sign(in[0]); };
  const auto x = make({0.0, -0.0, nan, 3, -3, infinity, -infinity});
  EXPECT_TRUE(bits_agree(value_of(f, {x}), make({0.0, -0.0, nan, 1, -1, 1, -1})));
  EXPECT_TRUE(bits_agree(cotangents_of(f, {x}, full_like(x, infinity))[0], full_like(x, 0)));
}

TEST_P(Elementary, abs_is_plus_zero_of_minus_zero_and_flat_at_zero) {
  const auto x = make({0.0, -0.0, nan, -infinity, 3, -3});
  EXPECT_TRUE(bits_agree(value_of(abs_of, {x}), make({0.0, 0.0, nan, infinity, 3, 3})));
  EXPECT_TRUE(bits_agree(cotangents_of(abs_of, {x}, make({7, 7, 7, 7, infinity, infinity}))[0],
                         make({0, 0, nan, -7, infinity, -infinity})));
  const auto second = second_cotangents_of(abs_of, {make({0, 2, -2})}, make({5, 5, 5}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0, 0})));
  EXPECT_TRUE(bits_agree(second[1], make({0, 1, -1})));
}

TEST_P(Elementary, rsqrt_keeps_the_sign_of_an_infinite_value) {
  EXPECT_TRUE(bits_agree(value_of(rsqrt_of, {make({0.0, -0.0, infinity, -1, -infinity, nan, 4, 0.25})}),
                         make({infinity, -infinity, 0, nan, nan, nan, 0.5, 2})));
  const auto g = cotangents_of(rsqrt_of, {make({0.0, -0.0, 0.0, 4, 4, infinity})}, make({0, 0, 1, 0, 1, 1}));
  EXPECT_TRUE(bits_agree(g[0], make({0, 0, -infinity, 0, -0.0625, 0})));
  const auto second = second_cotangents_of(rsqrt_of, {make({0, 4, 4})}, make({0, 0, 64}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0, 1.5})));
  EXPECT_TRUE(bits_agree(second[1], make({0, -0.0625, -0.0625})));
}

TEST_P(Elementary, log1p_stops_a_zero_cotangent_at_minus_one) {
  EXPECT_TRUE(bits_agree(value_of(log1p_of, {make({0.0, -0.0, -1, -2, infinity, nan})}),
                         make({0.0, -0.0, -infinity, nan, infinity, nan})));
  const auto g = cotangents_of(log1p_of, {make({-1, -1, 0, 3, 1})}, make({0, 1, 0, 1, 1}));
  EXPECT_TRUE(bits_agree(g[0], make({0, infinity, 0, 0.25, 0.5})));
  const auto second = second_cotangents_of(log1p_of, {make({-1, 1, 3})}, make({0, 0, 16}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0, -1})));
  EXPECT_TRUE(bits_agree(second[1], make({0, 0.5, 0.25})));
}

TEST_P(Elementary, expm1_and_exp_and_division_are_not_guarded) {
  const auto g = cotangents_of([](const In& in) { return exp(in[0]); }, {make({1e4, 0})}, make({0, 1}));
  EXPECT_TRUE(bits_agree(g[0], make({nan, 1})));
  const auto h = cotangents_of([](const In& in) { return expm1(in[0]); }, {make({1e4, 0})}, make({0, 1}));
  EXPECT_TRUE(bits_agree(h[0], make({nan, 1})));
  const auto d = cotangents_of([](const In& in) { return in[0] / in[1]; }, {make({1}), make({0})}, make({0}));
  EXPECT_TRUE(bits_agree(d[0], make({nan})));
  EXPECT_TRUE(bits_agree(d[1], make({nan})));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return expm1(in[0]); }, {make({0.0, -0.0, infinity, -infinity, nan})}),
                 make({0.0, -0.0, infinity, -1, nan})));
}

TEST_P(Elementary, softplus_is_its_operand_far_up_and_half_steep_at_zero) {
  EXPECT_TRUE(bits_agree(value_of(softplus_of, {make({1e4, infinity, -infinity, nan, -1e4})}),
                         make({1e4, infinity, 0, nan, 0})));
  const auto g = cotangents_of(softplus_of, {make({0, 1e4, -infinity, infinity, nan})}, make({1, 3, 3, 3, 3}));
  EXPECT_TRUE(bits_agree(g[0], make({0.5, 3, 0, 3, nan})));
  const auto second = second_cotangents_of(softplus_of, {make({0, 1e4})}, make({4, 4}));
  EXPECT_TRUE(bits_agree(second[0], make({1, 0})));
  EXPECT_TRUE(bits_agree(second[1], make({0.5, 1})));
}

TEST_P(Elementary, logistic_saturates) {
  EXPECT_TRUE(bits_agree(value_of(logistic_of, {make({-infinity, infinity, 0, nan, 1e4, -1e4})}),
                         make({0, 1, 0.5, nan, 1, 0})));
  const auto g = cotangents_of(logistic_of, {make({-infinity, infinity, 0, nan})}, make({1, 1, 1, 1}));
  EXPECT_TRUE(bits_agree(g[0], make({0, 0, 0.25, nan})));
  const auto second = second_cotangents_of(logistic_of, {make({0, infinity})}, make({4, 4}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0})));
  EXPECT_TRUE(bits_agree(second[1], make({0.25, 0})));
}

TEST_P(Elementary, power_is_the_one_of_ieee) {
  EXPECT_TRUE(bits_agree(
      value_of(power_of, {make({nan, 1, 0.0, -0.0, -0.0, -0.0, 0.0, 2, 0.5, -1, -2, -2, nan, 2, infinity, -infinity}),
                          make({0, nan, 0, 3, 2, -1, -1, infinity, infinity, infinity, 0.5, 3, 1, nan, -1, 3})}),
      make({1, 1, 1, -0.0, 0, -infinity, infinity, infinity, 0, 1, nan, -8, nan, nan, 0, -infinity})));
}

TEST_P(Elementary, power_to_the_base) {
  // Exponent 0 gives 0; base 0 the IEEE value of b a^(b-1), and 0 for no cotangent.
  const auto g = cotangents_of(power_of, {make({0, 2, nan, 0, 0, 0, 0, -2, -2}), make({0, 0, 0, 1, 2, 0.5, 0.5, 2, 3})},
                               make({1, 1, 1, 1, 1, 1, 0, 1, 1}));
  EXPECT_TRUE(bits_agree(g[0], make({0, 0, 0, 1, 0, infinity, 0, -4, 12})));
}

TEST_P(Elementary, power_to_the_exponent) {
  // Base 0 gives 0, with its derivatives; a negative base NaN, which the base side never sees.
  const auto g = cotangents_of(power_of, {make({0, 0, 0, 1, -2}), make({0, 1, 2, 5, 2})}, make({1, 1, 1, 1, 1}));
  EXPECT_TRUE(bits_agree(g[1], make({0, 0, 0, 0, nan})));
  EXPECT_TRUE(bits_agree(g[0], make({0, 1, 0, 5, -4})));
  const auto constant = cotangents_of([](const In& in) { return power(in[0], 2); }, {make({-2, 0})}, make({1, 1}));
  EXPECT_TRUE(bits_agree(constant[0], make({-4, 0})));
  // The exponent alone is asked for twice: 0^e is flat wherever e > 0.
  const auto by_exponent = [](const In& in) {
    const auto base = full_like(in[0], 0);
    return power(base, in[0]);
  };
  const auto second = second_cotangents_of(by_exponent, {make({2, 3})}, make({1, 1}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0})));
}

TEST_P(Elementary, every_function_gives_nan_for_nan_forward_and_backward) {
  const std::vector<std::pair<const char*, ValueFunction>> functions{
      {"Neg", [](const In& in) { return -in[0]; }},
      {"Abs", abs_of},
      {"Exp", [](const In& in) { return exp(in[0]); }},
      {"Expm1", [](const In& in) { return expm1(in[0]); }},
      {"Log", [](const In& in) { return log(in[0]); }},
      {"Log1p", log1p_of},
      {"Sqrt", [](const In& in) { return sqrt(in[0]); }},
      {"Rsqrt", rsqrt_of},
      {"Tanh", [](const In& in) { return tanh(in[0]); }},
      {"Sin", [](const In& in) { return sin(in[0]); }},
      {"Cos", [](const In& in) { return cos(in[0]); }},
      {"Erf", [](const In& in) { return erf(in[0]); }},
      {"Logistic", logistic_of},
      {"Softplus", softplus_of},
      {"Square", [](const In& in) { return square(in[0]); }}};
  for (const auto& [name, f] : functions) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(bits_agree(value_of(f, {make({nan})}), make({nan})));
    // Neg is linear: its slope is a number whatever x is.
    const bool linear = std::string_view(name) == "Neg";
    EXPECT_TRUE(bits_agree(cotangents_of(f, {make({nan})}, make({1}))[0], make({linear ? -1 : nan})));
    EXPECT_TRUE(bits_agree(cotangents_of(f, {make({1})}, make({nan}))[0], make({nan})));
  }
}

}  // namespace
}  // namespace topos::test
