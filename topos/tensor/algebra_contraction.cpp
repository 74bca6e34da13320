#include <algorithm>

#include "topos/base/float_environment.h"
#include "topos/tensor/algebra_parts.h"

namespace topos {

using algebra::checked;

namespace {

/// x with `axes` moved to the end, in their order.
Tensor axes_last(const Tensor& x, const Shape& axes) {
  auto order = Shape::zeros(x.shape().rank());
  std::size_t next = 0;
  for (const auto axis : Shape::counting(order.size()))
    if (!axes.contains(axis)) order[next++] = axis;
  for (const auto axis : axes) order[next++] = axis;
  return permute(x, order);
}

Extent volume_along(const Shape& shape, const Shape& axes) {
  Extent volume = 1;
  for (const auto axis : axes) volume *= shape.at(axis);
  return volume;
}

/// One result a row of `n` elements.
Tensor reduced(Reference::Rows apply, const TensorType& type, const Tensor& rows, Extent n) {
  const FloatEnvironment exact;
  const auto laid_out = rows.spread();
  if (type.rank() == 0) {
    alignas(16) std::byte value[16];
    apply(1, n, laid_out.first(), value);
    return Tensor::single(type, value);
  }
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  apply(type.shape.volume(), n, laid_out.first(), data);
  return result;
}

/// As many results as elements, worked out along one axis.
Tensor mapped_along(Reference::Rows apply, const Tensor& x, Extent axis) {
  const FloatEnvironment exact;
  const auto rows = axes_last(x, {axis});
  const auto laid_out = rows.spread();
  const auto n = x.shape().at(axis);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(rows.type(), data);
  apply(rows.volume() / n, n, laid_out.first(), data);
  auto back = Shape::zeros(x.shape().rank());  // the last axis returns to its place
  for (std::size_t i = 0, from = 0; i < back.size(); ++i)
    back[i] = static_cast<Extent>(i) == axis ? static_cast<Extent>(back.size()) - 1 : static_cast<Extent>(from++);
  return permute(result, back);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  const auto type = checked("MatMul", [&] { return matmul(a.type(), b.type()); });
  const FloatEnvironment exact;
  const auto rank = type.rank();
  const auto m = type.shape[rank - 2], n = type.shape[rank - 1], k = a.shape()[rank - 1];
  const auto left = a.spread(), right = b.spread();
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  Extent batch = 1;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) batch *= type.shape[axis];
  const auto size = static_cast<Extent>(type.element.size());
  for (Extent i = 0; i < batch; ++i)
    type.element.reference().matmul(m, k, n, static_cast<const std::byte*>(left.first()) + i * m * k * size,
                                    static_cast<const std::byte*>(right.first()) + i * k * n * size,
                                    data + i * m * n * size);
  return result;
}

Tensor sum(const Tensor& x, const Shape& named) {
  auto axes = axes_from_front(named, x.shape().rank());
  std::sort(axes.begin(), axes.end());
  const auto type = checked("Sum", [&] { return sum(x.type(), axes); });
  return reduced(type.element.reference().sum, type, axes_last(x, axes), volume_along(x.shape(), axes));
}

Tensor sum(const Tensor& x) {
  const auto type = checked("Sum", [&] { return sum(x.type()); });
  return reduced(type.element.reference().sum, type, x, x.volume());
}

Tensor softmax(const Tensor& x, Extent axis) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("Softmax", [&] { return softmax(x.type(), axis); });
  return mapped_along(type.element.reference().softmax, x, axis);
}

Tensor log_softmax(const Tensor& x, Extent axis) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("LogSoftmax", [&] { return log_softmax(x.type(), axis); });
  return mapped_along(type.element.reference().log_softmax, x, axis);
}

Tensor logsumexp(const Tensor& x, Extent axis) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("LogSumExp", [&] { return logsumexp(x.type(), axis); });
  return reduced(type.element.reference().logsumexp, type, axes_last(x, {axis}), x.shape().at(axis));
}

Tensor max_along(const Tensor& x, Extent axis) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("MaxAlong", [&] { return max_along(x.type(), axis); });
  return reduced(type.element.reference().max_along, type, axes_last(x, {axis}), x.shape().at(axis));
}

Tensor argmax_along(const Tensor& x, Extent axis) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("ArgMaxAlong", [&] { return argmax_along(x.type(), axis); });
  return reduced(x.element().reference().argmax_along, type, axes_last(x, {axis}), x.shape().at(axis));
}

}  // namespace topos
