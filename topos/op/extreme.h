// The largest along an axis and its place: MaxAlong, ArgMaxAlong.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// The largest along an axis, which goes away. A tie belongs to the first. Spec: docs/ops/extreme.md#maxalong.
struct MaxAlong {
  static constexpr std::string_view name = "MaxAlong";
  static constexpr int arity = 1;
  Extent axis = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &MaxAlong::axis));
  bool operator==(const MaxAlong&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return max_along(in[0], axis);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Extent extent = type_of(in[0]).shape.at(axis);
    auto place = argmax_along(in[0], axis);
    auto spread_place = broadcast_along(place, axis, extent);
    auto count = iota_like(in[0], axis);
    auto chosen = compare(spread_place, count, Direction::eq);
    auto spread = broadcast_along(g, axis, extent);
    auto zero = full_like(spread, 0.0);
    return {select(chosen, spread, zero)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// The place of the largest along an axis, i64: of the first NaN, or else of the first of equals.
/// Spec: docs/ops/extreme.md#argmaxalong.
struct ArgMaxAlong {
  static constexpr std::string_view name = "ArgMaxAlong";
  static constexpr int arity = 1;
  Extent axis = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &ArgMaxAlong::axis));
  bool operator==(const ArgMaxAlong&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return argmax_along(in[0], axis);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

}  // namespace topos::op
