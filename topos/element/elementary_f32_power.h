// Owns the f32 power: correctly rounded by a double computation, a test whether it decides the rounding, and a slow
// path of 100 bits where it does not.
#pragma once

#include "topos/element/elementary_f32.h"
#include "topos/element/elementary_f64_power.h"
#include "topos/element/elementary_pair.h"

namespace topos::elementary {
namespace parts {

/// log(x) of a normal x > 0 of at most 24 bits with a relative error near 2^-100.
[[gnu::always_inline]] inline Pair slow_log(double x) {
  const LogSplit split = split_for_log(x);
  // log(m) = 2 atanh(s) with s = (m - 1) / (m + 1) below 0.174.
  const Pair s = divide({split.mantissa - 1.0, 0.0}, {split.mantissa + 1.0, 0.0});
  const Pair square = multiply(s, s);
  Pair p = {0.0, 0.0};
  for (double term = 43.0; term > 0.0; term -= 2.0) p = add(divide({1.0, 0.0}, {term, 0.0}), multiply(p, square));
  const Pair mantissa_log = multiply({2.0 * s.high, 2.0 * s.low}, p);
  return add(multiply({split.exponent, 0.0}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}), mantissa_log);
}

/// x^y for a normal x > 0 and y of at most 24 bits each, and x^y in [2^-200, 2^200]; rounded to odd with a relative
/// error near 2^-90. What lies that near to 25 bits is taken to be exact: a value half-way between floats.
[[gnu::always_inline]] inline double slow_power(double x, double y) {
  const Pair exponent = multiply(slow_log(x), {y, 0.0});
  const double shifted = exponent.high * 0x1.71547652b82fep0 + shifter;
  const double whole = shifted - shifter;
  const Pair taken = multiply({whole, 0.0}, {-0x1.62e42fefa39efp-1, -0x1.abc9e3b39803fp-56});
  const Pair rest = add(exponent, taken);
  Pair p = {1.0, 0.0};
  for (double term = 26.0; term > 0.0; term -= 1.0) p = add({1.0, 0.0}, divide(multiply(p, rest), {term, 0.0}));
  const double nearest = from_bits((bits(p.high) + (1u << 27)) & 0xfffffffff0000000);
  const double distance = magnitude_of((p.high - nearest) + p.low);
  const double value = distance < 0x1p-80 ? nearest : add_to_odd(p.high, p.low);
  return from_bits(bits(value) + (bits(shifted) << 52));
}

}  // namespace parts

/// x to the power of y, as IEEE 754 defines pow; correctly rounded wherever it was compared.
[[gnu::always_inline]] inline float power(float x, float y) {
  const double wide = x;
  const double exponent = y;
  const double magnitude = parts::magnitude_of(wide);
  const auto [whole, mantissa, cell] = parts::split_for_log(magnitude);
  const double r = mantissa * table::reciprocal[cell] - 1.0;  // exact: 24 + 11 bits
  const double fraction = table::log_reciprocal[cell] + (r + parts::log1p_rest(r));
  const double log2 = parts::with_log_specials(magnitude, whole + fraction * 0x1.71547652b82fep0);
  const double product = exponent * log2;
  const double clamped = parts::at_most(200.0, parts::at_least(-200.0, product));
  const double shifted = clamped + parts::shifter;
  const double power = parts::power_minus_one(clamped - (shifted - parts::shifter)) + 1.0;
  const double value = parts::from_bits(parts::bits(power) + (parts::bits(shifted) << 52));
  // The relative error is below 2^-44: 150 * 2 * 2^-53 of the logarithm and the product, and that of the power.
  const auto lower = static_cast<float>(value * (1.0 - 0x1p-43));
  const auto upper = static_cast<float>(value * (1.0 + 0x1p-43));
  double decided = value;
  if (lower < upper) [[unlikely]]
    decided = parts::slow_power(magnitude, exponent);
  return static_cast<float>(parts::with_power_specials(wide, exponent, decided));
}

}  // namespace topos::elementary
