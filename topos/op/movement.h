// Opcodes that place numbers without computing: Broadcast to Concat, and Convert, which changes their element.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// One value everywhere in a shape. Spec: docs/ops/movement.md#broadcast.
struct Broadcast {
  static constexpr std::string_view name = "Broadcast";
  static constexpr int arity = 1;
  Shape shape;
  static constexpr auto fields = std::tuple(Attribute("shape", &Broadcast::shape));
  bool operator==(const Broadcast&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return broadcast(in[0], shape);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Shape operand = type_of(in[0]).shape;
    auto total = sum(g);
    return {broadcast(total, operand)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Repetition along a new axis. Spec: docs/ops/movement.md#broadcastalong.
struct BroadcastAlong {
  static constexpr std::string_view name = "BroadcastAlong";
  static constexpr int arity = 1;
  Extent axis = 0;
  Extent extent = 0;
  static constexpr auto fields =
      std::tuple(Attribute("axis", &BroadcastAlong::axis), Attribute("extent", &BroadcastAlong::extent));
  bool operator==(const BroadcastAlong&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return broadcast_along(in[0], axis, extent);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V& g) const {
    return {sum(g, Shape{axis})};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// The same numbers in row-major order under another shape. Spec: docs/ops/movement.md#reshape.
struct Reshape {
  static constexpr std::string_view name = "Reshape";
  static constexpr int arity = 1;
  Shape shape;
  static constexpr auto fields = std::tuple(Attribute("shape", &Reshape::shape));
  bool operator==(const Reshape&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return reshape(in[0], shape);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Shape operand = type_of(in[0]).shape;
    return {reshape(g, operand)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Axis i of the result is axis order[i] of the operand. Spec: docs/ops/movement.md#permute.
struct Permute {
  static constexpr std::string_view name = "Permute";
  static constexpr int arity = 1;
  Shape order;
  static constexpr auto fields = std::tuple(Attribute("order", &Permute::order));
  bool operator==(const Permute&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return permute(in[0], order);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V& g) const {
    auto inverse = order;
    for (std::size_t i = 0; i < order.size(); ++i) inverse[static_cast<std::size_t>(order[i])] = static_cast<Extent>(i);
    return {permute(g, inverse)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// A window of one axis. Spec: docs/ops/movement.md#narrow.
struct Narrow {
  static constexpr std::string_view name = "Narrow";
  static constexpr int arity = 1;
  Extent axis = 0;
  Extent start = 0;
  Extent length = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &Narrow::axis), Attribute("start", &Narrow::start),
                                            Attribute("len", &Narrow::length));
  bool operator==(const Narrow&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return narrow(in[0], axis, start, length);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Extent full_extent = type_of(in[0]).shape.at(axis);
    return {pad(g, axis, start, full_extent)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// A place inside a longer axis, zeros around. Spec: docs/ops/movement.md#pad.
struct Pad {
  static constexpr std::string_view name = "Pad";
  static constexpr int arity = 1;
  Extent axis = 0;
  Extent start = 0;
  Extent full_extent = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &Pad::axis), Attribute("start", &Pad::start),
                                            Attribute("full_extent", &Pad::full_extent));
  bool operator==(const Pad&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return pad(in[0], axis, start, full_extent);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Extent length = type_of(in[0]).shape.at(axis);
    return {narrow(g, axis, start, length)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Operands one after the other along an axis. Spec: docs/ops/movement.md#concat.
struct Concat {
  static constexpr std::string_view name = "Concat";
  static constexpr int arity = variable_arity;
  Extent axis = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &Concat::axis));
  bool operator==(const Concat&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return concat(in.all(), axis);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    Cotangents<V> result;
    Extent start = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Extent length = type_of(in[i]).shape.at(axis);
      result.add(narrow(g, axis, start, length));
      start += length;
    }
    return result;
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// The same numbers, at which a derivative ends: the operand takes no cotangent. Spec:
/// docs/ops/movement.md#stopgradient.
struct StopGradient {
  static constexpr std::string_view name = "StopGradient";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  bool operator==(const StopGradient&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return stop_gradient(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {no_cotangent};
  }
  /// No line: its readers read the operand.
  std::string lower(stablehlo::Writer&, const Lowering& node) const { return node.operands[0]; }
};

/// Each number in another element, rounded once. Spec: docs/ops/movement.md#convert.
struct Convert {
  static constexpr std::string_view name = "Convert";
  static constexpr int arity = 1;
  ElementType element = f32;
  static constexpr auto fields = std::tuple(Attribute("element", &Convert::element));
  bool operator==(const Convert&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return convert(in[0], element);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const ElementType from = type_of(in[0]).element;
    if (!from.is_floating()) return {no_cotangent};
    return {convert(g, from)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

}  // namespace topos::op
