// Owns the f64 error function and its derivative: fixed sequences of operations with fma.
#pragma once

#include "topos/element/elementary_f64.h"
#include "topos/element/elementary_f64_erf_table.h"

namespace topos::elementary {
namespace parts {

/// 2 / sqrt(pi) in two parts.
inline constexpr double erf_slope_high = 0x1.20dd750429b6dp0;
inline constexpr double erf_slope_low = 0x1.1ae3a914fed8p-56;

/// erf(value) for 0 <= value <= 1/2, from its series.
[[gnu::always_inline]] inline double erf_below_half(double value) {
  // A tiny value is taken 2^128 times as large, so that the low part of the product is not lost; its cube is nothing.
  const bool tiny = value < 0x1p-900;
  const double x = tiny ? value * 0x1p128 : value;
  const double square = x * x;
  const double fourth = square * square;
  double p = -0x1.45019127e222fp-23;
  p = fma(p, fourth, fma(0x1.b8f0d59ed24ebp-20, square, -0x1.f4d09616836c7p-17));
  p = fma(p, fourth, fma(0x1.f9a344ad07dc7p-14, square, -0x1.c02db4e9fcabep-11));
  p = fma(p, fourth, fma(0x1.565bcd114771p-8, square, -0x1.b82ce31291375p-6));
  p = fma(p, fourth, fma(0x1.ce2f21a042c8ep-4, square, -0x1.812746b0379e7p-2));
  const Pair linear = exact_product(x, erf_slope_high);
  const double result = linear.high + fma(x, fma(square, p, erf_slope_low), linear.low);
  return tiny ? result * 0x1p-128 : result;
}

/// erf(x) for 1/2 <= x < 6.
[[gnu::always_inline]] inline double erf_from_half(double x) {
  const double shifted = fma(x, 4.0, -2.5) + shifter;
  const std::uint64_t cell = bits(shifted) - shifter_bits;
  const double t = x - fma(shifted - shifter, 0.25, 0.625);
  const double square = t * t;
  const auto& row = table::erf_rise;
  double p = fma(row[11][cell], t, row[10][cell]);
  p = fma(p, square, fma(row[9][cell], t, row[8][cell]));
  p = fma(p, square, fma(row[7][cell], t, row[6][cell]));
  p = fma(p, square, fma(row[5][cell], t, row[4][cell]));
  p = fma(p, square, fma(row[3][cell], t, row[2][cell]));
  p = fma(p, square, fma(row[1][cell], t, row[0][cell]));
  return table::erf_high[cell] + fma(t, p, table::erf_low[cell]);
}

}  // namespace parts

/// The error function; largest error seen 0.731 ulp. erf(+-0) = +-0, erf(+-inf) = +-1, NaN gives NaN.
[[gnu::always_inline]] inline double erf(double x) {
  const double magnitude = parts::magnitude_of(x);
  const double small = parts::erf_below_half(magnitude);
  const double large = parts::erf_from_half(magnitude < 5.99 ? parts::at_least(0.5, magnitude) : 5.99);
  const double inner = magnitude < 0.5 ? small : large;
  const double value = magnitude < 5.99 ? inner : 1.0;
  return parts::with_sign_of(x, x == x ? value : x);
}

/// 2 / sqrt(pi) * e^(-x^2); largest error seen 0.573 ulp. erf_derivative(+-inf) = +0, NaN gives NaN.
[[gnu::always_inline]] inline double erf_derivative(double x) {
  const double bounded = parts::at_most(27.31, parts::magnitude_of(x));  // from there on +0
  const parts::Pair square = parts::exact_product(bounded, bounded);
  const auto [high, power_low, sixteenths] = parts::scaled_exp(-square.high);
  const double low = parts::fma(-(high + power_low), square.low, power_low);
  const parts::Pair product = parts::exact_product(high, parts::erf_slope_high);
  const double rest = parts::fma(low, parts::erf_slope_high, parts::fma(high, parts::erf_slope_low, product.low));
  const double value = parts::scaled_value(product.high + rest, sixteenths);
  return x == x ? value : x;
}

}  // namespace topos::elementary
