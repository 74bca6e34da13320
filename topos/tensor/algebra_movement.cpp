#include "topos/base/float_environment.h"
#include "topos/tensor/algebra_parts.h"

namespace topos {

using algebra::checked;

namespace {

/// Lays x into a window of a contiguous buffer of `type`, `start` along `axis`.
void place(const Tensor& x, const TensorType& type, Extent axis, Extent start, std::byte* data) {
  Extent outer = 1;
  auto inner = static_cast<Extent>(type.element.size());
  for (Extent i = 0; i < static_cast<Extent>(type.rank()); ++i) {
    if (i < axis) outer *= type.shape.at(i);
    if (i > axis) inner *= type.shape.at(i);
  }
  const auto rows = x.spread();
  const auto width = static_cast<std::size_t>(x.shape().at(axis) * inner);
  if (width == 0) return;
  const auto* from = static_cast<const std::byte*>(rows.first());
  for (Extent i = 0; i < outer; ++i, from += width)
    std::memcpy(data + (i * type.shape.at(axis) + start) * inner, from, width);
}

}  // namespace

Tensor broadcast(const Tensor& x, const Shape& shape) {
  return Tensor::single(checked("Broadcast", [&] { return broadcast(x.type(), shape); }), x.first());
}

Tensor broadcast_along(const Tensor& x, Extent axis, Extent extent) {
  axis = axis_from_front(axis, x.shape().rank() + 1);
  const auto type = checked("BroadcastAlong", [&] { return broadcast_along(x.type(), axis, extent); });
  return x.view(type, x.strides().with(axis, 0), 0);
}

Tensor reshape(const Tensor& x, const Shape& shape) {
  const auto type = checked("Reshape", [&] { return reshape(x.type(), shape); });
  if (x.is_single()) return Tensor::single(type, x.first());
  if (auto strides = reshaped_strides(x.shape(), x.strides(), shape)) return x.view(type, std::move(*strides), 0);
  return x.spread().view(type, row_major_strides(shape), 0);
}

Tensor permute(const Tensor& x, const Shape& named) {
  const auto order = axes_from_front(named, x.shape().rank());
  const auto type = checked("Permute", [&] { return permute(x.type(), order); });
  const auto from = x.strides();
  auto strides = from;
  for (std::size_t i = 0; i < order.size(); ++i) strides[i] = from.at(order[i]);
  return x.view(type, std::move(strides), 0);
}

Tensor narrow(const Tensor& x, Extent axis, Extent start, Extent length) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("Narrow", [&] { return narrow(x.type(), axis, start, length); });
  auto strides = x.strides();
  const auto offset = type.shape.volume() == 0 ? 0 : start * strides.at(axis);  // an empty window starts nowhere
  return x.view(type, std::move(strides), offset);
}

Tensor pad(const Tensor& x, Extent axis, Extent start, Extent full_extent) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("Pad", [&] { return pad(x.type(), axis, start, full_extent); });
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  std::memset(data, 0, type.bytes());  // every element's zero is zero bits
  place(x, type, axis, start, data);
  return result;
}

Tensor unfold(const Tensor& x, Extent axis, Extent size, Extent step, Extent dilation) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("Unfold", [&] { return unfold(x.type(), axis, size, step, dilation); });
  auto strides = x.strides();
  const auto stride = strides.at(axis);
  strides[static_cast<std::size_t>(axis)] = stride * step;
  return x.view(type, strides.with(axis + 1, stride * dilation), 0);
}

Tensor fold(const Tensor& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent) {
  axis = axis_from_front(axis, x.shape().rank());
  const auto type = checked("Fold", [&] { return fold(x.type(), axis, size, step, dilation, extent); });
  FoldShape shape{1, x.shape().at(axis), size, step, dilation, extent, 1};
  for (Extent i = 0; i < static_cast<Extent>(type.rank()); ++i) {
    if (i < axis) shape.outer *= type.shape.at(i);
    if (i > axis) shape.inner *= type.shape.at(i);
  }
  const auto taps = x.spread();
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  const FloatEnvironment exact;
  type.element.reference().fold(shape, taps.first(), data);
  return result;
}

Tensor concat(std::span<const Tensor* const> operands, Extent axis) {
  if (!operands.empty()) axis = axis_from_front(axis, operands[0]->shape().rank());
  std::vector<const TensorType*> types;
  for (const auto* operand : operands) types.push_back(&operand->type());
  const auto type = checked("Concat", [&] { return concat(types, axis); });
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  Extent start = 0;
  for (const auto* operand : operands) {
    place(*operand, type, axis, start, data);
    start += operand->shape().at(axis);
  }
  return result;
}

Tensor transpose(const Tensor& x) {
  checked("Permute", [&] { return transpose(x.type()); });
  return x.shape().rank() == 2 ? permute(x, {1, 0}) : x;
}

}  // namespace topos
