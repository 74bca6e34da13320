// Opcodes that emission spells as several operations, as those operations: over any algebra that has them.
#pragma once
#include <limits>
#include <vector>

#include "topos/custom.h"

namespace topos::test {

/// All axes, those of a list last, in order.
inline Shape with_last(std::size_t rank, const Shape& last) {
  std::vector<Extent> order;
  for (const bool listed : {false, true})
    for (const auto axis : Shape::counting(rank))
      if (last.contains(axis) == listed) order.push_back(axis);
  return order;
}

/// `a` where x equals y, else `b`.
template <class V>
V replaced(const V& x, const V& y, const V& a, const V& b) {
  const auto equal = compare(x, y, Direction::eq);
  return select(equal, a, b);
}

template <class V>
V lowered_softmax(const V& x, Extent axis) {
  const Extent extent = type_of(x).shape.at(axis);
  const auto peak = max_along(x, axis);
  const auto zeros = full_like(peak, 0.0);
  const auto lowest = full_like(peak, -std::numeric_limits<double>::infinity());
  const auto shift = replaced(peak, lowest, zeros, peak);
  const auto centered = x - broadcast_along(shift, axis, extent);
  const auto powers = exp(centered);
  const auto total = sum(powers, Shape{axis});
  const auto divisor = replaced(total, zeros, full_like(total, 1.0), total);
  return powers / broadcast_along(divisor, axis, extent);
}

template <class V>
V lowered_log_softmax(const V& x, Extent axis) {
  const Extent extent = type_of(x).shape.at(axis);
  const auto peak = max_along(x, axis);
  const auto centered = x - broadcast_along(peak, axis, extent);
  const auto total = sum(exp(centered), Shape{axis});
  return centered - broadcast_along(log(total), axis, extent);
}

template <class V>
V lowered_logsumexp(const V& x, Extent axis) {
  const Extent extent = type_of(x).shape.at(axis);
  const auto peak = max_along(x, axis);
  const auto zeros = full_like(peak, 0.0);
  const auto infinity = full_like(peak, std::numeric_limits<double>::infinity());
  const auto shift = replaced(abs(peak), infinity, zeros, peak);
  const auto centered = x - broadcast_along(shift, axis, extent);
  const auto total = sum(exp(centered), Shape{axis});
  return shift + log(total);
}

template <class V>
V lowered_erf_derivative(const V& x) {
  const auto squared = x * x;
  const auto bell = exp(-squared);
  return bell * full_like(x, 1.1283791670955126);
}

template <class V>
V lowered_softplus(const V& x) {
  const auto positive = maximum(x, full_like(x, 0.0));
  const auto powers = exp(-abs(x));
  return positive + log1p(powers);
}

/// One operation of the text, but evaluators compute it by this formula.
template <class V>
V lowered_logistic(const V& x) {
  const auto one = full_like(x, 1.0);
  return one / (one + exp(-x));
}

}  // namespace topos::test
