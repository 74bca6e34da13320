// The kernels of sums, compiled once for each vector target.
#include <algorithm>

#include "topos/kernel/families.h"
#include "topos/kernel/lane_sums.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/reduce.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_REDUCE
#define TOPOS_KERNEL_REDUCE
namespace topos::kernel {

/// Columns that are summed at a time, in bytes of a row: sixteen rows of them stay in the nearest cache.
inline constexpr Extent column_bytes = 1024;
template <class T>
inline constexpr Extent column_tile = column_bytes / sizeof(T);

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/lane_sums.inc"

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
/// The accumulator of a bf16 sum is a float; it is rounded once.
void sum_bfloat16_row(Call& call, const Offsets& at) {
  const auto kept = call.task.result.shape.rank();
  const auto& view = call.task.operands[0];
  Extent n = 1;
  for (auto axis = kept; axis < view.shape.rank(); ++axis) n *= view.shape[axis];
  auto* row = static_cast<float*>(call.scratch);
  auto* narrow = reinterpret_cast<BFloat16*>(row + n);
  if (n != 0) lay_out(view, kept, static_cast<const BFloat16*>(call.operands[0]) + at.operand[0], narrow);
  for (Extent i = 0; i < n; ++i) row[i] = static_cast<float>(narrow[i]);
  static_cast<BFloat16*>(call.result)[at.result] = BFloat16(sum_row(n, row));
}
Extent sum_bfloat16(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank(), sum_bfloat16_row);
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
  if (view.element == bf16) return sum_bfloat16;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(sum);

/// Either a row or the lanes of a tile of columns, whichever the kernel lays out; for bf16 a row twice.
void find_sum(Prepared& prepared) {
  const auto& view = prepared.task.operands[0];
  Extent n = 1;
  for (auto axis = prepared.task.result.shape.rank(); axis < view.shape.rank(); ++axis) n *= view.shape[axis];
  prepared.run = HWY_DYNAMIC_DISPATCH(sum)(prepared.task);
  const auto columns = counter_depth(blocks_of(n)) * lane_count * column_bytes;
  const auto row = n * Extent{view.element == bf16 ? 8 : view.element.size()};
  prepared.scratch_bytes = static_cast<std::size_t>(std::max(columns, row));
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
