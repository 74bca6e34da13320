// Who takes which candidate: disjoint, the first in the pool's order wins. Internal.
#pragma once
#include <vector>

#include "topos/plan/catalog.h"

namespace topos {

/// The places in the pool of the candidates that `supports` and that share no claimed node with an earlier one. What is
/// not supported claims nothing.
template <class Supports>
std::vector<Index> elect(const std::vector<Pattern>& pool, Index reach, Supports&& supports) {
  std::vector<Index> elected;
  if (pool.empty()) return elected;
  std::vector<bool> taken(reach);
  for (Index k = 0; k < pool.size(); ++k) {
    const auto& pattern = pool[k];
    if (!supports(pattern)) continue;
    bool free = !taken[pattern.root];
    for (const auto* list : {&pattern.claimed, &pattern.named})
      for (const auto i : *list) free = free && !taken[i];
    if (!free) continue;
    taken[pattern.root] = true;
    for (const auto* list : {&pattern.claimed, &pattern.named})
      for (const auto i : *list) taken[i] = true;
    elected.push_back(k);
  }
  return elected;
}

/// What a schedule marks as fused: closed windowed products and window reductions, in forward plans.
std::vector<Index> elect_fused(const std::vector<Pattern>& pool, const Schedule& schedule);
/// What emission raises: everything, in every posture, but for what holds no numbers: engines do not take it.
std::vector<Index> elect_raised(const std::vector<Pattern>& pool, const Schedule& schedule);

}  // namespace topos
