// The algebra over tensors: the vocabulary of rules and composites, computed at once, exactly, by the reference.
#pragma once
#include "topos/tensor/tensor.h"

namespace topos {

// Every function checks its operands with the rules of type/rules.h and throws Error(type) naming the operation, the
// constraint and the types. A negative axis counts from the end. Shapes must agree: nothing spreads by itself, except a
// C++ number beside a tensor.

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
/// Division. Integers truncate toward zero; an integer divisor of zero throws Error(argument).
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& x);
/// IEEE 754 pow: power(x, 0) and power(1, y) are 1, even beside NaN.
Tensor power(const Tensor& a, const Tensor& b);
/// NaN if any is NaN, +0 above -0 (IEEE 754-2019 maximum and minimum).
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor abs(const Tensor& x);
/// -1, 0 or 1; zeros of either sign and NaN give themselves.
Tensor sign(const Tensor& x);
Tensor exp(const Tensor& x);
Tensor expm1(const Tensor& x);
Tensor log(const Tensor& x);
Tensor log1p(const Tensor& x);
Tensor sqrt(const Tensor& x);
/// 1 / sqrt(x), rounded once.
Tensor rsqrt(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor erf(const Tensor& x);
/// 2 / sqrt(pi) exp(-x x).
Tensor erf_derivative(const Tensor& x);
/// 1 / (1 + exp(-x)).
Tensor logistic(const Tensor& x);
/// log(1 + exp(x)).
Tensor softplus(const Tensor& x);
/// x itself; a derivative ends here.
Tensor stop_gradient(const Tensor& x);

/// Boolean; false beside NaN, except ne.
Tensor compare(const Tensor& a, const Tensor& b, Direction direction);
Tensor logical_and(const Tensor& a, const Tensor& b);
Tensor logical_or(const Tensor& a, const Tensor& b);
Tensor logical_not(const Tensor& x);
/// a where the boolean predicate is true, b elsewhere.
Tensor select(const Tensor& predicate, const Tensor& a, const Tensor& b);

/// [b.., m, k] by [b.., k, n]: each output a chain of fused multiply-adds from +0, k ascending in blocks of 2048.
Tensor matmul(const Tensor& a, const Tensor& b);
/// The sum over `axes`, which go away: 16 lanes, blocks of 256, in row-major order of the reduced axes.
Tensor sum(const Tensor& x, const Shape& axes);
/// The sum over every axis.
Tensor sum(const Tensor& x);
Tensor softmax(const Tensor& x, Extent axis);
Tensor log_softmax(const Tensor& x, Extent axis);
Tensor logsumexp(const Tensor& x, Extent axis);
/// The largest along an axis, which goes away: NaN if any is NaN, +0 above -0.
Tensor max_along(const Tensor& x, Extent axis);
/// Its place, i64: the first NaN's, or else the first of equals.
Tensor argmax_along(const Tensor& x, Extent axis);

/// The one value of x everywhere in `shape`.
Tensor broadcast(const Tensor& x, const Shape& shape);
/// x repeated along a new axis.
Tensor broadcast_along(const Tensor& x, Extent axis, Extent extent);
Tensor reshape(const Tensor& x, const Shape& shape);
/// Axis i of the result is axis order[i] of x.
Tensor permute(const Tensor& x, const Shape& order);
/// The window [start, start + length) of an axis.
Tensor narrow(const Tensor& x, Extent axis, Extent start, Extent length);
/// x at `start` of an axis of `full_extent`, zeros around it.
Tensor pad(const Tensor& x, Extent axis, Extent start, Extent full_extent);
/// Windows of an axis: it becomes [count, size], tap k of window w being place w * step + k * dilation.
Tensor unfold(const Tensor& x, Extent axis, Extent size, Extent step, Extent dilation);
/// The taps [count, size] of an axis added back into `extent` places of zeros, k ascending.
Tensor fold(const Tensor& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent);
Tensor concat(std::span<const Tensor* const> operands, Extent axis);
/// Axes reversed, rank 2 at most.
Tensor transpose(const Tensor& x);

/// Rows of `table` by i64 indices of any shape. Throws Error(index) for an index out of range.
Tensor gather(const Tensor& table, const Tensor& indices);
/// Rows added into `extent` rows of zeros, in ascending order. Throws Error(index) for an index out of range.
Tensor scatter(const Tensor& rows, const Tensor& indices, Extent extent);
/// Each number in another element, rounded once.
Tensor convert(const Tensor& x, ElementType element);

/// 0, 1, 2, ... along `axis`, i64 of x's shape.
Tensor iota_like(const Tensor& x, Extent axis);
Tensor full_like(const Tensor& x, Number value);
/// 0 + x, as every gradient begins: x, but +0 where x is -0. x must have an addition.
Tensor zero_plus(const Tensor& x);

// A number beside a tensor takes its type and shape.
template <class T>
concept PlainNumber = std::is_arithmetic_v<T>;

Tensor operator+(const Tensor& a, PlainNumber auto b) { return a + full_like(a, b); }
Tensor operator-(const Tensor& a, PlainNumber auto b) { return a - full_like(a, b); }
Tensor operator*(const Tensor& a, PlainNumber auto b) { return a * full_like(a, b); }
Tensor operator/(const Tensor& a, PlainNumber auto b) { return a / full_like(a, b); }
Tensor operator+(PlainNumber auto a, const Tensor& b) { return full_like(b, a) + b; }
Tensor operator-(PlainNumber auto a, const Tensor& b) { return full_like(b, a) - b; }
Tensor operator*(PlainNumber auto a, const Tensor& b) { return full_like(b, a) * b; }
Tensor operator/(PlainNumber auto a, const Tensor& b) { return full_like(b, a) / b; }
Tensor maximum(const Tensor& a, PlainNumber auto b) { return maximum(a, full_like(a, b)); }
Tensor minimum(const Tensor& a, PlainNumber auto b) { return minimum(a, full_like(a, b)); }
Tensor power(const Tensor& a, PlainNumber auto b) { return power(a, full_like(a, b)); }

}  // namespace topos
