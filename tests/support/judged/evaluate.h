// A plan's schedule read over an algebra, its arguments given.
#pragma once
#include <optional>
#include <vector>

#include "topos/custom.h"
#include "topos/execute/compiled_plan.h"

namespace topos::test {

/// Does nothing around or after a node.
struct Plain {
  template <class F>
  auto operator()(Index, const auto&, F&& compute) const {
    return compute();
  }
};

/// The plan's results in order; `lift` makes a payload of V from the tensor of an argument, a constant or a count.
/// Throws what the algebra throws: Error(index) for an index out of range, Error(argument) for a division by zero.
/// `around(i, values, compute)` gives node i's payload: compute() computes it, values are the payloads before it.
template <class V, class Lift, class Around = Plain>
std::vector<V> evaluate(const Plan& plan, const std::vector<Tensor>& arguments, Lift lift, Around around = {}) {
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
    const auto compute = [&]() -> V {
      if (in.empty() && !spec.graph.is<op::Concat>(i))
        return lift(express<Tensor>(op, std::span<const Tensor* const>()));
      return express<V>(op, std::span<const V* const>(in));
    };
    values[i] = around(i, values, compute);
  }
  std::vector<V> results;
  for (const auto i : schedule.results()) results.push_back(*values[i]);
  return results;
}

}  // namespace topos::test
