// Owns how a reduction to few outputs is cut along what it reduces: its parts leave shares, which a combining step
// turns into the outputs, merged as the definition says. Internal.
#pragma once
#include "topos/kernel/partition.h"

namespace topos::kernel {

/// Cuts a task, which `work` holds prepared, along what it reduces, for so many threads. False, and nothing is done,
/// where it reduces too little, or has outputs enough to be cut along them.
bool cut_along_reduced(const Task& task, Extent threads, Work& work);

}  // namespace topos::kernel
