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

}  // namespace

void find_copy(Prepared& prepared) {
  const bool one = prepared.task.result.shape.rank() == 0;
  switch (prepared.task.result.element.size()) {
    case 1: prepared.run = one ? copy_one<std::uint8_t> : copy_all<std::uint8_t>; break;
    case 4: prepared.run = one ? copy_one<std::uint32_t> : copy_all<std::uint32_t>; break;
    case 8: prepared.run = one ? copy_one<std::uint64_t> : copy_all<std::uint64_t>; break;
    default: break;
  }
}

void find_fill(Prepared& prepared) {
  const bool one = prepared.task.result.shape.rank() == 0;
  switch (prepared.task.result.element.size()) {
    case 1: prepared.run = one ? fill_one<std::uint8_t> : fill_all<std::uint8_t>; break;
    case 4: prepared.run = one ? fill_one<std::uint32_t> : fill_all<std::uint32_t>; break;
    case 8: prepared.run = one ? fill_one<std::uint64_t> : fill_all<std::uint64_t>; break;
    default: break;
  }
}

}  // namespace topos::kernel
