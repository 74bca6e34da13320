// Owns the numbers that the definition of a sum hangs on, its lanes and blocks, and where the rows of a block lie.
// Internal.
#pragma once
#include <algorithm>

#include "topos/kernel/counter.h"
#include "topos/kernel/task.h"

namespace topos::kernel {

inline constexpr Extent lane_count = 16;     // part of the definition
inline constexpr Extent block_length = 256;  // part of the definition

constexpr Extent blocks_of(Extent n) { return (n + block_length - 1) / block_length; }

/// Columns that are summed at a time: a few lines of memory of each row.
inline constexpr Extent column_tile = 512;

/// How many numbers of scratch the sums of a tile of columns need, over n rows: their lanes.
constexpr Extent column_scratch(Extent n, Extent width) { return counter_depth(blocks_of(n)) * lane_count * width; }

/// Whether the outputs of a prepared sum of many numbers are columns that lie side by side.
inline bool sums_columns(const Task& task) {
  const auto& view = task.operands[0];
  const auto kept = task.result.shape.rank();
  return kept > 0 && view.strides[kept - 1] == 1 && view.strides[view.shape.rank() - 1] != 1;
}

/// Where rows `begin` to `begin` + `count` of a view begin: its axes from `first` on are one, row-major.
inline void row_offsets(const View& view, std::size_t first, Extent begin, Extent count, Extent* offset) {
  const auto last = view.shape.rank() - 1;
  const auto n = view.shape[last], step = view.strides[last];
  for (Extent done = 0; done < count;) {
    auto outer = (begin + done) / n;
    const auto from = (begin + done) % n, here = std::min(n - from, count - done);
    Extent base = from * step;
    for (auto axis = last; axis-- > first; outer /= view.shape[axis])
      base += outer % view.shape[axis] * view.strides[axis];
    for (Extent i = 0; i < here; ++i) offset[done + i] = base + i * step;
    done += here;
  }
}

}  // namespace topos::kernel
