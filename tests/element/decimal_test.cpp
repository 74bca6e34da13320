// Owns the tests of numbers as text: tables of exact texts and the round trip of seeded bit patterns.
#include "topos/element/decimal.h"
#include "support/specials.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "support/splitmix.h"

namespace topos {
namespace {

using test::inf32;
using test::infinity;

using test::next;

TEST(decimal, float_prints_its_shortest_digits) {
  EXPECT_EQ(decimal(1.0f), "1");
  EXPECT_EQ(decimal(0.6397f), "0.6397");
  EXPECT_EQ(decimal(0.75025934f), "0.75025934");
  EXPECT_EQ(decimal(-12.0f), "-12");
  EXPECT_EQ(decimal(0.0f), "0");
  EXPECT_EQ(decimal(-0.0f), "-0");
  EXPECT_EQ(decimal(0.1f), "0.1");
  EXPECT_EQ(decimal(0.5f), "0.5");
  EXPECT_EQ(decimal(120.25f), "120.25");
  EXPECT_EQ(decimal(1005.0f), "1005");
  EXPECT_EQ(decimal(16777216.0f), "16777216");
}

TEST(decimal, no_exponent_appears_however_large_or_small) {
  EXPECT_EQ(decimal(1e-5f), "0.00001");
  EXPECT_EQ(decimal(1e20f), "100000000000000000000");
  EXPECT_EQ(decimal(1e10f), "10000000000");
  EXPECT_EQ(decimal(std::numeric_limits<float>::max()), "340282350000000000000000000000000000000");
  EXPECT_EQ(decimal(std::numeric_limits<float>::denorm_min()), "0." + std::string(44, '0') + "1");
  EXPECT_EQ(decimal(std::numeric_limits<double>::max()), "17976931348623157" + std::string(292, '0'));
  EXPECT_EQ(decimal(std::numeric_limits<double>::denorm_min()), "0." + std::string(323, '0') + "5");
  EXPECT_EQ(decimal(1e23), "1" + std::string(23, '0'));
}

TEST(decimal, digits_belong_to_the_precision_of_the_number) {
  EXPECT_EQ(decimal(0.1), "0.1");
  EXPECT_EQ(decimal(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(decimal(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(decimal(1.0f / 3.0f), "0.33333334");
}

TEST(decimal, non_finite_values_have_names) {
  EXPECT_EQ(decimal(inf32), "inf");
  EXPECT_EQ(decimal(-inf32), "-inf");
  EXPECT_EQ(decimal(infinity), "inf");
  EXPECT_EQ(decimal(-infinity), "-inf");
  EXPECT_EQ(decimal(std::nanf("")), "NaN");
  EXPECT_EQ(decimal(-std::nan("")), "NaN");
}

TEST(decimal, integers_print_plainly) {
  EXPECT_EQ(decimal(std::int64_t{0}), "0");
  EXPECT_EQ(decimal(std::int64_t{-42}), "-42");
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(literal(std::int64_t{7}), "7");
  EXPECT_EQ(literal(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
}

TEST(decimal, literal_always_has_a_point) {
  EXPECT_EQ(literal(2.0f), "2.0");
  EXPECT_EQ(literal(-6.0f), "-6.0");
  EXPECT_EQ(literal(0.0f), "0.0");
  EXPECT_EQ(literal(-0.0f), "-0.0");
  EXPECT_EQ(literal(0.6397f), "0.6397");
  EXPECT_EQ(literal(1.5), "1.5");
  EXPECT_EQ(literal(-0.0), "-0.0");
}

TEST(decimal, literal_is_scientific_only_beyond_its_bounds) {
  EXPECT_EQ(literal(1e-4f), "0.0001");
  EXPECT_EQ(literal(std::nextafter(1e-4f, 0.0f)), "9.999999e-5");
  EXPECT_EQ(literal(1e-4), "0.0001");
  EXPECT_EQ(literal(std::nextafter(1e-4, 0.0)), "9.999999999999999e-5");
  EXPECT_EQ(literal(1e-5f), "1.0e-5");
  EXPECT_EQ(literal(-1e-5), "-1.0e-5");
  EXPECT_EQ(literal(1.234e-7f), "1.234e-7");
  EXPECT_EQ(literal(1e15), "1000000000000000.0");
  EXPECT_EQ(literal(1e16f), "1.0e16");
  EXPECT_EQ(literal(std::nextafter(1e16f, 0.0f)), "9999999000000000.0");
  EXPECT_EQ(literal(1e16), "1.0e16");
  EXPECT_EQ(literal(std::nextafter(1e16, 0.0)), "9999999999999998.0");
  EXPECT_EQ(literal(-1.5e300), "-1.5e300");
  EXPECT_EQ(literal(std::numeric_limits<float>::denorm_min()), "1.0e-45");
  EXPECT_EQ(literal(std::numeric_limits<double>::denorm_min()), "5.0e-324");
}

TEST(decimal, literal_of_a_non_finite_value_is_its_bit_pattern) {
  EXPECT_EQ(literal(inf32), "0x7F800000");
  EXPECT_EQ(literal(-inf32), "0xFF800000");
  EXPECT_EQ(literal(infinity), "0x7FF0000000000000");
  EXPECT_EQ(literal(-infinity), "0xFFF0000000000000");
}

TEST(decimal, literal_of_every_nan_is_the_canonical_quiet_one) {
  EXPECT_EQ(literal(std::bit_cast<float>(0xFFC01234u)), "0x7FC00000");
  EXPECT_EQ(literal(std::bit_cast<float>(0x7FC00000u)), "0x7FC00000");
  EXPECT_EQ(literal(std::bit_cast<double>(std::uint64_t{0xFFF8000000000001})), "0x7FF8000000000000");
}

TEST(decimal, float_texts_read_back_as_the_same_bits) {
  std::uint64_t state = 1;
  for (int i = 0; i < 50'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(next(state)));
    if (!std::isfinite(value)) continue;
    for (const std::string& text : {decimal(value), literal(value)}) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)), std::bit_cast<std::uint32_t>(value))
          << text;
    }
    ASSERT_EQ(decimal(value).find_first_of("e+"), std::string::npos);
    ASSERT_NE(literal(value).find('.'), std::string::npos);
  }
}

TEST(decimal, double_texts_read_back_as_the_same_bits) {
  std::uint64_t state = 2;
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(next(state));
    if (!std::isfinite(value)) continue;
    for (const std::string& text : {decimal(value), literal(value)}) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), std::bit_cast<std::uint64_t>(value))
          << text;
    }
    ASSERT_EQ(decimal(value).find_first_of("e+"), std::string::npos);
    ASSERT_NE(literal(value).find('.'), std::string::npos);
  }
}

}  // namespace
}  // namespace topos
