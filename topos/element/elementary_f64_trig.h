// Owns the f64 sine and cosine: fixed sequences of operations with fma, exact integers for large arguments.
#pragma once

#include <bit>

#include "topos/element/elementary_f64.h"

namespace topos::elementary {
namespace table {

/// The bits of 2 / pi after the point, the most significant first.
inline constexpr std::uint64_t two_over_pi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

}  // namespace table
namespace parts {

inline constexpr double half_pi_high = 0x1.921fb54442d18p0;
inline constexpr double half_pi_middle = 0x1.1a62633145c07p-54;
/// The upper 33 bits of that, and what is left of pi / 2.
inline constexpr double half_pi_short = 0x1.1a626331p-54;
inline constexpr double half_pi_rest = 0x1.1701b839a2520p-88;

/// x = quarter * pi / 2 + angle, quarter modulo 4 and |angle| at most pi / 4 and a little.
struct QuarterTurns {
  Pair angle;
  std::uint64_t quarter;
};

/// |x| < 2^19.
[[gnu::always_inline]] inline QuarterTurns reduce_small(double x) {
  const double shifted = fma(x, 0x1.45f306dc9c883p-1, shifter);
  const double whole = shifted - shifter;
  const double first = fma(-whole, half_pi_high, x);  // exact: a multiple of 2^-53 below 1, or x itself
  const double second = fma(-whole, half_pi_short, first);
  const double lost = fma(-whole, half_pi_short, first - second);  // exact, as that product has at most 52 bits
  return {{second, fma(-whole, half_pi_rest, lost)}, bits(shifted)};
}

/// |x| >= 2^19, exactly: 192 bits of x * 2 / pi modulo 4. Cancellation takes some 60 of them, the mantissa 53.
[[gnu::always_inline]] inline QuarterTurns reduce_large(double x) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t raw = bits(x);
  const std::uint64_t mantissa = (raw & 0x000fffffffffffff) | 0x0010000000000000;
  // x = mantissa * 2^exponent. Bits of 2 / pi above 2^(1-exponent) give multiples of 4; `position` is where the rest
  // begins, counted from the first bit after the point.
  const auto exponent = static_cast<std::int64_t>((raw >> 52) & 0x7ff) - 1075;
  const std::int64_t position = exponent - 2;
  std::uint64_t window[3];
  for (int i = 0; i < 3; ++i) {
    const std::int64_t start = position + 64 * i;
    const auto shift = static_cast<unsigned>(start & 63);
    const std::int64_t word = start >> 6;  // -1 where the window begins before the point
    const std::uint64_t upper = word < 0 ? 0 : table::two_over_pi[word];
    const std::uint64_t lower = table::two_over_pi[word + 1];
    window[i] = shift == 0 ? upper : (upper << shift) | (lower >> (64 - shift));
  }
  const Wide low = static_cast<Wide>(mantissa) * window[2];
  const Wide middle = static_cast<Wide>(mantissa) * window[1] + static_cast<std::uint64_t>(low >> 64);
  std::uint64_t top = mantissa * window[0] + static_cast<std::uint64_t>(middle >> 64);
  auto next = static_cast<std::uint64_t>(middle);
  auto last = static_cast<std::uint64_t>(low);
  const std::uint64_t quarter = (top + (std::uint64_t{1} << 61)) >> 62;
  top -= quarter << 62;
  const std::uint64_t negative = 0 - (top >> 63);  // all ones for a negative rest, whose magnitude follows
  top ^= negative;
  next ^= negative;
  last ^= negative;                             // one unit of the last place off
  const int zeros = std::countl_zero(top | 1);  // at least 2
  const std::uint64_t first_bits = (top << zeros) | (next >> (64 - zeros));
  const std::uint64_t second_bits = (next << zeros) | (last >> (64 - zeros));
  // The fraction of a quarter turn is first_bits * 2^(-62 - zeros) and second_bits 2^64 below.
  const double scale = from_bits(one_bits - (static_cast<std::uint64_t>(62 + zeros) << 52));
  const double high = static_cast<double>(first_bits >> 11) * (0x1p11 * scale);
  const double rest = static_cast<double>(((first_bits & 0x7ff) << 42) | (second_bits >> 22)) * (0x1p-42 * scale);
  const Pair fraction = exact_sum(high, rest);
  const Pair angle = exact_product(fraction.high, half_pi_high);
  const Pair sum = exact_sum(angle.high, angle.low + fma(fraction.high, half_pi_middle, fraction.low * half_pi_high));
  const std::uint64_t flip = (raw ^ negative) & sign_bit;
  const std::uint64_t turned = (raw & sign_bit) != 0 ? 0 - quarter : quarter;
  return {{from_bits(bits(sum.high) ^ flip), from_bits(bits(sum.low) ^ flip)}, turned};
}

[[gnu::always_inline]] inline QuarterTurns reduce_quarter_turns(double x) {
  if (magnitude_of(x) < 0x1p19) [[likely]]
    return reduce_small(x);
  return reduce_large(x);
}

/// sin of quarter * pi / 2 + angle.
[[gnu::always_inline]] inline double sin_of(const Pair& angle, std::uint64_t quarter) {
  const double r = angle.high;
  const double square = r * r;
  const double fourth = square * square;
  const double start = fma(-0.5, square, 1.0);
  double s = fma(0x1.5d8f1b64b197p-33, square, -0x1.ae5e579bd9a41p-26);
  s = fma(s, fourth, fma(0x1.71de3562fdb49p-19, square, -0x1.a01a019bf64b1p-13));
  s = fma(s, fourth, fma(0x1.111111110f775p-7, square, -0x1.5555555555548p-3));
  const double sine = r + fma(r * square, s, angle.low * start);
  double c = fma(-0x1.90733e8f0b5dap-37, square, 0x1.1eeb57835d25dp-29);
  c = fma(c, fourth, fma(-0x1.27e4fa02acbf4p-22, square, 0x1.a01a019f38228p-16));
  c = fma(c, fourth, fma(-0x1.6c16c16c168cap-10, square, 0x1.5555555555555p-5));
  const double lost = fma(-0.5, square, 1.0 - start);  // exact
  const double cosine = start + fma(fourth, c, fma(-r, angle.low, lost));
  const double value = (quarter & 1) != 0 ? cosine : sine;
  return from_bits(bits(value) ^ ((quarter & 2) << 62));
}

}  // namespace parts

/// The sine; largest error seen 0.789 ulp, for arguments of all sizes. sin(+-0) = +-0, sin(+-inf) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline double sin(double x) {
  const double magnitude = parts::magnitude_of(x);
  const auto [angle, quarter] = parts::reduce_quarter_turns(x);
  const double value = x == 0.0 ? x : parts::sin_of(angle, quarter);
  return magnitude < parts::infinity ? value : x - x;
}

/// The cosine; largest error seen 0.778 ulp, for arguments of all sizes. cos(+-inf) = NaN, NaN gives NaN.
[[gnu::always_inline]] inline double cos(double x) {
  const auto [angle, quarter] = parts::reduce_quarter_turns(x);
  const double value = parts::sin_of(angle, quarter + 1);
  return parts::magnitude_of(x) < parts::infinity ? value : x - x;
}

}  // namespace topos::elementary
