// Derivatives where a discarded branch, a power or a quotient leaves the range of the element.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/numbers.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

Tensor matrix(std::initializer_list<double> values, const Shape& shape, ElementType element) {
  return reshape(row(values, element), shape);
}

TEST(Traps, D04_a_select_after_an_unsafe_root) {
  const auto after = [](const In& in) {
    const auto squares = in[0] * in[0];
    const auto total = sum(squares, {1});
    const auto length = sqrt(total);
    const auto large = greater(length, full_like(length, 0.5));
    return select(large, length, 1);
  };
  const auto before = [](const In& in) {
    const auto squares = in[0] * in[0];
    const auto total = sum(squares, {1});
    const auto large = greater(total, full_like(total, 0.25));
    const auto safe = select(large, total, 1);
    return sqrt(safe);
  };
  for (const auto element : {f32, f64, bf16})
    for (const auto& f : std::vector<ValueFunction>{after, before}) {
      const auto x = matrix({1, 2, 3, 4, 0, 0, -0.0, 0.0}, {4, 2}, element);
      const auto g = numbers_of(cotangents_of(f, {x}, row({1, 1, 1, 1}, element))[0]);
      const std::vector<double> wanted{0.44721359549995794, 0.89442719099991588, 0.6, 0.8, 0, 0, 0, 0};
      for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(g[i], wanted[i], 4 * unit_of(element)) << i;
      for (const auto& second : second_cotangents_of(f, {x}, row({1, 1, 1, 1}, element)))
        for (const double number : numbers_of(second)) EXPECT_TRUE(std::isfinite(number));
    }
}

TEST(Traps, D05_a_discarded_branch_that_overflows) {
  for (const auto element : {f32, f64, bf16}) {
    const auto power_tower = [](const In& in) {
      const auto exponent = exp(in[0]);
      const auto huge = power(10, exponent);
      const auto small = less(in[0], full_like(in[0], 15));
      return select(small, in[0], huge);
    };
    const auto x = row({10, 14, -3}, element);
    EXPECT_TRUE(bits_agree(value_of(power_tower, {x}), x));
    EXPECT_TRUE(bits_agree(cotangents_of(power_tower, {x}, row({1, 2, 3}, element))[0], row({1, 2, 3}, element)));
    // The same of a root and a logarithm of what the branch discards.
    for (const auto& dangerous : std::vector<Value (*)(const Value&, Site)>{sqrt, log, rsqrt}) {
      const auto guarded = [dangerous](const In& in) {
        const auto image = dangerous(in[0], Site::current());
        const auto positive = greater(in[0], full_like(in[0], 0));
        return select(positive, image, in[0]);
      };
      const auto g = cotangents_of(guarded, {row({0, -0.0}, element)}, row({1, 5}, element));
      EXPECT_TRUE(bits_agree(g[0], row({1, 5}, element)));
    }
  }
}

TEST(Traps, D08_the_exponent_of_a_zero_base) {
  for (const auto element : {f32, f64}) {
    const auto g =
        cotangents_of([](const In& in) { return power(in[0], in[1]); },
                      {row({0, 2, 0, -0.0}, element), row({1, 1, 0, 3}, element)}, row({1, 1, 1, 1}, element));
    const auto by_exponent = numbers_of(g[1]);
    EXPECT_EQ(by_exponent[0], 0);
    EXPECT_NEAR(by_exponent[1], 1.3862943611198906, 2 * unit_of(element));
    EXPECT_EQ(by_exponent[2], 0);
    EXPECT_EQ(by_exponent[3], 0);
  }
}

TEST(Traps, D09_the_base_does_not_see_the_logarithm) {
  for (const auto element : {f32, f64, bf16}) {
    const auto both = cotangents_of([](const In& in) { return power(in[0], in[1]); },
                                    {row({-2, -2, -0.5}, element), row({2, 3, -1}, element)}, row({1, 1, 1}, element));
    EXPECT_TRUE(bits_agree(both[0], row({-4, 12, -4}, element)));
    EXPECT_TRUE(bits_agree(both[1], row({nan, nan, nan}, element)));
    const auto square = [](const In& in) { return power(in[0], 2); };
    EXPECT_TRUE(bits_agree(cotangents_of(square, {row({-2, 0, 3}, element)}, row({1, 1, 1}, element))[0],
                           row({-4, 0, 6}, element)));
    const auto second = second_cotangents_of(square, {row({-2, 3}, element)}, row({1, 1}, element));
    EXPECT_TRUE(bits_agree(second[0], row({2, 2}, element)));
  }
}

TEST(Traps, H05_the_second_derivative_by_the_exponent_of_a_zero_base) {
  const auto power_of_zero = [](const In& in) {
    const auto base = full_like(in[0], 0);
    return power(base, in[0]);
  };
  for (const auto element : {f32, f64, bf16}) {
    const auto exponents = row({2, 0.5, 0}, element);
    EXPECT_TRUE(
        bits_agree(cotangents_of(power_of_zero, {exponents}, row({1, 1, 1}, element))[0], row({0, 0, 0}, element)));
    const auto second = second_cotangents_of(power_of_zero, {exponents}, row({1, 1, 1}, element));
    EXPECT_TRUE(bits_agree(second[0], row({0, 0, 0}, element)));
    EXPECT_TRUE(bits_agree(second[1], row({0, 0, 0}, element)));
  }
}

TEST(Traps, D29_an_activation_that_overflows_where_it_is_not_used) {
  for (const auto element : {f32, f64, bf16}) {
    const auto x = row({100, 1e4, 3e38, 0, -1e4}, element);
    const auto ones = row({1, 1, 1, 1, 1}, element);
    const auto slope = row({1, 1, 1, 1, 0}, element);
    EXPECT_TRUE(bits_agree(cotangents_of([](const In& in) { return elu(in[0]); }, {x}, ones)[0], slope));
    for (const auto& second : second_cotangents_of([](const In& in) { return elu(in[0]); }, {x}, ones))
      for (const double number : numbers_of(second)) EXPECT_TRUE(std::isfinite(number));
    // Every activation has a finite slope wherever x is large.
    for (const auto& f : std::vector<Value (*)(const Value&, Site)>{relu, relu6, gelu, gelu_tanh, silu, hardswish,
                                                                    sigmoid, softplus, tanh, erf})
      for (const double at : {-1e15, -1e4, -100.0, 100.0, 1e4, 1e15}) {
        const auto g = cotangents_of([f](const In& in) { return f(in[0], Site::current()); }, {row({at}, element)},
                                     row({1}, element));
        EXPECT_TRUE(std::isfinite(numbers_of(g[0])[0])) << at;
      }
  }
}

TEST(Traps, D31_a_reciprocal_forms_no_square) {
  const std::vector<double> k{1e-30, 1e20, 1e18, 6}, x{1e-19, 1e20, 1e19, 3}, wanted{-1e8, -1e-20, -1e-20, -2.0 / 3};
  for (const auto element : {f32, f64, bf16})
    for (std::size_t i = 0; i < k.size(); ++i) {
      const auto g = numbers_of(
          cotangents_of([&](const In& in) { return k[i] / in[0]; }, {row({x[i]}, element)}, row({1}, element))[0]);
      EXPECT_NEAR(g[0] / wanted[i], 1, 1e-5 + 4 * unit_of(element)) << i;
    }
}

TEST(Traps, D32_a_denominator_of_any_size) {
  const std::vector<std::array<double, 4>> cases{
      {1e20, 1e20, 1, -1e-20}, {1e-30, 1e-30, 1, -1e30}, {1e-30, 1e-30, 0, 0}, {3, 2, 4, -3}};
  for (const auto element : {f32, f64, bf16})
    for (const auto& [a, b, g, wanted] : cases) {
      const auto by_denominator = numbers_of(cotangents_of(
          [](const In& in) { return in[0] / in[1]; }, {row({a}, element), row({b}, element)}, row({g}, element))[1]);
      EXPECT_NEAR(by_denominator[0], wanted, std::abs(wanted) * (1e-5 + 4 * unit_of(element)));
    }
}

TEST(Traps, D33_a_maximum_that_selects_its_constant) {
  for (const auto element : {f32, f64, bf16}) {
    const auto f = [](const In& in) {
      const auto bounded = maximum(in[0], 1e-20);
      const auto inverse = reciprocal(bounded);
      return log(inverse);
    };
    const auto g = numbers_of(cotangents_of(f, {row({0, -5, 1e-25, 1, 4}, element)}, row({1, 1, 1, 1, 1}, element))[0]);
    EXPECT_EQ(g[0], 0);
    EXPECT_EQ(g[1], 0);
    EXPECT_EQ(g[2], 0);
    EXPECT_EQ(g[3], -1);
    EXPECT_EQ(g[4], -0.25);
  }
}

}  // namespace
}  // namespace topos::test
