// A number as C++ source wrote it: it takes its element from its place, rounded once.
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "topos/element/element.h"

namespace topos {

/// A bool, an integer of 64 bits or a double, whichever was written. Weak: it has no element of its own.
class Number {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr Number(T value) {
    if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::boolean;
      integer_ = value;
    } else if constexpr (std::integral<T>) {
      // Beyond the largest i64 an unsigned number is a double.
      if (std::unsigned_integral<T> && static_cast<std::uint64_t>(value) > max_i64) {
        kind_ = Kind::real;
        real_ = static_cast<double>(value);
      } else {
        kind_ = Kind::integer;
        integer_ = static_cast<std::int64_t>(value);
      }
    } else {
      kind_ = Kind::real;
      real_ = static_cast<double>(value);
    }
  }

  constexpr bool is_real() const { return kind_ == Kind::real; }
  constexpr bool is_boolean() const { return kind_ == Kind::boolean; }
  /// The value as a double, rounded once.
  constexpr double real() const { return is_real() ? real_ : static_cast<double>(integer_); }
  /// The value of a bool or an integer.
  constexpr std::int64_t integer() const { return integer_; }
  /// Whether the element has this very number or may round it: an integer place refuses a fraction, a boolean place
  /// everything but false, true, 0 and 1.
  bool fits(ElementType element) const;
  /// The same number in the kind that the element reads, so that 0, 0.0 and false are one constant of an element.
  Number as(ElementType element) const;
  std::string text() const;

  /// Equal as written: by kind and by bits, so that -0.0 and 0.0 differ.
  bool operator==(const Number& other) const;
  std::uint64_t hash() const;

 private:
  enum class Kind : std::uint8_t { real, integer, boolean };
  static constexpr auto max_i64 = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  Kind kind_;
  union {
    double real_;
    std::int64_t integer_;
  };
};

}  // namespace topos
