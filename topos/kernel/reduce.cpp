// The kernels of sums and of softmax and its logarithms, compiled once for each vector target.
#include <algorithm>

#include "topos/kernel/counter.h"
#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/reduce.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_REDUCE
#define TOPOS_KERNEL_REDUCE
namespace topos::kernel {

inline constexpr Extent lane_count = 16;     // part of the definition
inline constexpr Extent block_length = 256;  // part of the definition

/// Columns that are summed at a time, in bytes of a row: sixteen rows of them stay in the nearest cache.
inline constexpr Extent column_bytes = 1024;
template <class T>
inline constexpr Extent column_tile = column_bytes / sizeof(T);

constexpr Extent blocks_of(Extent n) { return (n + block_length - 1) / block_length; }

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sixteen lanes are one vector or several.
template <class T>
using Vectors = hn::CappedTag<T, lane_count>;
template <class T>
inline constexpr Extent lanes = static_cast<Extent>(hn::MaxLanes(Vectors<T>()));
template <class T>
inline constexpr Extent vectors = lane_count / lanes<T>;

// --- rows ------------------------------------------------------------------------------------------------------------

/// Element i adds to lane i mod 16, in ascending order from +0.
template <class T>
void sum_block(Extent n, const T* x, T* lane) {
  const Vectors<T> d;
  hn::Vec<Vectors<T>> total[vectors<T>];
#pragma GCC unroll 16
  for (Extent v = 0; v < vectors<T>; ++v) total[v] = hn::Zero(d);
  Extent i = 0;
  for (; i + lane_count <= n; i += lane_count)
#pragma GCC unroll 16
    for (Extent v = 0; v < vectors<T>; ++v) total[v] = hn::Add(total[v], hn::LoadU(d, x + i + v * lanes<T>));
#pragma GCC unroll 16
  for (Extent v = 0; v < vectors<T>; ++v) hn::StoreU(total[v], d, lane + v * lanes<T>);
  for (Extent l = 0; i + l < n; ++l) lane[l] = numbers::add(lane[l], x[i + l]);
}
/// The lanes merge l and l+8, l+4, l+2, l+1.
template <class T>
TOPOS_INLINE T sum_lanes(T* lane) {
  for (Extent half = lane_count / 2; half > 0; half /= 2)
    for (Extent l = 0; l < half; ++l) lane[l] = numbers::add(lane[l], lane[l + half]);
  return lane[0];
}
template <class T>
T sum_row(Extent n, const T* x) {
  if (n <= block_length) {
    alignas(64) T lane[lane_count];
    sum_block(n, x, lane);
    return sum_lanes(lane);
  }
  alignas(64) T parts[64][lane_count];  // enough for any count of blocks
  Counter<T> counter(lane_count, parts[0], parts[1]);
  for (Extent begin = 0; begin < n; begin += block_length) {
    sum_block(std::min(block_length, n - begin), x + begin, counter.next());
    counter.push();
  }
  counter.fold();
  return sum_lanes(parts[0]);
}

template <class T>
void sum_one_row(Call& call, const Offsets& at) {
  const auto n = call.task.operands[0].shape[call.task.result.shape.rank()];
  static_cast<T*>(call.result)[at.result] = sum_row(n, static_cast<const T*>(call.operands[0]) + at.operand[0]);
}
/// Whatever the strides: the numbers are laid out first.
template <class T>
void sum_any_row(Call& call, const Offsets& at) {
  const auto kept = call.task.result.shape.rank();
  const auto& view = call.task.operands[0];
  Extent n = 1;
  for (auto axis = kept; axis < view.shape.rank(); ++axis) n *= view.shape[axis];
  auto* row = static_cast<T*>(call.scratch);
  if (n != 0) lay_out(view, kept, static_cast<const T*>(call.operands[0]) + at.operand[0], row);
  static_cast<T*>(call.result)[at.result] = sum_row(n, row);
}
template <class T>
Extent sum_rows(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank(), sum_one_row<T>);
  return no_fault;
}
template <class T>
Extent sum_any(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank(), sum_any_row<T>);
  return no_fault;
}
template <class T>
Extent sum_one(const Task&, const void* const* operands, void* result, void*) {
  *static_cast<T*>(result) = numbers::add(T{0}, *static_cast<const T*>(operands[0]));
  return no_fault;
}

// --- columns ---------------------------------------------------------------------------------------------------------

/// The sixteen lanes of `width` columns over n rows, lane by lane in `lane`.
template <class T>
void sum_column_block(Extent n, Extent width, const T* x, Extent row, T* lane) {
  std::fill_n(lane, lane_count * width, T{0});
  for (Extent i = 0; i < n; ++i) {
    const T* from = x + i * row;
    T* total = lane + i % lane_count * width;
    TOPOS_INDEPENDENT
    for (Extent j = 0; j < width; ++j) total[j] = numbers::add(total[j], from[j]);
  }
}
template <class T>
void sum_columns(Extent n, Extent width, const T* x, Extent row, T* out, T* scratch) {
  const auto size = lane_count * width;
  Counter<T> counter(size, scratch, scratch + size);
  for (Extent begin = 0; begin < n; begin += block_length) {
    sum_column_block(std::min(block_length, n - begin), width, x + begin * row, row, counter.next());
    counter.push();
  }
  counter.fold();
  for (Extent half = lane_count / 2; half > 0; half /= 2) {
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < half * width; ++i) scratch[i] = numbers::add(scratch[i], scratch[i + half * width]);
  }
  std::copy_n(scratch, width, out);
}
template <class T>
void sum_all_columns(Call& call, const Offsets& at) {
  const auto& view = call.task.operands[0];
  const auto last = call.task.result.shape.rank() - 1;
  const auto n = view.shape[last + 1], row = view.strides[last + 1], columns = view.shape[last];
  const auto* x = static_cast<const T*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<T*>(call.result) + at.result;
  for (Extent j = 0; j < columns; j += column_tile<T>)
    sum_columns(n, std::min(column_tile<T>, columns - j), x + j, row, out + j, static_cast<T*>(call.scratch));
}
template <class T>
Extent sum_by_columns(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank() - 1, sum_all_columns<T>);
  return no_fault;
}

// --- softmax and its logarithms --------------------------------------------------------------------------------------

/// The maximum is the same in any order of its operands.
template <class T>
T peak_of(Extent n, const T* x) {
  const Vectors<T> d;
  T peak = x[0];
  Extent i = 0;
  if (n >= lanes<T>) {
    auto top = hn::LoadU(d, x);
    for (i = lanes<T>; i + lanes<T> <= n; i += lanes<T>) {
      const auto next = hn::LoadU(d, x + i);
      const auto larger = hn::IfThenElse(hn::Gt(top, next), top, next);  // next where either is NaN
      const auto ordered = hn::IfThenElse(hn::Eq(top, next), hn::And(top, next), larger);
      top = hn::IfThenElse(hn::Eq(top, top), ordered, top);
    }
    alignas(64) T lane[lanes<T>];
    hn::Store(top, d, lane);
    for (Extent l = 0; l < lanes<T>; ++l) peak = numbers::maximum(peak, lane[l]);
  }
  for (; i < n; ++i) peak = numbers::maximum(peak, x[i]);
  return peak;
}
template <class T>
void exp_row(Extent n, const T* x, T shift, T* out) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = elementary::exp(x[i] - shift);
}

/// A lane of -inf alone gives zeros.
template <class T>
void softmax_row(Extent n, const T* x, T* out) {
  const T peak = peak_of(n, x);
  exp_row(n, x, peak == -infinity<T> ? T{0} : peak, out);
  const T total = sum_row(n, out);
  const T divisor = total == T{0} ? T{1} : total;
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = out[i] / divisor;
}
template <class T>
void log_softmax_row(Extent n, const T* x, T* out) {
  const T peak = peak_of(n, x);
  exp_row(n, x, peak, out);
  const T normalizer = elementary::log(sum_row(n, out));
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = (x[i] - peak) - normalizer;
}
template <class T>
T logsumexp_row(Extent n, const T* x, T* exps) {
  const T peak = peak_of(n, x);
  const T shift = peak == infinity<T> || peak == -infinity<T> ? T{0} : peak;
  exp_row(n, x, shift, exps);
  return shift + elementary::log(sum_row(n, exps));
}

/// Scratch holds a row of operands, then a row of results.
template <class T, Kind kind>
void soft_row(Call& call, const Offsets& at) {
  const auto& view = call.task.operands[0];
  const auto last = view.shape.rank() - 1;
  const auto n = view.shape[last], step = view.strides[last];
  auto* scratch = static_cast<T*>(call.scratch);
  auto* out = static_cast<T*>(call.result) + at.result;
  const auto* x = static_cast<const T*>(call.operands[0]) + at.operand[0];
  if (step != 1) {
    for (Extent i = 0; i < n; ++i) scratch[i] = x[i * step];
    x = scratch;
  }
  if constexpr (kind == Kind::logsumexp) {
    *out = logsumexp_row(n, x, scratch + n);
  } else {
    const auto result_step = call.task.result.strides[last];
    auto* row = result_step == 1 ? out : scratch + n;
    if constexpr (kind == Kind::softmax)
      softmax_row(n, x, row);
    else
      log_softmax_row(n, x, row);
    if (result_step != 1)
      for (Extent i = 0; i < n; ++i) out[i * result_step] = row[i];
  }
}
template <class T, Kind kind>
Extent soft_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.operands[0].shape.rank() - 1, soft_row<T, kind>);
  return no_fault;
}

// --- choice ----------------------------------------------------------------------------------------------------------

template <class T>
Run sum_of(const View& view, std::size_t kept) {
  if (view.shape.volume() == 1) return sum_one<T>;
  if (view.shape.rank() != kept + 1 || view.shape[kept] == 0) return sum_any<T>;
  if (view.strides[kept] == 1) return sum_rows<T>;
  return kept > 0 && view.strides[kept - 1] == 1 ? sum_by_columns<T> : sum_any<T>;
}
Run sum(const Task& task) {
  const auto& view = task.operands[0];
  const auto kept = task.result.shape.rank();
  if (view.element == f32) return sum_of<float>(view, kept);
  if (view.element == f64) return sum_of<double>(view, kept);
  if (view.element == i64) return sum_of<std::int64_t>(view, kept);
  return nullptr;
}

template <class T>
Run soft_of(Kind kind) {
  if (kind == Kind::softmax) return soft_all<T, Kind::softmax>;
  if (kind == Kind::log_softmax) return soft_all<T, Kind::log_softmax>;
  return soft_all<T, Kind::logsumexp>;
}
Run soft(const Task& task) {
  if (task.result.element == f32) return soft_of<float>(task.kind);
  if (task.result.element == f64) return soft_of<double>(task.kind);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(sum);
HWY_EXPORT(soft);

/// Either a row or the lanes of a tile of columns, whichever the kernel lays out.
void find_sum(Prepared& prepared) {
  const auto& view = prepared.task.operands[0];
  Extent n = 1;
  for (auto axis = prepared.task.result.shape.rank(); axis < view.shape.rank(); ++axis) n *= view.shape[axis];
  prepared.run = HWY_DYNAMIC_DISPATCH(sum)(prepared.task);
  const auto columns = counter_depth(blocks_of(n)) * lane_count * column_bytes;
  prepared.scratch_bytes = static_cast<std::size_t>(std::max(columns, n * Extent{view.element.size()}));
}
void find_softmax(Prepared& prepared) {
  const auto& view = prepared.task.operands[0];
  prepared.run = HWY_DYNAMIC_DISPATCH(soft)(prepared.task);
  prepared.scratch_bytes = 2 * static_cast<std::size_t>(view.shape[view.shape.rank() - 1]) * view.element.size();
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
