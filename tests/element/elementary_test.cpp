// Owns the tests of the elementary functions: rounding against MPFR, special values and digests of result bits.
#include "topos/element/elementary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <ios>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>

namespace topos {
namespace {

using Truth = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

constexpr float inf32 = std::numeric_limits<float>::infinity();
constexpr double inf64 = std::numeric_limits<double>::infinity();

float exp32(float x) { return elementary::exp(x); }
float log32(float x) { return elementary::log(x); }
float tanh32(float x) { return elementary::tanh(x); }
float sqrt32(float x) { return elementary::sqrt(x); }
double exp64(double x) { return elementary::exp(x); }
double log64(double x) { return elementary::log(x); }
double tanh64(double x) { return elementary::tanh(x); }
double sqrt64(double x) { return elementary::sqrt(x); }

std::uint32_t bits(float x) { return x == x ? std::bit_cast<std::uint32_t>(x) : 0x7fc00000; }
std::uint64_t bits(double x) { return x == x ? std::bit_cast<std::uint64_t>(x) : 0x7ff8000000000000; }

std::uint64_t next(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  std::uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

double unit(std::uint64_t& state) { return static_cast<double>(next(state) >> 11) * 0x1p-53; }

/// Half of the inputs are any bit pattern, half lie evenly in [low, high].
template <class Float>
std::vector<Float> seeded_inputs(int count, double low, double high, std::uint64_t seed) {
  using Bits = decltype(bits(Float{}));
  std::vector<Float> inputs;
  while (static_cast<int>(inputs.size()) < count) {
    inputs.push_back(std::bit_cast<Float>(static_cast<Bits>(next(seed))));
    inputs.push_back(static_cast<Float>(low + (high - low) * unit(seed)));
  }
  return inputs;
}

std::vector<float> hard_inputs(const std::string& name) {
  std::ifstream file(std::string(TOPOS_TEST_DATA) + "/element/data/hard_" + name + ".txt");
  std::vector<float> inputs;
  std::uint32_t pattern = 0;
  while (file >> std::hex >> pattern) inputs.push_back(std::bit_cast<float>(pattern));
  return inputs;
}

/// One MPFR number whose range, while it lives, is that of floats with their subnormals.
class FloatTruth {
 public:
  FloatTruth() : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    mpfr_init2(x_, 24);
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
  }
  FloatTruth(const FloatTruth&) = delete;
  FloatTruth& operator=(const FloatTruth&) = delete;
  ~FloatTruth() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
    mpfr_clear(x_);
  }

  float operator()(Truth truth, float x) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    const int direction = truth(x_, x_, MPFR_RNDN);
    mpfr_subnormalize(x_, direction, MPFR_RNDN);
    return mpfr_get_flt(x_, MPFR_RNDN);
  }

 private:
  mpfr_exp_t emin_;
  mpfr_exp_t emax_;
  mpfr_t x_;
};

void expect_correctly_rounded(float (*function)(float), Truth truth, const std::vector<float>& inputs) {
  FloatTruth nearest;
  for (const float x : inputs) {
    ASSERT_EQ(bits(function(x)), bits(nearest(truth, x))) << std::hexfloat << x;
  }
}

/// The largest error in units of the last place of the exact result, over inputs whose result is finite.
double largest_error(double (*function)(double), Truth truth, const std::vector<double>& inputs) {
  mpfr_t exact, difference;
  mpfr_init2(exact, 100);
  mpfr_init2(difference, 100);
  double largest = 0.0;
  for (const double x : inputs) {
    const double value = function(x);
    mpfr_set_d(exact, x, MPFR_RNDN);
    truth(exact, exact, MPFR_RNDN);
    if (!std::isfinite(value) || mpfr_regular_p(exact) == 0) {
      EXPECT_EQ(bits(value), bits(mpfr_get_d(exact, MPFR_RNDN))) << std::hexfloat << x;
      continue;
    }
    const mpfr_exp_t ulp = std::max<mpfr_exp_t>(mpfr_get_exp(exact) - 53, -1074);
    mpfr_sub_d(difference, exact, value, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -ulp, MPFR_RNDN);
    largest = std::max(largest, std::fabs(mpfr_get_d(difference, MPFR_RNDN)));
  }
  mpfr_clear(exact);
  mpfr_clear(difference);
  return largest;
}

template <class Float>
std::uint64_t digest(Float (*function)(Float), const std::vector<Float>& inputs) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (const Float x : inputs) state = (state ^ bits(function(x))) * 0x100000001b3;
  return state;
}

TEST(elementary, exp_is_correctly_rounded_on_hard_inputs) {
  const auto inputs = hard_inputs("exp");
  ASSERT_EQ(inputs.size(), 91u);
  expect_correctly_rounded(exp32, mpfr_exp, inputs);
}

TEST(elementary, log_is_correctly_rounded_on_hard_inputs) {
  const auto inputs = hard_inputs("log");
  ASSERT_EQ(inputs.size(), 350u);
  expect_correctly_rounded(log32, mpfr_log, inputs);
}

TEST(elementary, tanh_is_correctly_rounded_on_hard_inputs) {
  const auto inputs = hard_inputs("tanh");
  ASSERT_EQ(inputs.size(), 46u);
  expect_correctly_rounded(tanh32, mpfr_tanh, inputs);
}

TEST(elementary, exp_is_correctly_rounded_on_seeded_inputs) {
  expect_correctly_rounded(exp32, mpfr_exp, seeded_inputs<float>(200'000, -105.0, 90.0, 1));
}

TEST(elementary, log_is_correctly_rounded_on_seeded_inputs) {
  expect_correctly_rounded(log32, mpfr_log, seeded_inputs<float>(200'000, 0.5, 2.0, 2));
}

TEST(elementary, tanh_is_correctly_rounded_on_seeded_inputs) {
  expect_correctly_rounded(tanh32, mpfr_tanh, seeded_inputs<float>(200'000, -10.0, 10.0, 3));
}

TEST(elementary, sqrt_is_correctly_rounded_on_seeded_inputs) {
  expect_correctly_rounded(sqrt32, mpfr_sqrt, seeded_inputs<float>(200'000, 0.0, 4.0, 4));
}

TEST(elementary, double_exp_stays_within_its_bound) {
  EXPECT_LT(largest_error(exp64, mpfr_exp, seeded_inputs<double>(10'000, -700.0, 709.0, 5)), 0.56);
  EXPECT_LT(largest_error(exp64, mpfr_exp, seeded_inputs<double>(10'000, -1.0, 1.0, 6)), 0.56);
  EXPECT_LT(largest_error(exp64, mpfr_exp, seeded_inputs<double>(10'000, -746.0, -708.0, 7)), 0.8);
}

TEST(elementary, double_log_stays_within_its_bound) {
  EXPECT_LT(largest_error(log64, mpfr_log, seeded_inputs<double>(15'000, 0.5, 2.0, 8)), 0.55);
  EXPECT_LT(largest_error(log64, mpfr_log, seeded_inputs<double>(10'000, 0.0, 0x1p-1020, 9)), 0.55);
}

TEST(elementary, double_tanh_stays_within_its_bound) {
  EXPECT_LT(largest_error(tanh64, mpfr_tanh, seeded_inputs<double>(10'000, -20.0, 20.0, 10)), 0.8);
  EXPECT_LT(largest_error(tanh64, mpfr_tanh, seeded_inputs<double>(15'000, -1.0, 1.0, 11)), 0.8);
}

TEST(elementary, double_sqrt_is_correctly_rounded) {
  EXPECT_LE(largest_error(sqrt64, mpfr_sqrt, seeded_inputs<double>(10'000, 0.0, 4.0, 12)), 0.5);
}

template <class Float>
void expect_same(Float value, Float expected) {
  EXPECT_EQ(bits(value), bits(expected)) << value << " for " << expected;
}

template <class Float>
void expect_special_values(Float (*exp)(Float), Float (*log)(Float), Float (*tanh)(Float), Float (*sqrt)(Float)) {
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  const Float largest = std::numeric_limits<Float>::max();
  const Float tiniest = std::numeric_limits<Float>::denorm_min();
  const Float zero = 0;
  const Float one = 1;

  expect_same(exp(zero), one);
  expect_same(exp(-zero), one);
  expect_same(exp(-infinity), zero);
  expect_same(exp(infinity), infinity);
  expect_same(exp(largest), infinity);
  expect_same(exp(-largest), zero);
  expect_same(exp(tiniest), one);

  expect_same(log(zero), -infinity);
  expect_same(log(-zero), -infinity);
  expect_same(log(one), zero);
  expect_same(log(infinity), infinity);
  for (const Float negative : {-one, -tiniest, -largest, -infinity}) expect_same(log(negative), nan);

  expect_same(tanh(zero), zero);
  expect_same(tanh(-zero), -zero);
  expect_same(tanh(infinity), one);
  expect_same(tanh(-infinity), -one);
  expect_same(tanh(largest), one);
  expect_same(tanh(tiniest), tiniest);
  expect_same(tanh(-tiniest), -tiniest);

  expect_same(sqrt(zero), zero);
  expect_same(sqrt(-zero), -zero);
  expect_same(sqrt(infinity), infinity);
  expect_same(sqrt(-one), nan);
  for (const auto function : {exp, log, tanh, sqrt}) {
    expect_same(function(nan), nan);
    expect_same(function(-nan), nan);
  }
}

TEST(elementary, special_values_are_exact) {
  expect_special_values(exp32, log32, tanh32, sqrt32);
  expect_special_values(exp64, log64, tanh64, sqrt64);
}

TEST(elementary, a_nan_of_any_payload_stays_a_nan) {
  for (const std::uint32_t payload : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu, 0x7fa00000u}) {
    const auto x = std::bit_cast<float>(payload);
    for (const auto function : {exp32, log32, tanh32, sqrt32}) EXPECT_TRUE(std::isnan(function(x)));
  }
  for (const std::uint64_t payload : {0x7ff0000000000001u, 0x7fffffffffffffffu, 0xffffffffffffffffu}) {
    const auto x = std::bit_cast<double>(payload);
    for (const auto function : {exp64, log64, tanh64, sqrt64}) EXPECT_TRUE(std::isnan(function(x)));
  }
}

TEST(elementary, the_ends_of_the_range_of_exp_are_exact) {
  const auto last = std::bit_cast<float>(0x42b17217u);
  EXPECT_TRUE(std::isfinite(exp32(last)));
  expect_same(exp32(std::nextafter(last, inf32)), inf32);
  expect_same(exp32(-103.9720f), std::numeric_limits<float>::denorm_min());
  expect_same(exp32(-103.9721f), 0.0f);
  EXPECT_TRUE(std::isfinite(exp64(709.782712893384)));
  expect_same(exp64(std::nextafter(709.782712893384, 800.0)), inf64);
  expect_same(exp64(-745.2), 0.0);
  expect_same(exp64(-745.0), std::numeric_limits<double>::denorm_min());
}

TEST(elementary, result_bits_never_change) {
  ASSERT_EQ(elementary::numerics_version, 1);
  EXPECT_EQ(digest(exp32, seeded_inputs<float>(100'000, -105.0, 90.0, 21)), 0xab4d84f49820ceec);
  EXPECT_EQ(digest(log32, seeded_inputs<float>(100'000, 0.5, 2.0, 22)), 0x7e9d3b2e9dae63ac);
  EXPECT_EQ(digest(tanh32, seeded_inputs<float>(100'000, -10.0, 10.0, 23)), 0x732ace5764bafa51);
  EXPECT_EQ(digest(sqrt32, seeded_inputs<float>(100'000, 0.0, 4.0, 24)), 0x535a6e25987a7b63);
  EXPECT_EQ(digest(exp64, seeded_inputs<double>(100'000, -746.0, 710.0, 25)), 0xf5d1509624249f39);
  EXPECT_EQ(digest(log64, seeded_inputs<double>(100'000, 0.5, 2.0, 26)), 0x3cfd1bdc004a8590);
  EXPECT_EQ(digest(tanh64, seeded_inputs<double>(100'000, -20.0, 20.0, 27)), 0x422087b659c9e3ab);
  EXPECT_EQ(digest(sqrt64, seeded_inputs<double>(100'000, 0.0, 4.0, 28)), 0xe26b1775ec60bf5c);
}

}  // namespace
}  // namespace topos
