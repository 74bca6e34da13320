// Owns how a task is cut into parts that several threads do at once: over its outputs, or over whole blocks of what few
// outputs add, so that no bit depends on it.
#pragma once
#include <vector>

#include "topos/kernel/task.h"

namespace topos::kernel {

/// A task of its own over some of the outputs of a larger one, or over some of the numbers that all outputs reduce.
struct Part {
  Prepared prepared;
  std::size_t operands[max_chain_operands] = {};  // bytes from the larger task's first elements
  std::size_t result = 0;                         // also in bytes, in scratch where a combining step follows
  Extent place = 0;  // numbers that parts before this one look at, where the task may refuse one
};

/// Makes the result of a task, by one thread, of what its parts left in scratch. `operands` are the task's.
using Combine = void (*)(const Task& task, void* left, const void* const* operands, void* result);

/// A task ready to run: whole, or in parts where there are several.
struct Work {
  Prepared whole;
  std::vector<Part> parts;
  Combine combine = nullptr;      // null: the parts compute the result itself
  Task combined;                  // what it is called with; its span's count is what a part reduces
  std::size_t left_bytes = 0;     // that the parts leave for it, at the beginning of scratch
  std::size_t part_scratch = 0;   // of each part, aligned
  std::size_t scratch_bytes = 0;  // of all that run() uses
};

/// Prepares a task and cuts it for so many threads, where each then has work enough to be worth waking. The work runs
/// with any number of threads.
Work divide(const Task& task, int threads);

/// Does the work as a `Run` does, on the pool where it has parts. A part of a job does it alone.
Extent run(const Work& work, const void* const* operands, void* result, void* scratch);

/// What a part must take at least, in nanoseconds as they are estimated. For tests that cut small tasks.
void set_least_part(double nanoseconds);
inline constexpr double usual_least_part = 8000;

/// About how long a task takes on one thread, in nanoseconds: for deciding what is worth sharing, nothing else.
double estimated_nanoseconds(const Task& task);

}  // namespace topos::kernel
