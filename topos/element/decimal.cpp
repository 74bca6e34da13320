// Owns how a number reads as text: the plain decimal of messages and the literal of emitted modules.
#include "topos/element/decimal.h"

#include <bit>
#include <charconv>
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

/// Takes the text of a positive number apart, with or without an exponent.
Digits digits_of(std::string_view text) {
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
  if (at < text.size()) result.point += std::stoi(std::string(text.substr(at + 1)));
  const std::size_t first = result.digits.find_first_not_of('0');
  if (first == std::string::npos) return {"0", 1};
  result.digits.erase(0, first);
  result.point -= static_cast<int>(first);
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result;
}

template <class Float>
Digits shortest_digits(Float value) {
  return digits_of(fmt::format("{}", std::fabs(value)));
}
/// Four digits tell any two neighbours apart; fewer often do.
Digits shortest_digits(BFloat16 value) {
  const double magnitude = std::fabs(static_cast<double>(value));
  for (int after_point = 0;; ++after_point) {
    const std::string text = fmt::format("{:.{}e}", magnitude, after_point);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (after_point == 4 || static_cast<double>(BFloat16(back)) == magnitude) return digits_of(text);
  }
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

std::string_view sign_of(double value) { return std::signbit(value) ? "-" : ""; }

template <class Float>
std::string decimal_of(Float value) {
  if (std::isnan(static_cast<double>(value))) return "NaN";
  std::string text(sign_of(static_cast<double>(value)));
  return text += std::isinf(static_cast<double>(value)) ? "inf" : plain(shortest_digits(value));
}

template <class Float>
std::string literal_of(Float value) {
  const Digits number = shortest_digits(value);
  std::string text(sign_of(static_cast<double>(value)));
  const bool zero = static_cast<double>(value) == 0;
  // 0.d1... * 10^point is at least 1e16 from point 17 on, and below 1e-4 up to point -4.
  if (!zero && (number.point >= 17 || number.point <= -4)) return text += scientific(number);
  text += plain(number);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string decimal(float value) { return decimal_of(value); }

std::string decimal(double value) { return decimal_of(value); }

std::string decimal(BFloat16 value) { return decimal_of(value); }

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

std::string literal(BFloat16 value) {
  const double wide = static_cast<double>(value);
  if (std::isnan(wide)) return "0x7FC0";
  if (std::isinf(wide)) return fmt::format("0x{:04X}", value.bits());
  return literal_of(value);
}

std::string literal(std::int64_t value) { return fmt::format("{}", value); }

}  // namespace topos
