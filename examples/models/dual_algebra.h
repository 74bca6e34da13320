// Forward mode as an algebra of the user's: a payload with its tangent, over every function of the vocabulary.
#pragma once
#include <topos/custom.h>

#include <optional>
#include <utility>
#include <vector>

namespace examples {

/// A payload and its derivative along one direction. Without a tangent it does not depend on the direction: data and
/// constants never do. V is Tensor, to compute at once, or Value, to record.
template <class V>
class Dual {
 public:
  Dual(V value) : value_(std::move(value)) {}
  Dual(V value, std::optional<V> tangent) : value_(std::move(value)), tangent_(std::move(tangent)) {}

  const topos::TensorType& type() const { return value_.type(); }
  const V& value() const { return value_; }
  const std::optional<V>& tangent() const { return tangent_; }
  /// The tangent, zeros where there is none.
  V tangent_or_zero() const { return tangent_ ? *tangent_ : full_like(value_, 0.0); }

 private:
  V value_;
  std::optional<V> tangent_;
};

namespace dual {

template <class V>
using Tangent = std::optional<V>;

/// a + b, where a missing one is nothing.
template <class V>
Tangent<V> both(const Tangent<V>& a, const Tangent<V>& b) {
  if (a && b) return *a + *b;
  return a ? a : b;
}
/// f(tangent), if there is one.
template <class V, class F>
Tangent<V> through(const Tangent<V>& tangent, F&& f) {
  return tangent ? Tangent<V>(f(*tangent)) : std::nullopt;
}
/// A linear function: the same of value and tangent.
template <class V, class F>
Dual<V> linear(const Dual<V>& x, F&& f) {
  auto value = f(x.value());
  auto tangent = through(x.tangent(), f);
  return {std::move(value), std::move(tangent)};
}
/// A function of one operand whose tangent is slope(x, out, t); nothing is computed for a constant.
template <class V, class F, class Slope>
Dual<V> along(const Dual<V>& x, F&& f, Slope&& slope) {
  auto out = f(x.value());
  auto tangent = through(x.tangent(), [&](const V& t) { return slope(x.value(), out, t); });
  return {std::move(out), std::move(tangent)};
}
/// The slope of a power, but 0 where it is not finite and `unless` holds.
template <class V>
V without_infinity(const V& slope, const V& unless) {
  auto magnitude = abs(slope);
  auto infinity = full_like(slope, std::numeric_limits<double>::infinity());
  auto finite = compare(magnitude, infinity, topos::Direction::lt);
  auto not_finite = logical_not(finite);
  auto bad = logical_and(not_finite, unless);
  auto zero = full_like(slope, 0.0);
  return select(bad, zero, slope);
}
template <class V>
V power_by_base(const V& a, const V& b, const V& t) {
  auto one = full_like(b, 1.0);
  auto less = b - one;
  auto lower_power = power(a, less);
  auto slope = b * lower_power;
  auto zero = full_like(b, 0.0);
  auto constant = compare(b, zero, topos::Direction::eq);
  auto still = compare(t, zero, topos::Direction::eq);
  auto either = logical_or(constant, still);
  return t * without_infinity(slope, either);
}
template <class V>
V power_by_exponent(const V& a, const V& out, const V& t) {
  auto zero = full_like(a, 0.0);
  auto no_base = compare(a, zero, topos::Direction::eq);
  auto one = full_like(a, 1.0);
  auto safe_base = select(no_base, one, a);
  auto logarithm = log(safe_base);
  auto product = out * logarithm;
  auto slope = select(no_base, zero, product);
  auto still = compare(t, zero, topos::Direction::eq);
  return t * without_infinity(slope, still);
}
/// Maximum and minimum: the tangent comes from where the value came from, a tie's from the second.
template <class V>
Dual<V> extreme(const Dual<V>& a, const Dual<V>& b, V value, topos::Direction first_wins) {
  if (!a.tangent() && !b.tangent()) return {std::move(value)};
  auto first = compare(a.value(), b.value(), first_wins);
  auto left = a.tangent_or_zero();
  auto right = b.tangent_or_zero();
  return {std::move(value), select(first, left, right)};
}

}  // namespace dual

// --- arithmetic ------------------------------------------------------------------------------------------------------

template <class V>
Dual<V> operator+(const Dual<V>& a, const Dual<V>& b) {
  auto value = a.value() + b.value();
  return {std::move(value), dual::both(a.tangent(), b.tangent())};
}
template <class V>
Dual<V> operator-(const Dual<V>& a) {
  return dual::linear(a, [](const V& x) { return -x; });
}
template <class V>
Dual<V> operator-(const Dual<V>& a, const Dual<V>& b) {
  auto value = a.value() - b.value();
  auto right = dual::through(b.tangent(), [](const V& t) { return -t; });
  return {std::move(value), dual::both(a.tangent(), right)};
}
template <class V>
Dual<V> operator*(const Dual<V>& a, const Dual<V>& b) {
  auto value = a.value() * b.value();
  auto left = dual::through(a.tangent(), [&](const V& t) { return t * b.value(); });
  auto right = dual::through(b.tangent(), [&](const V& t) { return t * a.value(); });
  return {std::move(value), dual::both(left, right)};
}
template <class V>
Dual<V> operator/(const Dual<V>& a, const Dual<V>& b) {
  auto value = a.value() / b.value();
  auto left = dual::through(a.tangent(), [&](const V& t) { return t / b.value(); });
  auto right = dual::through(b.tangent(), [&](const V& t) {
    auto product = t * value;
    auto quotient = product / b.value();
    return -quotient;
  });
  return {std::move(value), dual::both(left, right)};
}
template <class V>
Dual<V> power(const Dual<V>& a, const Dual<V>& b) {
  auto value = power(a.value(), b.value());
  auto left = dual::through(a.tangent(), [&](const V& t) { return dual::power_by_base(a.value(), b.value(), t); });
  auto right = dual::through(b.tangent(), [&](const V& t) { return dual::power_by_exponent(a.value(), value, t); });
  return {std::move(value), dual::both(left, right)};
}
template <class V>
Dual<V> maximum(const Dual<V>& a, const Dual<V>& b) {
  return dual::extreme(a, b, maximum(a.value(), b.value()), topos::Direction::gt);
}
template <class V>
Dual<V> minimum(const Dual<V>& a, const Dual<V>& b) {
  return dual::extreme(a, b, minimum(a.value(), b.value()), topos::Direction::lt);
}
template <class V>
Dual<V> abs(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return abs(x); },
      [](const V& x, const V&, const V& t) {
        auto slope = sign(x);
        return t * slope;
      });
}
template <class V>
Dual<V> sign(const Dual<V>& a) {
  return {sign(a.value())};
}

// --- elementary functions --------------------------------------------------------------------------------------------

template <class V>
Dual<V> exp(const Dual<V>& a) {
  return dual::along(a, [](const V& x) { return exp(x); }, [](const V&, const V& out, const V& t) { return t * out; });
}
template <class V>
Dual<V> expm1(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return expm1(x); },
      [](const V&, const V& out, const V& t) {
        auto one = full_like(out, 1.0);
        auto slope = out + one;
        return t * slope;
      });
}
template <class V>
Dual<V> log(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return log(x); },
      [](const V& x, const V&, const V& t) { return topos::quotient_of_cotangent(t, x); });
}
template <class V>
Dual<V> log1p(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return log1p(x); },
      [](const V& x, const V&, const V& t) {
        auto one = full_like(x, 1.0);
        auto divisor = one + x;
        return topos::quotient_of_cotangent(t, divisor);
      });
}
template <class V>
Dual<V> sqrt(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return sqrt(x); },
      [](const V&, const V& out, const V& t) {
        auto twice = out + out;
        return topos::quotient_of_cotangent(t, twice);
      });
}
template <class V>
Dual<V> rsqrt(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return rsqrt(x); },
      [](const V& x, const V& out, const V& t) {
        auto twice = x + x;
        auto product = t * out;
        auto quotient = product / twice;
        return -quotient;
      });
}
template <class V>
Dual<V> tanh(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return tanh(x); },
      [](const V&, const V& out, const V& t) {
        auto one = full_like(out, 1.0);
        auto square = out * out;
        auto slope = one - square;
        return t * slope;
      });
}
template <class V>
Dual<V> sin(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return sin(x); },
      [](const V& x, const V&, const V& t) {
        auto slope = cos(x);
        return t * slope;
      });
}
template <class V>
Dual<V> cos(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return cos(x); },
      [](const V& x, const V&, const V& t) {
        auto sine = sin(x);
        auto product = t * sine;
        return -product;
      });
}
template <class V>
Dual<V> erf(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return erf(x); },
      [](const V& x, const V&, const V& t) {
        auto slope = erf_derivative(x);
        return t * slope;
      });
}
template <class V>
Dual<V> erf_derivative(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return erf_derivative(x); },
      [](const V& x, const V& out, const V& t) {
        auto twice = x + x;
        auto product = t * twice;
        auto weighted = product * out;
        return -weighted;
      });
}
template <class V>
Dual<V> logistic(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return logistic(x); },
      [](const V&, const V& out, const V& t) {
        auto one = full_like(out, 1.0);
        auto rest = one - out;
        auto slope = out * rest;
        return t * slope;
      });
}
template <class V>
Dual<V> softplus(const Dual<V>& a) {
  return dual::along(
      a, [](const V& x) { return softplus(x); },
      [](const V& x, const V&, const V& t) {
        auto slope = logistic(x);
        return t * slope;
      });
}
template <class V>
Dual<V> stop_gradient(const Dual<V>& a) {
  return {stop_gradient(a.value())};
}

}  // namespace examples

#include "examples/models/dual_algebra_shapes.h"
