#include "topos/execute/compiled_plan.h"

#include <fmt/format.h>

#include "topos/element/registry.h"

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
  for (std::size_t i = 0; i < task.operand_count; ++i) users = users || topos::is_users(task.operands[i].element);
  return users;
}

std::size_t scratch_bytes(const kernel::Task& task) { return kernel::prepare(task).scratch_bytes; }

Program program_of(Schedule& schedule) {
  schedule.recognise();  // what is recognised is carried out as one step
  return make_program(schedule, scratch_bytes);
}

}  // namespace

CompiledPlan::CompiledPlan(SharedSpec spec, Parameters::Nodes parameter_nodes, const std::vector<Symbol>& results,
                           const Entry& entry)
    : schedule(std::move(spec), indices_of(results), entry.backward),
      program(program_of(schedule)),
      numerics(entry.numerics),
      replaced(entry.replaced),
      parameter_nodes(std::move(parameter_nodes)),
      results(ResultPool::make()) {
  check_scheduled(replaced, schedule);
  const auto& graph = schedule.spec().graph;
  const auto& slots = schedule.spec().slots;
  kernels.reserve(program.tasks.size());
  for (const auto& task : program.tasks) {
    kernels.push_back(kernel::prepare(task));
    if (kernels.back().run == nullptr && !is_users(task))
      throw Error(ErrorKind::coverage, "lower",
                  fmt::format("no kernel does {} over {}", kernel::name_of(task.kind), task.result.element.name()));
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
  kept = std::make_shared<const std::vector<Index>>(program.kept);
  if (entry.backward) {
    std::vector<Index> places(schedule.size(), nowhere);
    for (Index k = 0; k < program.kept.size(); ++k) places[program.kept[k]] = k;
    positions = std::make_shared<const std::vector<Index>>(std::move(places));
  }
}

}  // namespace topos
