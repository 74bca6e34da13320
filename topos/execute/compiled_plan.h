// What lowering fixes: schedule, program, kernels, constants, and the pools that runs draw from. Internal.
#pragma once
#include "topos/execute/plan.h"
#include "topos/execute/result_pool.h"
#include "topos/execute/workspace.h"
#include "topos/kernel/partition.h"

namespace topos {

/// A kernel that is called as it is.
struct KernelCall {
  kernel::Run run = nullptr;  // null: the task is cut into parts, has many operands, or no kernel
  const kernel::Task* task = nullptr;
};

struct CompiledPlan {
  CompiledPlan(SharedSpec spec, Parameters::Nodes parameter_nodes, const std::vector<Symbol>& results,
               const Entry& entry);
  CompiledPlan(const CompiledPlan&) = delete;
  CompiledPlan& operator=(const CompiledPlan&) = delete;

  Schedule schedule;
  std::vector<kernel::Work> kernels;  // by task; the memory plan asks them for their working memory
  Program program;
  std::vector<KernelCall> calls;  // by task
  Numerics numerics;
  std::vector<Replacement> replaced;
  Parameters::Nodes parameter_nodes;
  BufferHandle numbers;                                 // single-valued leaves, 16 bytes each
  std::vector<Tensor> constants;                        // ranked leaves and counts, contiguous
  std::vector<BufferHandle> packed;                     // Program::packed, of constants
  std::shared_ptr<const std::vector<Index>> kept;       // Program::kept, as runs share it
  std::shared_ptr<const std::vector<Index>> positions;  // node to its place among the kept, in the backward posture
  mutable WorkspacePool workspaces;
  ResultPool::Hold results;
};

/// One run of the program, its results into `state`. `nanoseconds`, where given, has room for one number a step, to
/// which the step's time is added.
void execute(const CompiledPlan& plan, RunState& state, const Parameters& parameters, Feeds feeds,
             double* nanoseconds = nullptr);

}  // namespace topos
