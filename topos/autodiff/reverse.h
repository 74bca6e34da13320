// The one reverse scan: over tensors it is the engine's backward, over values it records the derivative. Internal.
#pragma once
#include <optional>
#include <vector>

#include "topos/spec/graph.h"

namespace topos {

/// 0 + contribution, performed: it turns -0 into +0. Recorded, it is a leaf of the operand's type and an addition.
template <class V>
V from_zero(const V& operand, const V& contribution) {
  if constexpr (requires { zero_plus(contribution); }) {
    return zero_plus(contribution);
  } else {
    const auto zero = full_like(operand, 0.0);
    return zero + contribution;
  }
}

/// The cotangents of every node up to `target` that a path of cotangents reaches, seeded at the target.
///
/// `enter(i)` is told whose rule runs next; `payload(i)` then gives payloads by reference, good until the next `enter`.
/// A node's cotangent starts at zero and adds its consumers' contributions in descending order of consumers, an operand
/// list's in its order: in both readings, so that their bits agree. An operand without a cotangent is not marked, and
/// what nobody marked runs no rule: a singular branch beside the target's ancestors poisons nothing.
template <class V, class Payload, class Enter>
std::vector<std::optional<V>> reverse(const Graph& graph, Index target, V seed, Payload&& payload, Enter&& enter) {
  std::vector<std::optional<V>> cotangents(target + std::size_t{1});
  cotangents[target] = std::move(seed);
  std::vector<Index> copied;
  std::vector<const V*> in;
  for (Index i = target + 1; i-- > 0;) {
    if (!cotangents[i]) continue;
    const auto listed = graph.operands(i);
    if (listed.empty()) continue;
    auto operands = listed;
    if constexpr (std::same_as<V, Value>) {  // the graph grows while the rule records
      copied.assign(listed.begin(), listed.end());
      operands = copied;
    }
    enter(i);
    in.clear();
    for (const auto operand : operands) in.push_back(&payload(operand));
    auto contributions = pull_back<V>(graph.op(i), in, payload(i), *cotangents[i]);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      auto& contribution = contributions[k];
      if (!contribution) continue;
      auto& total = cotangents[operands[k]];
      if (total)
        *total = *total + *contribution;
      else
        total = from_zero(*in[k], *contribution);
    }
  }
  return cotangents;
}

}  // namespace topos
