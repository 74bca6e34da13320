// The algebra of types: the spelling of tensors and values, checking operands and giving the result's type.
//
// This is the only place where a shape rule is written: an opcode's type rule is its forward read over TensorType, and
// tensor arithmetic checks with the same words. A broken constraint throws TypeFault with the label that the
// operation's page in docs/ops/ gives it.
#pragma once
#include <span>

#include "topos/base/error.h"
#include "topos/element/number.h"
#include "topos/type/tensor_type.h"

namespace topos {

TensorType operator+(const TensorType& a, const TensorType& b);
TensorType operator-(const TensorType& a, const TensorType& b);
TensorType operator*(const TensorType& a, const TensorType& b);
TensorType operator/(const TensorType& a, const TensorType& b);
TensorType operator-(const TensorType& x);
TensorType power(const TensorType& a, const TensorType& b);
TensorType maximum(const TensorType& a, const TensorType& b);
TensorType minimum(const TensorType& a, const TensorType& b);
TensorType abs(const TensorType& x);
TensorType sign(const TensorType& x);
TensorType exp(const TensorType& x);
TensorType expm1(const TensorType& x);
TensorType log(const TensorType& x);
TensorType log1p(const TensorType& x);
TensorType sqrt(const TensorType& x);
TensorType rsqrt(const TensorType& x);
TensorType tanh(const TensorType& x);
TensorType sin(const TensorType& x);
TensorType cos(const TensorType& x);
TensorType erf(const TensorType& x);
TensorType erf_derivative(const TensorType& x);
TensorType logistic(const TensorType& x);
TensorType softplus(const TensorType& x);
TensorType stop_gradient(const TensorType& x);

TensorType compare(const TensorType& a, const TensorType& b, Direction direction);
TensorType logical_and(const TensorType& a, const TensorType& b);
TensorType logical_or(const TensorType& a, const TensorType& b);
TensorType logical_not(const TensorType& x);
TensorType select(const TensorType& predicate, const TensorType& a, const TensorType& b);

TensorType matmul(const TensorType& a, const TensorType& b);
TensorType sum(const TensorType& x, const Shape& axes);
TensorType sum(const TensorType& x);
TensorType softmax(const TensorType& x, Extent axis);
TensorType log_softmax(const TensorType& x, Extent axis);
TensorType logsumexp(const TensorType& x, Extent axis);
TensorType max_along(const TensorType& x, Extent axis);
TensorType argmax_along(const TensorType& x, Extent axis);

TensorType broadcast(const TensorType& x, const Shape& shape);
TensorType broadcast_along(const TensorType& x, Extent axis, Extent extent);
TensorType reshape(const TensorType& x, const Shape& shape);
TensorType permute(const TensorType& x, const Shape& order);
/// Axes reversed, rank 2 at most; more would need to say which.
TensorType transpose(const TensorType& x);
TensorType narrow(const TensorType& x, Extent axis, Extent start, Extent length);
TensorType pad(const TensorType& x, Extent axis, Extent start, Extent full_extent);
TensorType unfold(const TensorType& x, Extent axis, Extent size, Extent step, Extent dilation);
TensorType fold(const TensorType& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent);
TensorType concat(std::span<const TensorType* const> operands, Extent axis);

TensorType gather(const TensorType& table, const TensorType& indices);
TensorType scatter(const TensorType& rows, const TensorType& indices, Extent extent);
TensorType convert(const TensorType& x, ElementType element);

/// The type of a count along `axis`, and of one beside `x`: i64 of x's shape.
TensorType iota_type(ElementType element, const Shape& shape, Extent axis);
TensorType iota_like(const TensorType& x, Extent axis);
/// A constant of x's type; the number must fit its element.
TensorType full_like(const TensorType& x, Number value);

}  // namespace topos
