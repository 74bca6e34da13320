// A constant's digits as StableHLO spells them. Internal.
#pragma once
#include <string>

#include "topos/tensor/tensor.h"

namespace topos {

/// What stands between `dense<` and `>`: one number where every element has the same bits, nested lists for up to 256
/// elements (booleans always), and hex bytes beyond. Every NaN is the canonical quiet one.
std::string dense_literal(const Tensor& payload);

}  // namespace topos
