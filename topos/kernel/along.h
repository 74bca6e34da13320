// Owns what the kernels along one axis share: rows of any stride, and the columns of an axis beside it. Internal.
#pragma once
#include "topos/kernel/walk.h"

namespace topos::kernel {

/// n numbers at `step`, one after the other: where they lie, or in `room`.
template <class S>
const S* row_without_gaps(Extent n, const S* from, Extent step, S* room) {
  if (step == 1) return from;
  for (Extent i = 0; i < n; ++i) room[i] = from[i * step];
  return room;
}

/// Puts a kept axis whose numbers lie side by side, in the result too where that has the reduced axis, behind the other
/// kept ones: the reduced axis then runs along columns. False where there is none, or where the reduced axis is a row.
bool put_columns_last(Task& task);

/// What a kernel along columns walks: `count` columns side by side, n rows that lie `row` apart.
struct Columns {
  explicit Columns(const Call& call) {
    const auto& view = call.task.operands[0];
    const auto& result = call.task.result;
    const auto last = view.shape.rank() - 1;
    n = view.shape[last];
    count = view.shape[last - 1];
    row = view.strides[last];
    result_step = result.strides[last - 1];
    if (result.shape.rank() > last) result_row = result.strides[last];
  }

  Extent n, count, row, result_step, result_row = 0;
};

}  // namespace topos::kernel
