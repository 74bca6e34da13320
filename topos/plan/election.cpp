#include "topos/plan/election.h"

#include "topos/plan/schedule.h"

namespace topos {

std::vector<Index> elect_fused(const std::vector<Pattern>& pool, const Schedule& schedule) {
  return elect(pool, schedule.reach(), [&](const Pattern& pattern) {
    const bool window = pattern.kind == PatternKind::window_product || pattern.kind == PatternKind::reduce_window;
    return window && pattern.closed && !schedule.backward();
  });
}

std::vector<Index> elect_raised(const std::vector<Pattern>& pool, const Schedule& schedule) {
  return elect(pool, schedule.reach(), [](const Pattern&) { return true; });
}

}  // namespace topos
