// Which nodes of a schedule become steps: equal ones once, windowed products, window reductions and their gradients as
// one each, and what nobody reads then not at all. Internal.
#pragma once
#include <unordered_map>
#include <vector>

#include "topos/kernel/task.h"
#include "topos/plan/schedule.h"

namespace topos {

/// The first node equal to each: same opcode, same operands up to this equality, the same constant; and of 0 + x, where
/// x cannot be -0, which that addition would turn into +0, x itself. A direct-mapped table of bounded size: cheap on
/// graphs of any length, and a collision only misses a chance to share.
class Sharing {
 public:
  explicit Sharing(const Schedule& schedule);

  /// i itself, or the earlier node that stands for it.
  Index first(Index i) const { return first_[i]; }

 private:
  void find(Index i);
  std::uint64_t hash(Index i) const;
  bool equal(Index a, Index b) const;
  bool is_zero(Index i) const;
  Index added_to_zero(Index i) const;
  bool computes_no_negative_zero(Index i) const;

  const Spec& spec_;
  const Graph& graph_;
  std::vector<Index> first_;
  std::vector<bool> never_negative_zero_;
  std::vector<Index> table_;
};

/// The compositions that a kernel carries out at once.
class Fusion {
 public:
  Fusion(const Schedule& schedule, const Sharing& sharing);

  /// What is rooted at node i and carried out as one step; null where the node is one itself.
  const Pattern* at(Index i) const {
    const auto found = at_.find(i);
    return found == at_.end() ? nullptr : found->second;
  }
  /// Whether a result or a step that is needed reads node i, or one that it stands for.
  bool needed(Index i) const { return needed_[i]; }

 private:
  std::unordered_map<Index, const Pattern*> at_;
  std::vector<bool> needed_;
};

/// Fills in the kind and the windows of a task, and reads its matrix as the kind does.
void describe_fused(const Pattern& pattern, kernel::Task& task);
/// What tells tasks of compositions with a result of this type apart, but for their operands.
std::vector<Index> fused_key(const Pattern& pattern, Index type);

}  // namespace topos
