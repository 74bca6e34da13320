// Predicates, their logic, and the choice they make: Compare, And, Or, Not, Select.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// Spec: docs/ops/choice.md#compare.
struct Compare {
  static constexpr std::string_view name = "Compare";
  static constexpr int arity = 2;
  Direction direction = Direction::eq;
  static constexpr auto fields = std::tuple(Attribute("direction", &Compare::direction));
  bool operator==(const Compare&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return compare(in[0], in[1], direction);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {no_cotangent, no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Spec: docs/ops/choice.md#and.
struct And {
  static constexpr std::string_view name = "And";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::logical_and;
  bool operator==(const And&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return logical_and(in[0], in[1]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {no_cotangent, no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Spec: docs/ops/choice.md#or.
struct Or {
  static constexpr std::string_view name = "Or";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::logical_or;
  bool operator==(const Or&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return logical_or(in[0], in[1]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {no_cotangent, no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Spec: docs/ops/choice.md#not.
struct Not {
  static constexpr std::string_view name = "Not";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::logical_not;
  bool operator==(const Not&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return logical_not(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// Spec: docs/ops/choice.md#select.
struct Select {
  static constexpr std::string_view name = "Select";
  static constexpr int arity = 3;
  static constexpr std::tuple<> fields{};
  bool operator==(const Select&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return select(in[0], in[1], in[2]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto zero = full_like(g, 0.0);
    auto chosen = select(in[0], g, zero);
    auto other = select(in[0], zero, g);
    return {no_cotangent, std::move(chosen), std::move(other)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

}  // namespace topos::op
