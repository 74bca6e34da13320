// The licensed schedule: what runs, what is kept, when the rest may go. Free of payloads.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "topos/plan/catalog.h"
#include "topos/spec/spec.h"

namespace topos {

/// Derived from the graph and the declared results alone; what `describe` prints.
class Schedule {
 public:
  Schedule(SharedSpec spec, std::vector<Index> results, bool backward);

  const Spec& spec() const { return *spec_; }
  const SharedSpec& shared_spec() const { return spec_; }
  /// Declared results, in declared order.
  const std::vector<Index>& results() const { return results_; }
  /// Every ancestor of a result, ascending.
  const std::vector<Index>& nodes() const { return nodes_; }
  /// An emitted module's arguments: the scheduled parameters, then the scheduled inputs, each in recording order.
  std::vector<Index> arguments() const;
  /// Of every node that the graph had, whether it is scheduled.
  std::vector<bool> marks() const;
  /// Nodes that the graph had when this was made, scheduled or not.
  Index size() const { return size_; }
  /// One more than the largest scheduled node: what per-node columns of a plan need to hold.
  Index reach() const { return static_cast<Index>(last_.size()); }
  bool backward() const { return backward_; }
  bool readable(Index i) const { return i < reach() && readable_[i]; }
  /// Read by a derivative rule, in the backward posture.
  bool required(Index i) const { return backward_ && required_[i]; }
  /// The node after which i may go; nowhere for what stays.
  Index released_after(Index i) const;
  /// Live elements after each scheduled node but the fused interiors, which count nothing; everything else counts its
  /// full volume.
  std::vector<Extent> live_series() const;

  /// Looks the compositions up that the catalog knows, and marks those that run as one.
  void recognise();
  /// The whole pool, and the places in it of what is marked.
  const std::vector<Pattern>& candidates() const { return candidates_; }
  const std::vector<Index>& fused() const { return fused_; }
  /// Whether i is an interior of something marked.
  bool swallowed(Index i) const { return i < swallowed_.size() && swallowed_[i]; }

  std::string describe() const;

 private:
  struct LiveVolume {
    Extent peak = 0, total = 0;
    Index peak_node = 0;
  };
  template <class Each>
  LiveVolume walk(Each&& each) const;
  void require_reads();
  /// What is read when i is computed: its operands, or what the composition rooted there reads.
  std::span<const Index> read_at(Index i) const;
  std::string fate(Index i) const;

  SharedSpec spec_;
  std::vector<Index> results_;
  bool backward_;
  Index size_;
  std::vector<Index> nodes_;
  std::vector<Index> last_;  // the last scheduled reader of each node, or nowhere
  std::vector<bool> readable_, required_;
  std::vector<Pattern> candidates_;
  std::vector<Index> fused_;
  std::unordered_map<Index, Index> fused_at_;  // root to its place among the candidates
  std::vector<bool> swallowed_;
};

}  // namespace topos
