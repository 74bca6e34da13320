#include "topos/spec/composites.h"

#include <fmt/format.h>

#include "topos/spec/composite.h"
#include "topos/spec/composite_parts.h"
#include "topos/spec/recorder.h"
#include "topos/type/rules.h"

namespace topos {
using parts::refuse;

Value broadcast_like(const Value& x, const Value& reference, Site site) {
  return broadcast(x, reference.shape(), site);
}

Value broadcast_along_like(const Value& x, Extent axis, const Value& reference, Site site) {
  const auto& shape = reference.shape();
  axis = axis_from_front(axis, shape.rank());
  const bool inside = axis >= 0 && axis < static_cast<Extent>(shape.rank());
  if (!inside || !(shape.without(axis) == x.shape()))
    refuse("broadcast_along_like",
           fmt::format("{} does not become {} along axis {}", x.type().text(), reference.type().text(), axis),
           {x.type().text(), reference.type().text()}, site);
  return broadcast_along(x, axis, shape.at(axis), site);
}

Value broadcast_to(const Value& x, const Shape& shape, Site site) {
  const auto from = x.shape();
  if (from == shape) return x;
  if (from.volume() == 1) return broadcast(x, shape, site);
  const TensorType wanted{x.element(), shape};
  if (shape.rank() < from.rank())
    refuse("broadcast_to", fmt::format("{} has more axes than {}", x.type().text(), wanted.text()),
           {x.type().text(), wanted.text()}, site);
  auto aligned = Shape::zeros(shape.rank());
  const auto missing = shape.rank() - from.rank();
  for (std::size_t i = 0; i < aligned.size(); ++i) aligned[i] = i < missing ? 1 : from[i - missing];
  for (std::size_t i = 0; i < aligned.size(); ++i)
    if (aligned[i] != shape[i] && aligned[i] != 1)
      refuse("broadcast_to",
             fmt::format("axis {} of {} has extent {}, neither 1 nor the {} of {}", i, x.type().text(), aligned[i],
                         shape[i], wanted.text()),
             {x.type().text(), wanted.text()}, site);
  Composite scope(x, site);
  auto result = missing == 0 ? x : reshape(x, aligned, site);
  for (std::size_t i = 0; i < aligned.size(); ++i) {
    if (aligned[i] == shape[i]) continue;
    result = squeeze(result, static_cast<Extent>(i), site);
    result = broadcast_along(result, static_cast<Extent>(i), shape[i], site);
  }
  return result;
}

Value transpose(const Value& x, Site site) {
  try {
    transpose(x.type());
  } catch (TypeFault& fault) {
    refuse("Permute (" + std::string(fault.label) + ")", fault.text, std::move(fault.types), site);
  }
  auto order = Shape::counting(x.shape().rank());
  if (order.size() == 2) order = {1, 0};
  return permute(x, order, site);
}

Value squeeze(const Value& x, Extent axis, Site site) {
  const auto& shape = x.shape();
  axis = axis_from_front(axis, shape.rank());
  if (axis < 0 || axis >= static_cast<Extent>(shape.rank()))
    refuse("squeeze", fmt::format("axis {} is outside {}", axis, x.type().text()), {x.type().text()}, site);
  if (shape.at(axis) != 1)
    refuse("squeeze", fmt::format("axis {} of {} has extent {}, not 1", axis, x.type().text(), shape.at(axis)),
           {x.type().text()}, site);
  return reshape(x, shape.without(axis), site);
}

Value unsqueeze(const Value& x, Extent axis, Site site) {
  const auto& shape = x.shape();
  axis = axis_from_front(axis, shape.rank() + 1);
  if (axis < 0 || axis > static_cast<Extent>(shape.rank()))
    refuse("unsqueeze", fmt::format("axis {} cannot be inserted into {}", axis, x.type().text()), {x.type().text()},
           site);
  return reshape(x, shape.with(axis, 1), site);
}

Value stack(const std::vector<Value>& values, Extent axis, Site site) {
  if (values.empty()) refuse("stack", "there is nothing to stack", {}, site);
  for (const auto& value : values)  // before the scope opens: it guards one tape
    if (value.symbol().family() != values[0].symbol().family())
      throw Error(ErrorKind::family, "stack", "the values are on different tapes", {value.type().text()}, site);
  Composite scope(values[0], site);
  axis = axis_from_front(axis, values[0].shape().rank() + 1);
  std::vector<Value> thick;
  for (const auto& value : values) thick.push_back(unsqueeze(value, axis, site));
  return concat(thick, axis, site);
}

std::vector<Value> split_sizes(const Value& x, const Shape& sizes, Extent axis, Site site) {
  axis = parts::inner_axis("split_sizes", x, axis, site);
  Extent rest = x.shape().at(axis);
  bool fits = true;
  for (const auto size : sizes) {
    fits = fits && size >= 0 && size <= rest;  // before the subtraction, which could overflow
    if (fits) rest -= size;
  }
  if (!fits || rest != 0)
    refuse("split_sizes", fmt::format("the sizes {} do not make up axis {} of {}", sizes.text(), axis, x.type().text()),
           {x.type().text()}, site);
  Composite scope(x, site);
  std::vector<Value> pieces;
  Extent start = 0;
  for (const auto size : sizes) {
    pieces.push_back(narrow(x, axis, start, size, site));
    start += size;
  }
  return pieces;
}

std::vector<Value> split(const Value& x, Extent pieces, Extent axis, Site site) {
  axis = parts::inner_axis("split", x, axis, site);
  const auto extent = x.shape().at(axis);
  if (pieces <= 0 || extent % pieces != 0)
    refuse("split", fmt::format("axis {} of {} has no {} equal parts", axis, x.type().text(), pieces),
           {x.type().text()}, site);
  auto sizes = Shape::zeros(static_cast<std::size_t>(pieces));
  for (auto& size : sizes) size = extent / pieces;
  return split_sizes(x, sizes, axis, site);
}

Value flip(const Value& x, Extent axis, Site site) {
  axis = parts::inner_axis("flip", x, axis, site);
  Composite scope(x, site);
  auto order = Shape::counting(x.shape().rank());
  std::swap(order[0], order[static_cast<std::size_t>(axis)]);
  const auto extent = x.shape().at(axis);
  const auto rows = axis == 0 ? x : permute(x, order);
  const auto count = parts::count_beside(x, extent, site);
  const auto places = extent - 1 - count;
  const auto turned = gather(rows, places);
  return axis == 0 ? turned : permute(turned, order);
}

Value outer(const Value& a, const Value& b, Site site) {
  if (a.shape().rank() != 1 || b.shape().rank() != 1)
    refuse("outer", fmt::format("{} and {} are not two vectors", a.type().text(), b.type().text()),
           {a.type().text(), b.type().text()}, site);
  Composite scope(a, site);
  const auto columns = broadcast_along(a, 1, b.shape()[0]);
  const auto rows = broadcast_along(b, 0, a.shape()[0]);
  return columns * rows;
}

Value one_hot(const Value& indices, Extent depth, ElementType element, Site site) {
  if (!(indices.element() == i64))
    refuse("one_hot", fmt::format("{} holds no indices: they are i64", indices.type().text()), {indices.type().text()},
           site);
  if (depth < 0) refuse("one_hot", fmt::format("the depth {} is negative", depth), {indices.type().text()}, site);
  Composite scope(indices, site);
  const auto numbers = parts::count_beside(indices, depth, site);
  const auto known = gather(numbers, indices);  // comparing alone would let an index out of range pass for none
  const auto last = static_cast<Extent>(indices.shape().rank());
  const auto spread = broadcast_along(known, last, depth);
  const auto count = iota_like(spread, last);
  const auto hot = compare(spread, count, Direction::eq);
  return convert(hot, element);
}

Value leaf_beside(const Value& x, const Literal& constant, Site site) {
  return Recorder::of(x, "leaf_beside", site).lift(constant, x, site);
}

}  // namespace topos
