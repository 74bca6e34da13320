#include "topos/plan/memory.h"

#include "topos/kernel/chain.h"
#include "topos/plan/arena.h"

namespace topos {
namespace {

class MemoryPlan {
 public:
  MemoryPlan(Program& program, std::vector<Storage>& storages, const std::vector<std::uint64_t>& scratch)
      : program_(program), storages_(storages), scratch_(scratch) {}

  void plan() {
    Arena arena;
    for (Index s = 0; s < program_.steps.size(); ++s) {
      auto& step = program_.steps[s];
      auto& result = storages_[step.result.base];
      if (!result.placed) {
        if (!take_over(step, result, s)) result.at = {0, arena.take(result.bytes)};
        result.placed = true;
      }
      if (const auto bytes = scratch_[step.task]; bytes != 0) {
        step.scratch = arena.take(bytes);
        arena.give_back(step.scratch, bytes);
      }
      for (const auto& at : program_.operands_of(step)) {
        auto& operand = storages_[at.base];
        if (operand.at.base != 0 || operand.last_step != s || !operand.computed || operand.bytes == released) continue;
        arena.give_back(operand.at.offset, operand.bytes);
        operand.bytes = released;  // an operand named twice is given back once
      }
    }
    for (auto& step : program_.steps) {
      for (auto& operand : program_.operands_of(step)) settle(operand);
      settle(step.result);
    }
    for (auto& delivery : program_.deliveries) settle(delivery.from);
    program_.arena_bytes = arena.bytes();
  }

 private:
  void settle(Address& address) const {
    const auto& at = storages_[address.base].at;
    address = {at.base, at.offset + address.offset};
  }

  /// An elementwise step writes over an operand that nobody reads later, when it is laid out as the result is and no
  /// other operand sees the same numbers elsewhere.
  bool take_over(const Step& step, Storage& result, Index s) {
    const auto& task = program_.tasks[step.task];
    const bool elementwise = task.kind == kernel::Kind::unary || task.kind == kernel::Kind::binary ||
                             task.kind == kernel::Kind::select || task.kind == kernel::Kind::chain;
    const bool product = task.kind == kernel::Kind::chain && task.chain->follows_product;  // stores there first
    if (!elementwise || product || result.bytes == 0) return false;
    const auto operands = program_.operands_of(step);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      auto& operand = storages_[operands[k].base];
      const auto& view = kernel::operand_of(task, k);
      const bool ours = operand.computed && operand.placed && operand.at.base == 0 && operand.last_step == s;
      if (!ours || operand.bytes != result.bytes || operands[k].offset != 0) continue;
      if (!(view.element == task.result.element) || !(view.strides == task.result.strides)) continue;
      bool alone = true;
      for (std::size_t other = 0; other < operands.size(); ++other)
        if (operands[other].base == operands[k].base)
          alone = alone && operands[other].offset == 0 && kernel::operand_of(task, other).strides == view.strides;
      if (!alone) continue;
      result.at = operand.at;
      operand.bytes = released;
      ++program_.in_place;
      return true;
    }
    return false;
  }

  static constexpr std::uint64_t released = ~std::uint64_t{0};

  Program& program_;
  std::vector<Storage>& storages_;
  const std::vector<std::uint64_t>& scratch_;
};

}  // namespace

void plan_memory(Program& program, std::vector<Storage>& storages, const std::vector<std::uint64_t>& scratch) {
  MemoryPlan(program, storages, scratch).plan();
}

}  // namespace topos
