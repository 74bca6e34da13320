// Owns the f64 elementary functions: fixed sequences of operations with fma, the same bits wherever fma is IEEE's.
#pragma once

#include "topos/element/elementary_parts.h"
#include "topos/element/elementary_tables.h"

namespace topos::elementary {

/// Version of the f64 sequences below. A change of any result bit needs a new number: digests and files hold it.
inline constexpr int numerics_version = 1;

namespace parts {

[[gnu::always_inline]] inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// e^x = 2^(sixteenths / 16) * (high + low) with `sixteenths` a multiple of 16, in two's complement.
struct ScaledExp {
  double high;
  double low;
  std::uint64_t sixteenths;
};

/// |x| <= 746.
[[gnu::always_inline]] inline ScaledExp scaled_exp(double x) {
  const double shifted = fma(x, 0x1.71547652b82fep4, shifter);
  const double whole = shifted - shifter;
  double r = fma(-whole, 0x1.62e42fefap-5, x);
  r = fma(-whole, 0x1.cf79abc9e3b3ap-44, r);
  const std::uint64_t index = bits(shifted) - shifter_bits;
  const std::uint64_t cell = index & 15;
  const double square = r * r;
  double p = fma(0x1.a01a7cf64cf56p-13, r, 0x1.6c17f538f820ep-10);
  p = fma(p, square, fma(0x1.1111111137d05p-7, r, 0x1.55555554dfdf7p-5));
  p = fma(p, square, fma(0x1.5555555555553p-3, r, 0.5));
  p = fma(p, square, r);
  const double high = table::power_high[cell];
  return {high, fma(high, p, table::power_low[cell]), index - cell};
}

/// 2^(sixteenths / 16), a normal number.
[[gnu::always_inline]] inline double power_of_two(std::uint64_t sixteenths) {
  return from_bits(one_bits + (sixteenths << 48));
}

/// (log(1 + r) - r) / r^2 for |r| < 0.04.
[[gnu::always_inline]] inline double log1p_quotient(double r) {
  const double square = r * r;
  double p = fma(-0x1.5441e62400d06p-4, r, 0x1.72c08acc6480cp-4);
  p = fma(p, square, fma(-0x1.999a5e4f08ac6p-4, r, 0x1.c71d9dd255814p-4));
  p = fma(p, square, fma(-0x1.ffffffdd70533p-4, r, 0x1.249249064db32p-3));
  p = fma(p, square, fma(-0x1.555555555635ap-3, r, 0x1.999999999bc6ep-3));
  p = fma(p, square, fma(-0.25, r, 0x1.5555555555555p-2));
  return fma(p, r, -0.5);
}

/// A value as an unevaluated sum: |low| is at most half an ulp of high.
struct Pair {
  double high;
  double low;
};

/// a + b exactly, |a| >= |b|.
[[gnu::always_inline]] inline Pair exact_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

/// e^w - 1 from its series, for 0 <= w < 0.3466.
[[gnu::always_inline]] inline Pair small_expm1(double w) {
  const double square = w * w;
  double p = fma(0x1.1f3e5e84d98d2p-29, w, 0x1.af3f32fb1ade3p-26);
  p = fma(p, square, fma(0x1.27e4f82cf029ep-22, w, 0x1.71de0a2b53e77p-19));
  p = fma(p, square, fma(0x1.a01a019c4bec5p-16, w, 0x1.a01a01a9063b5p-13));
  p = fma(p, square, fma(0x1.6c16c16c17a03p-10, w, 0x1.1111111110707p-7));
  p = fma(p, square, fma(0x1.5555555555554p-5, w, 0x1.5555555555556p-3));
  return exact_sum(w, square * fma(p, w, 0.5));
}

/// e^w - 1 from e^w, for 0.3466 <= w <= 40.
[[gnu::always_inline]] inline Pair large_expm1(double w) {
  const auto [high, low, sixteenths] = scaled_exp(w);
  const double scale = power_of_two(sixteenths);
  const double power = high * scale;
  const double minus_one = power - 1.0;
  const double lost = (power - minus_one) - 1.0;
  return exact_sum(minus_one, low * scale + lost);
}

}  // namespace parts

/// e^x; largest error seen 0.554 ulp (below 0.8 where the result is subnormal). exp(-inf) = +0, exp(+inf) = inf, NaN
/// gives NaN.
[[gnu::always_inline]] inline double exp(double x) {
  const double clamped = parts::at_most(710.0, parts::at_least(-746.0, x));
  const auto [high, low, sixteenths] = parts::scaled_exp(clamped);
  // Two steps, because 2^-1076 is no normal number: half of the exponent, rounded down to a whole one, then the rest.
  const std::uint64_t half = (((sixteenths + (1u << 20)) >> 1) - (1u << 19)) & ~std::uint64_t{15};
  const double value = (high + low) * parts::power_of_two(half) * parts::power_of_two(sixteenths - half);
  return x == x ? value : x;
}

/// The natural logarithm; largest error seen 0.541 ulp. log(+-0) = -inf, log(negative) = NaN, log(+inf) = inf, log(1) =
/// +0, NaN gives NaN.
[[gnu::always_inline]] inline double log(double x) {
  const bool subnormal = x < 0x1p-1022;
  const double scaled = x * 0x1p54;
  const auto [raw_exponent, mantissa, cell] = parts::split_for_log(subnormal ? scaled : x);
  const double exponent = subnormal ? raw_exponent - 54.0 : raw_exponent;
  const double reciprocal = table::reciprocal[cell];
  const double product = mantissa * reciprocal;
  const double product_low = parts::fma(mantissa, reciprocal, -product);
  const double offset = product - 1.0;
  const double r = offset + product_low;
  const double r_low = product_low - (r - offset);
  const double base = parts::fma(exponent, parts::log2_high, table::log_reciprocal_high[cell]);
  const double base_low = parts::fma(exponent, parts::log2_low, table::log_reciprocal_low[cell]);
  const double sum = base + r;
  // Unless base is 0 it is larger than |r|, and this is the exact error of the sum.
  const double lost = (base - sum) + r;
  const double sum_low = base == 0.0 ? 0.0 : lost;
  const double rest = parts::fma(r * r, parts::log1p_quotient(r), (r_low + base_low) + sum_low);
  return parts::with_log_specials(x, sum + rest);
}

/// The hyperbolic tangent; largest error seen 0.773 ulp. tanh(+-0) = +-0, tanh(+-inf) = +-1, NaN gives NaN.
[[gnu::always_inline]] inline double tanh(double x) {
  const std::uint64_t sign = parts::bits(x) & parts::sign_bit;
  const double magnitude = parts::from_bits(parts::bits(x) ^ sign);
  const double bounded = parts::at_most(20.0, magnitude);  // from 20 on the answer is 1
  const double w = bounded + bounded;
  const parts::Pair small = parts::small_expm1(w);
  const parts::Pair large = parts::large_expm1(w);
  const double over = w < 0.3466 ? small.high : large.high;  // over + over_low = e^(2|x|) - 1
  const double over_low = w < 0.3466 ? small.low : large.low;
  const double under = 2.0 + over;
  const double lost_over = over - (under - 2.0);
  const double lost_two = 2.0 - (under - over);
  const double under_low = (over < 2.0 ? lost_over : lost_two) + over_low;
  // The quotient, with one step of correction by its own remainder.
  const double reciprocal = 1.0 / under;
  const double quotient = over * reciprocal;
  const double remainder = parts::fma(-quotient, under, over) + parts::fma(-quotient, under_low, over_low);
  const double value = parts::fma(remainder, reciprocal, quotient);
  const double beyond = magnitude == magnitude ? 1.0 : magnitude;
  return parts::from_bits(parts::bits(magnitude < 20.0 ? value : beyond) | sign);
}

/// The square root, correctly rounded by the hardware. sqrt(-0) = -0, sqrt(negative) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline double sqrt(double x) { return __builtin_sqrt(x); }

}  // namespace topos::elementary
