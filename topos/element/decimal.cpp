// Owns how a number reads as text: the plain decimal of messages and the literal of emitted modules.
#include "topos/element/decimal.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace topos {
namespace {

/// |value| = 0.d1d2d3... * 10^point with `digits` = d1d2d3..., neither end a zero; zero is "0" with point 1.
struct Digits {
  std::string digits;
  int point = 0;
};

/// Takes the text of the formatter apart, whichever of its two forms it chose.
template <class Float>
Digits shortest_digits(Float value) {
  const std::string text = fmt::format("{}", std::fabs(value));
  Digits result;
  std::size_t at = 0;
  bool after_point = false;
  for (; at < text.size() && text[at] != 'e'; ++at) {
    if (text[at] == '.') {
      after_point = true;
    } else {
      result.digits += text[at];
      if (!after_point) ++result.point;
    }
  }
  if (at < text.size()) result.point += std::stoi(text.substr(at + 1));
  const std::size_t first = result.digits.find_first_not_of('0');
  if (first == std::string::npos) return {"0", 1};
  result.digits.erase(0, first);
  result.point -= static_cast<int>(first);
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result;
}

std::string plain(const Digits& number) {
  const int count = static_cast<int>(number.digits.size());
  if (number.point <= 0) return "0." + std::string(static_cast<std::size_t>(-number.point), '0') + number.digits;
  if (number.point >= count) {
    return number.digits + std::string(static_cast<std::size_t>(number.point - count), '0');
  }
  const auto whole = static_cast<std::size_t>(number.point);
  return number.digits.substr(0, whole) + "." + number.digits.substr(whole);
}

std::string scientific(const Digits& number) {
  const std::string rest = number.digits.size() > 1 ? number.digits.substr(1) : "0";
  return fmt::format("{}.{}e{}", number.digits.substr(0, 1), rest, number.point - 1);
}

template <class Float>
std::string_view sign_of(Float value) {
  return std::signbit(value) ? "-" : "";
}

template <class Float>
std::string decimal_of(Float value) {
  if (std::isnan(value)) return "NaN";
  std::string text(sign_of(value));
  return text += std::isinf(value) ? "inf" : plain(shortest_digits(value));
}

template <class Float>
std::string literal_of(Float value) {
  const Digits number = shortest_digits(value);
  std::string text(sign_of(value));
  const bool zero = value == Float{0};
  // 0.d1... * 10^point is at least 1e16 from point 17 on, and below 1e-4 up to point -4.
  if (!zero && (number.point >= 17 || number.point <= -4)) return text += scientific(number);
  text += plain(number);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string decimal(float value) { return decimal_of(value); }

std::string decimal(double value) { return decimal_of(value); }

std::string decimal(std::int64_t value) { return fmt::format("{}", value); }

std::string literal(float value) {
  if (std::isnan(value)) return "0x7FC00000";
  if (std::isinf(value)) return fmt::format("0x{:08X}", std::bit_cast<std::uint32_t>(value));
  return literal_of(value);
}

std::string literal(double value) {
  if (std::isnan(value)) return "0x7FF8000000000000";
  if (std::isinf(value)) return fmt::format("0x{:016X}", std::bit_cast<std::uint64_t>(value));
  return literal_of(value);
}

std::string literal(std::int64_t value) { return fmt::format("{}", value); }

}  // namespace topos
