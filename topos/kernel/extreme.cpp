// The kernels of the largest along one axis and of its place, compiled once for each vector target.
#include <algorithm>
#include <cmath>

#include "topos/kernel/along.h"
#include "topos/kernel/families.h"
#include "topos/kernel/lane_sums.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/extreme.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/lane_sums.inc"
#include "topos/kernel/peaks.inc"

// --- rows ------------------------------------------------------------------------------------------------------------

/// Scratch holds a row of operands where they lie apart.
template <class S>
void max_row(Call& call, const Offsets& at) {
  const auto& view = call.task.operands[0];
  const auto last = view.shape.rank() - 1;
  const auto n = view.shape[last];
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  const auto* x = row_without_gaps(n, from, view.strides[last], static_cast<S*>(call.scratch));
  static_cast<S*>(call.result)[at.result] = static_cast<S>(peak_of(n, x));
}
/// The first place whose number equals `value`, or is NaN as it is.
template <class S, class T>
Extent first_place(Extent n, const S* x, T value) {
  const bool nan = value != value;
  Extent i = 0;
  if constexpr (!std::integral<T>) {
    const SumVectors<T> d;
    const auto wanted = hn::Set(d, value);
    for (; i + sum_width<T> <= n; i += sum_width<T>) {
      const auto next = load_computed(d, x + i);
      const auto found = nan ? hn::IsNaN(next) : hn::Eq(next, wanted);
      if (!hn::AllFalse(d, found)) return i + static_cast<Extent>(hn::FindFirstTrue(d, found));
    }
  }
  for (; i < n; ++i) {
    const T next = static_cast<T>(x[i]);
    if (nan ? next != next : next == value) break;
  }
  return i;
}
/// The place of the first NaN, or else of the first of the largest.
template <class S>
void argmax_row(Call& call, const Offsets& at) {
  const auto& view = call.task.operands[0];
  const auto last = view.shape.rank() - 1;
  const auto n = view.shape[last];
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  const auto* x = row_without_gaps(n, from, view.strides[last], static_cast<S*>(call.scratch));
  static_cast<std::int64_t*>(call.result)[at.result] = first_place(n, x, peak_of(n, x));
}

// --- columns ---------------------------------------------------------------------------------------------------------

inline constexpr Extent extreme_tile = 256;

template <class S>
void max_columns(Call& call, const Offsets& at) {
  using T = numbers::Computed<S>;
  const Columns columns(call);
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<S*>(call.result) + at.result;
  alignas(64) T peak[extreme_tile];
  for (Extent j = 0; j < columns.count; j += extreme_tile) {
    const auto width = std::min(extreme_tile, columns.count - j);
    column_peaks<true>(columns.n, width, x + j, columns.row, peak);
    for (Extent k = 0; k < width; ++k) out[(j + k) * columns.result_step] = static_cast<S>(peak[k]);
  }
}
/// Places are counted in integers of the number's size, so that the loop becomes vector code.
template <class S, class T, class Place>
void column_places(Extent n, Extent width, const S* x, Extent row, T* peak, Place* place) {
  for (Extent j = 0; j < width; ++j) {
    peak[j] = static_cast<T>(x[j]);
    place[j] = 0;
  }
  for (Extent i = 1; i < n; ++i) {
    const S* from = x + i * row;
    TOPOS_INDEPENDENT
    for (Extent j = 0; j < width; ++j) {
      const T next = static_cast<T>(from[j]), before = peak[j];
      const bool taken = (next > before) | ((next != next) & (before == before));
      peak[j] = taken ? next : before;
      place[j] = taken ? static_cast<Place>(i) : place[j];
    }
  }
}
template <class S>
void argmax_columns(Call& call, const Offsets& at) {
  using T = numbers::Computed<S>;
  using Place = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const Columns columns(call);
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<std::int64_t*>(call.result) + at.result;
  alignas(64) T peak[extreme_tile];
  alignas(64) Place place[extreme_tile];
  for (Extent j = 0; j < columns.count; j += extreme_tile) {
    const auto width = std::min(extreme_tile, columns.count - j);
    column_places(columns.n, width, x + j, columns.row, peak, place);
    for (Extent k = 0; k < width; ++k) out[(j + k) * columns.result_step] = place[k];
  }
}

// --- choice ----------------------------------------------------------------------------------------------------------

template <class S, bool places>
Extent extreme_rows(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank(), places ? argmax_row<S> : max_row<S>);
  return no_fault;
}
template <class S, bool places>
Extent extreme_columns(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank() - 1, places ? argmax_columns<S> : max_columns<S>);
  return no_fault;
}
template <class S>
Run extreme_of(Kind kind, bool columns) {
  if (kind == Kind::max_along) return columns ? extreme_columns<S, false> : extreme_rows<S, false>;
  return columns ? extreme_columns<S, true> : extreme_rows<S, true>;
}
Run extreme(const Task& task, bool columns) {
  const auto element = task.operands[0].element;
  if (element == f32) return extreme_of<float>(task.kind, columns);
  if (element == f64) return extreme_of<double>(task.kind, columns);
  if (element == bf16) return extreme_of<BFloat16>(task.kind, columns);
  if (element == i64) return extreme_of<std::int64_t>(task.kind, columns);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(extreme);
void find_extreme(Prepared& prepared) {
  auto& task = prepared.task;
  const auto& view = task.operands[0];
  const auto n = view.shape.empty() ? 1 : view.shape[view.shape.rank() - 1];
  const bool columns = n <= std::numeric_limits<std::int32_t>::max() && put_columns_last(task);
  prepared.run = HWY_DYNAMIC_DISPATCH(extreme)(task, columns);
  prepared.scratch_bytes = static_cast<std::size_t>(n) * view.element.size();
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
