// Owns how a row of strided operands becomes rows without gaps: through buffers of one chunk. Internal.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include "topos/kernel/numbers.h"
#include "topos/kernel/sheets.h"  // IWYU pragma: keep (for elementwise_rows.inc)
#include "topos/kernel/walk.h"

namespace topos::kernel {

/// Elements that are computed at a time where a row has gaps: their buffers stay in the nearest cache.
inline constexpr Extent chunk = 256;

/// Whether a function's code is short enough to stand wherever it is used.
constexpr bool is_short(Function f) {
  switch (f) {
    case Function::expm1:
    case Function::log1p:
    case Function::rsqrt:
    case Function::sin:
    case Function::cos:
    case Function::erf:
    case Function::erf_derivative:
    case Function::logistic:
    case Function::softplus:
    case Function::power: return false;
    default: return true;
  }
}

/// Functions over rows without gaps: one result an element.
template <class R, class... A>
using Values = void (*)(Extent n, R* out, const A*... operands);

/// `count` elements from place `begin` of a row that lies at `step`, without gaps and as they are computed with. A row
/// of one repeated value fills its buffer once.
template <class S, class C>
TOPOS_INLINE const C* closed_up(const S* row, Extent step, Extent begin, Extent count, C* buffer) {
  if constexpr (std::same_as<S, C>)
    if (step == 1) return row + begin;
  if (step == 0 && begin != 0) return buffer;
  for (Extent i = 0; i < count; ++i) buffer[i] = static_cast<C>(row[(begin + i) * step]);
  return buffer;
}

/// How a computed number lies in memory where S is the element of the row: floats of a BFloat16 row are BFloat16.
template <class S, class C>
using Stored = std::conditional_t<std::same_as<S, BFloat16> && std::same_as<C, float>, BFloat16, C>;

template <class S, class R, class... A, std::size_t... I>
TOPOS_INLINE void row_of(Call& call, const Offsets& at, Values<R, A...> values, std::index_sequence<I...>) {
  using StoredResult = Stored<S, R>;
  constexpr bool in_place = std::same_as<StoredResult, R>;
  auto* out = static_cast<StoredResult*>(call.result) + at.result;
  if constexpr (in_place && (std::same_as<Stored<S, A>, A> && ...))
    if (call.result_step == 1 && ((call.step[I] == 1) && ...))
      return values(call.n, out, (static_cast<const A*>(call.operands[I]) + at.operand[I])...);
  alignas(64) std::byte buffers[sizeof...(A) + 1][chunk * sizeof(double)];
  auto* gathered = reinterpret_cast<R*>(buffers[sizeof...(A)]);
  for (Extent begin = 0; begin < call.n; begin += chunk) {
    const auto count = std::min(chunk, call.n - begin);
    auto* place = gathered;
    if constexpr (in_place)
      if (call.result_step == 1) place = out + begin;
    values(count, place,
           closed_up(static_cast<const Stored<S, A>*>(call.operands[I]) + at.operand[I], call.step[I], begin, count,
                     reinterpret_cast<A*>(buffers[I]))...);
    if (place == gathered)
      for (Extent i = 0; i < count; ++i) out[(begin + i) * call.result_step] = static_cast<StoredResult>(gathered[i]);
  }
}

/// One row of an elementwise kernel, whatever its steps. R is the result's number, A those of the operands, as they are
/// computed; S is the element that they are stored as.
template <class S, class R, class... A>
TOPOS_INLINE void row_of(Call& call, const Offsets& at, Values<R, A...> values) {
  row_of<S>(call, at, values, std::index_sequence_for<A...>());
}

}  // namespace topos::kernel
