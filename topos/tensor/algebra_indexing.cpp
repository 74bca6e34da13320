#include <fmt/format.h>

#include "topos/base/float_environment.h"
#include "topos/tensor/algebra_parts.h"

namespace topos {

using algebra::checked;

namespace algebra {

void check_indices(std::string_view operation, std::span<const std::int64_t> indices, Extent extent) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < 0 || indices[i] >= extent)
      throw Error(ErrorKind::index, std::string(operation),
                  fmt::format("index {} at place {} is outside the {} rows", indices[i], i, extent));
}

}  // namespace algebra

namespace {

Extent row_width(const Shape& shape, std::size_t leading) {
  Extent width = 1;
  for (std::size_t axis = leading; axis < shape.rank(); ++axis) width *= shape[axis];
  return width;
}

}  // namespace

Tensor gather(const Tensor& table, const Tensor& indices) {
  const auto type = checked("Gather", [&] { return gather(table.type(), indices.type()); });
  const auto places = indices.values<std::int64_t>();
  algebra::check_indices("Gather", places, table.shape()[0]);
  const auto rows = table.spread();
  const auto width = static_cast<std::size_t>(row_width(table.shape(), 1)) * type.element.size();
  const auto* from = static_cast<const std::byte*>(rows.first());
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  if (width != 0)
    for (const auto place : places) {
      std::memcpy(data, from + static_cast<std::size_t>(place) * width, width);
      data += width;
    }
  return result;
}

Tensor scatter(const Tensor& rows, const Tensor& indices, Extent extent) {
  const auto type = checked("Scatter", [&] { return scatter(rows.type(), indices.type(), extent); });
  const auto places = indices.values<std::int64_t>();
  algebra::check_indices("Scatter", places, extent);
  const auto laid_out = rows.spread();
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  const FloatEnvironment exact;
  type.element.reference().scatter(static_cast<Extent>(places.size()), row_width(type.shape, 1), extent, places.begin(),
                                   laid_out.first(), data);
  return result;
}

Tensor Tensor::iota(ElementType element, const Shape& shape, Extent axis) {
  const auto type = checked("Iota", [&] { return iota_type(element, shape, axis); });
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  auto* out = reinterpret_cast<std::int64_t*>(data);
  const auto inner = row_width(shape, static_cast<std::size_t>(axis) + 1);
  for (Extent i = 0; i < type.shape.volume(); ++i) out[i] = i / inner % shape.at(axis);
  return result;
}

Tensor iota_like(const Tensor& x, Extent axis) {
  return Tensor::iota(i64, x.shape(), axis_from_front(axis, x.shape().rank()));
}

}  // namespace topos
