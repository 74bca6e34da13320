// The kernels that move bytes and compute nothing; the C library has them for every vector target.
#include <algorithm>
#include <cstring>

#include "topos/kernel/families.h"
#include "topos/kernel/walk.h"

namespace topos::kernel {
namespace {

template <class T>
void copy_row(Call& call, const Offsets& at) {
  const auto* from = static_cast<const T*>(call.operands[0]) + at.operand[0];
  auto* to = static_cast<T*>(call.result) + at.result;
  if (call.step[0] == 1 && call.result_step == 1) {
    std::memmove(to, from, static_cast<std::size_t>(call.n) * sizeof(T));
  } else if (call.step[0] == 0 && call.result_step == 1) {
    std::fill_n(to, call.n, *from);
  } else {
    for (Extent i = 0; i < call.n; ++i) to[i * call.result_step] = from[i * call.step[0]];
  }
}
template <class T>
Extent copy_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  rows(call, copy_row<T>);
  return no_fault;
}
template <class T>
Extent copy_one(const Task&, const void* const* operands, void* result, void*) {
  *static_cast<T*>(result) = *static_cast<const T*>(operands[0]);
  return no_fault;
}

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
  switch (prepared.task.result.element.size()) {
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
