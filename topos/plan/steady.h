// Which sources hold the same payload in run after run: constants, and what an entry says of the others. Internal.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "topos/plan/schedule.h"

namespace topos {

class Steady {
 public:
  Steady(const Schedule& schedule, std::span<const Symbol> declared) : graph_(schedule.spec().graph) {
    for (const auto symbol : declared) declared_.push_back(symbol.index());
    std::sort(declared_.begin(), declared_.end());
  }

  /// Whether a leaf, parameter, input or count is steady.
  bool holds(Index source) const {
    if (!graph_.is<op::Parameter>(source) && !graph_.is<op::Input>(source)) return true;
    return std::binary_search(declared_.begin(), declared_.end(), source);
  }

 private:
  const Graph& graph_;
  std::vector<Index> declared_;
};

}  // namespace topos
