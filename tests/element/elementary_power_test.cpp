// Owns the tests of power: rounding against MPFR, ties, the special cases of IEEE 754 and digests of result bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "element/elementary_reference.h"
#include "topos/element/elementary.h"

namespace topos {
namespace {

using namespace test;

template <class Float>
using Pairs = std::vector<std::pair<Float, Float>>;

/// Four kinds in turn: any positive base, with a result anywhere in the range; small bases and exponents; a base near
/// 1 with a large exponent; whole bases and exponents.
template <class Float>
Pairs<Float> seeded_pairs(int count, std::uint64_t seed) {
  const double range = sizeof(Float) == 4 ? 104.0 : 745.0;
  const std::uint64_t infinity = bits(std::numeric_limits<Float>::infinity());
  Pairs<Float> pairs;
  for (int i = 0; i < count; ++i) {
    Float x = 0;
    double y = 2.0 * unit(seed) - 1.0;
    if (i % 4 == 0) {
      x = std::bit_cast<Float>(static_cast<decltype(bits(Float{}))>(next(seed) % infinity));
      y *= range / std::fabs(std::log(static_cast<double>(x)));
    } else if (i % 4 == 1) {
      x = static_cast<Float>(4.0 * unit(seed));
      y *= 8.0;
    } else if (i % 4 == 2) {
      const int exponent = static_cast<int>(next(seed) % 22);
      x = static_cast<Float>(1.0 + std::ldexp(unit(seed) - 0.5, -exponent));
      y *= range / (std::fabs(std::log(static_cast<double>(x))) + 1e-9);
    } else {
      x = static_cast<Float>(1 + next(seed) % 20'000);
      y = static_cast<double>(next(seed) % 13) - 4.0;
    }
    pairs.emplace_back(x, static_cast<Float>(y));
  }
  return pairs;
}

TEST(elementary_power, f32_is_correctly_rounded_on_seeded_pairs) {
  FloatTruth nearest;
  for (const auto& [x, y] : seeded_pairs<float>(40'000, 41)) {
    ASSERT_EQ(bits(elementary::power(x, y)), bits(nearest.power(x, y))) << std::hexfloat << x << " " << y;
  }
}

TEST(elementary_power, f32_is_correctly_rounded_on_ties) {
  // Odd integers of 11 to 13 bits have squares of 22 to 25 bits; those of 25 lie half-way between floats. The square
  // roots of such squares are exact as well, and so are the three halves powers of smaller ones.
  FloatTruth nearest;
  int ties = 0;
  for (int odd = 1025; odd < 8192; odd += 2) {
    for (const float scale : {1.0f, 0x1p-60f, 0x1p40f}) {
      const float x = static_cast<float>(odd) * scale;
      const float square = elementary::power(x, 2.0f);
      ASSERT_EQ(bits(square), bits(nearest.power(x, 2.0f))) << std::hexfloat << x;
      const double exact = static_cast<double>(x) * x;
      const double rounded = square;
      if (exact != rounded) ++ties;
      const auto root = static_cast<float>(exact);
      ASSERT_EQ(bits(elementary::power(root, 0.5f)), bits(nearest.power(root, 0.5f))) << std::hexfloat << root;
    }
  }
  EXPECT_GT(ties, 3000);
  for (int odd = 3; odd < 512; odd += 2) {
    for (const float y : {1.5f, 0.75f, 0.25f, 3.0f, -3.0f, -0.5f}) {
      const auto x = static_cast<float>(odd * odd);
      ASSERT_EQ(bits(elementary::power(x, y)), bits(nearest.power(x, y))) << x << " " << y;
    }
  }
  for (int exponent = -160; exponent < -140; ++exponent) {  // between 0 and the tiniest float
    const auto y = static_cast<float>(exponent);
    ASSERT_EQ(bits(elementary::power(2.0f, y)), bits(nearest.power(2.0f, y))) << y;
  }
}

TEST(elementary_power, f64_stays_within_its_bound) {
  mpfr_t exact, exponent;
  mpfr_init2(exact, 120);
  mpfr_init2(exponent, 53);
  double largest = 0.0;
  double largest_subnormal = 0.0;
  for (const auto& [x, y] : seeded_pairs<double>(25'000, 42)) {
    const double value = elementary::power(x, y);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_set_d(exponent, y, MPFR_RNDN);
    mpfr_pow(exact, exact, exponent, MPFR_RNDN);
    if (!std::isfinite(value) || mpfr_regular_p(exact) == 0) {
      ASSERT_EQ(bits(value), bits(mpfr_get_d(exact, MPFR_RNDN))) << std::hexfloat << x << " " << y;
      continue;
    }
    double& place = value < 0x1p-1022 ? largest_subnormal : largest;
    place = std::max(place, error_in_ulp(value, exact));
  }
  mpfr_clears(exact, exponent, nullptr);
  EXPECT_LT(largest, 0.58);
  EXPECT_LT(largest_subnormal, 0.8);
}

TEST(elementary_power, exact_results_are_exact) {
  for (int base = 1; base < 200; ++base) {
    double expected = 1.0;
    for (int exponent = 0; expected < 0x1p53; ++exponent, expected *= base) {
      if (base == 1 && exponent > 60) break;
      ASSERT_EQ(elementary::power(static_cast<double>(base), static_cast<double>(exponent)), expected);
      const double negative = exponent % 2 == 0 ? expected : -expected;
      ASSERT_EQ(elementary::power(static_cast<double>(-base), static_cast<double>(exponent)), negative);
    }
  }
}

template <class Float>
void expect_powers_of_zero_one_and_infinity() {
  const auto power = [](Float x, Float y) { return elementary::power(x, y); };
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  const Float largest = std::numeric_limits<Float>::max();
  const Float tiniest = std::numeric_limits<Float>::denorm_min();
  const Float half = static_cast<Float>(0.5);
  const Float odd_limit = sizeof(Float) == 4 ? Float(0x1p24) - 1 : Float(0x1p53) - 1;
  const Float zero = 0;
  const Float one = 1;

  for (const Float x : {zero, -zero, one, -one, half, Float{-3}, tiniest, largest, infinity, -infinity, nan}) {
    expect_same(power(x, zero), one);
    expect_same(power(x, -zero), one);
    expect_same(power(one, x), one);
  }
  for (const Float y : {one, half, Float{-2}, infinity, -infinity, nan}) expect_same(power(nan, y), nan);
  for (const Float x : {zero, -zero, -one, Float{2}, infinity, -infinity}) expect_same(power(x, nan), nan);

  for (const Float y : {one, Float{3}, odd_limit}) {
    expect_same(power(zero, y), zero);
    expect_same(power(-zero, y), -zero);
    expect_same(power(zero, -y), infinity);
    expect_same(power(-zero, -y), -infinity);
    expect_same(power(-infinity, y), -infinity);
    expect_same(power(-infinity, -y), -zero);
    expect_same(power(-one, y), -one);
    expect_same(power(-one, -y), -one);
  }
  for (const Float y : {half, Float{2}, Float{2.5}, odd_limit + 1, largest, infinity}) {
    expect_same(power(zero, y), zero);
    expect_same(power(-zero, y), zero);
    expect_same(power(zero, -y), infinity);
    expect_same(power(-zero, -y), infinity);
    expect_same(power(infinity, y), infinity);
    expect_same(power(infinity, -y), zero);
    expect_same(power(-infinity, y), infinity);
    expect_same(power(-infinity, -y), zero);
  }
}

template <class Float>
void expect_powers_that_leave_the_range() {
  const auto power = [](Float x, Float y) { return elementary::power(x, y); };
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  const Float largest = std::numeric_limits<Float>::max();
  const Float tiniest = std::numeric_limits<Float>::denorm_min();
  const Float half = static_cast<Float>(0.5);
  const Float even_limit = sizeof(Float) == 4 ? Float(0x1p24) : Float(0x1p53);
  const Float zero = 0;
  const Float one = 1;

  for (const Float y : {Float{2}, even_limit, largest, infinity}) {
    expect_same(power(-one, y), one);
    expect_same(power(-one, -y), one);
    if (y == 2) continue;
    for (const Float large : {Float{2}, Float{-2}, largest, -largest}) {
      expect_same(power(large, y), infinity);
      expect_same(power(large, -y), zero);
      expect_same(power(one / large, y), zero);
      expect_same(power(one / large, -y), infinity);
    }
  }
  for (const Float x : {-one, Float{-2}, -tiniest, -largest}) {
    for (const Float y : {half, -half, Float{2.5}, tiniest}) expect_same(power(x, y), nan);
  }
  expect_same(power(Float{-2}, Float{3}), Float{-8});
  expect_same(power(Float{-2}, Float{-2}), Float{0.25});
  expect_same(power(Float{-2}, Float{5001}), -infinity);
  expect_same(power(Float{-2}, Float{-5001}), -zero);
  expect_same(power(tiniest, one), tiniest);
  expect_same(power(largest, one), largest);
}

TEST(elementary_power, special_values_are_those_of_ieee_754) {
  expect_powers_of_zero_one_and_infinity<float>();
  expect_powers_of_zero_one_and_infinity<double>();
  expect_powers_that_leave_the_range<float>();
  expect_powers_that_leave_the_range<double>();
}

TEST(elementary_power, agrees_with_the_other_functions) {
  std::uint64_t seed = 43;
  for (int i = 0; i < 5'000; ++i) {
    const auto x = static_cast<float>(10.0 * unit(seed));
    ASSERT_EQ(bits(elementary::power(x, 1.0f)), bits(x));
    ASSERT_EQ(bits(elementary::power(x, 0.5f)), bits(elementary::sqrt(x)));
    ASSERT_EQ(bits(elementary::power(x, -0.5f)), bits(elementary::rsqrt(x)));
    ASSERT_EQ(bits(elementary::power(x, 2.0f)), bits(x * x));
    ASSERT_EQ(bits(elementary::power(x, -1.0f)), bits(1.0f / x));
  }
}

template <class Float>
std::uint64_t power_digest(const Pairs<Float>& pairs) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (const auto& [x, y] : pairs) state = (state ^ bits(elementary::power(x, y))) * 0x100000001b3;
  return state;
}

TEST(elementary_power, result_bits_never_change) {
  // Inputs free of the logarithm of a library: small bases and exponents.
  Pairs<float> narrow;
  Pairs<double> wide;
  std::uint64_t seed = 44;
  for (int i = 0; i < 50'000; ++i) {
    const double x = 8.0 * unit(seed);
    const double y = 40.0 * unit(seed) - 20.0;
    narrow.emplace_back(static_cast<float>(x), static_cast<float>(y));
    wide.emplace_back(x, y);
  }
  ASSERT_EQ(elementary::numerics_version, 1);
  EXPECT_EQ(power_digest(narrow), 0x769467558ff669e2);
  EXPECT_EQ(power_digest(wide), 0xf8520c2b52a8dd78);
}

}  // namespace
}  // namespace topos
