// The algebra over values: one line an opcode, each appends one node.
#include <algorithm>

#include "topos/spec/composite.h"
#include "topos/spec/recorder.h"

namespace topos {

using R = Recorder;

namespace {

std::size_t rank(const Value& x) { return x.shape().rank(); }
Extent front(const Value& x, Extent axis) { return axis_from_front(axis, rank(x)); }

}  // namespace

Value operator+(Located a, const Value& b) { return R::record_over(op::Add{}, a.site, a.value, b); }
Value operator-(Located a, const Value& b) { return R::record_over(op::Sub{}, a.site, a.value, b); }
Value operator*(Located a, const Value& b) { return R::record_over(op::Mul{}, a.site, a.value, b); }
Value operator/(Located a, const Value& b) { return R::record_over(op::Div{}, a.site, a.value, b); }
Value operator-(Located x) { return R::record_over(op::Neg{}, x.site, x.value); }
Value power(const Value& a, const Value& b, Site site) { return R::record_over(op::Power{}, site, a, b); }
Value maximum(const Value& a, const Value& b, Site site) { return R::record_over(op::Maximum{}, site, a, b); }
Value minimum(const Value& a, const Value& b, Site site) { return R::record_over(op::Minimum{}, site, a, b); }
Value abs(const Value& x, Site site) { return R::record_over(op::Abs{}, site, x); }
Value sign(const Value& x, Site site) { return R::record_over(op::Sign{}, site, x); }
Value exp(const Value& x, Site site) { return R::record_over(op::Exp{}, site, x); }
Value expm1(const Value& x, Site site) { return R::record_over(op::Expm1{}, site, x); }
Value log(const Value& x, Site site) { return R::record_over(op::Log{}, site, x); }
Value log1p(const Value& x, Site site) { return R::record_over(op::Log1p{}, site, x); }
Value sqrt(const Value& x, Site site) { return R::record_over(op::Sqrt{}, site, x); }
Value rsqrt(const Value& x, Site site) { return R::record_over(op::Rsqrt{}, site, x); }
Value tanh(const Value& x, Site site) { return R::record_over(op::Tanh{}, site, x); }
Value sin(const Value& x, Site site) { return R::record_over(op::Sin{}, site, x); }
Value cos(const Value& x, Site site) { return R::record_over(op::Cos{}, site, x); }
Value erf(const Value& x, Site site) { return R::record_over(op::Erf{}, site, x); }
Value erf_derivative(const Value& x, Site site) { return R::record_over(op::ErfDerivative{}, site, x); }
Value logistic(const Value& x, Site site) { return R::record_over(op::Logistic{}, site, x); }
Value softplus(const Value& x, Site site) { return R::record_over(op::Softplus{}, site, x); }
Value stop_gradient(const Value& x, Site site) { return R::record_over(op::StopGradient{}, site, x); }

Value compare(const Value& a, const Value& b, Direction direction, Site site) {
  return R::record_over(op::Compare{direction}, site, a, b);
}
Value equal(const Value& a, const Value& b, Site site) { return compare(a, b, Direction::eq, site); }
Value not_equal(const Value& a, const Value& b, Site site) { return compare(a, b, Direction::ne, site); }
Value less(const Value& a, const Value& b, Site site) { return compare(a, b, Direction::lt, site); }
Value less_equal(const Value& a, const Value& b, Site site) { return compare(a, b, Direction::le, site); }
Value greater(const Value& a, const Value& b, Site site) { return compare(a, b, Direction::gt, site); }
Value greater_equal(const Value& a, const Value& b, Site site) { return compare(a, b, Direction::ge, site); }
Value logical_and(const Value& a, const Value& b, Site site) { return R::record_over(op::And{}, site, a, b); }
Value logical_or(const Value& a, const Value& b, Site site) { return R::record_over(op::Or{}, site, a, b); }
Value logical_not(const Value& x, Site site) { return R::record_over(op::Not{}, site, x); }
Value select(const Value& predicate, const Value& a, const Value& b, Site site) {
  return R::record_over(op::Select{}, site, predicate, a, b);
}

Value matmul(const Value& a, const Value& b, Site site) { return R::record_over(op::MatMul{}, site, a, b); }
Value sum(const Value& x, const Shape& axes, Site site) {
  R::of(x);  // a stale value says so, whatever the axes
  if (axes.empty()) return x;
  auto ascending = axes_from_front(axes, rank(x));
  std::sort(ascending.begin(), ascending.end());
  return R::record_over(op::Sum{std::move(ascending)}, site, x);
}
Value sum(const Value& x, Site site) { return R::record_over(op::Sum{Shape::counting(x.shape().rank())}, site, x); }
Value softmax(const Value& x, Extent axis, Site site) { return R::record_over(op::Softmax{front(x, axis)}, site, x); }
Value log_softmax(const Value& x, Extent axis, Site site) {
  return R::record_over(op::LogSoftmax{front(x, axis)}, site, x);
}
Value logsumexp(const Value& x, Extent axis, Site site) {
  return R::record_over(op::LogSumExp{front(x, axis)}, site, x);
}

Value max_along(const Value& x, Extent axis, Site site) {
  return R::record_over(op::MaxAlong{front(x, axis)}, site, x);
}
Value argmax_along(const Value& x, Extent axis, Site site) {
  return R::record_over(op::ArgMaxAlong{front(x, axis)}, site, x);
}

Value broadcast(const Value& x, const Shape& shape, Site site) { return R::record_over(op::Broadcast{shape}, site, x); }
Value broadcast_along(const Value& x, Extent axis, Extent extent, Site site) {
  return R::record_over(op::BroadcastAlong{axis_from_front(axis, rank(x) + 1), extent}, site, x);
}
Value reshape(const Value& x, const Shape& shape, Site site) { return R::record_over(op::Reshape{shape}, site, x); }
Value permute(const Value& x, const Shape& order, Site site) {
  return R::record_over(op::Permute{axes_from_front(order, rank(x))}, site, x);
}
Value narrow(const Value& x, Extent axis, Extent start, Extent length, Site site) {
  return R::record_over(op::Narrow{front(x, axis), start, length}, site, x);
}
Value pad(const Value& x, Extent axis, Extent start, Extent full_extent, Site site) {
  return R::record_over(op::Pad{front(x, axis), start, full_extent}, site, x);
}

Value unfold(const Value& x, Extent axis, Extent size, Extent step, Extent dilation, Site site) {
  return R::record_over(op::Unfold{front(x, axis), size, step, dilation}, site, x);
}
Value fold(const Value& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent, Site site) {
  return R::record_over(op::Fold{front(x, axis), size, step, dilation, extent}, site, x);
}

Value gather(const Value& table, const Value& indices, Site site) {
  return R::record_over(op::Gather{}, site, table, indices);
}
Value scatter(const Value& rows, const Value& indices, Extent extent, Site site) {
  return R::record_over(op::Scatter{extent}, site, rows, indices);
}
Value convert(const Value& x, ElementType element, Site site) {
  return x.element() == element ? x : R::record_over(op::Convert{element}, site, x);
}
Value iota_like(const Value& x, Extent axis, Site site) {
  return R::of(x).record(op::Iota{i64, x.shape(), front(x, axis)}, {}, site);
}
Value full_like(const Value& x, Number value, Site site) { return R::of(x).constant(x.type(), value, site); }

Value concat(std::span<const Value* const> operands, Extent axis) {
  if (operands.empty()) throw Error(ErrorKind::type, "Concat (C1)", "there is nothing to join");
  auto& recorder = R::of(*operands[0]);
  std::vector<Index> indices;
  for (const auto* operand : operands) indices.push_back(recorder.own(*operand, op::Concat::name));
  return recorder.record(op::Concat{front(*operands[0], axis)}, indices, Site::none());
}
Value concat(const std::vector<Value>& values, Extent axis, Site site) {
  if (values.empty()) throw Error(ErrorKind::type, "Concat (C1)", "there is nothing to join", {}, site);
  auto& recorder = R::of(values[0], op::Concat::name, site);
  const auto along = front(values[0], axis);
  if (values.size() == 1 && along >= 0 && along < static_cast<Extent>(rank(values[0]))) return values[0];
  std::vector<Index> indices;
  for (const auto& value : values) indices.push_back(recorder.own(value, op::Concat::name, site));
  return recorder.record(op::Concat{along}, indices, site);
}

namespace {

/// A number or tensor beside a value: a leaf, then the operation; both or neither.
template <class F>
Value beside(const Value& x, const Literal& literal, const Site& site, F&& operation) {
  Composite scope(x, site);
  const auto leaf = R::of(x).lift(literal, x, site);
  return operation(leaf);
}

}  // namespace

Value operator+(Located a, const Literal& b) {
  return beside(a.value, b, a.site, [&](const Value& leaf) { return Located(a.value, a.site) + leaf; });
}
Value operator-(Located a, const Literal& b) {
  return beside(a.value, b, a.site, [&](const Value& leaf) { return Located(a.value, a.site) - leaf; });
}
Value operator*(Located a, const Literal& b) {
  return beside(a.value, b, a.site, [&](const Value& leaf) { return Located(a.value, a.site) * leaf; });
}
Value operator/(Located a, const Literal& b) {
  return beside(a.value, b, a.site, [&](const Value& leaf) { return Located(a.value, a.site) / leaf; });
}
Value operator+(const Literal& a, Located b) {
  return beside(b.value, a, b.site, [&](const Value& leaf) { return Located(leaf, b.site) + b.value; });
}
Value operator-(const Literal& a, Located b) {
  return beside(b.value, a, b.site, [&](const Value& leaf) { return Located(leaf, b.site) - b.value; });
}
Value operator*(const Literal& a, Located b) {
  return beside(b.value, a, b.site, [&](const Value& leaf) { return Located(leaf, b.site) * b.value; });
}
Value operator/(const Literal& a, Located b) {
  return beside(b.value, a, b.site, [&](const Value& leaf) { return Located(leaf, b.site) / b.value; });
}
Value maximum(const Value& a, const Literal& b, Site site) {
  return beside(a, b, site, [&](const Value& leaf) { return maximum(a, leaf, site); });
}
Value minimum(const Value& a, const Literal& b, Site site) {
  return beside(a, b, site, [&](const Value& leaf) { return minimum(a, leaf, site); });
}
Value power(const Value& a, const Literal& b, Site site) {
  return beside(a, b, site, [&](const Value& leaf) { return power(a, leaf, site); });
}
Value power(const Literal& a, const Value& b, Site site) {
  return beside(b, a, site, [&](const Value& leaf) { return power(leaf, b, site); });
}
Value compare(const Value& a, const Literal& b, Direction direction, Site site) {
  return beside(a, b, site, [&](const Value& leaf) { return compare(a, leaf, direction, site); });
}
Value select(const Value& predicate, const Value& a, const Literal& b, Site site) {
  return beside(a, b, site, [&](const Value& leaf) { return select(predicate, a, leaf, site); });
}
Value select(const Value& predicate, const Literal& a, const Value& b, Site site) {
  return beside(b, a, site, [&](const Value& leaf) { return select(predicate, leaf, b, site); });
}

// Every opcode can be recorded again and differentiated: without these lines a missing recorder would go unnoticed
// until somebody replays.
template Value express<Value>(const Op& op, std::span<const Value* const> operands);
template Cotangents<Value> pull_back<Value>(const Op&, std::span<const Value* const>, const Value&, const Value&);

}  // namespace topos
