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

/// e^x in double, for |x| <= 700 of at most 24 significant bits.
[[gnu::always_inline]] inline double wide_exp(double x) {
  const auto [shifted, rest] = split_for_exp(x);
  return from_bits(bits(power_minus_one(rest) + 1.0) + (bits(shifted) << 52));
}

/// e^x - 1 in double, for |x| <= 700 of at most 24 significant bits.
[[gnu::always_inline]] inline double wide_expm1(double x) {
  const auto [shifted, rest] = split_for_exp(x);
  const double scale = from_bits(one_bits + (bits(shifted) << 52));
  return scale * power_minus_one(rest) + (scale - 1.0);
}

/// log(u + low) as a sum of two, with |low| below an ulp of u, for a normal u >= 2^-53 and below 2^129.
struct LogSum {
  double base;  ///< exact, a multiple of log(2) and a table entry; often 0
  double r;
  double rest;
};

[[gnu::always_inline]] inline LogSum wide_log_sum(double u, double low) {
  const auto [exponent, mantissa, cell] = split_for_log(u);
  const double scale = from_bits(one_bits - (bits(exponent + shifter) << 52));
  const double inverse = table::reciprocal[cell];
  const double r = low * scale * inverse + (mantissa * inverse - 1.0);
  const double base = exponent * log2_high + table::log_reciprocal_high[cell];
  const double base_low = exponent * log2_low + table::log_reciprocal_low[cell];
  return {base, r, log1p_rest(r) + base_low};
}

}  // namespace parts

/// e^x, correctly rounded: 0 of all 2^32 inputs misrounded. exp(-inf) = +0, exp(+inf) = inf, NaN gives NaN.
[[gnu::always_inline]] inline float exp(float x) {
  // The bounds already round to +0 and to infinity; between them the double result is normal.
  const double clamped = parts::at_most(89.0, parts::at_least(-104.0, x));
  return static_cast<float>(parts::wide_exp(clamped));
}

/// e^x - 1, correctly rounded: 0 of all 2^32 inputs misrounded. expm1(+-0) = +-0, expm1(-inf) = -1, expm1(+inf) = inf,
/// NaN gives NaN.
[[gnu::always_inline]] inline float expm1(float x) {
  const double wide = x;
  const double clamped = parts::at_most(89.0, parts::at_least(-30.0, wide));  // -1 and infinity from there on
  return static_cast<float>(parts::with_sign_of(wide, parts::wide_expm1(clamped)));
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

/// log(1 + x), correctly rounded: 0 of all 2^32 inputs misrounded. log1p(+-0) = +-0, log1p(-1) = -inf, log1p(below -1)
/// = NaN, log1p(+inf) = inf, NaN gives NaN.
[[gnu::always_inline]] inline float log1p(float x) {
  const double wide = x;
  const double u = wide + 1.0;
  const double lost = wide - (u - 1.0);
  const auto [base, r, rest] = parts::wide_log_sum(u, wide < 0x1p53 ? lost : 0.0);
  // Rounded to odd twice: the hardest input is 0.0001 ulp of a double away from a tie.
  const double fraction = parts::add_to_odd(r, rest);
  const double sum = parts::add_to_odd(base, fraction);
  const double value = parts::with_sign_of(wide, base == 0.0 ? fraction : sum);
  const double special = wide < -1.0 ? parts::quiet_nan : -parts::infinity;
  const double ordered = wide > -1.0 ? value : special;
  return static_cast<float>(wide < parts::infinity ? ordered : wide);
}

/// The hyperbolic tangent, correctly rounded: 0 of all 2^32 inputs misrounded. tanh(+-0) = +-0, tanh(+-inf) = +-1,
/// NaN gives NaN.
[[gnu::always_inline]] inline float tanh(float x) {
  const double wide = x;
  const std::uint64_t sign = parts::bits(wide) & parts::sign_bit;
  const double magnitude = parts::at_most(10.0, parts::from_bits(parts::bits(wide) ^ sign));  // tanh(10) rounds to 1
  const double minus_one = parts::wide_expm1(magnitude + magnitude);
  const double value = minus_one / (minus_one + 2.0);
  return static_cast<float>(parts::from_bits(parts::bits(value) | sign));
}

/// 1 / (1 + e^-x), correctly rounded: 0 of all 2^32 inputs misrounded. logistic(-inf) = +0, logistic(+inf) = 1, NaN
/// gives NaN.
[[gnu::always_inline]] inline float logistic(float x) {
  const double clamped = parts::at_most(40.0, parts::at_least(-104.0, x));
  const double quotient = 1.0 / (1.0 + parts::wide_exp(0.0 - clamped));
  // Around 0 the result is 1/2 + x/4 - x^3/48, a near-tie for every x of few bits.
  const double square = clamped * clamped;
  const double near = parts::add_to_odd(0.5, clamped * (square * (-1.0 / 48.0) + 0.25));
  return static_cast<float>(square < 0x1p-18 ? near : quotient);
}

/// log(1 + e^x), correctly rounded: 0 of all 2^32 inputs misrounded. softplus(-inf) = +0, softplus(+inf) = inf, NaN
/// gives NaN.
[[gnu::always_inline]] inline float softplus(float x) {
  const double wide = x;
  const double bounded = parts::at_most_bitwise(115.0, parts::magnitude_of(wide));
  const double power = parts::wide_exp(0.0 - bounded);  // e^-|x|, at most 1
  const double u = 1.0 + power;
  const auto [base, r, rest] = parts::wide_log_sum(u, power - (u - 1.0));
  const double fraction = base + (r + rest);
  const double above = parts::add_to_odd(wide, fraction);
  const double value = wide > 0.0 ? above : fraction;
  return static_cast<float>(wide < parts::infinity ? value : wide);
}

/// 1 / sqrt(x), correctly rounded: 0 of all 2^32 inputs misrounded. rsqrt(+-0) = +-inf, rsqrt(+inf) = +0,
/// rsqrt(negative) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline float rsqrt(float x) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}

/// The square root, correctly rounded by the hardware. sqrt(-0) = -0, sqrt(negative) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline float sqrt(float x) { return __builtin_sqrtf(x); }

}  // namespace topos::elementary
