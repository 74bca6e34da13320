// Owns how the right operand of a product, where it stays the same for many runs, is laid out once for all of them.
#pragma once
#include "topos/kernel/task.h"

namespace topos::kernel {

/// The right operand of a product laid out for it: its rows are contiguous and never whole pages apart. A product
/// reads such an operand where it is. Batches that repeat are laid out once.
View packed(const Task& product);

/// What pack() writes.
std::size_t pack_bytes(const Task& product);

/// Lays the right operand of `product` out: afterwards a product whose operand 1 is `packed(product)` takes `out` for
/// it, with the same result.
void pack(const Task& product, const void* operand, void* out);

}  // namespace topos::kernel
