// Owns the transposition of a small tile of numbers, whatever they are. Internal.
#pragma once
#include <cstring>

#include "topos/kernel/numbers.h"

namespace topos::kernel {

/// A square of four by four: to[i * to_row + j] = from[j * from_row + i].
template <class T>
TOPOS_INLINE void transpose_four(const T* from, Extent from_row, T* to, Extent to_row) {
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  Four a, b, c, d;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, from + from_row, sizeof b);
  std::memcpy(&c, from + 2 * from_row, sizeof c);
  std::memcpy(&d, from + 3 * from_row, sizeof d);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  std::memcpy(to, &a, sizeof a);
  std::memcpy(to + to_row, &b, sizeof b);
  std::memcpy(to + 2 * to_row, &c, sizeof c);
  std::memcpy(to + 3 * to_row, &d, sizeof d);
}
/// The same of any tile; at most a line of memory each way is best.
template <class T>
void transpose_tile(Extent rows, Extent columns, const T* from, Extent from_row, T* to, Extent to_row) {
  Extent i = 0;
  for (; i + 4 <= rows; i += 4) {
    Extent j = 0;
    for (; j + 4 <= columns; j += 4) transpose_four(from + j * from_row + i, from_row, to + i * to_row + j, to_row);
    for (; j < columns; ++j)
      for (Extent k = i; k < i + 4; ++k) to[k * to_row + j] = from[j * from_row + k];
  }
  for (; i < rows; ++i)
    for (Extent j = 0; j < columns; ++j) to[i * to_row + j] = from[j * from_row + i];
}

}  // namespace topos::kernel
