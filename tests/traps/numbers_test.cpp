// Roundings that nothing may skip or merge, accumulations that must not stall, and digits of constants.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/emitted.h"
#include "support/error.h"
#include "support/numbers.h"
#include "topos/neural/random.h"
#include "topos/neural/rounded.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

TEST(Traps, D37_functions_near_zero_keep_their_digits) {
  for (const auto element : {f32, f64}) {
    const double tolerance = element == f64 ? 1e-15 : 2e-7;
    for (const double size : {1e-3, 1e-5, 1e-8, 1e-12, 1e-30})
      for (const double at : {size, -size}) {
        const auto x = row({at}, element);
        const double exact = numbers_of(x)[0];  // as the element holds it
        const double square = exact * exact, cube = square * exact, fourth = cube * exact;
        const auto log1p_value = numbers_of(value_of([](const In& in) { return log1p(in[0]); }, {x}))[0];
        const auto expm1_value = numbers_of(value_of([](const In& in) { return expm1(in[0]); }, {x}))[0];
        const double log_series = exact - square / 2 + cube / 3 - fourth / 4 + fourth * exact / 5;
        const double exp_series = exact + square / 2 + cube / 6 + fourth / 24 + fourth * exact / 120;
        EXPECT_NEAR(log1p_value / log_series, 1, tolerance) << at;
        EXPECT_NEAR(expm1_value / exp_series, 1, tolerance) << at;
      }
  }
  Tape tape;
  const auto x = tape.input(1e-8);
  const Symbol out = log1p(x);
  const auto network = std::move(tape).into_network();
  const auto text = emitted(network.entry({out}).lower());
  EXPECT_NE(text.find("log_plus_one"), std::string::npos);
  EXPECT_EQ(text.find("stablehlo.log "), std::string::npos);
}

TEST(Traps, P02_narrow_totals_do_not_saturate) {
  const auto soft = value_of([](const In& in) { return softmax(in[0], 0); }, {Tensor::full({bf16, {512}}, 3)});
  EXPECT_TRUE(bits_agree(soft, Tensor::full({bf16, {512}}, 1.0 / 512)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return sum(in[0]); }, {soft}), Tensor::full({bf16, {}}, 1)));
  const auto ones = Tensor::full({bf16, {4096}}, 1);
  EXPECT_EQ(value_of([](const In& in) { return mean(in[0]); }, {ones}).item(), 1.0);
  EXPECT_EQ(value_of([](const In& in) { return sum(in[0]); }, {ones}).item(), 4096.0);
  EXPECT_TRUE(bits_agree(
      value_of([](const In& in) { return matmul(in[0], in[1]); }, {reshape(ones, {1, 4096}), reshape(ones, {4096, 1})}),
      Tensor::full({bf16, {1, 1}}, 4096)));
  // Rows that meet in one place, and taps that do.
  const auto none = Tensor::full({i64, {512}}, 0);
  EXPECT_TRUE(bits_agree(
      value_of([](const In& in) { return scatter(in[0], in[1], 1); }, {Tensor::full({bf16, {512}}, 1), none}),
      Tensor::full({bf16, {1}}, 512)));
  EXPECT_EQ(value_of([](const In& in) { return fold(in[0], 0, 512, 1, 1, 512); }, {Tensor::full({bf16, {1, 512}}, 1)})
                .values<BFloat16>()[511]
                .bits(),
            BFloat16(1.0f).bits());
  EXPECT_NEAR(value_of([](const In& in) { return logsumexp(in[0], 0); }, {Tensor::full({bf16, {1024}}, 0)}).item(),
              6.93147, 0.016);
}

TEST(Traps, P03_a_mean_of_many_ones_is_one) {
  // 2^24 + 2 ones: added one after the other an f32 would stall at 2^24.
  Tape tape;
  const auto ones = tape.input(Tensor::full({f32, {(1 << 24) + 2}}, 1));
  const Symbol average = mean(ones);
  const Symbol total = sum(ones);
  const auto network = std::move(tape).into_network();
  const auto run = network.entry({average, total}).lower().forward(network.parameters());
  EXPECT_EQ(run.of(total).item(), 16777218.0);
  EXPECT_EQ(run.of(average).item(), 1.0);
  // Fewer numbers that do not add exactly, in every reading: one after the other they would lose far more.
  const auto tenths = Tensor::full({f32, {1 << 16}}, 0.1);
  EXPECT_NEAR(value_of([](const In& in) { return mean(in[0]); }, {tenths}).item() / 0.1f, 1, 1e-6);
}

TEST(Traps, P09_a_convert_there_and_back_is_not_nothing) {
  const auto there_and_back = [](const In& in) {
    const auto narrow = convert(in[0], bf16);
    return convert(narrow, in[0].element());
  };
  EXPECT_TRUE(bits_agree(value_of(there_and_back, {row({0.2691408770292272, 1, nan, 1e-40})}),
                         row({0.26953125, 1, nan, numbers_of(convert(row({1e-40}), bf16))[0]})));
  EXPECT_TRUE(bits_agree(value_of(there_and_back, {row({0.2691408770292272}, f64)}), row({0.26953125}, f64)));
  const auto by_f32 = [](const In& in) {
    const auto narrow = convert(in[0], f32);
    return convert(narrow, f64);
  };
  EXPECT_TRUE(bits_agree(value_of(by_f32, {row({0.1, 1e300}, f64)}), row({0.1f, infinity}, f64)));
  const auto by_i64 = [](const In& in) {
    const auto whole = convert(in[0], i64);
    return convert(whole, f32);
  };
  EXPECT_TRUE(bits_agree(value_of(by_i64, {row({2.75, -2.75, nan})}), row({2, -2, 0})));
  Tape tape;
  const auto x = tape.input(0.5);
  const Symbol out = there_and_back({x});
  const auto network = std::move(tape).into_network();
  const auto text = emitted(network.entry({out}).lower());
  EXPECT_NE(text.find("(tensor<f32>) -> tensor<bf16>"), std::string::npos);
  EXPECT_NE(text.find("(tensor<bf16>) -> tensor<f32>"), std::string::npos);
}

TEST(Traps, P10_each_product_is_rounded) {
  const auto cancel = [](const In& in) {
    const auto left = in[0] * in[2];
    const auto right = in[1] * in[2];
    return left + right;
  };
  EXPECT_TRUE(bits_agree(value_of(cancel, {row({1e20}), row({-1e20}), row({1e10})}), row({0})));
  // (1 + u)^2 - (1 + 2u) keeps nothing of u^2 when the square is rounded; long rows run in vectors.
  for (const auto element : {f32, f64}) {
    const double u = element == f32 ? 0x1p-23 : 0x1p-52;
    const Extent n = 67;
    const auto full = [&](double x) {
      return Tensor::full({element, {n}}, x) * Tensor::from({n}, std::vector<double>(67, 1), element);
    };
    const auto difference = [](const In& in) {
      const auto square = in[0] * in[0];
      return square - in[1];
    };
    EXPECT_TRUE(bits_agree(value_of(difference, {full(1 + u), full(1 + 2 * u)}), full(0)));
    const auto sum_of_two = [](const In& in) {
      const auto square = in[0] * in[0];
      const auto negative = -square;
      return negative + in[1];
    };
    EXPECT_TRUE(bits_agree(value_of(sum_of_two, {full(1 + u), full(1 + 2 * u)}), full(0)));
  }
}

TEST(Traps, P14_floats_are_not_folded) {
  for (const auto element : {f32, f64, bf16}) {
    const auto x = row({infinity, nan, -1, -0.0, 0.0, 3}, element);
    const auto of = [&](const ValueFunction& f) { return value_of(f, {x}); };
    const auto made = [&](std::initializer_list<double> values) { return row(values, element); };
    EXPECT_TRUE(bits_agree(of([](const In& in) { return in[0] * 0; }), made({nan, nan, -0.0, -0.0, 0.0, 0})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return in[0] - in[0]; }), made({nan, nan, 0, 0, 0, 0})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return in[0] / in[0]; }), made({nan, nan, 1, nan, nan, 1})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return in[0] + 0; }), made({infinity, nan, -1, 0.0, 0.0, 3})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return in[0] - 0; }), made({infinity, nan, -1, -0.0, 0.0, 3})));
    EXPECT_TRUE(bits_agree(of([](const In& in) {
                             const auto negative = -in[0];
                             return -negative;
                           }),
                           x));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return 0 - in[0]; }), made({-infinity, nan, 1, 0.0, 0.0, -3})));
  }
}

TEST(Traps, R06_samples_are_finite_whatever_is_drawn) {
  // The units are [0, 1); the logarithm is taken of 1 - u, which is never 0, at every power of two and its neighbours.
  const auto radius = [](double u) { return __builtin_sqrt(-2.0 * rounded::log(1.0 - u)); };
  for (int k = 0; k <= 53; ++k)
    for (const double step : {0.0, 0x1p-53}) {
      const double power = __builtin_ldexp(1.0, -k);
      for (const double u : {power, power - step, 1 - power, 1 - power - step}) {
        if (!(u >= 0 && u < 1)) continue;
        EXPECT_TRUE(std::isfinite(radius(u))) << u;
        EXPECT_LE(radius(u), 8.6) << u;  // sqrt(2 log 2^53)
      }
    }
  topos::Random random(2);
  for (int i = 0; i < 20000; ++i) ASSERT_TRUE(std::isfinite(random.normal()));
  for (const auto element : {f32, f64, bf16})
    for (auto initializer : {init::normal(3, 1.0), init::uniform(4, 1.0)})
      for (const double number : numbers_of(initializer({1000}, element))) {
        EXPECT_TRUE(std::isfinite(number));
        EXPECT_LT(std::abs(number), 9);
      }
}

TEST(Traps, X02_float_constants_are_spelled_as_floats) {
  for (const auto element : {f32, f64, bf16})
    for (const double number : {1.0, 0.0, -0.0, -3.0, 100.0, 65536.0, 1e10, 1e-7, 0.1, 123456789.0, 0x1p60, 1e300}) {
      Tape tape(element);
      const auto scalar = tape.leaf(number);
      const auto row = tape.leaf({number, 2.0});
      const std::vector<Symbol> roots{scalar, row};
      const auto network = std::move(tape).into_network();
      const auto text = emitted(network.entry(roots).lower());
      std::size_t found = 0;
      for (auto at = text.find("dense<"); at != std::string::npos; at = text.find("dense<", at + 1)) {
        const auto digits = text.substr(at + 6, text.find('>', at) - at - 6);
        std::size_t begin = 0;
        while (begin < digits.size()) {
          auto end = digits.find(',', begin);
          if (end == std::string::npos) end = digits.size();
          const auto one = digits.substr(begin, end - begin);
          EXPECT_TRUE(one.find('.') != std::string::npos || one.find("0x") != std::string::npos) << digits;
          begin = end + 1;
          ++found;
        }
      }
      EXPECT_EQ(found, 3u) << text;
    }
}

}  // namespace
}  // namespace topos::test
