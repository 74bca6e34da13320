#include "topos/spec/composite_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/spec/recorder.h"

namespace topos::parts {

void refuse(std::string_view operation, const std::string& text, std::vector<std::string> types, const Site& site) {
  throw Error(ErrorKind::type, std::string(operation), text, std::move(types), site);
}

Extent inner_axis(std::string_view operation, const Value& x, Extent axis, const Site& site) {
  const auto rank = x.shape().rank();
  const auto front = axis_from_front(axis, rank);
  if (front < 0 || front >= static_cast<Extent>(rank))
    refuse(operation, fmt::format("axis {} is outside {} of rank {}", axis, x.type().text(), rank), {x.type().text()},
           site);
  return front;
}

Shape ascending_axes(std::string_view operation, const Value& x, const Shape& axes, const Site& site) {
  auto ascending = axes;
  for (auto& axis : ascending) axis = inner_axis(operation, x, axis, site);
  std::sort(ascending.begin(), ascending.end());
  for (std::size_t i = 1; i < ascending.size(); ++i)
    if (ascending[i] == ascending[i - 1])
      refuse(operation, fmt::format("axis {} of {} is named twice", ascending[i], x.type().text()), {x.type().text()},
             site);
  return ascending;
}

Value count_beside(const Value& x, Extent extent, const Site& site) {
  return Recorder::of(x).record(op::Iota{i64, {extent}, 0}, {}, site);
}

}  // namespace topos::parts
