// Owns how a map of short rows, or of a transposed operand, becomes one of long rows: through buffers that hold several
// rows without gaps. Internal.
#pragma once
#include "topos/kernel/task.h"

namespace topos::kernel {

/// A function over rows without gaps of two operands; `out` may be either of them.
template <class T>
using PairValues = void (*)(Extent n, T* out, const T* a, const T* b);

/// Does a task of two operands whose numbers are computed as they are stored. False, and nothing is done, where its
/// rows are as good as any.
bool map_in_sheets(const Task& task, const void* const* operands, void* result, PairValues<float> values);
bool map_in_sheets(const Task& task, const void* const* operands, void* result, PairValues<double> values);
bool map_in_sheets(const Task& task, const void* const* operands, void* result, PairValues<std::int64_t> values);

}  // namespace topos::kernel
