// How one opcode is carried out: as a view of its operand, or as a kernel's task. Internal.
#pragma once
#include <optional>

#include "topos/kernel/task.h"
#include "topos/op/op.h"

namespace topos {

/// A value seen in somebody's storage: strides and an offset, in elements.
struct Seen {
  Shape strides;
  Extent offset = 0;
};

/// The operand's storage seen as the opcode's result, if the opcode only moves and strides can say how.
std::optional<Seen> view_of(const Op& op, const TensorType& operand, const Seen& seen, const TensorType& result);

/// Fills in kind, function, direction and axes of the one task that computes the opcode. False: there is no such task
/// (a source, a count, or a node of several steps).
bool describe_task(const Op& op, kernel::Task& task);

}  // namespace topos
