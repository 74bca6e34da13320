// What makes a payload an algebra, and what happens when a user's algebra lacks a function: an error that names it.
#pragma once
#include <typeinfo>

#include "topos/op/operands.h"

namespace topos {

class Tensor;
class Value;

/// The library's own algebras: types check, tensors compute, values record.
template <class V>
inline constexpr bool native_algebra = false;
template <>
inline constexpr bool native_algebra<TensorType> = true;
template <>
inline constexpr bool native_algebra<Tensor> = true;
template <>
inline constexpr bool native_algebra<Value> = true;

/// A user's payload: copyable, and `v.type()` gives its TensorType. Its functions stand in its own namespace, on the
/// class itself, where argument-dependent lookup finds them.
template <class V>
concept ForeignAlgebra = !native_algebra<V> && std::copyable<V> && requires(const V& v) {
  { v.type() } -> std::convertible_to<TensorType>;
};

/// Throws Error(argument) that names the algebra and the function that it lacks.
[[noreturn]] void algebra_lacks(const std::type_info& algebra, std::string_view function);

// The fallbacks: worse matches than any function the user writes, found when there is none. The second template
// parameter makes a user's unconstrained template ambiguous rather than silently ignored.
#define TOPOS_FALLBACK(signature, text)     \
  template <ForeignAlgebra V, class = void> \
  V signature {                             \
    algebra_lacks(typeid(V), text);         \
  }
TOPOS_FALLBACK(operator+(const V&, const V&), "operator+(a, b)")
TOPOS_FALLBACK(operator-(const V&, const V&), "operator-(a, b)")
TOPOS_FALLBACK(operator*(const V&, const V&), "operator*(a, b)")
TOPOS_FALLBACK(operator/(const V&, const V&), "operator/(a, b)")
TOPOS_FALLBACK(operator-(const V&), "operator-(x)")
TOPOS_FALLBACK(power(const V&, const V&), "power(a, b)")
TOPOS_FALLBACK(maximum(const V&, const V&), "maximum(a, b)")
TOPOS_FALLBACK(minimum(const V&, const V&), "minimum(a, b)")
TOPOS_FALLBACK(abs(const V&), "abs(x)")
TOPOS_FALLBACK(sign(const V&), "sign(x)")
TOPOS_FALLBACK(exp(const V&), "exp(x)")
TOPOS_FALLBACK(expm1(const V&), "expm1(x)")
TOPOS_FALLBACK(log(const V&), "log(x)")
TOPOS_FALLBACK(log1p(const V&), "log1p(x)")
TOPOS_FALLBACK(sqrt(const V&), "sqrt(x)")
TOPOS_FALLBACK(rsqrt(const V&), "rsqrt(x)")
TOPOS_FALLBACK(tanh(const V&), "tanh(x)")
TOPOS_FALLBACK(sin(const V&), "sin(x)")
TOPOS_FALLBACK(cos(const V&), "cos(x)")
TOPOS_FALLBACK(erf(const V&), "erf(x)")
TOPOS_FALLBACK(erf_derivative(const V&), "erf_derivative(x)")
TOPOS_FALLBACK(logistic(const V&), "logistic(x)")
TOPOS_FALLBACK(softplus(const V&), "softplus(x)")
TOPOS_FALLBACK(stop_gradient(const V&), "stop_gradient(x)")
TOPOS_FALLBACK(compare(const V&, const V&, Direction), "compare(a, b, direction)")
TOPOS_FALLBACK(logical_and(const V&, const V&), "logical_and(a, b)")
TOPOS_FALLBACK(logical_or(const V&, const V&), "logical_or(a, b)")
TOPOS_FALLBACK(logical_not(const V&), "logical_not(x)")
TOPOS_FALLBACK(select(const V&, const V&, const V&), "select(predicate, a, b)")
TOPOS_FALLBACK(matmul(const V&, const V&), "matmul(a, b)")
TOPOS_FALLBACK(sum(const V&, const Shape&), "sum(x, axes)")
TOPOS_FALLBACK(softmax(const V&, Extent), "softmax(x, axis)")
TOPOS_FALLBACK(log_softmax(const V&, Extent), "log_softmax(x, axis)")
TOPOS_FALLBACK(logsumexp(const V&, Extent), "logsumexp(x, axis)")
TOPOS_FALLBACK(max_along(const V&, Extent), "max_along(x, axis)")
TOPOS_FALLBACK(argmax_along(const V&, Extent), "argmax_along(x, axis)")
TOPOS_FALLBACK(broadcast(const V&, const Shape&), "broadcast(x, shape)")
TOPOS_FALLBACK(broadcast_along(const V&, Extent, Extent), "broadcast_along(x, axis, extent)")
TOPOS_FALLBACK(reshape(const V&, const Shape&), "reshape(x, shape)")
TOPOS_FALLBACK(permute(const V&, const Shape&), "permute(x, order)")
TOPOS_FALLBACK(narrow(const V&, Extent, Extent, Extent), "narrow(x, axis, start, length)")
TOPOS_FALLBACK(pad(const V&, Extent, Extent, Extent), "pad(x, axis, start, full_extent)")
TOPOS_FALLBACK(unfold(const V&, Extent, Extent, Extent, Extent), "unfold(x, axis, size, step, dilation)")
TOPOS_FALLBACK(fold(const V&, Extent, Extent, Extent, Extent, Extent), "fold(x, axis, size, step, dilation, extent)")
TOPOS_FALLBACK(concat(std::span<const V* const>, Extent), "concat(operands, axis)")
TOPOS_FALLBACK(gather(const V&, const V&), "gather(table, indices)")
TOPOS_FALLBACK(scatter(const V&, const V&, Extent), "scatter(rows, indices, extent)")
TOPOS_FALLBACK(convert(const V&, ElementType), "convert(x, element)")
TOPOS_FALLBACK(iota_like(const V&, Extent), "iota_like(x, axis)")
TOPOS_FALLBACK(full_like(const V&, Number), "full_like(x, number)")
#undef TOPOS_FALLBACK

/// The sum over every axis: a user's algebra needs only the one over axes.
template <ForeignAlgebra V, class = void>
V sum(const V& x) {
  return sum(x, Shape::counting(type_of(x).rank()));
}

/// The last two axes swapped: a transpose of every matrix of a batch.
template <class V>
V matrix_transpose(const V& x) {
  auto order = Shape::counting(type_of(x).rank());
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  return permute(x, order);
}

/// g / s, but 0 where both are 0: a zero cotangent stays zero where the local derivative is infinite, and only there.
template <class V>
V quotient_of_cotangent(const V& g, const V& s) {
  auto zero = full_like(g, 0.0);
  auto no_divisor = compare(s, zero, Direction::eq);
  auto no_cotangent = compare(g, zero, Direction::eq);
  auto bad = logical_and(no_divisor, no_cotangent);
  auto one = full_like(s, 1.0);
  auto safe = select(bad, one, s);
  auto quotient = g / safe;
  return select(bad, zero, quotient);
}

}  // namespace topos
