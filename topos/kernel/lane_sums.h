// Owns the numbers that the definition of a sum hangs on: its lanes and blocks. Internal.
#pragma once
#include "topos/kernel/counter.h"

namespace topos::kernel {

inline constexpr Extent lane_count = 16;     // part of the definition
inline constexpr Extent block_length = 256;  // part of the definition

constexpr Extent blocks_of(Extent n) { return (n + block_length - 1) / block_length; }

}  // namespace topos::kernel
