// A plan's schedule read over an algebra, its arguments given.
#pragma once
#include <optional>
#include <vector>

#include "topos/custom.h"
#include "topos/execute/compiled_plan.h"

namespace topos::test {

/// The plan's results in order; `lift` makes a payload of V from the tensor of an argument, a constant or a count.
/// Throws what the algebra throws: Error(index) for an index out of range, Error(argument) for a division by zero.
template <class V, class Lift>
std::vector<V> evaluate(const Plan& plan, const std::vector<Tensor>& arguments, Lift lift) {
  const auto& schedule = plan.compiled().schedule;
  const auto& spec = schedule.spec();
  std::vector<std::optional<V>> values(schedule.reach());
  const auto names = plan.arguments();
  for (std::size_t k = 0; k < names.size(); ++k) values[names[k].index()] = lift(arguments[k]);
  std::vector<const V*> in;
  for (const auto i : schedule.nodes()) {
    if (values[i]) continue;
    if (const auto payload = payload_of(spec, i)) {
      values[i] = lift(*payload);
      continue;
    }
    const auto& op = spec.graph.op(i);
    in.clear();
    for (const auto operand : spec.graph.operands(i)) in.push_back(&*values[operand]);
    values[i] = in.empty() && !spec.graph.is<op::Concat>(i)
                    ? lift(express<Tensor>(op, std::span<const Tensor* const>()))
                    : express<V>(op, std::span<const V* const>(in));
  }
  std::vector<V> results;
  for (const auto i : schedule.results()) results.push_back(*values[i]);
  return results;
}

}  // namespace topos::test
