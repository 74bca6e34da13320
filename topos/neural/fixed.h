// Owns Fixed, an unsigned fixed-point number of a compile-time width, and its rounding to double.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace topos::rounded {

__extension__ typedef unsigned __int128 Wide;  // the product of two limbs

/// A number >= 0: a whole part and `limbs` 64-bit limbs of fraction, most significant first. Results that need more
/// fraction are truncated, each operation by a few units of the last place.
template <int limbs>
struct Fixed {
  std::uint64_t whole = 0;
  std::array<std::uint64_t, limbs> fraction{};

  bool operator==(const Fixed&) const = default;
  auto operator<=>(const Fixed&) const = default;

  bool zero() const { return *this == Fixed{}; }

  /// The same number with its fraction cut to `fewer` limbs.
  template <int fewer>
  Fixed<fewer> cut() const {
    static_assert(fewer <= limbs);
    Fixed<fewer> result{whole, {}};
    for (int i = 0; i < fewer; ++i) result.fraction[i] = fraction[i];
    return result;
  }
};

template <int limbs>
Fixed<limbs> operator+(Fixed<limbs> a, const Fixed<limbs>& b) {
  std::uint64_t carry = 0;
  for (int i = limbs - 1; i >= 0; --i) {
    const Wide sum = Wide{a.fraction[i]} + b.fraction[i] + carry;
    a.fraction[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  a.whole += b.whole + carry;
  return a;
}

/// a - b, for a >= b.
template <int limbs>
Fixed<limbs> operator-(Fixed<limbs> a, const Fixed<limbs>& b) {
  std::uint64_t borrow = 0;
  for (int i = limbs - 1; i >= 0; --i) {
    const Wide difference = Wide{a.fraction[i]} - b.fraction[i] - borrow;
    a.fraction[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
  a.whole -= b.whole + borrow;
  return a;
}

/// a times a whole number.
template <int limbs>
Fixed<limbs> operator*(Fixed<limbs> a, std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (int i = limbs - 1; i >= 0; --i) {
    const Wide product = Wide{a.fraction[i]} * factor + carry;
    a.fraction[i] = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64);
  }
  a.whole = a.whole * factor + carry;
  return a;
}

/// a divided by a whole number.
template <int limbs>
Fixed<limbs> operator/(Fixed<limbs> a, std::uint64_t divisor) {
  std::uint64_t rest = a.whole % divisor;
  a.whole /= divisor;
  for (std::uint64_t& limb : a.fraction) {
    const Wide dividend = Wide{rest} << 64 | limb;
    limb = static_cast<std::uint64_t>(dividend / divisor);
    rest = static_cast<std::uint64_t>(dividend % divisor);
  }
  return a;
}

/// a times b, both below 1.
template <int limbs>
Fixed<limbs> multiply_fractions(const Fixed<limbs>& a, const Fixed<limbs>& b) {
  // Column c of the schoolbook product weighs 2^(-64 (c + 1)); what lies below the last kept column only carries.
  std::array<std::uint64_t, 2 * limbs> column{};
  for (int i = limbs - 1; i >= 0; --i) {
    std::uint64_t carry = 0;
    for (int j = limbs - 1; j >= 0; --j) {
      const Wide sum = Wide{a.fraction[i]} * b.fraction[j] + column[i + j + 1] + carry;
      column[i + j + 1] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    column[i] = carry;
  }
  Fixed<limbs> result;
  for (int i = 0; i < limbs; ++i) result.fraction[i] = column[i];
  return result;
}

/// a times fraction / 2^64, for a below 1.
template <int limbs>
Fixed<limbs> multiply_fraction(Fixed<limbs> a, std::uint64_t fraction) {
  std::uint64_t carry = static_cast<std::uint64_t>(Wide{a.fraction[limbs - 1]} * fraction >> 64);
  for (int i = limbs - 2; i >= 0; --i) {
    const Wide sum = Wide{a.fraction[i]} * fraction + carry;
    a.fraction[i + 1] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  a.fraction[0] = carry;
  return a;
}

/// 2^-exponent, for 1 <= exponent <= 64 * limbs.
template <int limbs>
Fixed<limbs> power_of_half(int exponent) {
  Fixed<limbs> result;
  result.fraction[(exponent - 1) / 64] = std::uint64_t{1} << (63 - (exponent - 1) % 64);
  return result;
}

/// The nearest double, ties to even; the number is at least 2^-64 or zero.
template <int limbs>
double nearest_double(const Fixed<limbs>& number) {
  static_assert(limbs >= 2);
  // The three limbs below the first bit hold every bit that decides but for the sticky rest.
  const int skip = number.whole != 0 ? 0 : 1;
  const auto limb = [&](int i) {
    return i == 0 ? number.whole : i <= limbs ? number.fraction[i - 1] : std::uint64_t{0};
  };
  if (number.zero()) return 0.0;
  const std::uint64_t first = limb(skip);
  const int shift = std::countl_zero(first);
  const std::uint64_t top = shift == 0 ? first : first << shift | limb(skip + 1) >> (64 - shift);
  std::uint64_t below = limb(skip + 1) << shift;
  for (int i = skip + 2; i <= limbs; ++i) below |= limb(i);
  const std::uint64_t half = std::uint64_t{1} << 10;
  const std::uint64_t cut = top & (2 * half - 1);
  std::uint64_t mantissa = top >> 11;
  if (cut > half || (cut == half && (below != 0 || (mantissa & 1) != 0))) ++mantissa;
  // The top bit weighs 2^(63 - shift) in the whole part, 2^64 less in the fraction; a carry to 2^53 stays exact.
  const int exponent = 63 - shift - 64 * skip - 52;
  const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  return static_cast<double>(mantissa) * scale;
}

}  // namespace topos::rounded
