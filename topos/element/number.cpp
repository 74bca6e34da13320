#include "topos/element/number.h"

#include <bit>

#include "topos/element/decimal.h"

namespace topos {

bool Number::fits(ElementType element) const {
  switch (element.kind()) {
    case ElementClass::floating: return true;
    case ElementClass::integer:
      if (!is_real()) return true;
      // 2^63 is the first double too large; casting it back would be undefined.
      return real_ >= -0x1p63 && real_ < 0x1p63 && static_cast<double>(static_cast<std::int64_t>(real_)) == real_;
    case ElementClass::boolean: return real() == 0.0 || real() == 1.0;
  }
  return false;
}

Number Number::as(ElementType element) const {
  switch (element.kind()) {
    // An integer that no double holds keeps its digits: it must be rounded once, by the element.
    case ElementClass::floating: {
      const bool exact = is_real() || (integer_ >= -(std::int64_t{1} << 53) && integer_ <= (std::int64_t{1} << 53));
      return exact ? Number(real()) : *this;
    }
    // Only a number that fits is asked for, so the cast is exact.
    case ElementClass::integer: return is_real() ? static_cast<std::int64_t>(real_) : integer_;
    case ElementClass::boolean: return real() != 0;
  }
  return *this;
}

std::string Number::text() const {
  if (is_boolean()) return integer_ != 0 ? "true" : "false";
  return is_real() ? decimal(real_) : decimal(integer_);
}

bool Number::operator==(const Number& other) const {
  return kind_ == other.kind_ && std::bit_cast<std::uint64_t>(integer_) == std::bit_cast<std::uint64_t>(other.integer_);
}

std::uint64_t Number::hash() const {
  return (std::bit_cast<std::uint64_t>(integer_) ^ static_cast<std::uint64_t>(kind_)) * 0x9E3779B97F4A7C15u;
}

}  // namespace topos
