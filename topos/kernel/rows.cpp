// The kernels that read and add rows by index.
#include <cstring>

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

/// Adds what a view shows from its axis on, row-major, to numbers without gaps.
template <class T>
void add_view(const View& view, std::size_t axis, const T* from, T*& to) {
  if (axis == view.shape.rank()) {
    *to = numbers::add(*to, *from);
    ++to;
    return;
  }
  const auto n = view.shape[axis], step = view.strides[axis];
  if (axis + 1 < view.shape.rank()) {
    for (Extent i = 0; i < n; ++i) add_view(view, axis + 1, from + i * step, to);
    return;
  }
  if (step == 1) {
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < n; ++i) to[i] = numbers::add(to[i], from[i]);
  } else {
    for (Extent i = 0; i < n; ++i) to[i] = numbers::add(to[i], from[i * step]);
  }
  to += n;
}
template <class T>
void scatter_row(Call& call, const Offsets& at) {
  const auto lead = call.task.operands[1].shape.rank();
  const auto& result = call.task.result;
  Extent index = 0;
  if (!next_index(call, at, result.shape[lead], index)) return;
  T* to = static_cast<T*>(call.result) + index * result.strides[lead];
  add_view(call.task.operands[0], lead, static_cast<const T*>(call.operands[0]) + at.operand[0], to);
}
template <class T>
Extent scatter_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  const auto lead = task.operands[1].shape.rank();
  std::memset(result, 0, static_cast<std::size_t>(task.result.shape[lead] * task.result.strides[lead]) * sizeof(T));
  Call call(task, operands, result, scratch);
  walk(call, lead, scatter_row<T>);
  return call.fault;
}
Run scatter(const Task& task) {
  if (task.result.element == f32) return scatter_all<float>;
  if (task.result.element == f64) return scatter_all<double>;
  if (task.result.element == i64) return scatter_all<std::int64_t>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {
namespace {

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
    std::memcpy(to, from, static_cast<std::size_t>(table.shape[lead + 1] * size));
  else
    lay_out(table, lead + 1, from, to);
}
Extent gather_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.operands[1].shape.rank(), gather_row);
  return call.fault;
}

}  // namespace

HWY_EXPORT(scatter);
void find_gather(Prepared& prepared) {
  const auto size = prepared.task.result.element.size();
  if (size == 1 || size == 4 || size == 8) prepared.run = gather_all;
}
void find_scatter(Prepared& prepared) { prepared.run = HWY_DYNAMIC_DISPATCH(scatter)(prepared.task); }

}  // namespace topos::kernel
#endif  // HWY_ONCE
