// Which elementwise nodes run as one step: what only they read lies in no memory of the plan's. Internal.
#pragma once
#include <unordered_map>
#include <vector>

#include "topos/kernel/chain.h"
#include "topos/plan/fusion.h"
#include "topos/plan/steady.h"

namespace topos {

/// Elementwise nodes of one shape whose results, but for the last one's, only the others read.
struct ChainGroup {
  std::vector<Index> members;   // ascending; the last is the root, whose result is the group's
  Index product = nowhere;      // a matrix product that only they read, if there is one
  std::vector<Index> operands;  // the product's, then what they read from outside, each once, in their order
  std::vector<Index> covered;   // the members and the nodes that they stand for, ascending
};

class Chains {
 public:
  Chains(const Schedule& schedule, const Sharing& sharing, const Fusion& fusion, const Steady& steady);

  /// The group whose root is node i; null where there is none.
  const ChainGroup* at(Index i) const {
    const auto found = groups_.find(i);
    return found == groups_.end() ? nullptr : &found->second;
  }
  /// Whether node i has its result in a chain only.
  bool inside(Index i) const { return !groups_.empty() && root_[i] < mixed && root_[i] != i; }

 private:
  static constexpr Index mixed = nowhere - 1;

  bool may_join(Index i) const;
  void join(Index i, Index root);
  bool may_lead(Index i) const;
  bool lead(Index i, Index root);
  ChainGroup& group_of(Index root);
  void see_readers(Index i);

  const Schedule& schedule_;
  const Graph& graph_;
  const Sharing& sharing_;
  const Fusion& fusion_;
  const Steady& steady_;
  // Until a node is visited: the root of the only group that reads it, `mixed`, or nowhere. Then that of its own group.
  std::vector<Index> root_;
  std::unordered_map<Index, ChainGroup> groups_;
};

/// The links of a group, and what tells it from others but for its operands' types and strides.
std::vector<kernel::Link> links_of(const Graph& graph, const Sharing& sharing, const ChainGroup& group);
std::vector<Index> chain_key(const Graph& graph, const Sharing& sharing, const ChainGroup& group);

}  // namespace topos
