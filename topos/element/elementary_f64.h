// Owns the f64 elementary functions: fixed sequences of operations with fma, the same bits wherever fma is IEEE's.
#pragma once

#include "topos/element/elementary_f64_log_table.h"
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

/// (e^r - 1 - r) / r^2 for |r| < 0.0217.
[[gnu::always_inline]] inline double exp_quotient(double r) {
  const double square = r * r;
  double p = fma(0x1.a01a7cf64cf56p-13, r, 0x1.6c17f538f820ep-10);
  p = fma(p, square, fma(0x1.1111111137d05p-7, r, 0x1.55555554dfdf7p-5));
  return fma(p, square, fma(0x1.5555555555553p-3, r, 0.5));
}

/// |x| <= 746.
[[gnu::always_inline]] inline ScaledExp scaled_exp(double x) {
  const double shifted = fma(x, 0x1.71547652b82fep4, shifter);
  const double whole = shifted - shifter;
  double r = fma(-whole, 0x1.62e42fefap-5, x);
  r = fma(-whole, 0x1.cf79abc9e3b3ap-44, r);
  const std::uint64_t index = bits(shifted) - shifter_bits;
  const std::uint64_t cell = index & 15;
  const double p = fma(exp_quotient(r), r * r, r);
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

/// (log(1 + r) - r) / r^2 for |r| < 0.0041.
[[gnu::always_inline]] inline double log1p_quotient(double r) {
  const double square = r * r;
  double p = fma(0x1.249447da4d4a6p-3, r, -0x1.5556e7a406fadp-3);
  p = fma(p, square, fma(0x1.999999984d7cfp-3, r, -0x1.ffffffff73817p-3));
  return fma(p, square, fma(0x1.5555555555557p-2, r, -0.5));
}

/// As LogSplit, in 128 cells of mantissas in [0.701171875, 1.40234375); the middle of one is 1.
[[gnu::always_inline]] inline LogSplit split_finely(double x) {
  const std::uint64_t shifted = bits(x) - 0x0006700000000000;
  const double exponent = from_bits((shifted >> 52) | 0x4330000000000000) - (0x1p52 + 1022);
  const double mantissa = from_bits((shifted & 0x000fffffffffffff) + 0x3fe6700000000000);
  return {exponent, mantissa, (shifted >> 45) & 127};
}

/// log(2^exponent * (1 + r + low) / reciprocal of the cell), the sum not rounded. |low| is at most an ulp of 1.
[[gnu::always_inline]] inline Pair log_sum(double exponent, std::uint64_t cell, double r, double low) {
  const double* row = table::log_row[cell];
  const double base = fma(exponent, log2_high, row[1]);
  const double base_low = fma(exponent, log2_low, row[2]);
  const double sum = base + r;
  const double lost = (base - sum) + r;  // exact: base is larger than r or 0
  return {sum, fma(r * r, log1p_quotient(r), (fma(-low, r, low) + base_low) + lost)};
}

/// log(u + low) of a normal u >= 2^-53, |low| at most an ulp of u; low of u >= 2^60 does not count.
[[gnu::always_inline]] inline Pair log_sum(double u, double low) {
  const auto [exponent, mantissa, cell] = split_finely(u);
  const double reciprocal = table::log_row[cell][0];
  const Pair product = exact_product(mantissa, reciprocal);
  const double scale = from_bits(one_bits - (bits(exponent + shifter) << 52));
  const double tail = low * scale * reciprocal;
  const Pair r = exact_sum(product.high - 1.0, product.low + (u < 0x1p60 ? tail : 0.0));
  return log_sum(exponent, cell, r.high, r.low);
}

/// e^x = 2^(sixteenths / 16) * (power + (power * r + tail)) with `sixteenths` a multiple of 16, in two's complement,
/// and |r| < 0.0217. For |x| below that power is 1, r is x and tail e^x - 1 - x.
struct SplitExp {
  double power;
  double r;
  double tail;
  std::uint64_t sixteenths;
};

/// |x| <= 746.
[[gnu::always_inline]] inline SplitExp split_exp(double x) {
  const double shifted = fma(x, 0x1.71547652b82fep4, shifter);
  const double whole = shifted - shifter;
  const double first = fma(-whole, 0x1.62e42fefap-5, x);  // exact
  const double r = fma(-whole, 0x1.cf79abc9e3b3ap-44, first);
  const double r_low = fma(-whole, 0x1.cf79abc9e3b3ap-44, first - r);
  const std::uint64_t index = bits(shifted) - shifter_bits;
  const std::uint64_t cell = index & 15;
  const double rest = fma(exp_quotient(r), r * r, r_low);
  const double power = table::power_high[cell], power_low = table::power_low[cell];
  return {power, r, fma(power, rest, fma(power_low, r, power_low)), index - cell};
}

/// e^-|x| for softplus: as a pair up to |x| = 708, and as a rounded value.
struct Decay {
  Pair pair;
  double value;
};

[[gnu::always_inline]] inline Decay decay(double x) {
  const auto [high, low, sixteenths] = scaled_exp(-at_most(746.0, magnitude_of(x)));
  const Pair sum = exact_sum(high, low);
  const double scale = power_of_two(sixteenths);
  return {{sum.high * scale, sum.low * scale}, scaled_value(sum.high, sixteenths)};
}

/// 1 / (1 + e^-x) for x <= -36: e^x - e^2x.
[[gnu::always_inline]] inline double small_logistic(double x) {
  const auto [high, low, sixteenths] = scaled_exp(at_least(-746.0, at_most(-36.0, x)));
  const double value = x > -60.0 ? high * power_of_two(sixteenths) : 0.0;
  return scaled_value(high + fma(-high, value, low), sixteenths);
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

/// e^x - 1; largest error seen 0.771 ulp. expm1(+-0) = +-0, expm1(-inf) = -1, expm1(+inf) = inf, NaN gives NaN.
[[gnu::always_inline]] inline double expm1(double x) {
  const double clamped = parts::at_most(710.0, parts::at_least(-40.0, x));
  const auto [power, r, tail, sixteenths] = parts::split_exp(clamped);
  // 2^k * ((power - 2^-k) + ...); from k = 86 on the 1 does not count.
  const double one = clamped < 60.0 ? parts::power_of_two(0 - sixteenths) : 0.0;
  const double difference = power - one;
  // What that lost: the larger of the two first. Up to k = 52 nothing is lost where that is the power.
  const double lost = clamped < 36.0 ? power - (difference + one) : (power - difference) - one;
  const double rise = parts::fma(power, r, tail + lost);
  const double value = parts::scaled_value(difference + rise, sixteenths);
  return x == x ? parts::with_sign_of(x, value) : x;
}

/// The natural logarithm; largest error seen 0.508 ulp. log(+-0) = -inf, log(negative) = NaN, log(+inf) = inf, log(1) =
/// +0, NaN gives NaN.
[[gnu::always_inline]] inline double log(double x) {
  const bool subnormal = x < 0x1p-1022;
  const double scaled = x * 0x1p54;
  const auto [raw_exponent, mantissa, cell] = parts::split_finely(subnormal ? scaled : x);
  const double exponent = subnormal ? raw_exponent - 54.0 : raw_exponent;
  const parts::Pair product = parts::exact_product(mantissa, table::log_row[cell][0]);
  const parts::Pair sum = parts::log_sum(exponent, cell, product.high - 1.0, product.low);
  return parts::with_log_specials(x, sum.high + sum.low);
}

/// log(1 + x); largest error seen 0.503 ulp. log1p(+-0) = +-0, log1p(-1) = -inf, log1p(below -1) = NaN, log1p(+inf) =
/// inf, NaN gives NaN.
[[gnu::always_inline]] inline double log1p(double x) {
  const double u = 1.0 + x;
  const parts::Pair sum = parts::log_sum(u, parts::sum_error(1.0, x, u));
  const double value = parts::with_sign_of(x, sum.high + sum.low);
  const double special = x < -1.0 ? parts::quiet_nan : -parts::infinity;
  const double ordered = x > -1.0 ? value : special;
  return x < parts::infinity ? ordered : x;
}

/// The hyperbolic tangent; largest error seen 0.547 ulp. tanh(+-0) = +-0, tanh(+-inf) = +-1, NaN gives NaN.
[[gnu::always_inline]] inline double tanh(double x) {
  const double magnitude = parts::magnitude_of(x);
  const double bounded = parts::at_most(20.0, magnitude);  // from 20 on the answer is 1
  // (e^(2|x|) - 1) / (e^(2|x|) + 1), both divided by 2^k.
  const auto [power, r, tail, sixteenths] = parts::split_exp(bounded + bounded);
  const double one = parts::power_of_two(0 - sixteenths);
  const double difference = power - one;
  const double lost = (power - difference) - one;
  const double rise = parts::fma(power, r, tail);
  const double rise_low = parts::fma(power, r, -rise) + tail;
  const parts::Pair sum = parts::exact_sum(difference, rise);
  const double over_low = sum.low + (lost + rise_low);
  const double two = one + one;
  const parts::Pair under = parts::exact_sum(parts::at_least(two, sum.high), parts::at_most(two, sum.high));
  const double value = parts::quotient({sum.high, over_low}, {under.high, under.low + over_low});
  return parts::with_sign_of(x, x == x ? value : x);
}

/// 1 / (1 + e^-x); largest error seen 0.619 ulp. logistic(-inf) = +0, logistic(+inf) = 1, NaN gives NaN.
[[gnu::always_inline]] inline double logistic(double x) {
  const double bounded = parts::at_most(40.0, parts::at_least(-36.0, x));
  // 2^-k / (2^-k + e^-x / 2^k).
  const auto [power, power_low, sixteenths] = parts::scaled_exp(-bounded);
  const double one = parts::power_of_two(0 - sixteenths);
  const parts::Pair sum = parts::exact_sum(one, power);  // exact, since the one is a power of two
  const parts::Pair under = parts::exact_sum(sum.high, power_low);
  const double reciprocal = 1.0 / under.high;
  const double quotient = one * reciprocal;
  const double remainder = parts::fma(-quotient, under.low + sum.low, parts::fma(-quotient, under.high, one));
  const double value = parts::fma(remainder, reciprocal, quotient);
  const double ordered = x < -36.0 ? parts::small_logistic(x) : value;
  return x == x ? ordered : x;
}

/// log(1 + e^x); largest error seen 0.753 ulp. softplus(-inf) = +0, softplus(+inf) = inf, NaN gives NaN.
[[gnu::always_inline]] inline double softplus(double x) {
  const auto [power, below] = parts::decay(x);
  const double u = 1.0 + power.high;
  const parts::Pair log = parts::log_sum(u, power.high - (u - 1.0));
  const double log_low = log.low + parts::fma(-0.5 * power.low, power.high, power.low);  // power.low / u, nearly
  const parts::Pair sum = parts::exact_sum_any(x > 0.0 ? x : 0.0, log.high);
  const double value = sum.high + (sum.low + log_low);
  const double lower = x > -708.0 ? value : below;  // there e^x
  return x < 40.0 ? lower : x;                      // there x
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
