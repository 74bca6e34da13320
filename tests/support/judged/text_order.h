// The algebra of the emitted text, read by an evaluator that rounds each of its operations once.
#pragma once
#include "topos/custom.h"

namespace topos::test {

/// A tensor as the text gives it: sums from left to right, products multiplied and then added with k ascending, bf16
/// sums and products in f32, opcodes of several operations as those. The library's own numbers differ only where its
/// conventions say more: lanes of sums, fused multiply-adds, and functions that are rounded once.
struct TextOrder {
  Tensor value;
  const TensorType& type() const { return value.type(); }
};

TextOrder operator+(const TextOrder& a, const TextOrder& b);
TextOrder operator-(const TextOrder& a, const TextOrder& b);
TextOrder operator*(const TextOrder& a, const TextOrder& b);
TextOrder operator/(const TextOrder& a, const TextOrder& b);
TextOrder operator-(const TextOrder& x);
TextOrder power(const TextOrder& a, const TextOrder& b);
TextOrder maximum(const TextOrder& a, const TextOrder& b);
TextOrder minimum(const TextOrder& a, const TextOrder& b);
TextOrder abs(const TextOrder& x);
TextOrder sign(const TextOrder& x);
TextOrder exp(const TextOrder& x);
TextOrder expm1(const TextOrder& x);
TextOrder log(const TextOrder& x);
TextOrder log1p(const TextOrder& x);
TextOrder sqrt(const TextOrder& x);
TextOrder rsqrt(const TextOrder& x);
TextOrder tanh(const TextOrder& x);
TextOrder sin(const TextOrder& x);
TextOrder cos(const TextOrder& x);
TextOrder erf(const TextOrder& x);
TextOrder erf_derivative(const TextOrder& x);
TextOrder logistic(const TextOrder& x);
TextOrder softplus(const TextOrder& x);
TextOrder stop_gradient(const TextOrder& x);
TextOrder compare(const TextOrder& a, const TextOrder& b, Direction direction);
TextOrder logical_and(const TextOrder& a, const TextOrder& b);
TextOrder logical_or(const TextOrder& a, const TextOrder& b);
TextOrder logical_not(const TextOrder& x);
TextOrder select(const TextOrder& predicate, const TextOrder& a, const TextOrder& b);
TextOrder matmul(const TextOrder& a, const TextOrder& b);
TextOrder sum(const TextOrder& x, const Shape& axes);
TextOrder softmax(const TextOrder& x, Extent axis);
TextOrder log_softmax(const TextOrder& x, Extent axis);
TextOrder logsumexp(const TextOrder& x, Extent axis);
TextOrder max_along(const TextOrder& x, Extent axis);
TextOrder argmax_along(const TextOrder& x, Extent axis);
TextOrder broadcast(const TextOrder& x, const Shape& shape);
TextOrder broadcast_along(const TextOrder& x, Extent axis, Extent extent);
TextOrder reshape(const TextOrder& x, const Shape& shape);
TextOrder permute(const TextOrder& x, const Shape& order);
TextOrder narrow(const TextOrder& x, Extent axis, Extent start, Extent length);
TextOrder pad(const TextOrder& x, Extent axis, Extent start, Extent full_extent);
TextOrder unfold(const TextOrder& x, Extent axis, Extent size, Extent step, Extent dilation);
TextOrder fold(const TextOrder& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent);
TextOrder concat(std::span<const TextOrder* const> operands, Extent axis);
TextOrder gather(const TextOrder& table, const TextOrder& indices);
TextOrder scatter(const TextOrder& rows, const TextOrder& indices, Extent extent);
TextOrder convert(const TextOrder& x, ElementType element);
TextOrder full_like(const TextOrder& x, Number number);

}  // namespace topos::test
