// How a user's number becomes an element: the traits to specialise, their defaults, and how the library calls them.
#pragma once
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "topos/element/decimal.h"
#include "topos/element/function.h"

namespace topos {

/// Specialise for a number type of at most 16 bytes that may be copied byte by byte, every byte being part of its
/// value:
///
///   template <>
///   struct topos::ElementTraits<Fixed> : topos::NumberTraits<Fixed> {
///     static constexpr std::string_view name = "fixed";  // one element of this name in the whole process
///     static Fixed from_double(double x);                // rounds once; 0.0 must give zero bytes
///     static double to_double(const Fixed& x);   // NaN of a NaN
///   };
///
/// NumberTraits takes the rest from the number's own operators and functions (found beside it); a member of the
/// specialisation replaces a default. What neither gives is an error at the line that records it.
template <class T>
struct ElementTraits;

/// Calls of functions that stand beside a number, from where members of their names would hide them. The deleted ones
/// hide every function of the name that is not the number's own: the C library's, for one.
namespace beside {
#define TOPOS_BESIDE(function)                                 \
  void function() = delete;                                    \
  template <class T>                                           \
  auto call_##function(const T& x)->decltype(T(function(x))) { \
    return function(x);                                        \
  }
TOPOS_BESIDE(exp)
TOPOS_BESIDE(expm1)
TOPOS_BESIDE(log)
TOPOS_BESIDE(log1p)
TOPOS_BESIDE(sqrt)
TOPOS_BESIDE(rsqrt)
TOPOS_BESIDE(tanh)
TOPOS_BESIDE(sin)
TOPOS_BESIDE(cos)
TOPOS_BESIDE(erf)
TOPOS_BESIDE(erf_derivative)
TOPOS_BESIDE(logistic)
TOPOS_BESIDE(softplus)
#undef TOPOS_BESIDE
void power() = delete;
template <class T>
auto call_power(const T& a, const T& b) -> decltype(T(power(a, b))) {
  return power(a, b);
}
}  // namespace beside

/// The defaults of ElementTraits, each there where the number has what it needs.
template <class T>
struct NumberTraits {
  static T add(const T& a, const T& b)
    requires requires { T(a + b); }
  {
    return a + b;
  }
  static T subtract(const T& a, const T& b)
    requires requires { T(a - b); }
  {
    return a - b;
  }
  static T multiply(const T& a, const T& b)
    requires requires { T(a * b); }
  {
    return a * b;
  }
  static T divide(const T& a, const T& b)
    requires requires { T(a / b); }
  {
    return a / b;
  }
  static T negate(const T& a)
    requires requires { T(-a); }
  {
    return -a;
  }
  /// a * b + c; a number that rounds it once says so here.
  static T multiply_add(const T& a, const T& b, const T& c)
    requires requires { ElementTraits<T>::add(ElementTraits<T>::multiply(a, b), c); }
  {
    return ElementTraits<T>::add(ElementTraits<T>::multiply(a, b), c);
  }
  static bool less(const T& a, const T& b)
    requires requires { bool(a < b); }
  {
    return a < b;
  }
  static bool equal(const T& a, const T& b)
    requires requires { bool(a == b); }
  {
    return a == b;
  }
  static bool is_nan(const T& x) {
    const double value = ElementTraits<T>::to_double(x);
    return value != value;
  }
  static T absolute(const T& x)
    requires requires { ElementTraits<T>::less(x, x), ElementTraits<T>::negate(x); }
  {
    return ElementTraits<T>::less(x, ElementTraits<T>::from_double(0)) ? ElementTraits<T>::negate(x) : x;
  }
  /// -1, 0 or 1; zero and NaN give themselves.
  static T sign(const T& x)
    requires requires { ElementTraits<T>::less(x, x); }
  {
    const T zero = ElementTraits<T>::from_double(0);
    if (ElementTraits<T>::less(x, zero)) return ElementTraits<T>::from_double(-1);
    return ElementTraits<T>::less(zero, x) ? ElementTraits<T>::from_double(1) : x;
  }
  /// NaN if any is NaN; of equal numbers the second.
  static T maximum(const T& a, const T& b)
    requires requires { ElementTraits<T>::less(a, b); }
  {
    if (ElementTraits<T>::is_nan(a)) return a;
    return ElementTraits<T>::is_nan(b) || !ElementTraits<T>::less(b, a) ? b : a;
  }
  static T minimum(const T& a, const T& b)
    requires requires { ElementTraits<T>::less(a, b); }
  {
    if (ElementTraits<T>::is_nan(a)) return a;
    return ElementTraits<T>::is_nan(b) || !ElementTraits<T>::less(a, b) ? b : a;
  }
#define TOPOS_DEFAULT(function)                       \
  static T function(const T& x)                       \
    requires requires { beside::call_##function(x); } \
  {                                                   \
    return beside::call_##function(x);                \
  }
  TOPOS_DEFAULT(exp)
  TOPOS_DEFAULT(expm1)
  TOPOS_DEFAULT(log)
  TOPOS_DEFAULT(log1p)
  TOPOS_DEFAULT(sqrt)
  TOPOS_DEFAULT(rsqrt)
  TOPOS_DEFAULT(tanh)
  TOPOS_DEFAULT(sin)
  TOPOS_DEFAULT(cos)
  TOPOS_DEFAULT(erf)
  TOPOS_DEFAULT(erf_derivative)
  TOPOS_DEFAULT(logistic)
  TOPOS_DEFAULT(softplus)
#undef TOPOS_DEFAULT
  static T power(const T& a, const T& b)
    requires requires { beside::call_power(a, b); }
  {
    return beside::call_power(a, b);
  }
  /// A number that holds integers which no double does rounds them once here.
  static T from_integer(std::int64_t x) { return ElementTraits<T>::from_double(static_cast<double>(x)); }
  /// As messages and tensors print it.
  static std::string print(const T& x) { return decimal(ElementTraits<T>::to_double(x)); }
};

/// A number type with complete traits.
template <class T>
concept UserElement = std::is_trivially_copyable_v<T> && std::default_initializable<T> && requires(const T& x) {
  { ElementTraits<T>::name } -> std::convertible_to<std::string_view>;
  { ElementTraits<T>::from_double(0.0) } -> std::same_as<T>;
  { ElementTraits<T>::to_double(x) } -> std::same_as<double>;
  { ElementTraits<T>::is_nan(x) } -> std::same_as<bool>;
  { ElementTraits<T>::from_integer(std::int64_t{}) } -> std::same_as<T>;
  { ElementTraits<T>::print(x) } -> std::convertible_to<std::string>;
};

/// A function of the traits by its entry in the list.
template <Function F>
struct TraitsFunction;
#define TOPOS_TRAITS_UNARY(function)                                          \
  template <>                                                                 \
  struct TraitsFunction<Function::function> {                                 \
    template <class T>                                                        \
    static auto call(const T& x) -> decltype(ElementTraits<T>::function(x)) { \
      return ElementTraits<T>::function(x);                                   \
    }                                                                         \
  };
#define TOPOS_TRAITS_BINARY(function)                                                        \
  template <>                                                                                \
  struct TraitsFunction<Function::function> {                                                \
    template <class T>                                                                       \
    static auto call(const T& a, const T& b) -> decltype(ElementTraits<T>::function(a, b)) { \
      return ElementTraits<T>::function(a, b);                                               \
    }                                                                                        \
  };
TOPOS_TRAITS_UNARY(negate)
TOPOS_TRAITS_UNARY(absolute)
TOPOS_TRAITS_UNARY(sign)
TOPOS_TRAITS_UNARY(exp)
TOPOS_TRAITS_UNARY(expm1)
TOPOS_TRAITS_UNARY(log)
TOPOS_TRAITS_UNARY(log1p)
TOPOS_TRAITS_UNARY(sqrt)
TOPOS_TRAITS_UNARY(rsqrt)
TOPOS_TRAITS_UNARY(tanh)
TOPOS_TRAITS_UNARY(sin)
TOPOS_TRAITS_UNARY(cos)
TOPOS_TRAITS_UNARY(erf)
TOPOS_TRAITS_UNARY(erf_derivative)
TOPOS_TRAITS_UNARY(logistic)
TOPOS_TRAITS_UNARY(softplus)
TOPOS_TRAITS_BINARY(add)
TOPOS_TRAITS_BINARY(subtract)
TOPOS_TRAITS_BINARY(multiply)
TOPOS_TRAITS_BINARY(divide)
TOPOS_TRAITS_BINARY(power)
TOPOS_TRAITS_BINARY(maximum)
TOPOS_TRAITS_BINARY(minimum)
#undef TOPOS_TRAITS_UNARY
#undef TOPOS_TRAITS_BINARY

template <Function F, class T>
inline constexpr bool traits_have_unary = requires(const T& x) { TraitsFunction<F>::call(x); };
template <Function F, class T>
inline constexpr bool traits_have_binary = requires(const T& x) { TraitsFunction<F>::call(x, x); };
template <class T>
inline constexpr bool traits_have_equality = requires(const T& x) { ElementTraits<T>::equal(x, x); };
template <class T>
inline constexpr bool traits_have_order =
    traits_have_equality<T> && requires(const T& x) { ElementTraits<T>::less(x, x); };
template <class T>
inline constexpr bool traits_have_product = requires(const T& x) { ElementTraits<T>::multiply_add(x, x, x); };

}  // namespace topos
