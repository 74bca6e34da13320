// The kernels that read and add rows by index.
#include <algorithm>
#include <cstring>

#include "topos/kernel/copy_bytes.h"
#include "topos/kernel/families.h"
#include "topos/kernel/numbers.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/rows.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_ROWS
#define TOPOS_KERNEL_ROWS
namespace topos::kernel {

/// Reads the index at hand. One outside `extent` is the fault, after which nothing is read.
TOPOS_INLINE bool next_index(Call& call, const Offsets& at, Extent extent, Extent& index) {
  if (call.fault != no_fault) return false;
  index = static_cast<const std::int64_t*>(call.operands[1])[at.operand[1]];
  if (index < 0 || index >= extent) {
    call.fault = call.place;
    return false;
  }
  ++call.place;
  return true;
}

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/add_view.inc"
#include "topos/kernel/each_index.inc"

/// The rows of a table that are this task's: all, or those of a part's span.
Span rows_of(const Task& task) {
  return task.span.count > 0 ? task.span : Span{0, task.result.shape[task.operands[1].shape.rank()]};
}
/// Their totals. Those of bf16 are floats in scratch until the end.
template <class S>
numbers::Computed<S>* totals(Call& call) {
  const auto row = call.task.result.strides[call.task.operands[1].shape.rank()];
  if constexpr (std::same_as<S, numbers::Computed<S>>)
    return static_cast<S*>(call.result) + rows_of(call.task).begin * row;
  else
    return static_cast<numbers::Computed<S>*>(call.scratch);
}
template <class S>
void scatter_row(Call& call, const Offsets& at) {
  const auto lead = call.task.operands[1].shape.rank();
  const auto& result = call.task.result;
  const auto [first, rows] = rows_of(call.task);
  Extent index = 0;
  if (!next_index(call, at, result.shape[lead], index)) return;
  if (index < first || index - first >= rows) return;
  auto* to = totals<S>(call) + (index - first) * result.strides[lead];
  const auto& view = call.task.operands[0];
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  if (view.shape.rank() != lead + 1 || view.strides[lead] != 1) return add_view(view, lead, from, to);
  const auto n = view.shape[lead];
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) to[i] = numbers::add(to[i], static_cast<numbers::Computed<S>>(from[i]));
}
/// A part's rows of a list, each contiguous: while one is added the next one is fetched, for a memory that is read here
/// and there is not read ahead.
template <class S>
void scatter_list(Call& call) {
  constexpr Extent line = 64 / sizeof(S);
  const auto& [view, indices, _] = call.task.operands;
  const auto [first, rows] = rows_of(call.task);
  const auto n = view.shape[1], step = call.task.result.strides[1];
  auto* const total = totals<S>(call);
  const S* row = nullptr;
  numbers::Computed<S>* to = nullptr;
  const auto add_before = [&](const S* next) {
    for (Extent i = 0; i < n; i += line) {
      __builtin_prefetch(next + i);
      const auto end = std::min(n, i + line);
      TOPOS_INDEPENDENT
      for (Extent j = i; j < end; ++j) to[j] = numbers::add(to[j], static_cast<numbers::Computed<S>>(row[j]));
    }
  };
  Offsets at;
  for (Extent i = 0; i < indices.shape[0]; ++i) {
    Extent index = 0;
    if (!next_index(call, at, call.task.result.shape[1], index)) return;
    at.operand[1] += indices.strides[0];
    if (index < first || index - first >= rows) continue;
    const S* next = static_cast<const S*>(call.operands[0]) + i * view.strides[0];
    if (row != nullptr) add_before(next);
    row = next;
    to = total + (index - first) * step;
  }
  if (row != nullptr) add_before(row);
}
template <class S>
Extent scatter_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  using C = numbers::Computed<S>;
  const auto [first, rows] = rows_of(task);
  const auto row = task.result.strides[task.operands[1].shape.rank()], count = rows * row;
  Call call(task, operands, result, scratch);
  auto* total = totals<S>(call);
  std::memset(total, 0, static_cast<std::size_t>(count) * sizeof(C));
  const auto& rows_added = task.operands[0];
  if (task.span.count > 0 && rows_added.shape.rank() == 2 && task.operands[1].shape.rank() == 1 &&
      rows_added.strides[1] == 1)
    scatter_list<S>(call);
  else
    each_index<scatter_row<S>>(call);
  if constexpr (!std::same_as<S, C>)
    for (Extent i = 0; i < count; ++i) static_cast<S*>(result)[first * row + i] = static_cast<S>(total[i]);
  return call.fault;
}
Run scatter(const Task& task) {
  if (task.result.element == f32) return scatter_all<float>;
  if (task.result.element == f64) return scatter_all<double>;
  if (task.result.element == i64) return scatter_all<std::int64_t>;
  if (task.result.element == bf16) return scatter_all<BFloat16>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {
namespace {

#include "topos/kernel/each_index.inc"

void gather_row(Call& call, const Offsets& at) {
  const auto lead = call.task.operands[1].shape.rank();
  const auto& table = call.task.operands[0];
  Extent index = 0;
  if (!next_index(call, at, table.shape[lead], index)) return;
  const auto size = static_cast<Extent>(table.element.size());
  const auto* from = static_cast<const std::byte*>(call.operands[0]) + index * table.strides[lead] * size;
  auto* to = static_cast<std::byte*>(call.result) + at.result * size;
  const auto rank = table.shape.rank();
  if (rank == lead + 2 && table.strides[lead + 1] == 1)
    copy_bytes_of_row(to, from, static_cast<std::size_t>(table.shape[lead + 1] * size));
  else
    lay_out(table, lead + 1, from, to);
}
Extent gather_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  each_index<gather_row>(call);
  return call.fault;
}

}  // namespace

HWY_EXPORT(scatter);
void find_gather(Prepared& prepared) { prepared.run = gather_all; }
void find_scatter(Prepared& prepared) {
  const auto& result = prepared.task.result;
  const auto lead = prepared.task.operands[1].shape.rank();
  prepared.run = HWY_DYNAMIC_DISPATCH(scatter)(prepared.task);
  // A table has its rows even where there is no index.
  const auto count = result.shape[lead] * result.strides[lead];
  if (result.element == bf16) prepared.scratch_bytes = static_cast<std::size_t>(count) * sizeof(float);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
