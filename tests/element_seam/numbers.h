// Numbers of a user's for the tests: of 1, 2, 3, 8, 12 and 16 bytes, some rich and some poor.
#pragma once
#include <bit>
#include <cstring>
#include <string>

#include "topos/custom.h"

namespace seam {

/// 16 bits, 8 of them behind the point. Arithmetic rounds to nearest and wraps; no NaN, no elementary functions.
struct Fixed {
  std::int16_t raw;
};
inline Fixed fixed_of(std::int64_t raw) { return {static_cast<std::int16_t>(raw)}; }
inline std::int64_t rounded_256(std::int64_t x) { return (x + 128) >> 8; }
inline Fixed operator+(Fixed a, Fixed b) { return fixed_of(a.raw + b.raw); }
inline Fixed operator-(Fixed a, Fixed b) { return fixed_of(a.raw - b.raw); }
inline Fixed operator*(Fixed a, Fixed b) { return fixed_of(rounded_256(a.raw * b.raw)); }
inline Fixed operator/(Fixed a, Fixed b) { return fixed_of(b.raw == 0 ? 32767 : a.raw * 256 / b.raw); }
inline Fixed operator-(Fixed a) { return fixed_of(-a.raw); }
inline bool operator<(Fixed a, Fixed b) { return a.raw < b.raw; }
inline bool operator==(Fixed a, Fixed b) { return a.raw == b.raw; }

/// The upper three bytes of a float, rounded to nearest even: every function there is.
struct Float24 {
  std::uint8_t bytes[3];
};
inline Float24 narrow(float x) {
  auto bits = std::bit_cast<std::uint32_t>(x);
  if (x == x) bits += 0x7F + ((bits >> 8) & 1);
  if (x != x) bits = 0x7FC00000;
  return {{static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits >> 16),
           static_cast<std::uint8_t>(bits >> 24)}};
}
inline float wide(Float24 x) {
  return std::bit_cast<float>(std::uint32_t{x.bytes[0]} << 8 | std::uint32_t{x.bytes[1]} << 16 |
                              std::uint32_t{x.bytes[2]} << 24);
}
inline Float24 operator+(Float24 a, Float24 b) { return narrow(wide(a) + wide(b)); }
inline Float24 operator-(Float24 a, Float24 b) { return narrow(wide(a) - wide(b)); }
inline Float24 operator*(Float24 a, Float24 b) { return narrow(wide(a) * wide(b)); }
inline Float24 operator/(Float24 a, Float24 b) { return narrow(wide(a) / wide(b)); }
inline Float24 operator-(Float24 a) { return narrow(-wide(a)); }
inline bool operator<(Float24 a, Float24 b) { return wide(a) < wide(b); }
inline bool operator==(Float24 a, Float24 b) { return wide(a) == wide(b); }
#define SEAM_BESIDE(function) \
  inline Float24 function(Float24 x) { return narrow(topos::elementary::function(wide(x))); }
SEAM_BESIDE(exp)
SEAM_BESIDE(expm1)
SEAM_BESIDE(log)
SEAM_BESIDE(log1p)
SEAM_BESIDE(sqrt)
SEAM_BESIDE(rsqrt)
SEAM_BESIDE(tanh)
SEAM_BESIDE(sin)
SEAM_BESIDE(cos)
SEAM_BESIDE(erf)
SEAM_BESIDE(erf_derivative)
SEAM_BESIDE(logistic)
SEAM_BESIDE(softplus)
#undef SEAM_BESIDE
inline Float24 power(Float24 a, Float24 b) { return narrow(topos::elementary::power(wide(a), wide(b))); }

/// One byte whose order runs downwards and whose NaN is a code of its own; it has no product.
struct Score {
  std::int8_t raw;
};
inline constexpr std::int8_t no_score = -128;
inline Score operator+(Score a, Score b) {
  const bool none = a.raw == no_score || b.raw == no_score;
  return {none ? no_score : static_cast<std::int8_t>(a.raw + b.raw)};
}

/// A double that counts its fused multiply-adds.
struct Audited {
  double value;
};
inline std::int64_t multiply_adds = 0;

/// Value, slope and curvature along a line: three floats.
struct Jet {
  float value, slope, curvature;
};
inline Jet operator+(Jet a, Jet b) { return {a.value + b.value, a.slope + b.slope, a.curvature + b.curvature}; }
inline Jet operator-(Jet a) { return {-a.value, -a.slope, -a.curvature}; }
inline Jet operator*(Jet a, Jet b) {
  const float mixed = a.slope * b.slope;
  const float sides = a.curvature * b.value + a.value * b.curvature;
  return {a.value * b.value, a.slope * b.value + a.value * b.slope, sides + (mixed + mixed)};
}

/// Value and tangent, aligned as a vector register is.
struct alignas(16) Pair {
  double value, tangent;
};
inline Pair operator+(Pair a, Pair b) { return {a.value + b.value, a.tangent + b.tangent}; }
inline Pair operator-(Pair a, Pair b) { return {a.value - b.value, a.tangent - b.tangent}; }
inline Pair operator*(Pair a, Pair b) { return {a.value * b.value, a.tangent * b.value + a.value * b.tangent}; }
inline Pair operator-(Pair a) { return {-a.value, -a.tangent}; }
/// Equality without an order.
inline bool operator==(Pair a, Pair b) { return a.value == b.value && a.tangent == b.tangent; }

}  // namespace seam

template <>
struct topos::ElementTraits<seam::Fixed> : topos::NumberTraits<seam::Fixed> {
  static constexpr std::string_view name = "fixed";
  static seam::Fixed from_double(double x) {
    const double scaled = x * 256;
    return seam::fixed_of(static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5));
  }
  static double to_double(const seam::Fixed& x) { return x.raw / 256.0; }
  /// Rounded once.
  static seam::Fixed multiply_add(const seam::Fixed& a, const seam::Fixed& b, const seam::Fixed& c) {
    return seam::fixed_of(seam::rounded_256(a.raw * b.raw + c.raw * 256));
  }
};
template <>
struct topos::ElementTraits<seam::Float24> : topos::NumberTraits<seam::Float24> {
  static constexpr std::string_view name = "float24";
  static seam::Float24 from_double(double x) { return seam::narrow(static_cast<float>(x)); }
  static double to_double(const seam::Float24& x) { return seam::wide(x); }
  static std::string print(const seam::Float24& x) { return decimal(seam::wide(x)); }
  static seam::Float24 multiply_add(const seam::Float24& a, const seam::Float24& b, const seam::Float24& c) {
    return seam::narrow(__builtin_fmaf(seam::wide(a), seam::wide(b), seam::wide(c)));
  }
};
template <>
struct topos::ElementTraits<seam::Score> : topos::NumberTraits<seam::Score> {
  static constexpr std::string_view name = "score";
  static seam::Score from_double(double x) { return {x == x ? static_cast<std::int8_t>(x) : seam::no_score}; }
  static double to_double(const seam::Score& x) { return is_nan(x) ? std::numeric_limits<double>::quiet_NaN() : x.raw; }
  static bool is_nan(const seam::Score& x) { return x.raw == seam::no_score; }
  static bool less(const seam::Score& a, const seam::Score& b) { return !is_nan(a) && !is_nan(b) && a.raw > b.raw; }
  static bool equal(const seam::Score& a, const seam::Score& b) { return !is_nan(a) && a.raw == b.raw; }
  static std::string print(const seam::Score& x) { return is_nan(x) ? "none" : "#" + std::to_string(x.raw); }
};
template <>
struct topos::ElementTraits<seam::Audited> : topos::NumberTraits<seam::Audited> {
  using Number = seam::Audited;
  static constexpr std::string_view name = "audited";
  static Number from_double(double x) { return {x}; }
  static double to_double(const Number& x) { return x.value; }
  static Number from_integer(std::int64_t x) { return {static_cast<double>(x)}; }
  static Number add(const Number& a, const Number& b) { return {a.value + b.value}; }
  static Number subtract(const Number& a, const Number& b) { return {a.value - b.value}; }
  static Number multiply(const Number& a, const Number& b) { return {a.value * b.value}; }
  static Number negate(const Number& a) { return {-a.value}; }
  static bool less(const Number& a, const Number& b) { return a.value < b.value; }
  static bool equal(const Number& a, const Number& b) { return a.value == b.value; }
  static Number multiply_add(const Number& a, const Number& b, const Number& c) {
    ++seam::multiply_adds;
    return {__builtin_fma(a.value, b.value, c.value)};
  }
};
template <>
struct topos::ElementTraits<seam::Jet> : topos::NumberTraits<seam::Jet> {
  static constexpr std::string_view name = "jet";
  static seam::Jet from_double(double x) { return {static_cast<float>(x), 0, 0}; }
  static double to_double(const seam::Jet& x) { return x.value; }
};
template <>
struct topos::ElementTraits<seam::Pair> : topos::NumberTraits<seam::Pair> {
  static constexpr std::string_view name = "pair";
  static seam::Pair from_double(double x) { return {x, 0}; }
  static double to_double(const seam::Pair& x) { return x.value; }
  static std::string print(const seam::Pair& x) { return decimal(x.value) + "~" + decimal(x.tangent); }
};
