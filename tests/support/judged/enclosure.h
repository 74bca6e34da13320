// The algebra of what any engine may compute: for every number of a tensor the interval that it lies in.
#pragma once
#include "support/judged/interval.h"
#include "topos/custom.h"

namespace topos::test {

/// Our own tensor and, around it, where the number of any engine lies that keeps to the text: elementwise arithmetic
/// is rounded once, sums and products come in any order with or without fusing, functions err as they were seen to,
/// and numbers below the smallest normal one may be zero. Zeros have no sign here. What hangs on a choice between
/// numbers that are too close is undecided.
struct Enclosure {
  Tensor value;
  Tensor low, high;     // f64, of floating elements
  Tensor undecided;     // boolean, of the others
  bool source = false;  // as it was fed, moved at most: its zeros have their sign

  const TensorType& type() const { return value.type(); }

  /// A payload that engines are given.
  static Enclosure of(const Tensor& payload);
  /// The middle of each interval and how far its ends are: f64. 0: equal; infinity: undecided; NaN for certain is a NaN
  /// with a radius of 0.
  Tensor center() const;
  Tensor radius() const;
};

Enclosure operator+(const Enclosure& a, const Enclosure& b);
Enclosure operator-(const Enclosure& a, const Enclosure& b);
Enclosure operator*(const Enclosure& a, const Enclosure& b);
Enclosure operator/(const Enclosure& a, const Enclosure& b);
Enclosure operator-(const Enclosure& x);
Enclosure power(const Enclosure& a, const Enclosure& b);
Enclosure maximum(const Enclosure& a, const Enclosure& b);
Enclosure minimum(const Enclosure& a, const Enclosure& b);
Enclosure abs(const Enclosure& x);
Enclosure sign(const Enclosure& x);
Enclosure exp(const Enclosure& x);
Enclosure expm1(const Enclosure& x);
Enclosure log(const Enclosure& x);
Enclosure log1p(const Enclosure& x);
Enclosure sqrt(const Enclosure& x);
Enclosure rsqrt(const Enclosure& x);
Enclosure tanh(const Enclosure& x);
Enclosure sin(const Enclosure& x);
Enclosure cos(const Enclosure& x);
Enclosure erf(const Enclosure& x);
Enclosure erf_derivative(const Enclosure& x);
Enclosure logistic(const Enclosure& x);
Enclosure softplus(const Enclosure& x);
Enclosure stop_gradient(const Enclosure& x);
Enclosure compare(const Enclosure& a, const Enclosure& b, Direction direction);
Enclosure logical_and(const Enclosure& a, const Enclosure& b);
Enclosure logical_or(const Enclosure& a, const Enclosure& b);
Enclosure logical_not(const Enclosure& x);
Enclosure select(const Enclosure& predicate, const Enclosure& a, const Enclosure& b);
Enclosure matmul(const Enclosure& a, const Enclosure& b);
Enclosure sum(const Enclosure& x, const Shape& axes);
Enclosure softmax(const Enclosure& x, Extent axis);
Enclosure log_softmax(const Enclosure& x, Extent axis);
Enclosure logsumexp(const Enclosure& x, Extent axis);
Enclosure max_along(const Enclosure& x, Extent axis);
Enclosure argmax_along(const Enclosure& x, Extent axis);
Enclosure broadcast(const Enclosure& x, const Shape& shape);
Enclosure broadcast_along(const Enclosure& x, Extent axis, Extent extent);
Enclosure reshape(const Enclosure& x, const Shape& shape);
Enclosure permute(const Enclosure& x, const Shape& order);
Enclosure narrow(const Enclosure& x, Extent axis, Extent start, Extent length);
Enclosure pad(const Enclosure& x, Extent axis, Extent start, Extent full_extent);
Enclosure unfold(const Enclosure& x, Extent axis, Extent size, Extent step, Extent dilation);
Enclosure fold(const Enclosure& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent);
Enclosure concat(std::span<const Enclosure* const> operands, Extent axis);
Enclosure gather(const Enclosure& table, const Enclosure& indices);
Enclosure scatter(const Enclosure& rows, const Enclosure& indices, Extent extent);
Enclosure convert(const Enclosure& x, ElementType element);
Enclosure full_like(const Enclosure& x, Number number);

}  // namespace topos::test
