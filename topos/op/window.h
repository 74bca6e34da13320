// Windows of an axis taken apart and added back: Unfold, Fold.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// An axis as [count, size]: tap k of window w is place w * step + k * dilation. Spec: docs/ops/window.md#unfold.
struct Unfold {
  static constexpr std::string_view name = "Unfold";
  static constexpr int arity = 1;
  Extent axis = 0;
  Extent size = 1;
  Extent step = 1;
  Extent dilation = 1;
  static constexpr auto fields = std::tuple(Attribute("axis", &Unfold::axis), Attribute("size", &Unfold::size),
                                            Attribute("step", &Unfold::step), Attribute("dilation", &Unfold::dilation));
  bool operator==(const Unfold&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return unfold(in[0], axis, size, step, dilation);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Extent extent = type_of(in[0]).shape.at(axis);
    return {fold(g, axis, size, step, dilation, extent)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// The axes [count, size] added into an axis of `extent` places of zeros, taps in ascending order.
/// Spec: docs/ops/window.md#fold.
struct Fold {
  static constexpr std::string_view name = "Fold";
  static constexpr int arity = 1;
  Extent axis = 0;
  Extent size = 1;
  Extent step = 1;
  Extent dilation = 1;
  Extent extent = 1;
  static constexpr auto fields =
      std::tuple(Attribute("axis", &Fold::axis), Attribute("size", &Fold::size), Attribute("step", &Fold::step),
                 Attribute("dilation", &Fold::dilation), Attribute("extent", &Fold::extent));
  bool operator==(const Fold&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return fold(in[0], axis, size, step, dilation, extent);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V& g) const {
    return {unfold(g, axis, size, step, dilation)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

}  // namespace topos::op
