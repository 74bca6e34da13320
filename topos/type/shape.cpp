#include "topos/type/shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace topos {

void Shape::assign(const Extent* from, std::size_t size) {
  size_ = static_cast<std::uint32_t>(size);
  if (!is_inline()) heap_ = new Extent[size];
  if (size != 0) std::memcpy(begin(), from, size * sizeof(Extent));
}

Shape Shape::zeros(std::size_t size) {
  Shape result;
  result.size_ = static_cast<std::uint32_t>(size);
  if (!result.is_inline()) result.heap_ = new Extent[size]{};
  return result;
}

Shape Shape::counting(std::size_t size) {
  auto result = zeros(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<Extent>(i);
  return result;
}

Shape Shape::without(Extent axis) const {
  auto result = zeros(size_ - 1);
  for (std::size_t i = 0, j = 0; i < size_; ++i)
    if (static_cast<Extent>(i) != axis) result[j++] = (*this)[i];
  return result;
}

Shape Shape::with(Extent axis, Extent extent) const {
  auto result = zeros(size_ + 1);
  for (std::size_t i = 0, j = 0; i < result.size(); ++i)
    result[i] = static_cast<Extent>(i) == axis ? extent : (*this)[j++];
  return result;
}

bool Shape::contains(Extent entry) const { return std::find(begin(), end(), entry) != end(); }

std::string Shape::text() const { return fmt::format("[{}]", fmt::join(begin(), end(), ", ")); }

Shape axes_from_front(const Shape& axes, std::size_t rank) {
  auto result = axes;
  for (auto& axis : result) axis = axis_from_front(axis, rank);
  return result;
}

Shape row_major_strides(const Shape& shape) {
  auto strides = Shape::zeros(shape.rank());
  Extent step = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0; step *= shape[axis]) strides[axis] = step;
  return strides;
}

bool is_row_major(const Shape& shape, const Shape& strides) {
  Extent step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis])
    if (shape[axis] != 1 && strides[axis] != step) return false;
  return true;
}

std::optional<Shape> reshaped_strides(const Shape& from, const Shape& strides, const Shape& to) {
  if (is_row_major(from, strides) || to.volume() <= 1) return row_major_strides(to);
  auto result = Shape::zeros(to.rank());
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < to.rank(); ++axis) {
    if (to[axis] == 1) continue;
    while (at < from.rank() && from[at] == 1) ++at;
    if (at == from.rank() || from[at] != to[axis]) return std::nullopt;
    result[axis] = strides[at++];
  }
  return result;
}

std::uint64_t hash_of(const Shape& shape) {
  std::uint64_t hash = shape.size();
  for (const auto extent : shape)
    hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0x9E3779B97F4A7C15u + (hash >> 29);
  return hash;
}

}  // namespace topos
