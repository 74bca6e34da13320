#include "topos/spec/reductions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "topos/spec/composite.h"
#include "topos/spec/composite_parts.h"

namespace topos {
namespace {

Shape every_axis(const Value& x) { return Shape::counting(x.shape().rank()); }

/// x in the element that a mean divides in.
Value widened(const Value& x) { return x.element() == bf16 ? convert(x, f32) : x; }

/// How many numbers of x stand along axes, which count from the front.
Extent volume_of(const Value& x, const Shape& axes) {
  Extent count = 1;
  for (const auto axis : axes) count *= x.shape().at(axis);
  return count;
}

/// A reduction over ascending axes, repeated along them.
Value spread_along(const Value& reduced, const Shape& axes, const Shape& shape) {
  if (!axes.empty() && axes.size() == shape.rank()) return broadcast(reduced, shape);
  auto spread = reduced;
  for (const auto axis : axes) spread = broadcast_along(spread, axis, shape.at(axis));
  return spread;
}

/// A reduction of x over axes, with these axes again.
template <class F>
Value keeping(const Value& x, const Shape& axes, const Site& site, F&& reduce) {
  Composite scope(x, site);
  const auto reduced = reduce();
  auto shape = x.shape();
  for (const auto axis : axes_from_front(axes, shape.rank())) shape[static_cast<std::size_t>(axis)] = 1;
  return axes.empty() ? reduced : reshape(reduced, shape);
}

/// sqrt(x), but 0 of slope 0 at 0: the root sees a selected number.
Value root_or_zero(const Value& x) {
  const auto zero = full_like(x, 0);
  const auto vanishes = compare(x, zero, Direction::eq);
  const auto one = full_like(x, 1);
  const auto safe = select(vanishes, one, x);
  const auto root = sqrt(safe);
  return select(vanishes, zero, root);
}

/// The sum of squared deviations over axes, divided by their volume less `fewer`.
Value squared_deviation(const Value& x, const Shape& axes, Extent fewer) {
  const auto total = sum(x, axes);
  const auto center = total / volume_of(x, axes);
  const auto spread = spread_along(center, axes, x.shape());
  const auto deviation = x - spread;
  const auto squares = deviation * deviation;
  const auto squared = sum(squares, axes);
  return squared / std::max<Extent>(0, volume_of(x, axes) - fewer);
}

Value variance_of(std::string_view name, const Value& x, const Shape& axes, Extent fewer, const Site& site) {
  const auto ascending = parts::ascending_axes(name, x, axes, site);
  Composite scope(x, site);
  const auto wide = widened(x);
  const auto result = squared_deviation(wide, ascending, fewer);
  return convert(result, x.element());
}

Value deviation_of(std::string_view name, const Value& x, const Shape& axes, Extent fewer, const Site& site) {
  const auto ascending = parts::ascending_axes(name, x, axes, site);
  Composite scope(x, site);
  const auto wide = widened(x);
  const auto result = squared_deviation(wide, ascending, fewer);
  const auto root = root_or_zero(result);
  return convert(root, x.element());
}

/// The order of x turned around without losing a number: integers by their complement.
Value reversed_order(const Value& x) {
  if (x.element() == i64) return -1 - x;
  return -x;
}

}  // namespace

Value sum(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return sum(x, axes, site); });
}
Value logsumexp(const Value& x, Extent axis, KeepDims, Site site) {
  return keeping(x, {axis}, site, [&] { return logsumexp(x, axis, site); });
}

Value mean(const Value& x, const Shape& axes, Site site) {
  const auto ascending = parts::ascending_axes("mean", x, axes, site);
  Composite scope(x, site);
  const auto wide = widened(x);
  const auto total = sum(wide, ascending, site);
  const auto average = total / volume_of(x, ascending);
  return convert(average, x.element());
}
Value mean(const Value& x, Site site) {
  Composite scope(x, site);
  const auto wide = widened(x);
  const auto total = sum(wide, site);
  const auto average = total / x.shape().volume();
  return convert(average, x.element());
}
Value mean(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return mean(x, axes, site); });
}

Value variance(const Value& x, const Shape& axes, Site site) { return variance_of("variance", x, axes, 0, site); }
Value variance(const Value& x, Site site) { return variance(x, every_axis(x), site); }
Value variance(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return variance(x, axes, site); });
}
Value unbiased_variance(const Value& x, const Shape& axes, Site site) {
  return variance_of("unbiased_variance", x, axes, 1, site);
}
Value unbiased_variance(const Value& x, Site site) { return unbiased_variance(x, every_axis(x), site); }
Value unbiased_variance(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return unbiased_variance(x, axes, site); });
}

Value standard_deviation(const Value& x, const Shape& axes, Site site) {
  return deviation_of("standard_deviation", x, axes, 0, site);
}
Value standard_deviation(const Value& x, Site site) { return standard_deviation(x, every_axis(x), site); }
Value standard_deviation(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return standard_deviation(x, axes, site); });
}
Value unbiased_standard_deviation(const Value& x, const Shape& axes, Site site) {
  return deviation_of("unbiased_standard_deviation", x, axes, 1, site);
}
Value unbiased_standard_deviation(const Value& x, Site site) {
  return unbiased_standard_deviation(x, every_axis(x), site);
}
Value unbiased_standard_deviation(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return unbiased_standard_deviation(x, axes, site); });
}

Value norm(const Value& x, const Shape& axes, double order, Site site) {
  if (order != 1 && order != 2 && order != std::numeric_limits<double>::infinity())
    throw Error(ErrorKind::argument, "norm", fmt::format("there is no norm of order {}: only 1, 2 and infinity", order),
                {x.type().text()}, site);
  const auto ascending = parts::ascending_axes("norm", x, axes, site);
  Composite scope(x, site);
  if (order != 2) {
    const auto magnitude = abs(x);
    return order == 1 ? sum(magnitude, ascending) : max(magnitude, ascending, site);
  }
  const auto squares = x * x;
  const auto total = sum(squares, ascending);
  return root_or_zero(total);
}
Value norm(const Value& x, const Shape& axes, double order, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return norm(x, axes, order, site); });
}
Value norm(const Value& x, Site site) { return norm(x, every_axis(x), 2, site); }

Value clip_by_norm(const Value& x, double limit, Site site) {
  if (!(limit > 0) || limit == std::numeric_limits<double>::infinity())
    throw Error(ErrorKind::argument, "clip_by_norm", fmt::format("the limit {} is no positive finite number", limit),
                {x.type().text()}, site);
  Composite scope(x, site);
  const auto squares = x * x;
  const auto total = sum(squares);
  const auto length = sqrt(total);
  const auto divisor = maximum(length, limit);  // a tie belongs to the limit: no slope reaches the root inside
  const auto factor = limit / divisor;
  const auto spread = broadcast(factor, x.shape());
  return x * spread;
}

Value max(const Value& x, const Shape& axes, Site site) {
  const auto ascending = parts::ascending_axes("max", x, axes, site);
  Composite scope(x, site);
  auto result = x;
  for (std::size_t i = ascending.size(); i-- > 0;) result = max_along(result, ascending[i], site);
  return result;
}
Value max(const Value& x, Site site) { return max(x, every_axis(x), site); }
Value max(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return max(x, axes, site); });
}

Value min(const Value& x, const Shape& axes, Site site) {
  const auto ascending = parts::ascending_axes("min", x, axes, site);
  if (ascending.empty()) return x;
  Composite scope(x, site);
  const auto turned = reversed_order(x);
  const auto largest = max(turned, ascending, site);
  return reversed_order(largest);
}
Value min(const Value& x, Site site) { return min(x, every_axis(x), site); }
Value min(const Value& x, const Shape& axes, KeepDims, Site site) {
  return keeping(x, axes, site, [&] { return min(x, axes, site); });
}
Value min_along(const Value& x, Extent axis, Site site) { return min(x, Shape{axis}, site); }
Value argmin_along(const Value& x, Extent axis, Site site) {
  parts::inner_axis("argmin_along", x, axis, site);
  Composite scope(x, site);
  const auto turned = reversed_order(x);
  return argmax_along(turned, axis, site);
}

}  // namespace topos
