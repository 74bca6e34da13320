#include "topos/execute/compiled_plan.h"

#include <fmt/format.h>

#include "topos/base/float_environment.h"
#include "topos/element/registry.h"
#include "topos/kernel/product_pack.h"
#include "topos/kernel/threads.h"

namespace topos {
namespace {

std::vector<Index> indices_of(const std::vector<Symbol>& symbols) {
  std::vector<Index> indices;
  for (const auto symbol : symbols) indices.push_back(symbol.index());
  return indices;
}

/// A source that no result reads is no argument, which nothing could overwrite.
void check_scheduled(const std::vector<Replacement>& replaced, const Schedule& schedule) {
  if (replaced.empty()) return;
  const auto marks = schedule.marks();
  for (const auto& [source, value] : replaced)
    if (!marks[source.index()])
      throw Error(
          ErrorKind::argument, "BoundEntry::lower",
          fmt::format("node {} would be replaced by node {}, but no result reads it: leave the replacement out, "
                      "or declare a result that reads it",
                      source.index(), value.index()));
}

/// A user's element has no kernels but copies: the reference does its steps.
bool is_users(const kernel::Task& task) {
  bool users = topos::is_users(task.result.element);
  for (std::size_t i = 0; i < task.operand_count; ++i)
    users = users || topos::is_users(kernel::operand_of(task, i).element);
  return users;
}

/// The program, and for each of its tasks the kernel, in parts where that pays.
Program make_program_and_kernels(Schedule& schedule, std::span<const Symbol> steady,
                                 std::vector<kernel::Work>& kernels) {
  schedule.recognise();  // what is recognised is carried out as one step
  const auto count = threads();
  return make_program(schedule, steady, [&](const kernel::Task& task) {
    kernels.push_back(kernel::divide(task, count));
    return kernels.back().scratch_bytes;
  });
}

}  // namespace

CompiledPlan::CompiledPlan(SharedSpec spec, Parameters::Nodes parameter_nodes, const std::vector<Symbol>& results,
                           const Entry& entry)
    : schedule(std::move(spec), indices_of(results), entry.backward),
      program(make_program_and_kernels(schedule, entry.steady, kernels)),
      numerics(entry.numerics),
      replaced(entry.replaced),
      parameter_nodes(std::move(parameter_nodes)),
      results(ResultPool::make()) {
  const FloatEnvironment exact;  // for the constants that are computed here
  check_scheduled(replaced, schedule);
  const auto& graph = schedule.spec().graph;
  const auto& slots = schedule.spec().slots;
  for (std::size_t i = 0; i < program.tasks.size(); ++i) {
    const auto& task = program.tasks[i];
    if (kernels[i].whole.run == nullptr && !is_users(task))
      throw Error(ErrorKind::coverage, "lower",
                  fmt::format("no kernel does {} over {}", kernel::name_of(task.kind), task.result.element.name()));
  }
  for (const auto& work : kernels) {
    const bool alone = work.parts.empty() && work.whole.task.operand_count <= kernel::max_operands;
    calls.push_back({alone ? work.whole.run : nullptr, &work.whole.task});
  }
  numbers = BufferHandle(Buffer::make(16 * program.numbers.size()));
  for (std::size_t i = 0; i < program.numbers.size(); ++i) {
    const auto& payload = slots.constants[graph.slot(program.numbers[i])];
    std::memcpy(numbers->data() + 16 * i, payload.first(), payload.element().size());
  }
  for (const auto i : program.constants) {
    const bool leaf = graph.is<op::Leaf>(i);
    constants.push_back(leaf ? slots.constants[graph.slot(i)].spread() : express<Tensor>(graph.op(i), {}));
  }
  for (const auto& [source, offset, product] : program.packed) {
    packed.emplace_back();
    const auto& base = program.bases[source];
    if (base.kind != Base::Kind::constant) continue;  // each workspace has its own
    packed.back() = BufferHandle(Buffer::make(kernel::pack_bytes(product)));
    kernel::pack(product, static_cast<const std::byte*>(constants[base.slot].first()) + offset, packed.back()->data());
  }
  kept = std::make_shared<const std::vector<Index>>(program.kept);
  if (entry.backward) {
    std::vector<Index> places(schedule.size(), nowhere);
    for (Index k = 0; k < program.kept.size(); ++k) places[program.kept[k]] = k;
    positions = std::make_shared<const std::vector<Index>>(std::move(places));
  }
}

}  // namespace topos
