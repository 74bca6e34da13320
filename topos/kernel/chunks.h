// Owns how a row of strided operands becomes rows without gaps: through buffers of one chunk. Internal.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include "topos/kernel/numbers.h"
#include "topos/kernel/walk.h"

namespace topos::kernel {

/// Elements that are computed at a time where a row has gaps: their buffers stay in the nearest cache.
inline constexpr Extent chunk = 256;

/// Functions over rows without gaps: one result an element.
template <class R, class... A>
using Values = void (*)(Extent n, R* out, const A*... operands);

/// `count` elements from place `begin` of a row that lies at `step`, without gaps. A row of one repeated value fills
/// its buffer once.
template <class T>
TOPOS_INLINE const T* closed_up(const T* row, Extent step, Extent begin, Extent count, T* buffer) {
  if (step == 1) return row + begin;
  if (step == 0 && begin != 0) return buffer;
  for (Extent i = 0; i < count; ++i) buffer[i] = row[(begin + i) * step];
  return buffer;
}

template <class R, class... A, std::size_t... I>
TOPOS_INLINE void row_of(Call& call, const Offsets& at, Values<R, A...> values, std::index_sequence<I...>) {
  auto* out = static_cast<R*>(call.result) + at.result;
  if (call.result_step == 1 && ((call.step[I] == 1) && ...))
    return values(call.n, out, (static_cast<const A*>(call.operands[I]) + at.operand[I])...);
  alignas(64) std::byte buffers[sizeof...(A) + 1][chunk * sizeof(double)];
  auto* gathered = reinterpret_cast<R*>(buffers[sizeof...(A)]);
  for (Extent begin = 0; begin < call.n; begin += chunk) {
    const auto count = std::min(chunk, call.n - begin);
    auto* place = call.result_step == 1 ? out + begin : gathered;
    values(count, place,
           closed_up(static_cast<const A*>(call.operands[I]) + at.operand[I], call.step[I], begin, count,
                     reinterpret_cast<A*>(buffers[I]))...);
    if (call.result_step != 1)
      for (Extent i = 0; i < count; ++i) out[(begin + i) * call.result_step] = gathered[i];
  }
}

/// One row of an elementwise kernel, whatever its steps. R is the result's number, A those of the operands.
template <class R, class... A>
TOPOS_INLINE void row_of(Call& call, const Offsets& at, Values<R, A...> values) {
  row_of(call, at, values, std::index_sequence_for<A...>());
}

}  // namespace topos::kernel
