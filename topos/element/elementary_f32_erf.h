// Owns the f32 error function and its derivative: correctly rounded, computed in double with plain multiplications and
// additions.
#pragma once

#include "topos/element/elementary_f32.h"
#include "topos/element/elementary_f32_erf_table.h"

namespace topos::elementary {
namespace parts {

/// erf(x) for 0 <= x <= 4.
[[gnu::always_inline]] inline double wide_erf(double x) {
  // Rounding x * 4 - 1/2 gives the cell; a bound between two cells may go to either.
  const double shifted = (x * 4.0 - 0.5) + shifter;
  const double cell_start = shifted - shifter;
  const std::uint64_t cell = bits(shifted) & 15;
  const double middle = cell_start < 0.5 ? 0.0 : cell_start * 0.25 + 0.125;
  const double t = x - middle;
  const double square = t * t;
  const auto& row = table::erf_quotient;
  double p = row[11][cell] * t + row[10][cell];
  p = p * square + (row[9][cell] * t + row[8][cell]);
  p = p * square + (row[7][cell] * t + row[6][cell]);
  p = p * square + (row[5][cell] * t + row[4][cell]);
  p = p * square + (row[3][cell] * t + row[2][cell]);
  p = p * square + (row[1][cell] * t + row[0][cell]);
  return x * p;
}

}  // namespace parts

/// The error function, correctly rounded: 0 of all 2^32 inputs misrounded. erf(+-0) = +-0, erf(+-inf) = +-1, NaN gives
/// NaN.
[[gnu::always_inline]] inline float erf(float x) {
  const double wide = x;
  const double magnitude = parts::magnitude_of(wide);
  // Beyond 4 wide_erf gives some value. Its operand is not bounded, since from that compilers make look-ups under a
  // condition, which stay scalar.
  const double value = parts::wide_erf(magnitude);
  const double beyond = magnitude == magnitude ? 1.0 : magnitude;
  return static_cast<float>(parts::with_sign_of(wide, magnitude < 3.95 ? value : beyond));
}

/// 2 / sqrt(pi) * e^(-x^2), correctly rounded: 0 of all 2^32 inputs misrounded. erf_derivative(+-inf) = +0, NaN gives
/// NaN.
[[gnu::always_inline]] inline float erf_derivative(float x) {
  const double bounded = parts::at_most(11.0, parts::magnitude_of(x));  // from there on +0
  const double square = bounded * bounded;                              // exact: 48 bits
  const double square_high = parts::from_bits(parts::bits(square) & 0xffffffffe0000000);
  const double square_low = square - square_high;
  const double product = square_high * -0x1.7154765p0;  // exact, as in split_for_exp
  const double shifted = product + parts::shifter;
  const double whole = shifted - parts::shifter;
  const double rest = square * -0x1.5c17f0bbbe88p-31 + (square_low * -0x1.7154765p0 + (product - whole));
  const double low = 0x1.20dd750429b6dp0 * parts::power_minus_one(rest) + 0x1.1ae3a914fed8p-56;
  const double value = parts::add_to_odd(0x1.20dd750429b6dp0, low);
  return static_cast<float>(parts::from_bits(parts::bits(value) + (parts::bits(shifted) << 52)));
}

}  // namespace topos::elementary
