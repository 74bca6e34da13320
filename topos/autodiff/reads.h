// Which payloads a derivative rule reads: derived by recording the rule, not declared. Internal.
#pragma once
#include <vector>

#include "topos/spec/graph.h"

namespace topos {

/// For each operand of `op`, then for its output: whether the rule over these operand types reads the numbers, a
/// cotangent that it returns included. Types are never read. All false for a source.
std::vector<bool> reads_of(const Op& op, std::span<const TensorType* const> operands);

}  // namespace topos
