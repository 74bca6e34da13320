// Owns the correctly rounded f64 logarithm and cosine of the random numbers, computed in integers alone.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "topos/neural/fixed.h"

/// Two functions defined by their result, the double nearest to the exact value, so that any machine, compiler and
/// flag gives the same bits. Both are series in fixed point: two limbs of fraction first, and four where the error
/// bound of two could change the rounding. Four limbs leave a relative error below 2^-180, while the hardest double
/// arguments of these functions need about 2^-120.
namespace topos::rounded {

inline constexpr int series_limbs = 4;

/// The error bound of the series in units of the last place is 2^error_bits; what they lose is below 2^9.
inline constexpr int error_bits = 10;

/// The constants of the series, computed once from their own rational series.
struct Constants {
  static const Constants& shared() {
    static const Constants constants;
    return constants;
  }

  static constexpr int log_cells = 64;
  static constexpr int log_terms = 48;
  static constexpr int cosine_terms = 56;

  Fixed<series_limbs> log2;
  Fixed<series_limbs> half_pi;
  std::array<std::uint64_t, log_cells> ratio;                   // of 512, see negated_log
  std::array<Fixed<series_limbs>, log_cells> log_ratio;         // log(ratio / 512)
  std::array<Fixed<series_limbs>, log_terms + 1> reciprocal;    // 1 / k
  std::array<Fixed<series_limbs>, cosine_terms + 1> factorial;  // 1 / k!

 private:
  Constants() {
    log2 = twice_atanh(1, 3);
    half_pi = atan_of_reciprocal(5) * 8 - atan_of_reciprocal(239) * 2;  // Machin
    for (std::uint64_t cell = 0; cell < log_cells; ++cell) {
      ratio[cell] = 512 * 128 / (128 - cell);
      log_ratio[cell] = twice_atanh(ratio[cell] - 512, ratio[cell] + 512);
    }
    const Fixed<series_limbs> one{1, {}};
    for (std::uint64_t k = 1; k <= log_terms; ++k) reciprocal[k] = one / k;
    factorial[0] = one;
    for (std::uint64_t k = 1; k <= cosine_terms; ++k) factorial[k] = factorial[k - 1] / k;
  }

  /// 2 atanh(p / q) = log((q + p) / (q - p)).
  static Fixed<series_limbs> twice_atanh(std::uint64_t p, std::uint64_t q) {
    Fixed<series_limbs> power = Fixed<series_limbs>{1, {}} * (2 * p) / q;
    Fixed<series_limbs> sum;
    for (std::uint64_t k = 1; !power.zero(); k += 2) {
      sum = sum + power / k;
      power = power * (p * p) / (q * q);
    }
    return sum;
  }

  static Fixed<series_limbs> atan_of_reciprocal(std::uint64_t q) {
    Fixed<series_limbs> power = Fixed<series_limbs>{1, {}} / q;
    Fixed<series_limbs> added;
    Fixed<series_limbs> taken;
    for (std::uint64_t k = 1; !power.zero(); k += 2) {
      Fixed<series_limbs>& side = k % 4 == 1 ? added : taken;
      side = side + power / k;
      power = power / (q * q);
    }
    return added - taken;
  }
};

/// -log(x) for a normal x with 0 < x <= 1. With x = m 2^-e, 1/2 < m <= 1, and a ratio c = C/512 <= 1/m of the cell
/// of m: -log(x) = e log(2) + log(c) + the series of -log(1 - d), d = 1 - m c < 2^-5.8. Nothing cancels.
template <int limbs>
Fixed<limbs> negated_log(double x) {
  const Constants& constants = Constants::shared();
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t field = bits & 0x000fffffffffffff;
  const std::uint64_t unit = std::uint64_t{1} << 53;
  const std::uint64_t mantissa = field == 0 ? unit : field | unit >> 1;  // m * 2^53
  const std::uint64_t exponent = (field == 0 ? 1023 : 1022) - (bits >> 52);
  const std::uint64_t cell = (unit - mantissa) >> 46;                               // floor((1 - m) * 128)
  const std::uint64_t rest = 4 * ((unit << 9) - mantissa * constants.ratio[cell]);  // d * 2^64, exact
  // d^k falls below the last place after 128 / 5.8 or 256 / 5.8 terms.
  constexpr int terms = limbs <= 2 ? 24 : Constants::log_terms;
  Fixed<limbs> sum = constants.reciprocal[terms].template cut<limbs>();
  for (int k = terms - 1; k >= 2; --k) {
    sum = multiply_fraction(sum, rest) + constants.reciprocal[k].template cut<limbs>();
  }
  Fixed<limbs> first;
  first.fraction[0] = rest;
  sum = multiply_fraction(multiply_fraction(sum, rest), rest) + first;
  return constants.log2.template cut<limbs>() * exponent + constants.log_ratio[cell].template cut<limbs>() + sum;
}

template <int limbs>
struct Signed {
  bool negative = false;
  Fixed<limbs> magnitude;
};

/// cos(x) for 0 <= x < 8 and x either 0 or at least 2^-64: the quarter turn nearest to x, then the series of the
/// cosine or the sine of what is left, at most pi/4.
template <int limbs>
Signed<limbs> cosine(double x) {
  const Constants& constants = Constants::shared();
  Fixed<limbs> angle{static_cast<std::uint64_t>(x), {}};
  // The fraction of a double times 2^64 is whole up to a remainder, which times 2^64 is whole again.
  const double scaled = (x - static_cast<double>(angle.whole)) * 0x1p64;
  angle.fraction[0] = static_cast<std::uint64_t>(scaled);
  angle.fraction[1] = static_cast<std::uint64_t>((scaled - static_cast<double>(angle.fraction[0])) * 0x1p64);
  const auto quarter = static_cast<std::uint64_t>(x * 0x1.45f306dc9c883p-1 + 0.5);
  const Fixed<limbs> turned = constants.half_pi.template cut<limbs>() * quarter;
  const bool past = angle < turned;
  const Fixed<limbs> r = past ? turned - angle : angle - turned;
  const Fixed<limbs> square = multiply_fractions(r, r);

  // r^k / k! falls below the last place after 34 or 56 terms; every other one is of this function.
  const int odd = static_cast<int>(quarter & 1);
  const int terms = (limbs <= 2 ? 34 : Constants::cosine_terms) - odd;
  Fixed<limbs> sum = constants.factorial[terms].template cut<limbs>();
  for (int k = terms - 2; k >= 2; k -= 2) {
    sum = constants.factorial[k].template cut<limbs>() - multiply_fractions(sum, square);
  }
  const Fixed<limbs> taken = multiply_fractions(sum, square);
  if (odd == 0) return {(quarter & 2) != 0, Fixed<limbs>{1, {}} - taken};
  // cos(t + pi/2) = -sin(t), and t = -r where the angle lies before the quarter turn.
  return {((quarter & 2) == 0) != past, r - multiply_fractions(taken, r)};
}

/// The double nearest to a value known within the error bound; certain if every value within it has the same one.
struct Nearest {
  double value;
  bool certain;
};

inline Nearest nearest_within_error(const Fixed<2>& number) {
  const Fixed<2> error = power_of_half<2>(128 - error_bits);
  const double value = nearest_double(number + error);
  return {value, number > error && nearest_double(number - error) == value};
}

/// log(x) correctly rounded, for a normal x with 0 < x <= 1; log(1) = +0.
inline double log(double x) {
  if (x == 1.0) return 0.0;
  const auto [value, certain] = nearest_within_error(negated_log<2>(x));
  return -(certain ? value : nearest_double(negated_log<series_limbs>(x)));
}

/// cos(x) correctly rounded, for 0 <= x < 8 and x either 0 or at least 2^-64.
inline double cos(double x) {
  if (x == 0.0) return 1.0;
  const Signed<2> quick = cosine<2>(x);
  auto [value, certain] = nearest_within_error(quick.magnitude);
  if (!certain) value = nearest_double(cosine<series_limbs>(x).magnitude);
  return quick.negative ? -value : value;
}

}  // namespace topos::rounded
