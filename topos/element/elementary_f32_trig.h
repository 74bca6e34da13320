// Owns the f32 sine and cosine: correctly rounded, computed in double with plain multiplications and additions.
#pragma once

#include "topos/element/elementary_f32.h"
#include "topos/element/elementary_f32_trig_table.h"

namespace topos::elementary {
namespace parts {

/// x / pi = whole + fraction + fraction_low modulo 2, with |fraction| <= 1/2; the low bit of `shifted` is the parity of
/// whole - offset.
struct HalfTurns {
  double shifted;
  double fraction;
  double fraction_low;
};

/// Whole numbers plus `offset`, 0 or 1/2, are taken off x / pi for a float x >= 0. One sequence for all x; infinity
/// gives NaN.
[[gnu::always_inline]] inline HalfTurns reduce_half_turns(double x, double offset) {
  const std::uint64_t above = ((bits(x) >> 52) & 0x7ff) - (1023 + 15);
  // Nothing below cell 0, by arithmetic: from a selection compilers make a look-up under a condition, which stays
  // scalar.
  const std::uint64_t cell = ((above & ((above >> 63) - 1)) >> 3) & 15;
  const double scaled = x * from_bits(one_bits - (cell << 55));
  const double product0 = scaled * table::inverse_pi_0[cell];
  const double product1 = scaled * table::inverse_pi_1[cell];
  const double product2 = scaled * table::inverse_pi_2[cell];
  const double product3 = scaled * table::inverse_pi_3[cell];
  const double shifted = ((product0 + product1) - offset) + shifter;
  const double whole = (shifted - shifter) + offset;
  const double first = product0 - whole;  // exact where it matters
  const double second = first + product1;
  const double third = second + product2;
  const double low = (sum_error(first, product1, second) + sum_error(second, product2, third)) + product3;
  const double fraction = third + low;
  return {shifted, fraction, low - (fraction - third)};
}

/// sin(pi * (fraction + fraction_low)) rounded to odd; an odd number of half turns and `flip` change the sign.
[[gnu::always_inline]] inline double wide_sin(const HalfTurns& turns, std::uint64_t flip) {
  const double r = turns.fraction * 0x1.921fb54442d18p1;
  const double square = r * r;
  const double fourth = square * square;
  double p = -0x1.84af9b5308319p-58;
  p = p * fourth + (0x1.906d630a4905p-49 * square + -0x1.ae6856db0276ap-41);
  p = p * fourth + (0x1.61242495e3c61p-33 * square + -0x1.ae6455c15341bp-26);
  p = p * fourth + (0x1.71de3a5408dfbp-19 * square + -0x1.a01a01a017078p-13);
  p = p * fourth + (0x1.11111111110ddp-7 * square + -0x1.5555555555555p-3);
  // The leading product in two parts: the upper 26 bits of the fraction times the upper 27 of pi are exact.
  const double upper = from_bits(bits(turns.fraction) & 0xfffffffff8000000);
  const double lower = (turns.fraction - upper) + turns.fraction_low;
  const double high = upper * 0x1.921fb54p1;
  const double low = upper * 0x1.10b4611a62633p-29 + lower * 0x1.921fb54442d18p1;
  const double value = add_to_odd(high, low + square * r * p);
  return from_bits(bits(value) ^ ((bits(turns.shifted) << 63) ^ flip));
}

}  // namespace parts

/// The sine, correctly rounded: 0 of all 2^32 inputs misrounded. sin(+-0) = +-0, sin(+-inf) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline float sin(float x) {
  const double wide = x;
  const double magnitude = parts::magnitude_of(wide);
  const std::uint64_t sign = parts::bits(wide) & parts::sign_bit;
  const double value = parts::wide_sin(parts::reduce_half_turns(magnitude, 0.0), sign);
  return static_cast<float>(value);
}

/// The cosine, correctly rounded: 0 of all 2^32 inputs misrounded. cos(+-inf) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline float cos(float x) {
  // cos(x) is -sin(x - pi / 2) with x - pi / 2 reduced by half turns.
  const double magnitude = parts::magnitude_of(x);
  const double value = parts::wide_sin(parts::reduce_half_turns(magnitude, 0.5), parts::sign_bit);
  // Two magnitudes whose cosines lie 0.13 and 0.17 ulp of a double below a tie, where the sequence ends above it.
  const double first = magnitude == 0x1.887814p51 ? 1.0 - 0x1p-50 : 1.0;
  const double factor = magnitude == 0x1.3170fp63 ? 1.0 - 0x1p-50 : first;
  return static_cast<float>(value * factor);
}

}  // namespace topos::elementary
