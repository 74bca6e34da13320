// What each operation means on one number, in plain code.
//
// These definitions are the bits of the library. Everything here is inlined into its caller, so that it is compiled for
// the caller's vector target.
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>

#include "topos/element/element.h"
#include "topos/element/element_traits.h"
#include "topos/element/elementary.h"
#include "topos/element/fused.h"

#define TOPOS_REFERENCE [[gnu::always_inline]] inline

namespace topos::loops {

/// A number of the user's: its traits say what every operation means.
template <class T>
inline constexpr bool is_users = !std::is_arithmetic_v<T> && !std::same_as<T, BFloat16>;

/// What a number's arithmetic is done in: integers wrap, as unsigned numbers do; a BFloat16 is a float that is rounded
/// after each operation.
template <class T>
using Arithmetic = std::conditional_t<std::same_as<T, std::int64_t>, std::uint64_t,
                                      std::conditional_t<std::same_as<T, BFloat16>, float, T>>;
/// What a long sum of a number's is done in, to be rounded once at the end.
template <class T>
using Accumulator = std::conditional_t<std::same_as<T, BFloat16>, float, T>;

template <class T>
TOPOS_REFERENCE T number(double x) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::from_double(x);
  else
    return static_cast<T>(x);
}

template <class T>
TOPOS_REFERENCE T add(T a, T b) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::add(a, b);
  else
    return static_cast<T>(static_cast<Arithmetic<T>>(a) + static_cast<Arithmetic<T>>(b));
}
template <class T>
TOPOS_REFERENCE T subtract(T a, T b) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::subtract(a, b);
  else
    return static_cast<T>(static_cast<Arithmetic<T>>(a) - static_cast<Arithmetic<T>>(b));
}
template <class T>
TOPOS_REFERENCE T multiply(T a, T b) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::multiply(a, b);
  else
    return static_cast<T>(static_cast<Arithmetic<T>>(a) * static_cast<Arithmetic<T>>(b));
}
/// Integers truncate toward zero; the caller has refused a divisor of zero. The smallest number by -1 wraps.
template <class T>
TOPOS_REFERENCE T divide(T a, T b) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::divide(a, b);
  else if constexpr (std::integral<T>)
    return b == -1 ? subtract(T{0}, a) : a / b;
  else
    return static_cast<T>(static_cast<Arithmetic<T>>(a) / static_cast<Arithmetic<T>>(b));
}
/// IEEE 754-2019 maximum: NaN if any is NaN, +0 above -0.
template <class T>
TOPOS_REFERENCE T maximum(T a, T b) {
  if constexpr (is_users<T>) {
    return ElementTraits<T>::maximum(a, b);
  } else if constexpr (std::same_as<T, BFloat16>) {
    return BFloat16(maximum(static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (std::integral<T>) {
    return a < b ? b : a;
  } else {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return __builtin_signbit(a) ? b : a;
    return a < b ? b : a;
  }
}
/// IEEE 754-2019 minimum: NaN if any is NaN, -0 below +0.
template <class T>
TOPOS_REFERENCE T minimum(T a, T b) {
  if constexpr (is_users<T>) {
    return ElementTraits<T>::minimum(a, b);
  } else if constexpr (std::same_as<T, BFloat16>) {
    return BFloat16(minimum(static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (std::integral<T>) {
    return b < a ? b : a;
  } else {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return __builtin_signbit(a) ? a : b;
    return b < a ? b : a;
  }
}
/// a * b + c, rounded once.
template <class T>
TOPOS_REFERENCE T multiply_add(T a, T b, T c) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::multiply_add(a, b, c);
  else if constexpr (std::floating_point<T>)
    return elementary::fused_multiply_add(a, b, c);
  else
    return add(multiply(a, b), c);
}

/// A negative integer's magnitude wraps at the smallest number; a float's sign bit is cleared, a NaN's too.
template <class T>
TOPOS_REFERENCE T absolute(T x) {
  if constexpr (std::integral<T>)
    return x < 0 ? subtract(T{0}, x) : x;
  else if constexpr (std::same_as<T, float>)
    return __builtin_fabsf(x);
  else
    return __builtin_fabs(x);
}
/// -1, 0 or 1; zeros of either sign and NaN give themselves.
template <class T>
TOPOS_REFERENCE T sign(T x) {
  if (x < T{0}) return T{-1};
  return x > T{0} ? T{1} : x;
}
template <class T>
TOPOS_REFERENCE T negate(T x) {
  if constexpr (std::integral<T>)
    return subtract(T{0}, x);
  else
    return -x;
}

template <Function F, class T>
TOPOS_REFERENCE T apply(T x) {
  if constexpr (is_users<T>)
    return TraitsFunction<F>::call(x);
  else if constexpr (std::same_as<T, BFloat16>)
    return BFloat16(apply<F>(static_cast<float>(x)));
  else if constexpr (F == Function::negate)
    return negate(x);
  else if constexpr (F == Function::absolute)
    return absolute(x);
  else if constexpr (F == Function::sign)
    return sign(x);
  else if constexpr (F == Function::logical_not)
    return !x;
  else
    return elementary::apply<F>(x);
}
template <Function F, class T>
TOPOS_REFERENCE T apply(T a, T b) {
  if constexpr (F == Function::add)
    return add(a, b);
  else if constexpr (F == Function::subtract)
    return subtract(a, b);
  else if constexpr (F == Function::multiply)
    return multiply(a, b);
  else if constexpr (F == Function::divide)
    return divide(a, b);
  else if constexpr (F == Function::maximum)
    return maximum(a, b);
  else if constexpr (F == Function::minimum)
    return minimum(a, b);
  else if constexpr (F == Function::logical_and)
    return a && b;
  else if constexpr (F == Function::logical_or)
    return a || b;
  else if constexpr (is_users<T>)
    return TraitsFunction<F>::call(a, b);
  else if constexpr (std::same_as<T, BFloat16>)
    return BFloat16(elementary::power(static_cast<float>(a), static_cast<float>(b)));
  else
    return elementary::power(a, b);
}

template <class T>
TOPOS_REFERENCE bool less(T a, T b) {
  if constexpr (is_users<T> && !traits_have_order<T>)
    __builtin_unreachable();  // the type rules refuse an order that the number lacks
  else if constexpr (is_users<T>)
    return ElementTraits<T>::less(a, b);
  else
    return static_cast<std::conditional_t<std::same_as<T, BFloat16>, float, T>>(a) <
           static_cast<std::conditional_t<std::same_as<T, BFloat16>, float, T>>(b);
}
template <class T>
TOPOS_REFERENCE bool equal(T a, T b) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::equal(a, b);
  else
    return static_cast<std::conditional_t<std::same_as<T, BFloat16>, float, T>>(a) ==
           static_cast<std::conditional_t<std::same_as<T, BFloat16>, float, T>>(b);
}
template <class T>
TOPOS_REFERENCE bool is_nan(T x) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::is_nan(x);
  else
    return !equal(x, x);
}
/// False beside NaN, except for ne.
template <class T>
TOPOS_REFERENCE bool holds(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::eq: return equal(a, b);
    case Direction::ne: return !equal(a, b);
    case Direction::lt: return less(a, b);
    case Direction::le: return less(a, b) || equal(a, b);
    case Direction::gt: return less(b, a);
    case Direction::ge: return less(b, a) || equal(a, b);
  }
  return false;
}

// --- conversions -----------------------------------------------------------------------------------------------------

/// Toward zero, saturating, NaN gives 0.
TOPOS_REFERENCE std::int64_t to_integer(double x) {
  if (!(x == x)) return 0;
  if (x < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  if (x >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(x);
}
template <class T>
TOPOS_REFERENCE T from_real(double x) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::from_double(x);
  else if constexpr (std::same_as<T, bool>)
    return x != 0;  // NaN is true
  else if constexpr (std::same_as<T, std::int64_t>)
    return to_integer(x);
  else
    return static_cast<T>(x);
}
template <class T>
TOPOS_REFERENCE T from_integer(std::int64_t x) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::from_integer(x);
  else if constexpr (std::same_as<T, bool>)
    return x != 0;
  else
    return static_cast<T>(x);
}
template <class T>
TOPOS_REFERENCE double to_real(T x) {
  if constexpr (is_users<T>)
    return ElementTraits<T>::to_double(x);
  else
    return static_cast<double>(x);
}

}  // namespace topos::loops
