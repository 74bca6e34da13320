// Owns the f64 error function and its derivative: fixed sequences of operations with fma.
#pragma once

#include "topos/element/elementary_f64.h"
#include "topos/element/elementary_f64_erf_table.h"

namespace topos::elementary {
namespace parts {

/// 2 / sqrt(pi) in two parts.
inline constexpr double erf_slope_high = 0x1.20dd750429b6dp0;
inline constexpr double erf_slope_low = 0x1.1ae3a914fed8p-56;

}  // namespace parts

/// The error function; largest error seen 0.621 ulp. erf(+-0) = +-0, erf(+-inf) = +-1, NaN gives NaN.
[[gnu::always_inline]] inline double erf(double x) {
  const double bounded = parts::at_most_bitwise(table::erf_end, parts::magnitude_of(x));
  const double shifted = parts::fma(bounded, 64.0 / 3.0, parts::shifter);
  const double t = parts::fma(-(shifted - parts::shifter), 3.0 / 64.0, bounded);  // exact
  const auto& row = table::erf_row[parts::bits(shifted) & 127];
  const double sixth = parts::from_bits(parts::bits(row[7]) << 32);
  const double square = t * t;
  double p = parts::fma(sixth, square, parts::fma(row[7], t, row[6]));
  p = parts::fma(p, square, parts::fma(row[5], t, row[4]));
  p = parts::fma(p, square, parts::fma(row[3], t, row[2]));
  const double value = parts::fma(bounded, row[0], bounded * parts::fma(p, t, row[1]));
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
