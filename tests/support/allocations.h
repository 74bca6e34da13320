// Counts what a test program allocates, where no sanitizer owns the allocation functions. For one source file of it.
#pragma once
#include "support/sanitized.h"

#if TOPOS_TEST_SANITIZED
#include <atomic>
#include <cstddef>

namespace allocations {
inline std::atomic<bool> counting{false};
inline std::atomic<std::ptrdiff_t> live{0};
inline std::atomic<long> calls{0};
}  // namespace allocations
#else
#include "benchmarks/allocations.h"
#endif
