#include "topos/kernel/along.h"

#include <algorithm>

namespace topos::kernel {

bool put_columns_last(Task& task) {
  auto& view = task.operands[0];
  auto& result = task.result;
  if (view.shape.empty() || result.shape.empty()) return false;
  if (view.shape.volume() == 0 || result.shape.volume() == 0) return false;
  const auto rank = view.shape.rank();
  const bool mapped = result.shape.rank() == rank;
  std::size_t kept = mapped ? rank - 1 : result.shape.rank();
  if (kept < rank && view.strides[rank - 1] == 1) return false;
  for (std::size_t axis = kept; axis-- > 0;) {
    if (view.strides[axis] != 1 || (mapped && result.strides[axis] != 1)) continue;
    for (auto* list : {&view.shape, &view.strides, &result.shape, &result.strides})
      std::rotate(list->begin() + axis, list->begin() + axis + 1, list->begin() + kept);
    return true;
  }
  return false;
}

}  // namespace topos::kernel
