// Elementary functions of intervals, as widely as engines were seen to err.
#include <algorithm>

#include "support/judged/interval.h"
#include "topos/element/elementary.h"

namespace topos::test {
namespace {

constexpr auto infinity = std::numeric_limits<double>::infinity();

/// Units in the last place between an engine's number and the true one, with some margin.
struct Error {
  double f32, f64;
};

/// Measured over 200,000 points a function, jaxlib 0.10.2: the reference interpreter with the machine's C library, and
/// XLA's CPU client with contraction and algebraic simplification off. Given beside each: the worst in f32 and in f64.
constexpr Error error_of(Function function) {
  switch (function) {
    case Function::exp: return {2, 3};               // 0.95, 1.49
    case Function::expm1: return {6, 6};             // 4.88, 3.99
    case Function::log: return {2, 1.5};             // 1.04, 0.502
    case Function::log1p: return {4, 150};           // 2.36, 125
    case Function::rsqrt: return {2.5, 2.5};         // 1.58, 1.47
    case Function::tanh: return {7.5, 9};            // 5.87, 6.59
    case Function::sin: return {1.5, 1.5};           // 0.56, 0.514
    case Function::cos: return {1.5, 1.5};           // 0.56, 0.514
    case Function::erf: return {9, 9};               // 7.41, not measured
    case Function::logistic: return {3.5, 3.5};      // 2.13, 2.32
    case Function::power: return {1.5, 1.5};         // 0.502, 0.505
    case Function::erf_derivative: return {1, 1.5};  // the library's own; emitted as several operations
    case Function::softplus: return {1, 1.5};        // likewise
    default: return {0, 0};
  }
}

/// [low, high] of true values, each end with its error, in the element. A bf16 function is that of an f32, rounded.
template <class T>
Interval widened(Function function, Interval x) {
  using Wide = typename Format<T>::Wide;
  constexpr double smallest = Format<T>::smallest_normal;
  const auto error = error_of(function);
  const double part = (std::same_as<Wide, double> ? error.f64 : error.f32) * Format<T>::epsilon;
  const bool exact = x.is_point() && (x.low == 0 || std::isinf(x.low));
  if (exact) return x;
  // Near zero steps on the way lose what is smaller than the smallest normal number; no sign changes.
  const auto spread = [&](double end) { return std::isinf(end) ? 0 : std::fabs(end) * part + 2 * smallest; };
  Interval out{x.low - spread(x.low), x.high + spread(x.high)};
  if (x.low >= 0) out.low = std::fmax(out.low, 0);
  if (x.high <= 0) out.high = std::fmin(out.high, 0);
  if constexpr (!std::same_as<Wide, double>) {
    const auto low = static_cast<double>(static_cast<float>(out.low));
    const auto high = static_cast<double>(static_cast<float>(out.high));
    out = {low > out.low ? Format<float>::next(low, -infinity) : low,
           high < out.high ? Format<float>::next(high, infinity) : high};
  }
  return rounded<T>(out);
}

double value(Function function, double x) {
  switch (function) {
    case Function::exp: return elementary::exp(x);
    case Function::expm1: return elementary::expm1(x);
    case Function::log: return elementary::log(x);
    case Function::log1p: return elementary::log1p(x);
    case Function::rsqrt: return elementary::rsqrt(x);
    case Function::tanh: return elementary::tanh(x);
    case Function::sin: return elementary::sin(x);
    case Function::cos: return elementary::cos(x);
    case Function::erf: return elementary::erf(x);
    case Function::erf_derivative: return elementary::erf_derivative(x);
    case Function::logistic: return elementary::logistic(x);
    default: return elementary::softplus(x);
  }
}

template <class T>
Interval monotone(Function function, Interval x) {
  const double a = value(function, x.low), b = value(function, x.high);
  return widened<T>(function, {std::fmin(a, b), std::fmax(a, b)});
}

template <class T>
Interval square_root(Interval x) {
  using Wide = typename Format<T>::Wide;
  const auto at = [](double t) { return static_cast<double>(T(std::sqrt(static_cast<Wide>(t)))); };
  return flushed<T>({at(x.low), at(x.high)});
}

/// No steeper than 1 anywhere.
template <class T>
Interval wave(Function function, Interval x) {
  if (x.is_point()) return std::isinf(x.low) ? Interval::nan() : monotone<T>(function, x);
  if (!x.is_finite()) return Interval::anything();
  const double half = x.high / 2 - x.low / 2, middle = value(function, x.low + half);
  const double reach = half * (1 + 0x1p-50) + Format<T>::smallest_normal;
  if (reach >= 2) return {-1, 1};
  const auto out = widened<T>(function, {std::fmax(-1, middle - reach), std::fmin(1, middle + reach)});
  return {std::fmax(-1, out.low), std::fmin(1, out.high)};
}

}  // namespace

template <class T>
Interval function_of(Function function, Interval x, bool sign_known) {
  if (!x.is_number()) return x;
  const double bound = function == Function::log1p ? -1 : 0;
  switch (function) {
    case Function::log:
    case Function::log1p:
    case Function::sqrt:
    case Function::rsqrt:
      if (x.high < bound) return Interval::nan();
      if (x.low < bound) return Interval::anything();
      if (function == Function::sqrt) return square_root<T>(x);
      if (function == Function::rsqrt && x.low == 0 && !(sign_known && x.is_point())) return Interval::anything();
      return monotone<T>(function, x);
    case Function::sin:
    case Function::cos: return wave<T>(function, x);
    case Function::erf_derivative: return monotone<T>(function, absolute(x));
    default: return monotone<T>(function, x);
  }
}

/// Decided where the base is positive, where both are single numbers, and for whole exponents.
template <class T>
Interval raised_to(Interval a, Interval b) {
  const auto at = [](double x, double y) { return elementary::power(x, y); };
  const bool one = a.is_point() && a.low == 1, zero = b.is_point() && b.low == 0;
  if (one || zero) return Interval::point(1);
  if (a.is_anything() || b.is_anything()) return Interval::anything();
  if (a.is_nan() || b.is_nan()) {
    const bool certain = (a.is_nan() || !a.contains(1)) && (b.is_nan() || !b.contains(0));
    return certain ? Interval::nan() : Interval::anything();
  }
  if (a.contains(0) && b.low < 0) return Interval::anything();  // which infinity hangs on the sign of a zero
  if (a.is_point() && b.is_point()) {
    const auto out = at(a.low, b.low);
    return out != out ? Interval::nan() : widened<T>(Function::power, Interval::point(out));
  }
  if (a.low < 0) {
    const bool whole = b.is_point() && std::isfinite(b.low) && b.low == std::floor(b.low);
    if (!whole) return Interval::anything();
    if (std::fmod(b.low, 2) == 0)
      a = absolute(a);
    else if (b.low < 0)
      return widened<T>(Function::power, {at(a.high, b.low), at(a.low, b.low)});  // a.high is below zero
  }
  const double corners[] = {at(a.low, b.low), at(a.low, b.high), at(a.high, b.low), at(a.high, b.high)};
  const auto [low, high] = std::minmax_element(corners, corners + 4);
  // Across 1 and across an exponent of 0 the extremes may lie inside, but there the power is 1.
  return widened<T>(Function::power, {*low, *high});
}

template Interval function_of<float>(Function, Interval, bool);
template Interval function_of<double>(Function, Interval, bool);
template Interval function_of<BFloat16>(Function, Interval, bool);
template Interval raised_to<float>(Interval, Interval);
template Interval raised_to<double>(Interval, Interval);
template Interval raised_to<BFloat16>(Interval, Interval);

}  // namespace topos::test
