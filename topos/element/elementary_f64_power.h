// Owns the f64 power: a logarithm of 68 bits, then the exponential; and the special cases of a power of any element.
#pragma once

#include "topos/element/elementary_f64.h"

namespace topos::elementary {
namespace parts {

/// `value` is the magnitude of x^y for a finite x > 0 and what y * log|x| gives elsewhere, or NaN for infinity times
/// zero; gives the power of every x and y as IEEE 754 says.
[[gnu::always_inline]] inline double with_power_specials(double x, double y, double value) {
  const double size = magnitude_of(y);
  const double half = 0.5 * size;
  const bool whole = size >= 0x1p52 || (size + 0x1p52) - 0x1p52 == size;
  const bool even = half >= 0x1p52 || (half + 0x1p52) - 0x1p52 == half;
  const bool ordered = x == x && y == y;
  const double one = magnitude_of(x) == 1.0 && ordered ? 1.0 : value;
  const double real = x < 0.0 && x > -infinity && !whole ? quiet_nan : one;
  const std::uint64_t sign = whole && !even ? bits(x) & sign_bit : 0;
  const double result = ordered ? from_bits(bits(real) ^ sign) : quiet_nan;
  return y == 0.0 || x == 1.0 ? 1.0 : result;
}

/// (log(1 + r) - r + r^2 / 2 - r^3 / 3) / r^4 for |r| <= 1/32.
[[gnu::always_inline]] inline double log1p_quartic(double r) {
  const double square = r * r;
  double p = fma(-0x1.562fa6031967ap-4, square, fma(0x1.75356707a2385p-4, r, -0x1.9999616e10dedp-4));
  p = fma(p, square, fma(0x1.c71c40555206cp-4, r, -0x1.00000002daadap-3));
  p = fma(p, square, fma(0x1.24924926a9d12p-3, r, -0x1.55555555553e2p-3));
  return fma(p, square, fma(0x1.99999999998d6p-3, r, -0.25));
}

/// log(x) of a finite x > 0 with a relative error below 2^-66.
[[gnu::always_inline]] inline Pair precise_log(double x) {
  const bool subnormal = x < 0x1p-1022;
  const auto [raw_exponent, mantissa, cell] = split_for_log(subnormal ? x * 0x1p54 : x);
  const double exponent = subnormal ? raw_exponent - 54.0 : raw_exponent;
  const Pair product = exact_product(mantissa, table::reciprocal[cell]);
  const Pair r = exact_sum(product.high - 1.0, product.low);
  const double base = fma(exponent, log2_high, table::log_reciprocal_high[cell]);
  const double base_low = fma(exponent, log2_low, table::log_reciprocal_low[cell]);
  const Pair square = exact_product(r.high, r.high);
  const Pair cube = exact_product(r.high, square.high);
  const double cube_low = fma(r.high, square.low, cube.low);
  const Pair third = exact_product(cube.high, 0x1.5555555555555p-2);
  const double third_low = fma(cube.high, 0x1.5555555555555p-56, fma(cube_low, 0x1.5555555555555p-2, third.low));
  // The leading terms exactly, each far below the sum before it unless that is 0.
  const Pair first = exact_sum(base, r.high);
  const Pair second = exact_sum(first.high, -0.5 * square.high);
  const Pair sum = exact_sum(second.high, third.high);
  const double small = fma(square.high * square.high, log1p_quartic(r.high), third_low);
  const double lows = fma(r.low, square.high - r.high, r.low) + fma(-0.5, square.low, base_low);
  return exact_sum(sum.high, (first.low + second.low) + (sum.low + (lows + small)));
}

}  // namespace parts

/// x to the power of y, as IEEE 754 defines pow; largest error seen 0.550 ulp where the result is normal.
[[gnu::always_inline]] inline double power(double x, double y) {
  const double magnitude = parts::magnitude_of(x);
  const parts::Pair log = parts::precise_log(magnitude);
  const double log_high = parts::with_log_specials(magnitude, log.high);
  const double product = y * log_high;
  const double product_low = parts::fma(y, log_high, -product) + y * log.low;
  const double clamped = parts::at_most(746.0, parts::at_least(-746.0, product));
  const auto [high, low, sixteenths] = parts::scaled_exp(clamped);
  const double correction = parts::magnitude_of(product) < 746.0 ? product_low : 0.0;
  const double rest = parts::fma(high + low, correction, low);
  return parts::with_power_specials(x, y, parts::scaled_value(high + rest, sixteenths));
}

}  // namespace topos::elementary
