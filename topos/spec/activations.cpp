#include "topos/spec/activations.h"

#include <limits>

#include "topos/spec/composite.h"

namespace topos {

Value relu(const Value& x, Site site) {
  Composite scope(x, site);
  return maximum(x, 0);
}

Value relu6(const Value& x, Site site) { return clamp(x, 0, 6, site); }

namespace {

template <class Low, class High>
Value clamped(const Value& x, const Low& low, const High& high, const Site& site) {
  Composite scope(x, site);
  const auto raised = maximum(x, low, site);
  return minimum(raised, high, site);
}

}  // namespace

Value clamp(const Value& x, const Value& low, const Value& high, Site site) { return clamped(x, low, high, site); }
Value clamp(const Value& x, const Value& low, const Literal& high, Site site) { return clamped(x, low, high, site); }
Value clamp(const Value& x, const Literal& low, const Value& high, Site site) { return clamped(x, low, high, site); }
Value clamp(const Value& x, const Literal& low, const Literal& high, Site site) { return clamped(x, low, high, site); }

Value gelu(const Value& x, Site site) {
  Composite scope(x, site);
  const auto one = full_like(x, 1);
  const auto two = full_like(x, 2);
  const auto root = sqrt(two);
  const auto scaled = x / root;
  const auto error = erf(scaled);
  const auto weight = one + error;
  const auto product = x * weight;
  return product / two;
}

Value gelu_tanh(const Value& x, Site site) {
  Composite scope(x, site);
  const auto near = clamp(x, -10, 10);
  const auto squares = near * near;
  const auto cubes = squares * near;
  const auto bend = cubes * 0.044715;
  const auto inner = near + bend;
  const auto argument = inner * 0.7978845608028654;  // sqrt(2 / pi)
  const auto tangent = tanh(argument);
  const auto weight = 1 + tangent;
  const auto half = x * 0.5;
  return half * weight;
}

Value silu(const Value& x, Site site) {
  Composite scope(x, site);
  const auto weight = logistic(x);
  return x * weight;
}

Value elu(const Value& x, Number alpha, Site site) {
  Composite scope(x, site);
  const auto zero = full_like(x, 0);
  const auto positive = compare(x, zero, Direction::gt);
  const auto negative = select(positive, zero, x);
  const auto power = expm1(negative);
  const auto factor = full_like(x, alpha);
  const auto scaled = factor * power;
  return select(positive, x, scaled);
}

Value hardswish(const Value& x, Site site) {
  Composite scope(x, site);
  const auto shifted = x + 3;
  const auto gate = relu6(shifted);
  const auto weight = gate / 6;  // before the product: it is 1 above 3, whatever x is
  return x * weight;
}

Value sigmoid(const Value& x, Site site) { return logistic(x, site); }

Value square(const Value& x, Site site) {
  Composite scope(x, site);
  return x * x;
}

Value reciprocal(const Value& x, Site site) {
  Composite scope(x, site);
  return 1 / x;
}

Value is_nan(const Value& x, Site site) { return compare(x, x, Direction::ne, site); }

Value is_finite(const Value& x, Site site) {
  if (!x.element().is_floating()) return compare(x, x, Direction::eq, site);
  Composite scope(x, site);
  const auto magnitude = abs(x);
  return compare(magnitude, std::numeric_limits<double>::infinity(), Direction::lt);
}

Value where(const Value& predicate, const Value& a, const Value& b, Site site) { return select(predicate, a, b, site); }
Value where(const Value& predicate, const Value& a, const Literal& b, Site site) {
  return select(predicate, a, b, site);
}
Value where(const Value& predicate, const Literal& a, const Value& b, Site site) {
  return select(predicate, a, b, site);
}

}  // namespace topos
