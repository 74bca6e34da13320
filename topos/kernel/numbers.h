// Owns what the kernels compute on single numbers, forced inline so that it takes the caller's instructions. Internal.
#pragma once
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include "topos/element/bfloat16.h"
#include "topos/element/element.h"
#include "topos/element/elementary.h"
#include "topos/element/fused.h"

#define TOPOS_INLINE [[gnu::always_inline]] inline

// Before a loop whose turns touch different elements. An operand may be the result's very buffer, which the compilers'
// own test for overlap would send to scalar code.
#if defined(__clang__)
#define TOPOS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"  // a build without optimisation leaves the loops as they are
#else
#define TOPOS_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace topos::kernel::numbers {

/// Integers wrap: their arithmetic is that of unsigned numbers.
template <class T>
using Arithmetic = std::conditional_t<std::same_as<T, std::int64_t>, std::uint64_t, T>;

/// What a stored number is computed in. A BFloat16 is a float that is rounded when it is stored.
template <class T>
using Computed = std::conditional_t<std::same_as<T, BFloat16>, float, T>;
/// What storing a computed number as T leaves of it.
template <class T>
TOPOS_INLINE Computed<T> stored(Computed<T> x) {
  if constexpr (std::same_as<T, BFloat16>)
    return static_cast<float>(BFloat16(x));
  else
    return x;
}

template <class T>
TOPOS_INLINE T add(T a, T b) {
  return static_cast<T>(static_cast<Arithmetic<T>>(a) + static_cast<Arithmetic<T>>(b));
}
template <class T>
TOPOS_INLINE T subtract(T a, T b) {
  return static_cast<T>(static_cast<Arithmetic<T>>(a) - static_cast<Arithmetic<T>>(b));
}
template <class T>
TOPOS_INLINE T multiply(T a, T b) {
  return static_cast<T>(static_cast<Arithmetic<T>>(a) * static_cast<Arithmetic<T>>(b));
}
/// An integer divisor is not 0; the smallest number by -1 wraps.
template <class T>
TOPOS_INLINE T divide(T a, T b) {
  if constexpr (std::integral<T>)
    return b == -1 ? subtract(T{0}, a) : a / b;
  else
    return a / b;
}
template <class T>
TOPOS_INLINE T negate(T a) {
  if constexpr (std::integral<T>)
    return subtract(T{0}, a);
  else
    return -a;
}
/// NaN if any is NaN, +0 above -0; in selections only, so that loops become vector code.
template <class T>
TOPOS_INLINE T maximum(T a, T b) {
  if constexpr (std::integral<T>) {
    return a < b ? b : a;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T both = std::bit_cast<T>(std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b));  // of two zeros: +0 if one is
    const T larger = a > b ? a : b;                                                    // b where either is NaN
    const T ordered = a == b ? both : larger;
    return a == a ? ordered : a;
  }
}
/// NaN if any is NaN, -0 below +0; in selections only.
template <class T>
TOPOS_INLINE T minimum(T a, T b) {
  if constexpr (std::integral<T>) {
    return b < a ? b : a;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T either = std::bit_cast<T>(std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b));  // of two zeros: -0 if one is
    const T smaller = a < b ? a : b;                                                     // b where either is NaN
    const T ordered = a == b ? either : smaller;
    return a == a ? ordered : a;
  }
}
template <class T>
TOPOS_INLINE T absolute(T x) {
  if constexpr (std::integral<T>)
    return x < 0 ? subtract(T{0}, x) : x;
  else if constexpr (std::same_as<T, float>)
    return __builtin_fabsf(x);
  else
    return __builtin_fabs(x);
}
/// -1, 0 or 1; zeros of either sign and NaN give themselves.
template <class T>
TOPOS_INLINE T sign(T x) {
  const T positive = x > T{0} ? T{1} : x;
  return x < T{0} ? T{-1} : positive;
}
/// a * b + c, rounded once.
template <class T>
TOPOS_INLINE T multiply_add(T a, T b, T c) {
  if constexpr (std::floating_point<T>)
    return elementary::fused_multiply_add(a, b, c);
  else
    return add(multiply(a, b), c);
}

template <Function F, class T>
TOPOS_INLINE T apply(T x) {
  if constexpr (F == Function::negate)
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
TOPOS_INLINE T apply(T a, T b) {
  if constexpr (F == Function::add)
    return add(a, b);
  else if constexpr (F == Function::subtract)
    return subtract(a, b);
  else if constexpr (F == Function::multiply)
    return multiply(a, b);
  else if constexpr (F == Function::divide)
    return divide(a, b);
  else if constexpr (F == Function::power)
    return elementary::power(a, b);
  else if constexpr (F == Function::maximum)
    return maximum(a, b);
  else if constexpr (F == Function::minimum)
    return minimum(a, b);
  else if constexpr (F == Function::logical_and)
    return a & b;
  else
    return a | b;
}

template <Direction D, class T>
TOPOS_INLINE bool holds(T a, T b) {
  if constexpr (D == Direction::eq)
    return a == b;
  else if constexpr (D == Direction::ne)
    return a != b;
  else if constexpr (D == Direction::lt)
    return a < b;
  else if constexpr (D == Direction::le)
    return a <= b;
  else if constexpr (D == Direction::gt)
    return a > b;
  else
    return a >= b;
}

/// Toward zero, saturating, NaN gives 0.
TOPOS_INLINE std::int64_t to_integer(double x) {
  if (!(x == x)) return 0;
  if (x < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  if (x >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(x);
}
/// The number in another element, rounded once; NaN is true.
template <class To, class From>
TOPOS_INLINE To converted(From x) {
  if constexpr (std::same_as<From, BFloat16> && !std::same_as<To, BFloat16>)
    return converted<To>(static_cast<float>(x));
  else if constexpr (std::same_as<To, bool>)
    return x != From{0};
  else if constexpr (std::integral<To> && !std::integral<From>)
    return to_integer(x);
  else
    return static_cast<To>(x);
}

}  // namespace topos::kernel::numbers
