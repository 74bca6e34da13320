// The kernels along one axis, compiled once for each vector target: softmax and its logarithms, the largest and its
// place.
#include <algorithm>

#include "topos/kernel/families.h"
#include "topos/kernel/lane_sums.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/softmax.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_SOFTMAX
#define TOPOS_KERNEL_SOFTMAX
namespace topos::kernel {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/lane_sums.inc"

// --- softmax and its logarithms --------------------------------------------------------------------------------------

/// n numbers at `step` as they are computed with, one after the other: where they lie, or in `room`.
template <class S, class C>
const C* row_without_gaps(Extent n, const S* from, Extent step, C* room) {
  if constexpr (std::same_as<S, C>)
    if (step == 1) return from;
  for (Extent i = 0; i < n; ++i) room[i] = static_cast<C>(from[i * step]);
  return room;
}
/// The maximum is the same in any order of its operands.
template <class T>
T peak_of(Extent n, const T* x) {
  T peak = x[0];
  Extent i = 0;
  if constexpr (!std::integral<T>)
    if (n >= sum_width<T>) {
      const SumVectors<T> d;
      auto top = hn::LoadU(d, x);
      for (i = sum_width<T>; i + sum_width<T> <= n; i += sum_width<T>) {
        const auto next = hn::LoadU(d, x + i);
        const auto larger = hn::IfThenElse(hn::Gt(top, next), top, next);  // next where either is NaN
        const auto ordered = hn::IfThenElse(hn::Eq(top, next), hn::And(top, next), larger);
        top = hn::IfThenElse(hn::Eq(top, top), ordered, top);
      }
      alignas(64) T lane[sum_width<T>];
      hn::Store(top, d, lane);
      for (Extent l = 0; l < sum_width<T>; ++l) peak = numbers::maximum(peak, lane[l]);
    }
  for (; i < n; ++i) peak = numbers::maximum(peak, x[i]);
  return peak;
}
// S is the element that is stored: each step is rounded to it, while sums accumulate in what it is computed in.

template <class S, class C>
void exp_row(Extent n, const C* x, C shift, C* out) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::stored<S>(elementary::exp(numbers::stored<S>(x[i] - shift)));
}

/// A lane of -inf alone gives zeros.
template <class S, class C>
void softmax_row(Extent n, const C* x, C* out) {
  const C peak = peak_of(n, x);
  exp_row<S>(n, x, peak == -infinity<C> ? C{0} : peak, out);
  const C total = numbers::stored<S>(sum_row(n, out));
  const C divisor = total == C{0} ? C{1} : total;
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = out[i] / divisor;
}
template <class S, class C>
void log_softmax_row(Extent n, const C* x, C* out) {
  const C peak = peak_of(n, x);
  exp_row<S>(n, x, peak, out);
  const C normalizer = numbers::stored<S>(elementary::log(numbers::stored<S>(sum_row(n, out))));
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::stored<S>(x[i] - peak) - normalizer;
}
template <class S, class C>
C logsumexp_row(Extent n, const C* x, C* exps) {
  const C peak = peak_of(n, x);
  const C shift = peak == infinity<C> || peak == -infinity<C> ? C{0} : peak;
  exp_row<S>(n, x, shift, exps);
  return shift + numbers::stored<S>(elementary::log(numbers::stored<S>(sum_row(n, exps))));
}

/// Scratch holds a row of operands, then a row of results, as they are computed.
template <class S, Kind kind>
void soft_row(Call& call, const Offsets& at) {
  using C = numbers::Computed<S>;
  const auto& view = call.task.operands[0];
  const auto last = view.shape.rank() - 1;
  const auto n = view.shape[last], step = view.strides[last];
  auto* scratch = static_cast<C*>(call.scratch);
  auto* out = static_cast<S*>(call.result) + at.result;
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  const auto* x = row_without_gaps(n, from, step, scratch);
  if constexpr (kind == Kind::logsumexp) {
    *out = static_cast<S>(logsumexp_row<S>(n, x, scratch + n));
  } else {
    const auto result_step = call.task.result.strides[last];
    auto* row = scratch + n;
    if constexpr (std::same_as<S, C>)
      if (result_step == 1) row = out;
    if constexpr (kind == Kind::softmax)
      softmax_row<S>(n, x, row);
    else
      log_softmax_row<S>(n, x, row);
    if (row == scratch + n)
      for (Extent i = 0; i < n; ++i) out[i * result_step] = static_cast<S>(row[i]);
  }
}
template <class S, Kind kind>
Extent soft_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.operands[0].shape.rank() - 1, soft_row<S, kind>);
  return no_fault;
}

// --- the largest -----------------------------------------------------------------------------------------------------

/// Scratch holds a row of operands.
template <class S>
void max_row(Call& call, const Offsets& at) {
  using C = numbers::Computed<S>;
  const auto& view = call.task.operands[0];
  const auto last = view.shape.rank() - 1;
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  const auto* x = row_without_gaps(view.shape[last], from, view.strides[last], static_cast<C*>(call.scratch));
  static_cast<S*>(call.result)[at.result] = static_cast<S>(peak_of(view.shape[last], x));
}
/// The place of the first NaN, or else of the first of the largest.
template <class S>
void argmax_row(Call& call, const Offsets& at) {
  using C = numbers::Computed<S>;
  const auto& view = call.task.operands[0];
  const auto last = view.shape.rank() - 1;
  const auto step = view.strides[last];
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  Extent place = 0;
  C best = static_cast<C>(*from);
  for (Extent i = 1; i < view.shape[last] && best == best; ++i) {
    const C next = static_cast<C>(from[i * step]);
    if (!(next > best) && next == next) continue;
    place = i;
    best = next;
  }
  static_cast<std::int64_t*>(call.result)[at.result] = place;
}
template <class S>
Extent max_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.operands[0].shape.rank() - 1, max_row<S>);
  return no_fault;
}
template <class S>
Extent argmax_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.operands[0].shape.rank() - 1, argmax_row<S>);
  return no_fault;
}

// --- choice ----------------------------------------------------------------------------------------------------------

template <class S>
Run soft_of(Kind kind) {
  if (kind == Kind::softmax) return soft_all<S, Kind::softmax>;
  if (kind == Kind::log_softmax) return soft_all<S, Kind::log_softmax>;
  return soft_all<S, Kind::logsumexp>;
}
Run soft(const Task& task) {
  if (task.result.element == f32) return soft_of<float>(task.kind);
  if (task.result.element == f64) return soft_of<double>(task.kind);
  if (task.result.element == bf16) return soft_of<BFloat16>(task.kind);
  return nullptr;
}
template <class S>
Run extreme_of(Kind kind) {
  return kind == Kind::max_along ? max_all<S> : argmax_all<S>;
}
Run extreme(const Task& task) {
  const auto element = task.operands[0].element;
  if (element == f32) return extreme_of<float>(task.kind);
  if (element == f64) return extreme_of<double>(task.kind);
  if (element == bf16) return extreme_of<BFloat16>(task.kind);
  if (element == i64) return extreme_of<std::int64_t>(task.kind);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {
namespace {

/// Rows of the operand's length, in what it is computed in.
std::size_t rows_bytes(const View& view, std::size_t count) {
  const auto size = view.element == bf16 ? sizeof(float) : view.element.size();
  return count * static_cast<std::size_t>(view.shape[view.shape.rank() - 1]) * size;
}

}  // namespace

HWY_EXPORT(soft);
HWY_EXPORT(extreme);

void find_softmax(Prepared& prepared) {
  prepared.run = HWY_DYNAMIC_DISPATCH(soft)(prepared.task);
  prepared.scratch_bytes = rows_bytes(prepared.task.operands[0], 2);
}
void find_extreme(Prepared& prepared) {
  prepared.run = HWY_DYNAMIC_DISPATCH(extreme)(prepared.task);
  if (prepared.task.kind == Kind::max_along) prepared.scratch_bytes = rows_bytes(prepared.task.operands[0], 1);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
