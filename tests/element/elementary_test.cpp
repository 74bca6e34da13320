// Owns the tests of exp, log, tanh and sqrt: rounding against MPFR, special values and digests of result bits.
#include "topos/element/elementary.h"
#include "support/specials.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "element/elementary_reference.h"

namespace topos {
namespace {

using namespace test;

float exp32(float x) { return elementary::exp(x); }
float log32(float x) { return elementary::log(x); }
float tanh32(float x) { return elementary::tanh(x); }
float sqrt32(float x) { return elementary::sqrt(x); }
double exp64(double x) { return elementary::exp(x); }
double log64(double x) { return elementary::log(x); }
double tanh64(double x) { return elementary::tanh(x); }
double sqrt64(double x) { return elementary::sqrt(x); }

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
  expect_same(exp64(std::nextafter(709.782712893384, 800.0)), infinity);
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
  EXPECT_EQ(digest(log64, seeded_inputs<double>(100'000, 0.5, 2.0, 26)), 0x0e2bf42366069c2a);
  EXPECT_EQ(digest(tanh64, seeded_inputs<double>(100'000, -20.0, 20.0, 27)), 0x04783a0511a2e598);
  EXPECT_EQ(digest(sqrt64, seeded_inputs<double>(100'000, 0.0, 4.0, 28)), 0xe26b1775ec60bf5c);
}

}  // namespace
}  // namespace topos
