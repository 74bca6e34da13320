// Elementwise opcodes of arithmetic and elementary functions: one number a place, operands of one type.
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

/// Spec: docs/ops/elementwise.md#exp.
struct Exp {
  static constexpr std::string_view name = "Exp";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::exp;
  bool operator==(const Exp&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return exp(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V& out, const V& g) const {
    return {g * out};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "exponential");
  }
};

/// Spec: docs/ops/elementwise.md#log.
struct Log {
  static constexpr std::string_view name = "Log";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::log;
  bool operator==(const Log&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return log(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    return {quotient_of_cotangent(g, in[0])};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "log");
  }
};

/// Spec: docs/ops/elementwise.md#sqrt.
struct Sqrt {
  static constexpr std::string_view name = "Sqrt";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::sqrt;
  bool operator==(const Sqrt&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return sqrt(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V& out, const V& g) const {
    auto twice = out + out;
    return {quotient_of_cotangent(g, twice)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "sqrt");
  }
};

/// Spec: docs/ops/elementwise.md#tanh.
struct Tanh {
  static constexpr std::string_view name = "Tanh";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::tanh;
  bool operator==(const Tanh&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return tanh(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V& out, const V& g) const {
    auto one = full_like(out, 1.0);
    auto square = out * out;
    auto slope = one - square;
    return {g * slope};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "tanh");
  }
};

}  // namespace topos::op
