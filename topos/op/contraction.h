// Opcodes that contract axes or work along one: MatMul, Sum, Softmax, LogSoftmax, LogSumExp.
#pragma once
#include "topos/op/algebra.h"
#include "topos/op/attribute.h"

namespace topos::op {

/// Matrix product, batched over equal leading axes. Spec: docs/ops/contraction.md#matmul.
struct MatMul {
  static constexpr std::string_view name = "MatMul";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  bool operator==(const MatMul&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return matmul(in[0], in[1]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto right_transposed = matrix_transpose(in[1]);
    auto left = matmul(g, right_transposed);
    auto left_transposed = matrix_transpose(in[0]);
    auto right = matmul(left_transposed, g);
    return {std::move(left), std::move(right)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// The sum over ascending axes, one reduction. Prints `Sum` over all axes, else `SumAlong`.
/// Spec: docs/ops/contraction.md#sum.
struct Sum {
  static constexpr std::string_view name = "Sum";
  static constexpr int arity = 1;
  Shape axes;
  static constexpr auto fields = std::tuple(Attribute("axes", &Sum::axes));
  bool operator==(const Sum&) const = default;
  std::string_view title(std::span<const TensorType* const> in) const { return covers(*in[0]) ? "Sum" : "SumAlong"; }
  std::string attributes(std::span<const TensorType* const> in) const;
  template <class V>
  V forward(Operands<V> in) const {
    return covers(type_of(in[0])) ? sum(in[0]) : sum(in[0], axes);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Shape shape = type_of(in[0]).shape;
    if (covers(type_of(in[0]))) return {broadcast(g, shape)};
    auto spread = g;
    for (const auto axis : axes) spread = broadcast_along(spread, axis, shape.at(axis));
    return {std::move(spread)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;

 private:
  bool covers(const TensorType& operand) const { return axes == Shape::counting(operand.rank()); }
};

/// exp(x - max) / sum along an axis; zeros for a lane of -inf alone. Spec: docs/ops/contraction.md#softmax.
struct Softmax {
  static constexpr std::string_view name = "Softmax";
  static constexpr int arity = 1;
  Extent axis = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &Softmax::axis));
  bool operator==(const Softmax&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return softmax(in[0], axis);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V& out, const V& g) const {
    const Extent extent = type_of(in[0]).shape.at(axis);
    auto weighted = g * out;
    auto total = sum(weighted, Shape{axis});
    auto spread = broadcast_along(total, axis, extent);
    auto centered = g - spread;
    return {out * centered};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// x - logsumexp(x) along an axis, as s - log(sum(exp(s))), s = x - max. Spec: docs/ops/contraction.md#logsoftmax.
struct LogSoftmax {
  static constexpr std::string_view name = "LogSoftmax";
  static constexpr int arity = 1;
  Extent axis = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &LogSoftmax::axis));
  bool operator==(const LogSoftmax&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return log_softmax(in[0], axis);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V& out, const V& g) const {
    const Extent extent = type_of(in[0]).shape.at(axis);
    auto total = sum(g, Shape{axis});
    auto spread = broadcast_along(total, axis, extent);
    auto probability = exp(out);
    auto share = probability * spread;
    return {g - share};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// log(sum(exp(x))) along an axis, which goes away. Spec: docs/ops/contraction.md#logsumexp.
struct LogSumExp {
  static constexpr std::string_view name = "LogSumExp";
  static constexpr int arity = 1;
  Extent axis = 0;
  static constexpr auto fields = std::tuple(Attribute("axis", &LogSumExp::axis));
  bool operator==(const LogSumExp&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return logsumexp(in[0], axis);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    const Extent extent = type_of(in[0]).shape.at(axis);
    auto probability = softmax(in[0], axis);
    auto spread = broadcast_along(g, axis, extent);
    return {spread * probability};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

}  // namespace topos::op
