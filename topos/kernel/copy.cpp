// The kernels that move bytes and compute nothing; the C library has them for every vector target.
#include <algorithm>
#include <cstring>

#include "topos/kernel/copy_bytes.h"
#include "topos/kernel/families.h"
#include "topos/kernel/transpose.h"
#include "topos/kernel/walk.h"

namespace topos::kernel {
namespace {

#include "topos/kernel/each_row.inc"

template <class T>
void copy_row(Call& call, const Offsets& at) {
  const auto* from = static_cast<const T*>(call.operands[0]) + at.operand[0];
  auto* to = static_cast<T*>(call.result) + at.result;
  if (call.step[0] == 1 && call.result_step == 1) {
    copy_bytes_of_row(to, from, static_cast<std::size_t>(call.n) * sizeof(T));
  } else if (call.step[0] == 0 && call.result_step == 1) {
    std::fill_n(to, call.n, *from);
  } else {
    for (Extent i = 0; i < call.n; ++i) to[i * call.result_step] = from[i * call.step[0]];
  }
}
template <class T>
Extent copy_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  each_row<copy_row<T>>(call);
  return no_fault;
}
template <class T>
Extent copy_one(const Task&, const void* const* operands, void* result, void*) {
  *static_cast<T*>(result) = *static_cast<const T*>(operands[0]);
  return no_fault;
}

// --- transposes ------------------------------------------------------------------------------------------------------

/// The last two axes: the operand's numbers lie side by side along the first of them, the result's along the other.
template <class T>
void transpose_axes(Call& call, const Offsets& at) {
  const auto& [element, shape, strides] = call.task.result;
  const auto first = shape.rank() - 2;
  const auto rows = shape[first], columns = shape[first + 1];
  const auto to_row = strides[first], from_row = call.task.operands[0].strides[first + 1];
  const auto* from = static_cast<const T*>(call.operands[0]) + at.operand[0];
  auto* to = static_cast<T*>(call.result) + at.result;
  constexpr auto line = static_cast<Extent>(64 / sizeof(T));
  for (Extent i = 0; i < rows; i += line)
    for (Extent j = 0; j < columns; j += line)
      transpose_tile(std::min(line, rows - i), std::min(line, columns - j), from + j * from_row + i, from_row,
                     to + i * to_row + j, to_row);
}
template <class T>
Extent transpose_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank() - 2, transpose_axes<T>);
  return no_fault;
}
/// Whether the copy is of transposes, whose axes are then put last.
bool put_transpose_last(Task& task) {
  auto& view = task.operands[0];
  auto& result = task.result;
  const auto rank = result.shape.rank();
  if (rank < 2 || result.shape.volume() == 0 || result.strides[rank - 1] != 1) return false;
  if (view.strides[rank - 1] == 1 || view.strides[rank - 1] == 0) return false;
  for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
    if (view.strides[axis] != 1) continue;
    for (auto* list : {&view.shape, &view.strides, &result.shape, &result.strides})
      std::rotate(list->begin() + axis, list->begin() + axis + 1, list->begin() + rank - 1);
    return true;
  }
  return false;
}

// --- fills -----------------------------------------------------------------------------------------------------------

template <class T>
void fill_row(Call& call, const Offsets& at) {
  auto* to = static_cast<T*>(call.result) + at.result;
  if (call.result_step == 1)
    std::memset(to, 0, static_cast<std::size_t>(call.n) * sizeof(T));
  else
    for (Extent i = 0; i < call.n; ++i) to[i * call.result_step] = T{0};
}
template <class T>
Extent fill_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  rows(call, fill_row<T>);
  return no_fault;
}
template <class T>
Extent fill_one(const Task&, const void* const*, void* result, void*) {
  *static_cast<T*>(result) = T{0};
  return no_fault;
}

// Numbers of any other size: the user's.
void copy_bytes_row(Call& call, const Offsets& at) {
  const auto size = static_cast<Extent>(call.task.result.element.size());
  const auto* from = static_cast<const std::byte*>(call.operands[0]) + at.operand[0] * size;
  auto* to = static_cast<std::byte*>(call.result) + at.result * size;
  for (Extent i = 0; i < call.n; ++i)
    std::memcpy(to + i * call.result_step * size, from + i * call.step[0] * size, static_cast<std::size_t>(size));
}
Extent copy_bytes(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  rows(call, copy_bytes_row);
  return no_fault;
}
Extent copy_bytes_one(const Task& task, const void* const* operands, void* result, void*) {
  std::memcpy(result, operands[0], task.result.element.size());
  return no_fault;
}
void fill_bytes_row(Call& call, const Offsets& at) {
  const auto size = static_cast<Extent>(call.task.result.element.size());
  auto* to = static_cast<std::byte*>(call.result) + at.result * size;
  for (Extent i = 0; i < call.n; ++i) std::memset(to + i * call.result_step * size, 0, static_cast<std::size_t>(size));
}
Extent fill_bytes(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  rows(call, fill_bytes_row);
  return no_fault;
}
Extent fill_bytes_one(const Task& task, const void* const*, void* result, void*) {
  std::memset(result, 0, task.result.element.size());
  return no_fault;
}

}  // namespace

void find_copy(Prepared& prepared) {
  const bool one = prepared.task.result.shape.rank() == 0;
  const auto size = prepared.task.result.element.size();
  if ((size == 2 || size == 4 || size == 8) && put_transpose_last(prepared.task)) {
    prepared.run = size == 2   ? transpose_all<std::uint16_t>
                   : size == 4 ? transpose_all<std::uint32_t>
                               : transpose_all<std::uint64_t>;
    return;
  }
  switch (size) {
    case 1: prepared.run = one ? copy_one<std::uint8_t> : copy_all<std::uint8_t>; break;
    case 2: prepared.run = one ? copy_one<std::uint16_t> : copy_all<std::uint16_t>; break;
    case 4: prepared.run = one ? copy_one<std::uint32_t> : copy_all<std::uint32_t>; break;
    case 8: prepared.run = one ? copy_one<std::uint64_t> : copy_all<std::uint64_t>; break;
    default: prepared.run = one ? copy_bytes_one : copy_bytes; break;
  }
}

void find_fill(Prepared& prepared) {
  const bool one = prepared.task.result.shape.rank() == 0;
  switch (prepared.task.result.element.size()) {
    case 1: prepared.run = one ? fill_one<std::uint8_t> : fill_all<std::uint8_t>; break;
    case 2: prepared.run = one ? fill_one<std::uint16_t> : fill_all<std::uint16_t>; break;
    case 4: prepared.run = one ? fill_one<std::uint32_t> : fill_all<std::uint32_t>; break;
    case 8: prepared.run = one ? fill_one<std::uint64_t> : fill_all<std::uint64_t>; break;
    default: prepared.run = one ? fill_bytes_one : fill_bytes; break;
  }
}

}  // namespace topos::kernel
