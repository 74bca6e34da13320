// What lowering fixes: schedule, program, kernels, constants, and the pools that runs draw from. Internal.
#pragma once
#include "topos/execute/plan.h"
#include "topos/execute/result_pool.h"
#include "topos/execute/workspace.h"

namespace topos {

struct CompiledPlan {
  CompiledPlan(SharedSpec spec, Parameters::Nodes parameter_nodes, const std::vector<Symbol>& results,
               const Entry& entry);
  CompiledPlan(const CompiledPlan&) = delete;
  CompiledPlan& operator=(const CompiledPlan&) = delete;

  Schedule schedule;
  Program program;
  Numerics numerics;
  std::vector<Replacement> replaced;
  Parameters::Nodes parameter_nodes;
  std::vector<kernel::Prepared> kernels;                // by task
  BufferHandle numbers;                                 // single-valued leaves, 16 bytes each
  std::vector<Tensor> constants;                        // ranked leaves and counts, contiguous
  std::shared_ptr<const std::vector<Index>> kept;       // Program::kept, as runs share it
  std::shared_ptr<const std::vector<Index>> positions;  // node to its place among the kept, in the backward posture
  mutable WorkspacePool workspaces;
  ResultPool::Hold results;
};

/// One run of the program, its results into `state`.
void execute(const CompiledPlan& plan, RunState& state, const Parameters& parameters, Feeds feeds);

}  // namespace topos
