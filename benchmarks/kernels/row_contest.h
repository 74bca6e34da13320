// Owns how a kernel over one or two f32 operands becomes a contender: its task, its memory and its scratch.
#pragma once
#include <memory>
#include <vector>

#include "harness.h"
#include "topos/kernel/task.h"

namespace bench {

/// A prepared task with its operands' memory; calling it runs the kernel once into `result`.
struct KernelRun {
  topos::kernel::Prepared prepared;
  std::vector<std::shared_ptr<void>> owned;
  const void* operands[topos::kernel::max_chain_operands] = {};
  void* result = nullptr;
  std::shared_ptr<void> scratch;

  void operator()() const { prepared.run(prepared.task, operands, result, scratch.get()); }
};

/// `memory[i]` holds operand i from its first element on, `result` the result.
inline Contender kernel(const topos::kernel::Task& task, const std::vector<std::shared_ptr<void>>& memory,
                        const std::shared_ptr<void>& result) {
  auto run = std::make_shared<KernelRun>();
  run->prepared = topos::kernel::prepare(task);
  run->owned = memory;
  run->owned.push_back(result);
  for (std::size_t i = 0; i < memory.size(); ++i) run->operands[i] = memory[i].get();
  run->result = result.get();
  run->scratch = numbers<float>(run->prepared.scratch_bytes / sizeof(float) + 1, 1);
  return {"topos", [run] { (*run)(); }};
}

/// A task over f32 operands without gaps.
inline topos::kernel::Task task_of(topos::kernel::Kind kind, const std::vector<topos::Shape>& operands,
                                   const topos::Shape& result) {
  topos::kernel::Task task;
  task.kind = kind;
  task.operand_count = operands.size();
  for (std::size_t i = 0; i < operands.size(); ++i)
    task.operands[i] = topos::kernel::contiguous({topos::f32, operands[i]});
  task.result = topos::kernel::contiguous({topos::f32, result});
  return task;
}

}  // namespace bench
