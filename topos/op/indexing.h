// Rows read and accumulated through i64 indices: Gather and Scatter.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// Rows of a table by index. Spec: docs/ops/indexing.md#gather.
struct Gather {
  static constexpr std::string_view name = "Gather";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  bool operator==(const Gather&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return gather(in[0], in[1]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Extent extent = type_of(in[0]).shape[0];
    return {scatter(g, in[1], extent), no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Rows added into a table of zeros by index, ascending. Spec: docs/ops/indexing.md#scatter.
struct Scatter {
  static constexpr std::string_view name = "Scatter";
  static constexpr int arity = 2;
  Extent extent = 0;
  static constexpr auto fields = std::tuple(Attribute("extent", &Scatter::extent));
  bool operator==(const Scatter&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return scatter(in[0], in[1], extent);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    return {gather(g, in[1]), no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

}  // namespace topos::op
