// Elementwise opcodes of arithmetic: one number a place, operands of one type.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// `%v = stablehlo.operation operands : type`.
std::string lower_elementwise(stablehlo::Writer& writer, const Lowering& node, std::string_view operation);

/// Spec: docs/ops/elementwise.md#add.
struct Add {
  static constexpr std::string_view name = "Add";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::add;
  bool operator==(const Add&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return in[0] + in[1];
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V& g) const {
    return {g, g};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "add");
  }
};

/// Spec: docs/ops/elementwise.md#sub.
struct Sub {
  static constexpr std::string_view name = "Sub";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::subtract;
  bool operator==(const Sub&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return in[0] - in[1];
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V& g) const {
    auto right = -g;
    return {g, std::move(right)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "subtract");
  }
};

/// Spec: docs/ops/elementwise.md#mul.
struct Mul {
  static constexpr std::string_view name = "Mul";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::multiply;
  bool operator==(const Mul&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return in[0] * in[1];
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto left = g * in[1];
    auto right = g * in[0];
    return {std::move(left), std::move(right)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "multiply");
  }
};

/// Spec: docs/ops/elementwise.md#div.
struct Div {
  static constexpr std::string_view name = "Div";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::divide;
  bool operator==(const Div&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return in[0] / in[1];
  }
  // The right side is -(g * (a / b)) / b: no square of b, which could overflow, is formed.
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V& out, const V& g) const {
    auto left = g / in[1];
    auto product = g * out;
    auto quotient = product / in[1];
    auto right = -quotient;
    return {std::move(left), std::move(right)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "divide");
  }
};

/// IEEE 754-2019 maximum. A tie belongs to the second operand. Spec: docs/ops/elementwise.md#maximum.
struct Maximum {
  static constexpr std::string_view name = "Maximum";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::maximum;
  bool operator==(const Maximum&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return maximum(in[0], in[1]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto first_is_larger = compare(in[0], in[1], Direction::gt);
    auto zero = full_like(g, 0.0);
    auto left = select(first_is_larger, g, zero);
    auto right = select(first_is_larger, zero, g);
    return {std::move(left), std::move(right)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "maximum");
  }
};

/// IEEE 754-2019 minimum. A tie belongs to the second operand. Spec: docs/ops/elementwise.md#minimum.
struct Minimum {
  static constexpr std::string_view name = "Minimum";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::minimum;
  bool operator==(const Minimum&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return minimum(in[0], in[1]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto first_is_smaller = compare(in[0], in[1], Direction::lt);
    auto zero = full_like(g, 0.0);
    auto left = select(first_is_smaller, g, zero);
    auto right = select(first_is_smaller, zero, g);
    return {std::move(left), std::move(right)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "minimum");
  }
};

/// Spec: docs/ops/elementwise.md#neg.
struct Neg {
  static constexpr std::string_view name = "Neg";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::negate;
  bool operator==(const Neg&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return -in[0];
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V& g) const {
    return {-g};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "negate");
  }
};

/// Spec: docs/ops/elementwise.md#abs.
struct Abs {
  static constexpr std::string_view name = "Abs";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::absolute;
  bool operator==(const Abs&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return abs(in[0]);
  }
  // The one rule that multiplies: the sign is 0 at the kink, and finite wherever the operand is a number.
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto slope = sign(in[0]);
    return {g * slope};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "abs");
  }
};

/// -1, 0 or 1; its derivative is nothing. Spec: docs/ops/elementwise.md#sign.
struct Sign {
  static constexpr std::string_view name = "Sign";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::sign;
  bool operator==(const Sign&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return sign(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V&, const V&) const {
    return {no_cotangent};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "sign");
  }
};

}  // namespace topos::op
