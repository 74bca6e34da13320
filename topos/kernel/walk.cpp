#include "topos/kernel/walk.h"

#include <cstring>

namespace topos::kernel {
namespace {

void walk_from(Call& call, std::size_t axis, std::size_t axes, Offsets at, Row row) {
  if (axis == axes) return row(call, at);
  const auto& task = call.task;
  const auto extent = task.result.shape[axis];
  Extent step[max_operands] = {};
  for (std::size_t i = 0; i < task.operand_count; ++i) step[i] = task.operands[i].strides[axis];
  const auto result_step = task.result.strides[axis];
  for (Extent turn = 0; turn < extent; ++turn) {
    if (axis + 1 == axes)
      row(call, at);
    else
      walk_from(call, axis + 1, axes, at, row);
    for (std::size_t i = 0; i < max_operands; ++i) at.operand[i] += step[i];
    at.result += result_step;
  }
}

template <class T>
void lay_out_as(const View& view, std::size_t axis, const T* from, T*& to) {
  if (axis == view.shape.rank()) {
    *to++ = *from;
    return;
  }
  const auto extent = view.shape[axis];
  const auto step = view.strides[axis];
  if (axis + 1 < view.shape.rank()) {
    for (Extent i = 0; i < extent; ++i) lay_out_as(view, axis + 1, from + i * step, to);
  } else {
    for (Extent i = 0; i < extent; ++i) to[i] = from[i * step];
    to += extent;
  }
}

/// Numbers of any other size: the user's.
void lay_out_any(const View& view, std::size_t axis, const std::byte* from, std::byte*& to) {
  const auto size = static_cast<Extent>(view.element.size());
  if (axis == view.shape.rank()) {
    std::memcpy(to, from, static_cast<std::size_t>(size));
    to += size;
    return;
  }
  for (Extent i = 0; i < view.shape[axis]; ++i) lay_out_any(view, axis + 1, from + i * view.strides[axis] * size, to);
}

template <class T>
void lay_out_bytes(const View& view, std::size_t first, const void* from, void* to) {
  auto* next = static_cast<T*>(to);
  lay_out_as(view, first, static_cast<const T*>(from), next);
}

}  // namespace

void walk(Call& call, std::size_t axes, Row row) { walk_from(call, 0, axes, {}, row); }

void set_row(Call& call) {
  const auto& task = call.task;
  const auto last = task.result.shape.rank() - 1;
  call.n = task.result.shape[last];
  for (std::size_t i = 0; i < task.operand_count; ++i) call.step[i] = task.operands[i].strides[last];
  call.result_step = task.result.strides[last];
}

void rows(Call& call, Row row) {
  set_row(call);
  walk_from(call, 0, call.task.result.shape.rank() - 1, {}, row);
}

void lay_out(const View& view, std::size_t first, const void* from, void* to) {
  switch (view.element.size()) {
    case 1: return lay_out_bytes<std::uint8_t>(view, first, from, to);
    case 2: return lay_out_bytes<std::uint16_t>(view, first, from, to);
    case 4: return lay_out_bytes<std::uint32_t>(view, first, from, to);
    case 8: return lay_out_bytes<std::uint64_t>(view, first, from, to);
    default: {
      auto* next = static_cast<std::byte*>(to);
      lay_out_any(view, first, static_cast<const std::byte*>(from), next);
    }
  }
}

}  // namespace topos::kernel
