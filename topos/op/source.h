// Leaf, Parameter, Input: nodes without operands that are fed a payload; Iota: a count that needs none.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// A node that holds a payload and is never computed.
template <class O>
concept Source = requires { requires O::is_source; };

/// A constant. Spec: docs/ops/source.md#leaf.
struct Leaf {
  static constexpr std::string_view name = "Leaf";
  static constexpr int arity = 0;
  static constexpr bool is_source = true;
  static constexpr std::tuple<> fields{};
  bool operator==(const Leaf&) const = default;
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// A trainable payload that the caller owns. Spec: docs/ops/source.md#parameter.
struct Parameter {
  static constexpr std::string_view name = "Parameter";
  static constexpr int arity = 0;
  static constexpr bool is_source = true;
  static constexpr std::tuple<> fields{};
  bool operator==(const Parameter&) const = default;
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// A payload fed for each run. Spec: docs/ops/source.md#input.
struct Input {
  static constexpr std::string_view name = "Input";
  static constexpr int arity = 0;
  static constexpr bool is_source = true;
  static constexpr std::tuple<> fields{};
  bool operator==(const Input&) const = default;
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// 0, 1, 2, ... along an axis; no source: it is computed, from its type alone. Spec: docs/ops/source.md#iota.
struct Iota {
  static constexpr std::string_view name = "Iota";
  static constexpr int arity = 0;
  ElementType element = i64;
  Shape shape;
  Extent axis = 0;
  static constexpr auto fields = std::tuple(Attribute("element", &Iota::element), Attribute("shape", &Iota::shape),
                                            Attribute("axis", &Iota::axis));
  bool operator==(const Iota&) const = default;
  /// The line's type column already shows element and shape.
  std::string attributes(std::span<const TensorType* const>) const { return "axis=" + attribute_text(axis); }

  template <class V>
  V forward(Operands<V>) const {
    if constexpr (std::same_as<V, TensorType>)
      return iota_type(element, shape, axis);
    else if constexpr (requires { V::iota(element, shape, axis); })
      return V::iota(element, shape, axis);
    else
      throw Error(ErrorKind::argument, std::string(name),
                  "a count has no operand to find its place by: lift its payload like a source's");
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

}  // namespace topos::op
