// What the files of the enclosure algebra share: intervals out of tensors and back.
#pragma once
#include <vector>

#include "support/judged/enclosure.h"

namespace topos::test {

using Intervals = std::vector<Interval>;

/// Row-major.
inline Intervals intervals_of(const Enclosure& x) {
  const auto low = x.low.values<double>(), high = x.high.values<double>();
  Intervals intervals(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) intervals[i] = {low[i], high[i]};
  return intervals;
}

inline Enclosure enclosed(Tensor value, const Intervals& intervals) {
  std::vector<double> low, high;
  low.reserve(intervals.size());
  high.reserve(intervals.size());
  for (const auto& interval : intervals) {
    low.push_back(interval.low);
    high.push_back(interval.high);
  }
  const auto shape = value.shape();
  return {std::move(value), Tensor::from(shape, low), Tensor::from(shape, high), {}};
}

/// An integer or a predicate.
inline Enclosure decided(Tensor value, Tensor undecided) { return {std::move(value), {}, {}, std::move(undecided)}; }
inline Tensor none_undecided(const Shape& shape) { return Tensor::full({boolean, shape}, Number(std::int64_t{0})); }
inline Tensor all_undecided(const Shape& shape) { return Tensor::full({boolean, shape}, Number(std::int64_t{1})); }

/// f.operator()<T>() for the C++ type of a floating element.
template <class F>
decltype(auto) with_float(ElementType element, F&& f) {
  if (element == f32) return f.template operator()<float>();
  if (element == f64) return f.template operator()<double>();
  return f.template operator()<BFloat16>();
}

}  // namespace topos::test
