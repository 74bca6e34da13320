// The one reverse scan: over tensors it is the engine's backward, over values it records the derivative. Internal.
#pragma once
#include <optional>
#include <vector>

#include "topos/spec/graph.h"

namespace topos {

/// The cotangents of every node up to `target` that a path of cotangents reaches, seeded at the target.
///
/// `payload(i, room)` gives node i's payload by reference, in place or written into `room`, which is emptied for each
/// node; `enter(i)` is told whose rule runs next. A node's cotangent starts at zero and adds its consumers'
/// contributions in descending order of consumers, an operand list's in its order: in both readings, so that their
/// bits agree. An operand without a cotangent is not marked, and what nobody marked runs no rule: a singular branch
/// beside the target's ancestors poisons nothing.
template <class V, class Payload, class Enter>
std::vector<std::optional<V>> reverse(const Graph& graph, Index target, V seed, Payload&& payload, Enter&& enter) {
  std::vector<std::optional<V>> cotangents(target + std::size_t{1});
  cotangents[target] = std::move(seed);
  std::vector<Index> operands;
  std::vector<V> room;
  std::vector<const V*> in;
  for (Index i = target + 1; i-- > 0;) {
    if (!cotangents[i]) continue;
    const auto listed = graph.operands(i);
    if (listed.empty()) continue;
    operands.assign(listed.begin(), listed.end());  // the graph may grow while the rule records
    room.clear();
    room.reserve(operands.size() + 1);
    in.clear();
    for (const auto operand : operands) in.push_back(&payload(operand, room));
    enter(i);
    auto contributions = pull_back<V>(graph.op(i), in, payload(i, room), *cotangents[i]);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      auto& contribution = contributions[k];
      if (!contribution) continue;
      auto& total = cotangents[operands[k]];
      // The addition to zero is performed: it turns -0 into +0.
      if (!total) total = full_like(*in[k], 0.0);
      *total = *total + *contribution;
    }
  }
  return cotangents;
}

}  // namespace topos
