// Owns the f64 elementary functions: fixed sequences of operations with fma, the same bits wherever fma is IEEE's.
#pragma once

#include "topos/element/elementary_pair.h"
#include "topos/element/elementary_tables.h"

namespace topos::elementary {

/// Version of the f64 sequences below. A change of any result bit needs a new number: digests and files hold it.
inline constexpr int numerics_version = 1;

namespace parts {

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

/// high + low times its power of two. Two steps, because 2^-1076 is no normal number: half of the exponent, rounded
/// down to a whole one, then the rest.
[[gnu::always_inline]] inline double scaled_value(double value, std::uint64_t sixteenths) {
  const std::uint64_t half = (((sixteenths + (1u << 20)) >> 1) - (1u << 19)) & ~std::uint64_t{15};
  return value * power_of_two(half) * power_of_two(sixteenths - half);
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

/// log(2^exponent * (1 + offset + offset_low) / reciprocal[cell]), the sum not rounded. |offset_low| is at most half an
/// ulp of offset, unless that is 0.
[[gnu::always_inline]] inline Pair log_sum(double exponent, std::uint64_t cell, double offset, double offset_low) {
  const double r = offset + offset_low;
  const double r_low = offset_low - (r - offset);
  const double base = fma(exponent, log2_high, table::log_reciprocal_high[cell]);
  const double base_low = fma(exponent, log2_low, table::log_reciprocal_low[cell]);
  const double sum = base + r;
  // Unless base is 0 it is larger than |r|, and this is the exact error of the sum.
  const double lost = (base - sum) + r;
  const double sum_low = base == 0.0 ? 0.0 : lost;
  return {sum, fma(r * r, log1p_quotient(r), (r_low + base_low) + sum_low)};
}

/// log(u + low) of a normal u >= 2^-53, |low| at most an ulp of u; low of u >= 2^60 does not count.
[[gnu::always_inline]] inline Pair log_sum(double u, double low) {
  const auto [exponent, mantissa, cell] = split_for_log(u);
  const double reciprocal = table::reciprocal[cell];
  const Pair product = exact_product(mantissa, reciprocal);
  const double scale = from_bits(one_bits - (bits(exponent + shifter) << 52));
  const double tail = low * scale * reciprocal;
  return log_sum(exponent, cell, product.high - 1.0, product.low + (u < 0x1p60 ? tail : 0.0));
}

/// (e^x - 1 - x - x^2 / 2) / x^3 for |x| < 0.3475.
[[gnu::always_inline]] inline double expm1_cubic(double x) {
  const double square = x * x;
  double p = fma(0x1.1f77130fcf6a3p-29, x, 0x1.af3fe8d94a932p-26);
  p = fma(p, square, fma(0x1.27e4d911bcf02p-22, x, 0x1.71de09e096b96p-19));
  p = fma(p, square, fma(0x1.a01a01a7c314ap-16, x, 0x1.a01a01a918815p-13));
  p = fma(p, square, fma(0x1.6c16c16c1608cp-10, x, 0x1.11111111106f3p-7));
  return fma(p, square, fma(0x1.5555555555556p-5, x, 0x1.5555555555556p-3));
}

/// e^-|x| for logistic and softplus: as a pair up to |x| = 700, and as a rounded value.
struct Decay {
  Pair pair;
  double value;
};

[[gnu::always_inline]] inline Decay decay(double x) {
  const auto [high, low, sixteenths] = scaled_exp(-at_most(746.0, magnitude_of(x)));
  const double scale = power_of_two(sixteenths);
  return {exact_sum(high * scale, low * scale), scaled_value(high + low, sixteenths)};
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

/// over / under, with one step of correction by its own remainder.
[[gnu::always_inline]] inline double quotient(Pair over, Pair under) {
  const double reciprocal = 1.0 / under.high;
  const double quotient = over.high * reciprocal;
  const double remainder = fma(-quotient, under.high, over.high) + fma(-quotient, under.low, over.low);
  return fma(remainder, reciprocal, quotient);
}

}  // namespace parts

/// e^x; largest error seen 0.554 ulp (below 0.8 where the result is subnormal). exp(-inf) = +0, exp(+inf) = inf, NaN
/// gives NaN.
[[gnu::always_inline]] inline double exp(double x) {
  const double clamped = parts::at_most(710.0, parts::at_least(-746.0, x));
  const auto [high, low, sixteenths] = parts::scaled_exp(clamped);
  const double value = parts::scaled_value(high + low, sixteenths);
  return x == x ? value : x;
}

/// e^x - 1; largest error seen 0.640 ulp. expm1(+-0) = +-0, expm1(-inf) = -1, expm1(+inf) = inf, NaN gives NaN.
[[gnu::always_inline]] inline double expm1(double x) {
  const double square = x * x;
  const double square_low = parts::fma(x, x, -square);
  const parts::Pair start = parts::exact_sum(x, 0.5 * square);
  const double small = start.high + (start.low + parts::fma(x * square, parts::expm1_cubic(x), 0.5 * square_low));
  // 2^k * ((high - 2^-k) + low); from k = 60 on the 1 does not count.
  const double clamped = parts::at_most(710.0, parts::at_least(-40.0, x));
  const auto [high, low, sixteenths] = parts::scaled_exp(clamped);
  const double one = parts::power_of_two(0 - sixteenths);
  const parts::Pair difference = parts::exact_sum_any(high, clamped < 42.0 ? -one : 0.0);
  const double large = parts::scaled_value(difference.high + (difference.low + low), sixteenths);
  const double value = parts::with_sign_of(x, parts::magnitude_of(x) < 0.3466 ? small : large);
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
  const parts::Pair sum = parts::log_sum(exponent, cell, product - 1.0, product_low);
  return parts::with_log_specials(x, sum.high + sum.low);
}

/// log(1 + x); largest error seen 0.529 ulp. log1p(+-0) = +-0, log1p(-1) = -inf, log1p(below -1) = NaN, log1p(+inf) =
/// inf, NaN gives NaN.
[[gnu::always_inline]] inline double log1p(double x) {
  const double u = 1.0 + x;
  const parts::Pair sum = parts::log_sum(u, parts::sum_error(1.0, x, u));
  const double value = parts::with_sign_of(x, sum.high + sum.low);
  const double special = x < -1.0 ? parts::quiet_nan : -parts::infinity;
  const double ordered = x > -1.0 ? value : special;
  return x < parts::infinity ? ordered : x;
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
  const double value = parts::quotient({over, over_low}, {under, under_low});
  const double beyond = magnitude == magnitude ? 1.0 : magnitude;
  return parts::from_bits(parts::bits(magnitude < 20.0 ? value : beyond) | sign);
}

/// 1 / (1 + e^-x); largest error seen 0.551 ulp. logistic(-inf) = +0, logistic(+inf) = 1, NaN gives NaN.
[[gnu::always_inline]] inline double logistic(double x) {
  const auto [power, below] = parts::decay(x);
  const parts::Pair sum = parts::exact_sum(1.0, power.high);
  const parts::Pair under = parts::exact_sum(sum.high, sum.low + power.low);
  const double over = x < 0.0 ? power.high : 1.0;
  const double over_low = x < 0.0 ? power.low : 0.0;
  const double quotient = parts::quotient({over, over_low}, under);
  const double value = x < -40.0 ? below : quotient;  // there e^x, since the 1 hides e^x
  const double bounded = x > 40.0 ? 1.0 : value;
  return x == x ? bounded : x;
}

/// log(1 + e^x); largest error seen 0.606 ulp. softplus(-inf) = +0, softplus(+inf) = inf, NaN gives NaN.
[[gnu::always_inline]] inline double softplus(double x) {
  const auto [power, below] = parts::decay(x);
  const double u = 1.0 + power.high;
  const parts::Pair log = parts::log_sum(u, power.high - (u - 1.0));
  const double log_low = log.low + parts::fma(-0.5 * power.low, power.high, power.low);  // power.low / u, nearly
  const parts::Pair sum = parts::exact_sum_any(x > 0.0 ? x : 0.0, log.high);
  const double value = sum.high + (sum.low + log_low);
  const double lower = x < -40.0 ? below : value;  // there e^x
  return x < 40.0 ? lower : x;                     // there x
}

/// 1 / sqrt(x); largest error seen 0.500 ulp. rsqrt(+-0) = +-inf, rsqrt(+inf) = +0, rsqrt(negative) = NaN, NaN gives
/// NaN.
[[gnu::always_inline]] inline double rsqrt(double x) {
  const double near = 1.0 / __builtin_sqrt(x);
  // One step of Newton with the exact remainder 1 - x * near^2.
  const parts::Pair root = parts::exact_product(x, near);
  const double remainder = parts::fma(-root.high, near, 1.0) - root.low * near;
  const double value = parts::fma(0.5 * near, remainder, near);
  const double ordered = x < parts::infinity ? value : near;
  return x > 0.0 ? ordered : near;
}

/// The square root, correctly rounded by the hardware. sqrt(-0) = -0, sqrt(negative) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline double sqrt(double x) { return __builtin_sqrt(x); }

}  // namespace topos::elementary
