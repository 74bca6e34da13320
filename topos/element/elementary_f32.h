// Owns the f32 elementary functions: correctly rounded, computed in double with plain multiplications and additions.
#pragma once

#include "topos/element/elementary_parts.h"
#include "topos/element/elementary_tables.h"

namespace topos::elementary {
namespace parts {

/// x * log2(e) = whole + rest with |rest| <= 1/2; the low bits of `shifted` hold whole.
struct ExpSplit {
  double shifted;
  double rest;
};

/// x has at most 24 significant bits, so the product with the short high part of log2(e) is exact.
[[gnu::always_inline]] inline ExpSplit split_for_exp(double x) {
  const double product = x * 0x1.7154765p0;
  const double shifted = product + shifter;
  const double whole = shifted - shifter;
  return {shifted, x * 0x1.5c17f0bbbe88p-31 + (product - whole)};
}

/// 2^f - 1 for |f| <= 1/2, relative error near 2^-52. Pairs first, then Horner in f^2: a shorter chain.
[[gnu::always_inline]] inline double power_minus_one(double f) {
  const double square = f * f;
  double p = 0x1.eb5ad164ef3ep-32;
  p = p * square + (0x1.e60570d75493cp-28 * f + 0x1.b523dc6b70c0dp-24);
  p = p * square + (0x1.62bfd4f394594p-20 * f + 0x1.ffcbfd01645bbp-17);
  p = p * square + (0x1.430913093d128p-13 * f + 0x1.5d87fe7880471p-10);
  p = p * square + (0x1.3b2ab6fba1edbp-7 * f + 0x1.c6b08d704a1acp-5);
  p = p * square + (0x1.ebfbdff82c598p-3 * f + 0x1.62e42fefa39efp-1);
  return f * p;
}

/// log(1 + r) - r for |r| < 0.04.
[[gnu::always_inline]] inline double log1p_rest(double r) {
  const double square = r * r;
  double p = -0x1.9a62e44092339p-4;
  p = p * square + (0x1.c7ee35204212ep-4 * r + -0x1.ffffd796bc85p-4);
  p = p * square + (0x1.2492357852e73p-3 * r + -0x1.55555556e6e99p-3);
  p = p * square + (0x1.9999999af7362p-3 * r + -0x1.fffffffffff6ap-3);
  p = p * square + (0x1.5555555555521p-2 * r + -0x1p-1);
  return square * p;
}

/// a + b rounded to odd (|a| >= |b|, or a = 0): truncated, last bit set. Rounding that to float rounds the exact
/// sum once, where rounding twice would fall on the wrong side of a near-tie.
[[gnu::always_inline]] inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double error = b - (sum - a);
  const std::uint64_t rounded_away = (bits(error) ^ bits(sum)) >> 63;
  return from_bits((bits(sum) - rounded_away) | 1);
}

}  // namespace parts

/// e^x, correctly rounded: 0 of all 2^32 inputs misrounded. exp(-inf) = +0, exp(+inf) = inf, NaN gives NaN.
[[gnu::always_inline]] inline float exp(float x) {
  // The bounds already round to +0 and to infinity; between them the double result is normal.
  const double clamped = parts::at_most(89.0, parts::at_least(-104.0, x));
  const auto [shifted, rest] = parts::split_for_exp(clamped);
  const double power = parts::power_minus_one(rest) + 1.0;
  return static_cast<float>(parts::from_bits(parts::bits(power) + (parts::bits(shifted) << 52)));
}

/// The natural logarithm, correctly rounded: 0 of all 2^32 inputs misrounded. log(+-0) = -inf, log(negative) = NaN,
/// log(+inf) = inf, log(1) = +0, NaN gives NaN.
[[gnu::always_inline]] inline float log(float x) {
  const double wide = x;
  const auto [exponent, mantissa, cell] = parts::split_for_log(wide);
  const double r = mantissa * table::reciprocal[cell] - 1.0;  // exact: 24 + 11 bits
  const double fraction = table::log_reciprocal[cell] + (r + parts::log1p_rest(r));
  const double value = parts::add_to_odd(exponent * parts::log2_high, exponent * parts::log2_low + fraction);
  return static_cast<float>(parts::with_log_specials(wide, value));
}

/// The hyperbolic tangent, correctly rounded: 0 of all 2^32 inputs misrounded. tanh(+-0) = +-0, tanh(+-inf) = +-1,
/// NaN gives NaN.
[[gnu::always_inline]] inline float tanh(float x) {
  const double wide = x;
  const std::uint64_t sign = parts::bits(wide) & parts::sign_bit;
  const double magnitude = parts::at_most(10.0, parts::from_bits(parts::bits(wide) ^ sign));  // tanh(10) rounds to 1
  const auto [shifted, rest] = parts::split_for_exp(magnitude + magnitude);
  const double scale = parts::from_bits(parts::one_bits + (parts::bits(shifted) << 52));
  const double minus_one = scale * parts::power_minus_one(rest) + (scale - 1.0);  // e^(2|x|) - 1
  const double value = minus_one / (minus_one + 2.0);
  return static_cast<float>(parts::from_bits(parts::bits(value) | sign));
}

/// The square root, correctly rounded by the hardware. sqrt(-0) = -0, sqrt(negative) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline float sqrt(float x) { return __builtin_sqrtf(x); }

}  // namespace topos::elementary
