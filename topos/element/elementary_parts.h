// Owns the steps that the f32 and f64 elementary functions share: bit views, the rounding shift, the split of a log.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

/// Building blocks of elementary.h, not for direct use. Everything is forced inline, so that a caller compiled for
/// a wider instruction set gets its own copy and no copy is shared by the linker between instruction sets.
namespace topos::elementary::parts {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
inline constexpr std::uint64_t one_bits = 0x3ff0000000000000;

/// Adding 1.5 * 2^52 rounds to a whole number, which then stands in the low bits of the sum.
inline constexpr double shifter = 0x1.8p52;
inline constexpr std::uint64_t shifter_bits = 0x4338000000000000;

/// log(2) in two parts; the high one times any exponent of a double is exact.
inline constexpr double log2_high = 0x1.62e42fefa38p-1;
inline constexpr double log2_low = 0x1.ef35793c7673p-45;

[[gnu::always_inline]] inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
[[gnu::always_inline]] inline double from_bits(std::uint64_t b) { return std::bit_cast<double>(b); }

[[gnu::always_inline]] inline double magnitude_of(double x) { return from_bits(bits(x) & ~sign_bit); }

/// `value`, which is not negative or has the sign of x already, with the sign of x.
[[gnu::always_inline]] inline double with_sign_of(double x, double value) {
  return from_bits(bits(value) | (bits(x) & sign_bit));
}

/// The rounding error of sum = a + b, for any order of magnitudes.
[[gnu::always_inline]] inline double sum_error(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

/// The smaller of `bound` and x, the larger of them; a NaN x stays.
[[gnu::always_inline]] inline double at_most(double bound, double x) { return bound < x ? bound : x; }
[[gnu::always_inline]] inline double at_least(double bound, double x) { return bound > x ? bound : x; }

/// The smaller of `bound` and x, both >= 0, by arithmetic on their bits; NaN counts as large. Ahead of a table, since
/// from a selection compilers make a look-up under a condition, which stays scalar.
[[gnu::always_inline]] inline double at_most_bitwise(double bound, double x) {
  const std::uint64_t difference = bits(x) - bits(bound);
  return from_bits(bits(bound) + (difference & (0 - (difference >> 63))));
}

/// x = 2^exponent * mantissa with the mantissa in [0.703125, 1.40625), in cell `cell` of sixteen.
struct LogSplit {
  double exponent;
  double mantissa;
  std::uint64_t cell;
};

/// Splits a positive normal x; any other x gives some finite split.
[[gnu::always_inline]] inline LogSplit split_for_log(double x) {
  const std::uint64_t shifted = bits(x) - 0x0006800000000000;
  // The biased exponent becomes a double by standing in the low bits of 2^52; 1022 belongs to exponent 0.
  const double exponent = from_bits((shifted >> 52) | 0x4330000000000000) - (0x1p52 + 1022);
  const double mantissa = from_bits((shifted & 0x000fffffffffffff) + 0x3fe6800000000000);
  return {exponent, mantissa, (shifted >> 48) & 15};
}

/// `value` is log(x) of a positive finite x; gives log(x) of every x.
[[gnu::always_inline]] inline double with_log_specials(double x, double value) {
  const double upper = x < infinity ? value : x;         // infinity and NaN answer themselves
  const double lower = x < 0.0 ? quiet_nan : -infinity;  // negative, or a zero
  const double ordered = x > 0.0 ? upper : lower;
  return x == x ? ordered : x;
}

}  // namespace topos::elementary::parts
