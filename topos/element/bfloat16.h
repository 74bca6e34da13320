// The 16-bit float with the exponent of a binary32: storage and its two roundings.
#pragma once
#include <bit>
#include <cstdint>

namespace topos {

/// bfloat16: the upper half of an IEEE 754 binary32. Arithmetic is done in float and rounded once, to nearest even.
/// 2 bytes.
class BFloat16 {
 public:
  BFloat16() = default;
  [[gnu::always_inline]] constexpr explicit BFloat16(float x) : bits_(rounded(std::bit_cast<std::uint32_t>(x))) {}
  /// Rounded once: not by way of a rounded float.
  [[gnu::always_inline]] constexpr explicit BFloat16(double x) : bits_(rounded(to_odd(x))) {}
  [[gnu::always_inline]] constexpr explicit BFloat16(std::int64_t x) : BFloat16(sticky(x)) {}
  [[gnu::always_inline]] constexpr explicit BFloat16(bool x) : bits_(x ? 0x3F80 : 0) {}
  static constexpr BFloat16 from_bits(std::uint16_t bits) {
    BFloat16 x{};
    x.bits_ = bits;
    return x;
  }

  constexpr std::uint16_t bits() const { return bits_; }
  /// Exact.
  [[gnu::always_inline]] constexpr explicit operator float() const {
    return std::bit_cast<float>(std::uint32_t{bits_} << 16);
  }
  [[gnu::always_inline]] constexpr explicit operator double() const { return static_cast<float>(*this); }

 private:
  /// The upper half of a float's bits, to nearest even; a NaN becomes the quiet one of its sign.
  [[gnu::always_inline]] static constexpr std::uint16_t rounded(std::uint32_t bits) {
    const std::uint32_t even = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    const std::uint32_t nan = ((bits >> 16) & 0x8000) | 0x7FC0;
    return static_cast<std::uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? nan : even);
  }
  /// A float's bits, rounded to odd: truncated, the last bit set where anything was cut off. Rounding those once more
  /// is rounding the double once.
  [[gnu::always_inline]] static constexpr std::uint32_t to_odd(double x) {
    const auto nearest = static_cast<float>(x);
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    const double back = nearest;
    const bool exact = back == x || x != x;
    const bool away = (x < 0 ? -back : back) > (x < 0 ? -x : x);
    return exact ? bits : (bits - (away ? 1u : 0u)) | 1u;
  }
  /// An integer as a double whose last bit stands for all that were cut off.
  [[gnu::always_inline]] static constexpr double sticky(std::int64_t x) {
    const auto magnitude = x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
    const auto high = (magnitude >> 11) | ((magnitude & 0x7FF) != 0 ? 1u : 0u);  // at most 53 bits
    const double value = magnitude >> 53 == 0 ? static_cast<double>(static_cast<std::int64_t>(magnitude))
                                              : static_cast<double>(static_cast<std::int64_t>(high)) * 2048.0;
    return x < 0 ? -value : value;
  }

  std::uint16_t bits_;
};

static_assert(sizeof(BFloat16) == 2);

}  // namespace topos
