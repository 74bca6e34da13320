#include "topos/spec/composites.h"

#include <fmt/format.h>

#include "topos/spec/composite.h"
#include "topos/spec/recorder.h"
#include "topos/type/rules.h"

namespace topos {
namespace {

[[noreturn]] void refuse(std::string_view operation, const std::string& text, std::vector<std::string> types,
                         const Site& site) {
  throw Error(ErrorKind::type, std::string(operation), text, std::move(types), site);
}

}  // namespace

Value relu(const Value& x, Site site) {
  Composite scope(x, site);
  return maximum(x, 0);
}

Value mean(const Value& x, const Shape& axes, Site site) {
  Composite scope(x, site);
  const auto total = sum(x, axes, site);
  Extent count = 1;
  for (const auto axis : axes_from_front(axes, x.shape().rank())) count *= x.shape().at(axis);  // sum has checked them
  return total / count;
}
Value mean(const Value& x, Site site) {
  Composite scope(x, site);
  const auto total = sum(x, site);
  return total / x.shape().volume();
}

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

Value leaf_beside(const Value& x, const Literal& constant, Site site) {
  return Recorder::of(x, "leaf_beside", site).lift(constant, x, site);
}

}  // namespace topos
