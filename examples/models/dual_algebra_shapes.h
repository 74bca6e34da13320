// The rest of the algebra of dual_algebra.h: choice, contraction, movement and indices.
#pragma once
#include "examples/models/dual_algebra.h"

namespace examples {

// --- choice ----------------------------------------------------------------------------------------------------------

template <class V>
Dual<V> compare(const Dual<V>& a, const Dual<V>& b, topos::Direction direction) {
  return {compare(a.value(), b.value(), direction)};
}
template <class V>
Dual<V> logical_and(const Dual<V>& a, const Dual<V>& b) {
  return {logical_and(a.value(), b.value())};
}
template <class V>
Dual<V> logical_or(const Dual<V>& a, const Dual<V>& b) {
  return {logical_or(a.value(), b.value())};
}
template <class V>
Dual<V> logical_not(const Dual<V>& a) {
  return {logical_not(a.value())};
}
template <class V>
Dual<V> select(const Dual<V>& predicate, const Dual<V>& a, const Dual<V>& b) {
  auto value = select(predicate.value(), a.value(), b.value());
  if (!a.tangent() && !b.tangent()) return {std::move(value)};
  auto left = a.tangent_or_zero();
  auto right = b.tangent_or_zero();
  return {std::move(value), select(predicate.value(), left, right)};
}

// --- contraction -----------------------------------------------------------------------------------------------------

template <class V>
Dual<V> matmul(const Dual<V>& a, const Dual<V>& b) {
  auto value = matmul(a.value(), b.value());
  auto left = dual::through(a.tangent(), [&](const V& t) { return matmul(t, b.value()); });
  auto right = dual::through(b.tangent(), [&](const V& t) { return matmul(a.value(), t); });
  return {std::move(value), dual::both(left, right)};
}
template <class V>
Dual<V> sum(const Dual<V>& x, const topos::Shape& axes) {
  return dual::linear(x, [&](const V& each) { return sum(each, axes); });
}
template <class V>
Dual<V> softmax(const Dual<V>& a, topos::Extent axis) {
  return dual::along(
      a, [&](const V& x) { return softmax(x, axis); },
      [&](const V& x, const V& out, const V& t) {
        auto weighted = t * out;
        auto total = sum(weighted, topos::Shape{axis});
        auto spread = broadcast_along(total, axis, x.type().shape.at(axis));
        auto centered = t - spread;
        return out * centered;
      });
}
template <class V>
Dual<V> log_softmax(const Dual<V>& a, topos::Extent axis) {
  return dual::along(
      a, [&](const V& x) { return log_softmax(x, axis); },
      [&](const V& x, const V& out, const V& t) {
        auto probability = exp(out);
        auto weighted = t * probability;
        auto total = sum(weighted, topos::Shape{axis});
        auto spread = broadcast_along(total, axis, x.type().shape.at(axis));
        return t - spread;
      });
}
template <class V>
Dual<V> logsumexp(const Dual<V>& a, topos::Extent axis) {
  return dual::along(
      a, [&](const V& x) { return logsumexp(x, axis); },
      [&](const V& x, const V&, const V& t) {
        auto probability = softmax(x, axis);
        auto weighted = t * probability;
        return sum(weighted, topos::Shape{axis});
      });
}
/// The tangent of the place where the largest was found.
template <class V>
Dual<V> max_along(const Dual<V>& a, topos::Extent axis) {
  return dual::along(
      a, [&](const V& x) { return max_along(x, axis); },
      [&](const V& x, const V&, const V& t) {
        auto place = argmax_along(x, axis);
        auto spread = broadcast_along(place, axis, x.type().shape.at(axis));
        auto count = iota_like(x, axis);
        auto chosen = compare(spread, count, topos::Direction::eq);
        auto zero = full_like(t, 0.0);
        auto picked = select(chosen, t, zero);
        return sum(picked, topos::Shape{axis});
      });
}
template <class V>
Dual<V> argmax_along(const Dual<V>& a, topos::Extent axis) {
  return {argmax_along(a.value(), axis)};
}

// --- movement --------------------------------------------------------------------------------------------------------

template <class V>
Dual<V> broadcast(const Dual<V>& x, const topos::Shape& shape) {
  return dual::linear(x, [&](const V& each) { return broadcast(each, shape); });
}
template <class V>
Dual<V> broadcast_along(const Dual<V>& x, topos::Extent axis, topos::Extent extent) {
  return dual::linear(x, [&](const V& each) { return broadcast_along(each, axis, extent); });
}
template <class V>
Dual<V> reshape(const Dual<V>& x, const topos::Shape& shape) {
  return dual::linear(x, [&](const V& each) { return reshape(each, shape); });
}
template <class V>
Dual<V> permute(const Dual<V>& x, const topos::Shape& order) {
  return dual::linear(x, [&](const V& each) { return permute(each, order); });
}
template <class V>
Dual<V> narrow(const Dual<V>& x, topos::Extent axis, topos::Extent start, topos::Extent length) {
  return dual::linear(x, [&](const V& each) { return narrow(each, axis, start, length); });
}
template <class V>
Dual<V> pad(const Dual<V>& x, topos::Extent axis, topos::Extent start, topos::Extent full_extent) {
  return dual::linear(x, [&](const V& each) { return pad(each, axis, start, full_extent); });
}
template <class V>
Dual<V> unfold(const Dual<V>& x, topos::Extent axis, topos::Extent size, topos::Extent step, topos::Extent dilation) {
  return dual::linear(x, [&](const V& each) { return unfold(each, axis, size, step, dilation); });
}
template <class V>
Dual<V> fold(const Dual<V>& x, topos::Extent axis, topos::Extent size, topos::Extent step, topos::Extent dilation,
             topos::Extent extent) {
  return dual::linear(x, [&](const V& each) { return fold(each, axis, size, step, dilation, extent); });
}
template <class V>
Dual<V> concat(std::span<const Dual<V>* const> operands, topos::Extent axis) {
  std::vector<const V*> values, parts;
  std::vector<V> tangents;
  bool moves = false;
  for (const auto* operand : operands) {
    values.push_back(&operand->value());
    moves = moves || operand->tangent();
  }
  auto value = concat(std::span<const V* const>(values), axis);
  if (!moves) return {std::move(value)};
  for (const auto* operand : operands) tangents.push_back(operand->tangent_or_zero());
  for (const auto& tangent : tangents) parts.push_back(&tangent);
  return {std::move(value), concat(std::span<const V* const>(parts), axis)};
}

// --- indices and elements --------------------------------------------------------------------------------------------

template <class V>
Dual<V> gather(const Dual<V>& table, const Dual<V>& indices) {
  return dual::linear(table, [&](const V& each) { return gather(each, indices.value()); });
}
template <class V>
Dual<V> scatter(const Dual<V>& rows, const Dual<V>& indices, topos::Extent extent) {
  return dual::linear(rows, [&](const V& each) { return scatter(each, indices.value(), extent); });
}
/// Integers and predicates have no tangent.
template <class V>
Dual<V> convert(const Dual<V>& x, topos::ElementType element) {
  if (!element.is_floating()) return {convert(x.value(), element)};
  return dual::linear(x, [&](const V& each) { return convert(each, element); });
}
template <class V>
Dual<V> iota_like(const Dual<V>& x, topos::Extent axis) {
  return {iota_like(x.value(), axis)};
}
template <class V>
Dual<V> full_like(const Dual<V>& x, topos::Number number) {
  return {full_like(x.value(), number)};
}

}  // namespace examples
