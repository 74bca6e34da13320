// Where in memory every step's result lies: from storages that live from step to step to offsets. Internal.
#pragma once
#include <vector>

#include "topos/plan/program.h"

namespace topos {

/// Memory that one node's value is stored in; others may see it through strides.
struct Storage {
  Address at;
  std::uint64_t bytes = 0;
  Index last_step = 0;
  bool computed = false;  // by a step, in the arena unless it is a result
  bool placed = false;
};

/// Turns the addresses of a program, each of a storage and a byte in it, into those of its bases. `scratch`: the
/// working memory of each task.
void plan_memory(Program& program, std::vector<Storage>& storages, const std::vector<std::uint64_t>& scratch);

}  // namespace topos
