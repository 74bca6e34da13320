#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "topos/kernel/chain.h"
#include "topos/plan/program.h"
#include "topos/spec/describe.h"

namespace topos {
namespace {

/// `@128`: a place in the arena; `parameter 0`, `result 1`, ...: a base of its own.
std::string place_text(const Program& program, const Address& address) {
  const auto& base = program.bases[address.base];
  const std::uint64_t offset = address.offset;
  const auto at = [&](std::string_view noun) {
    return offset == 0 ? fmt::format("{} {}", noun, base.slot) : fmt::format("{} {}+{}", noun, base.slot, offset);
  };
  switch (base.kind) {
    case Base::Kind::arena: return fmt::format("@{}", offset);
    case Base::Kind::numbers: return fmt::format("number {}", offset / 16);
    case Base::Kind::constant: return at("constant");
    case Base::Kind::packed: return at("packed");
    case Base::Kind::parameter: return at("parameter");
    case Base::Kind::input: return at("input");
    case Base::Kind::result: return at("result");
  }
  return {};
}

std::size_t bytes_of(const kernel::View& view) { return TensorType{view.element, view.shape}.bytes(); }

std::string step_text(const Program& program, std::size_t index, const std::vector<Index>* covers) {
  const auto& step = program.steps[index];
  const auto& task = program.tasks[step.task];
  std::string kernel(kernel::name_of(task.kind));
  if (task.kind == kernel::Kind::unary || task.kind == kernel::Kind::binary) kernel = name_of(task.function);
  if (task.kind == kernel::Kind::compare) kernel += fmt::format(" {}", name_of(task.direction));
  if (task.kind == kernel::Kind::chain)
    kernel = fmt::format("{}chain of {}", task.chain->follows_product ? "matmul, " : "", task.chain->links.size());
  std::vector<std::string> operands;
  auto bytes = bytes_of(task.result);
  for (const auto& operand : program.operands_of(step)) {
    bytes += bytes_of(kernel::operand_of(task, operands.size()));
    operands.push_back(place_text(program, operand));
  }
  const TensorType type{task.result.element, task.result.shape};
  return fmt::format("{:>4}  {:<16} {:<24} <- {:<32} {:>9} bytes {:>10} flops  node{} {}\n", index, kernel,
                     fmt::format("{} {}", place_text(program, step.result), type.text()), fmt::join(operands, ", "),
                     bytes, flops_of(task), covers != nullptr ? "s" : "",
                     covers != nullptr ? fmt::format("{}", fmt::join(covers->begin() + 1, covers->end(), ", "))
                                       : std::to_string(step.node));
}

}  // namespace

Address::Address(std::uint64_t base, std::uint64_t offset) : base(base & max_base), offset(offset & max_offset) {
  if (base > max_base || offset > max_offset)
    throw Error(ErrorKind::coverage, "lower",
                fmt::format("a plan of {} bases or {} bytes in one is larger than plans can be", base, offset));
}

void Program::set_operands(Step& step, std::span<const Address> operands) {
  if (operands.size() <= kernel::max_operands) {
    std::copy(operands.begin(), operands.end(), step.operands);
    return;
  }
  step.operands[0] = Address(0, more.size());
  more.insert(more.end(), operands.begin(), operands.end());
}

Extent flops_of(const kernel::Task& task) {
  const auto volume = task.result.shape.volume();
  switch (task.kind) {
    case kernel::Kind::unary:
    case kernel::Kind::binary: return task.result.element.is_floating() ? volume : 0;
    case kernel::Kind::chain: {
      Extent flops = 0;
      if (task.chain->follows_product) {
        const auto& left = task.chain->operands[0].shape;
        flops = 2 * volume * left[left.rank() - 1];
      }
      for (const auto& link : task.chain->links)
        if (link.kind <= kernel::Kind::binary && link.element.is_floating()) flops += volume;
      return flops;
    }
    case kernel::Kind::matmul: return 2 * volume * task.operands[0].shape[task.operands[0].shape.rank() - 1];
    case kernel::Kind::sum: return task.operands[0].shape.volume();
    // A maximum, a difference, a power, a sum and a division or difference for each element.
    case kernel::Kind::softmax:
    case kernel::Kind::log_softmax:
    case kernel::Kind::logsumexp: return 5 * task.operands[0].shape.volume();
    // A multiplication and an addition a tap and filter; of an image, its two folds' additions too.
    case kernel::Kind::window_product:
    case kernel::Kind::window_kernel_gradient: return 2 * volume * task.operands[1].shape[0];
    case kernel::Kind::window_input_gradient: {
      const auto products = task.operands[0].shape[0] * task.operands[1].shape[1];
      return 2 * products * task.operands[1].shape[0] + 2 * products;
    }
    case kernel::Kind::window_maximum: return volume * (task.rows.size * task.columns.size - 1);
    case kernel::Kind::window_maximum_gradient: return task.operands[1].shape.volume();
    case kernel::Kind::fold:
    case kernel::Kind::scatter: return task.operands[0].shape.volume();
    default: return 0;
  }
}

std::string program_text(const Schedule& schedule, const Program& program, Numerics numerics) {
  std::unordered_map<Index, const std::vector<Index>*> covers;
  for (const auto& cover : program.covers) covers.emplace(cover[0], &cover);
  std::string out;
  Extent flops = 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const auto cover = covers.find(static_cast<Index>(i));
    out += step_text(program, i, cover == covers.end() ? nullptr : cover->second);
    flops += flops_of(program.tasks[program.steps[i].task]);
  }
  for (const auto& delivery : program.deliveries)
    out += fmt::format("      deliver          result {} <- {}\n", delivery.result, place_text(program, delivery.from));
  return out +
         fmt::format("program: {}; {} steps for {} nodes, {} shared, {} views, {} in place; arena {} bytes, {} flops\n",
                     numerics == Numerics::exact ? "exact" : "fast", program.steps.size(), schedule.nodes().size(),
                     program.shared, program.views, program.in_place, program.arena_bytes, flops);
}

}  // namespace topos
