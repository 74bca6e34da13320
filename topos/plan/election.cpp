#include "topos/plan/election.h"

#include <algorithm>

#include "topos/plan/schedule.h"

namespace topos {

std::vector<Index> elect_fused(const std::vector<Pattern>& pool, const Schedule& schedule) {
  return elect(pool, schedule.reach(), [&](const Pattern& pattern) {
    const bool window = pattern.kind == PatternKind::window_product || pattern.kind == PatternKind::reduce_window;
    return window && pattern.closed && !schedule.backward();
  });
}

std::vector<Index> elect_raised(const std::vector<Pattern>& pool, const Schedule& schedule) {
  const auto& graph = schedule.spec().graph;
  const auto vacant = [&](Index i) { return graph.type(i).shape.volume() == 0; };
  return elect(pool, schedule.reach(), [&](const Pattern& pattern) {
    return !vacant(pattern.root) && std::none_of(pattern.reads.begin(), pattern.reads.end(), vacant);
  });
}

}  // namespace topos
