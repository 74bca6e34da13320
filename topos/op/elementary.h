// Elementwise opcodes of elementary functions: exp and its kin, powers, trigonometry, the error function.
#pragma once
#include <limits>

#include "topos/op/elementwise.h"

namespace topos::op {

/// Spec: docs/ops/elementary.md#exp.
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

/// Spec: docs/ops/elementary.md#log.
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

/// Spec: docs/ops/elementary.md#sqrt.
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

/// Spec: docs/ops/elementary.md#tanh.
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

/// exp(x) - 1, exact near 0. Spec: docs/ops/elementary.md#expm1.
struct Expm1 {
  static constexpr std::string_view name = "Expm1";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::expm1;
  bool operator==(const Expm1&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return expm1(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V& out, const V& g) const {
    auto one = full_like(out, 1.0);
    auto slope = out + one;
    return {g * slope};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "exponential_minus_one");
  }
};

/// log(1 + x), exact near 0. Spec: docs/ops/elementary.md#log1p.
struct Log1p {
  static constexpr std::string_view name = "Log1p";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::log1p;
  bool operator==(const Log1p&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return log1p(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto one = full_like(in[0], 1.0);
    auto divisor = one + in[0];
    return {quotient_of_cotangent(g, divisor)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "log_plus_one");
  }
};

/// 1 / sqrt(x). Spec: docs/ops/elementary.md#rsqrt.
struct Rsqrt {
  static constexpr std::string_view name = "Rsqrt";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::rsqrt;
  bool operator==(const Rsqrt&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return rsqrt(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V& out, const V& g) const {
    auto twice = in[0] + in[0];
    auto zero = full_like(g, 0.0);
    auto no_divisor = compare(twice, zero, Direction::eq);
    auto no_cotangent = compare(g, zero, Direction::eq);
    auto bad = logical_and(no_divisor, no_cotangent);
    auto one = full_like(twice, 1.0);
    auto safe = select(bad, one, twice);
    auto safe_out = select(bad, one, out);  // infinite where bad
    auto product = g * safe_out;
    auto quotient = product / safe;
    auto slope = -quotient;
    return {select(bad, zero, slope)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "rsqrt");
  }
};

/// Spec: docs/ops/elementary.md#sin.
struct Sin {
  static constexpr std::string_view name = "Sin";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::sin;
  bool operator==(const Sin&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return sin(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto slope = cos(in[0]);
    return {g * slope};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "sine");
  }
};

/// Spec: docs/ops/elementary.md#cos.
struct Cos {
  static constexpr std::string_view name = "Cos";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::cos;
  bool operator==(const Cos&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return cos(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto sine = sin(in[0]);
    auto product = g * sine;
    return {-product};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "cosine");
  }
};

/// Spec: docs/ops/elementary.md#erf.
struct Erf {
  static constexpr std::string_view name = "Erf";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::erf;
  bool operator==(const Erf&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return erf(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto slope = erf_derivative(in[0]);
    return {g * slope};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// 2 / sqrt(pi) exp(-x x). Spec: docs/ops/elementary.md#erfderivative.
struct ErfDerivative {
  static constexpr std::string_view name = "ErfDerivative";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::erf_derivative;
  bool operator==(const ErfDerivative&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return erf_derivative(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V& out, const V& g) const {
    auto twice = in[0] + in[0];
    auto product = g * twice;
    auto weighted = product * out;
    return {-weighted};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// 1 / (1 + exp(-x)). Spec: docs/ops/elementary.md#logistic.
struct Logistic {
  static constexpr std::string_view name = "Logistic";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::logistic;
  bool operator==(const Logistic&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return logistic(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V>, const V& out, const V& g) const {
    auto one = full_like(out, 1.0);
    auto rest = one - out;
    auto slope = out * rest;
    return {g * slope};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "logistic");
  }
};

/// log(1 + exp(x)). Spec: docs/ops/elementary.md#softplus.
struct Softplus {
  static constexpr std::string_view name = "Softplus";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::softplus;
  bool operator==(const Softplus&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return softplus(in[0]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V&, const V& g) const {
    auto slope = logistic(in[0]);
    return {g * slope};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const;
};

/// IEEE 754 pow. Spec: docs/ops/elementary.md#power.
struct Power {
  static constexpr std::string_view name = "Power";
  static constexpr int arity = 2;
  static constexpr std::tuple<> fields{};
  static constexpr Function function = Function::power;
  bool operator==(const Power&) const = default;
  template <class V>
  V forward(Operands<V> in) const {
    return power(in[0], in[1]);
  }
  template <class V>
  Cotangents<V> vjp(Operands<V> in, const V& out, const V& g) const {
    auto left = base_side(in[0], in[1], g);
    auto right = exponent_side(in[0], out, g);
    return {std::move(left), std::move(right)};
  }
  std::string lower(stablehlo::Writer& writer, const Lowering& node) const {
    return lower_elementwise(writer, node, "power");
  }

 private:
  /// g times b a^(b-1): 0 where the slope is not finite and the exponent or the cotangent is 0.
  template <class V>
  static V base_side(const V& a, const V& b, const V& g) {
    auto one = full_like(b, 1.0);
    auto less = b - one;
    auto lower_power = power(a, less);
    auto slope = b * lower_power;
    auto zero = full_like(b, 0.0);
    auto constant = compare(b, zero, Direction::eq);
    auto no_cotangent = compare(g, zero, Direction::eq);
    auto either = logical_or(constant, no_cotangent);
    return g * without_infinity(slope, either);
  }
  /// g times a^b log a; 0 where the base is 0, or where the slope is not finite and the cotangent is 0. The logarithm
  /// is taken of a selected base, so that its own derivative is 0 there too.
  template <class V>
  static V exponent_side(const V& a, const V& out, const V& g) {
    auto zero = full_like(a, 0.0);
    auto no_base = compare(a, zero, Direction::eq);
    auto one = full_like(a, 1.0);
    auto safe_base = select(no_base, one, a);
    auto logarithm = log(safe_base);
    auto product = out * logarithm;
    auto slope = select(no_base, zero, product);
    auto no_cotangent = compare(g, zero, Direction::eq);
    return g * without_infinity(slope, no_cotangent);
  }
  /// The slope, but 0 where it is not finite and `unless` holds.
  template <class V>
  static V without_infinity(const V& slope, const V& unless) {
    auto magnitude = abs(slope);
    auto infinity = full_like(slope, std::numeric_limits<double>::infinity());
    auto finite = compare(magnitude, infinity, Direction::lt);
    auto not_finite = logical_not(finite);
    auto bad = logical_and(not_finite, unless);
    auto zero = full_like(slope, 0.0);
    return select(bad, zero, slope);
  }
};

}  // namespace topos::op
