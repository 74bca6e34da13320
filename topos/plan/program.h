// What is executed: steps over places in memory, derived from the schedule. Free of payloads. Internal.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topos/kernel/task.h"
#include "topos/plan/entry.h"
#include "topos/plan/schedule.h"

namespace topos {

/// A byte in memory: `bases` are the arena, then what Program::bases lists. 8 bytes, for there are several a step.
struct Address {
  static constexpr std::uint64_t max_base = (std::uint64_t{1} << 28) - 1;
  static constexpr std::uint64_t max_offset = (std::uint64_t{1} << 36) - 1;

  Address() : base(0), offset(0) {}
  /// Throws Error(coverage) beyond 2^28 bases or 64 GiB in one of them.
  Address(std::uint64_t base, std::uint64_t offset);

  std::uint64_t base : 28;
  std::uint64_t offset : 36;
};

/// What a base pointer is given at each run.
struct Base {
  enum class Kind : std::uint8_t { arena, numbers, constant, packed, parameter, input, result };
  Kind kind;
  Index node;  // whose payload; of a result, its node
  Index slot;  // of a source its slot, of a result its place among the results, else among the program's
};

/// A source as products read it fastest: a constant is laid out when the plan is made, what is steady when a run brings
/// another payload than the one before.
struct Packed {
  Index source;          // its base
  std::uint64_t offset;  // bytes of it before the operand
  kernel::Task product;  // with the operand as it is
};

/// One kernel call.
struct Step {
  Index node;
  Index task;                              // among Program::tasks
  Address operands[kernel::max_operands];  // of a chain that has more: where among Program::more they are
  Address result;
  std::uint64_t scratch = 0;  // arena offset of working memory
};

/// Where a node's value is: in another node's storage, seen through strides.
struct Place {
  Index storage = nowhere;
  Index strides = 0;  // among Program::strides
  Extent offset = 0;  // elements
};

/// A result that no step wrote where it must end up: copied, or read as one number, when the steps are done.
struct Delivery {
  Index result;  // its place among the kept nodes
  Address from;
  Index task;  // the copy; nowhere: one number
  Index base;  // the result's own
};

struct Program {
  std::vector<Base> bases;
  std::vector<kernel::Task> tasks;
  std::vector<Step> steps;
  std::vector<Delivery> deliveries;
  std::vector<Index> kept;       // the results, then what the backward posture keeps
  std::vector<Index> numbers;    // single-valued leaves: node whose number stands at 16 bytes times its place
  std::vector<Index> constants;  // nodes whose payloads are bases of their own
  std::vector<Packed> packed;
  std::size_t arena_bytes = 0;
  std::size_t shared = 0, views = 0, in_place = 0;  // nodes that cost nothing, and steps that took no memory
  std::vector<std::vector<Index>> covers;           // steps that stand for several nodes: step, then its nodes
  std::vector<Address> more;                        // operands of steps that have more than a Step holds

  std::span<const Address> operands_of(const Step& step) const {
    const auto count = tasks[step.task].operand_count;
    if (count <= kernel::max_operands) return {step.operands, count};
    return {more.data() + step.operands[0].offset, count};
  }
  std::span<Address> operands_of(Step& step) {
    const auto operands = std::as_const(*this).operands_of(step);
    return {const_cast<Address*>(operands.data()), operands.size()};
  }
  void set_operands(Step& step, std::span<const Address> operands);
};

/// The working memory that the kernel of a task asks for: what the memory plan knows of kernels. Called once for each
/// of the program's tasks, in their order.
using ScratchBytes = std::function<std::size_t(const kernel::Task& task)>;

/// Derives the program: equal subexpressions once, views as strides, steps, offsets. `steady` is as BoundEntry says.
Program make_program(const Schedule& schedule, std::span<const Symbol> steady, ScratchBytes scratch_bytes);

/// One line a step: kernel, operands, place, bytes, flops and the nodes that it covers; then the totals.
std::string program_text(const Schedule& schedule, const Program& program, Numerics numerics);

/// Floating-point operations of a task.
Extent flops_of(const kernel::Task& task);

}  // namespace topos
