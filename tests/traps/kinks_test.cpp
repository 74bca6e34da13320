// Kinks, ties and points where a statistic has no slope.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/numbers.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

TEST(Traps, D16_two_spellings_of_relu_agree_down_to_subnormals) {
  const auto by_maximum = [](const In& in) { return maximum(in[0], 0); };
  const auto by_select = [](const In& in) {
    const auto zero = full_like(in[0], 0);
    const auto positive = greater(in[0], zero);
    return select(positive, in[0], zero);
  };
  for (const auto element : {f32, f64, bf16}) {
    const double least = element == f64 ? 0x1p-1074 : element == f32 ? 0x1p-149 : 0x1p-133;
    const auto x = row({0.0, -0.0, least, -least, 1e-10, -1e-10}, element);
    const auto ones = full_like(x, 1);
    const auto slope = row({0, 0, 1, 0, 1, 0}, element);
    for (const auto& f : std::vector<ValueFunction>{by_maximum, by_select, [](const In& in) { return relu(in[0]); }}) {
      EXPECT_TRUE(bits_agree(cotangents_of(f, {x}, ones)[0], slope));
      EXPECT_TRUE(bits_agree(value_of(f, {x}), row({0, 0, least, 0, 1e-10, 0}, element)));
    }
  }
}

TEST(Traps, D17_a_tied_maximum_gives_one_share_in_all) {
  for (const auto element : {f32, f64, bf16})
    for (const auto& x : {row({1, 1}, element), row({3, 5, 5, 5, 2}, element), row({0.0, -0.0}, element)})
      for (const auto& f : std::vector<ValueFunction>{
               [](const In& in) { return max_along(in[0], 0); }, [](const In& in) { return max(in[0]); },
               [](const In& in) { return min(in[0]); }, [](const In& in) { return norm(in[0], {0}, infinity); }}) {
        const auto g = numbers_of(cotangents_of(f, {x}, Tensor::full({element, {}}, 1))[0]);
        double total = 0;
        for (const double share : g) {
          EXPECT_GE(share, 0);
          EXPECT_LE(share, 1);
          total += share;
        }
        const bool flat = numbers_of(x)[0] == 0 && total == 0;  // the norm at the zero vector
        EXPECT_EQ(total, flat ? 0 : 1);
      }
  EXPECT_TRUE(bits_agree(cotangents_of([](const In& in) { return max(in[0]); }, {row({1, 1})}, Tensor::of(1, f32))[0],
                         row({1, 0})));
}

TEST(Traps, D18_bent_activations_have_a_one_sided_slope) {
  for (const auto element : {f32, f64, bf16}) {
    const auto six =
        cotangents_of([](const In& in) { return relu6(in[0]); }, {row({6, 0, 3}, element)}, row({1, 1, 1}, element));
    EXPECT_TRUE(bits_agree(six[0], row({0, 0, 1}, element)));
    const auto swish = cotangents_of([](const In& in) { return hardswish(in[0]); }, {row({3, -3, 0}, element)},
                                     row({1, 1, 1}, element));
    EXPECT_TRUE(bits_agree(swish[0], row({1, 0, 0.5}, element)));
  }
}

TEST(Traps, D20_a_bound_that_is_the_operand) {
  for (const auto element : {f32, f64, bf16}) {
    const auto x = row({5, 0, -3}, element);
    // At x = 0 the lower bound's constant takes nothing: the upper bound is x itself.
    const auto upper = [](const In& in) { return clamp(in[0], 0, in[0]); };
    EXPECT_TRUE(bits_agree(value_of(upper, {x}), x));
    EXPECT_TRUE(bits_agree(cotangents_of(upper, {x}, row({1, 1, 1}, element))[0], row({1, 1, 1}, element)));
    const auto both = [](const In& in) { return clamp(in[0], in[0], in[0]); };
    EXPECT_TRUE(bits_agree(cotangents_of(both, {x}, row({1, 1, 1}, element))[0], row({1, 1, 1}, element)));
    const auto lower = [](const In& in) { return clamp(in[0], in[0], 10); };
    EXPECT_TRUE(bits_agree(cotangents_of(lower, {x}, row({1, 1, 1}, element))[0], row({1, 1, 1}, element)));
  }
}

TEST(Traps, D22_the_deviation_of_one_number) {
  for (const auto element : {f32, f64, bf16})
    for (const double at : {-0.83151082, 0.0, 1e30}) {
      const auto f = [](const In& in) { return standard_deviation(in[0]); };
      const auto x = row({at}, element);
      EXPECT_TRUE(bits_agree(value_of(f, {x}), Tensor::full({element, {}}, 0)));
      EXPECT_TRUE(bits_agree(cotangents_of(f, {x}, Tensor::full({element, {}}, 1))[0], row({0}, element)));
      EXPECT_TRUE(bits_agree(second_cotangents_of(f, {x}, Tensor::full({element, {}}, 1))[0], row({0}, element)));
    }
}

TEST(Traps, D23_the_unbiased_variance_of_one_number_keeps_its_shape) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent axis : {0, 1, 2}) {
      const auto f = [axis](const In& in) { return unbiased_variance(in[0], {axis}); };
      const auto x = Tensor::full({element, {1, 1, 1}}, 3);
      EXPECT_TRUE(bits_agree(value_of(f, {x}), Tensor::full({element, {1, 1}}, nan)));
      EXPECT_TRUE(bits_agree(cotangents_of(f, {x}, Tensor::full({element, {1, 1}}, 1))[0],
                             Tensor::full({element, {1, 1, 1}}, nan)));
      const auto wide = Tensor::full({element, {2, 1, 3}}, 3);
      const auto g = cotangents_of([](const In& in) { return unbiased_variance(in[0], {1}); }, {wide},
                                   Tensor::full({element, {2, 3}}, 1));
      EXPECT_EQ(g[0].type(), wide.type());
    }
}

TEST(Traps, D30_clipping_at_the_zero_vector) {
  for (const auto element : {f32, f64, bf16}) {
    const auto f = [](const In& in) { return clip_by_norm(in[0], 1); };
    EXPECT_TRUE(
        bits_agree(cotangents_of(f, {row({0, 0, 0}, element)}, row({1, 1, 1}, element))[0], row({1, 1, 1}, element)));
    const auto h = numbers_of(cotangents_of(f, {row({3, 4}, element)}, row({1, 1}, element))[0]);
    const double tolerance = element == bf16 ? 1e-2 : 1e-6;
    EXPECT_NEAR(h[0], (1 - 3 * 7 / 25.0) / 5, tolerance);
    EXPECT_NEAR(h[1], (1 - 4 * 7 / 25.0) / 5, tolerance);
  }
}

/// (x - mean) / sqrt(variance + epsilon) along the only axis.
Value normalized(const Value& x) {
  const auto center = mean(x, {0}, keepdims);
  const auto spread = broadcast_to(center, x.shape());
  const auto deviation = x - spread;
  const auto power = variance(x, {0}, keepdims);
  const auto safe = power + 1e-5;
  const auto scale = rsqrt(safe);
  const auto factor = broadcast_to(scale, x.shape());
  return deviation * factor;
}

TEST(Traps, H13_equal_weights_do_not_see_a_normalization) {
  const auto f = [](const In& in) { return normalized(in[0]); };
  const auto x = row({0.5, -1.25, 2, 0.75}, f64);
  // The sum of normalized numbers is 0 whatever x is: only unequal weights see the rule.
  for (const double slope : numbers_of(cotangents_of(f, {x}, row({1, 1, 1, 1}, f64))[0])) EXPECT_NEAR(slope, 0, 1e-14);
  const std::vector<double> c{-0.3, -0.05, 0.2, 0.45};
  const auto y = numbers_of(value_of(f, {x}));
  const auto xs = numbers_of(x);
  double center = 0, power = 0, mean_c = 0, mean_cy = 0;
  for (std::size_t i = 0; i < 4; ++i) center += xs[i] / 4;
  for (std::size_t i = 0; i < 4; ++i) power += (xs[i] - center) * (xs[i] - center) / 4;
  for (std::size_t i = 0; i < 4; ++i) {
    mean_c += c[i] / 4;
    mean_cy += c[i] * y[i] / 4;
  }
  const auto g = numbers_of(cotangents_of(f, {x}, Tensor::from({4}, c, f64))[0]);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(g[i], (c[i] - mean_c - y[i] * mean_cy) / std::sqrt(power + 1e-5), 1e-14);
    EXPECT_GT(std::abs(g[i]), 1e-3);
  }
  // The weights by which samples are checked against differences are unequal too.
  const auto program = build({"normalized",
                              [&](Tape& tape) {
                                const auto value = tape.parameter(x);
                                return Recorded{{value}, normalized(value)};
                              }},
                             f64, 1);
  const auto run = program.network.forward(program.network.parameters());
  double largest = 0;
  for (const double slope : numbers_of(run.of(program.first->gradients()[0])))
    largest = std::max(largest, std::abs(slope));
  EXPECT_GT(largest, 1e-3);
}

}  // namespace
}  // namespace topos::test
