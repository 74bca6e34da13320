// What a raised composition may give instead of its nodes: engines compute it by formulas of their own.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "support/judged/enclosure.h"
#include "topos/execute/compiled_plan.h"

namespace topos::test {

/// Widens the enclosures of raised nodes, for `evaluate`. Of gradients of windows over bf16, the sums that they have
/// several of are loose; a batch norm's mean, variance and output have the error of any of the usual formulas, E[x^2] -
/// E[x]^2 among them.
class RaisedBounds {
 public:
  RaisedBounds(const Plan& plan, bool raise);

  using Values = std::vector<std::optional<Enclosure>>;
  template <class F>
  Enclosure operator()(Index i, const Values& values, F&& compute) const {
    const LooseSums loose(!loose_.empty() && loose_[i]);
    return widened(i, values, compute());
  }

 private:
  Enclosure widened(Index i, const Values& values, Enclosure x) const;

  const CompiledPlan& plan_;
  std::vector<bool> loose_;                // by node
  std::map<Index, const Pattern*> norms_;  // by root and by each further result
};

}  // namespace topos::test
