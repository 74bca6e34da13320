// What the matchers of the catalog share: a look at the schedule, and the closure of what they found. Internal.
#pragma once
#include <algorithm>
#include <optional>

#include "topos/plan/catalog.h"
#include "topos/plan/schedule.h"

namespace topos {

/// The nodes of a match below its root, and what it stands on.
using Interiors = std::vector<Index>;

class Matching {
 public:
  explicit Matching(const Schedule& schedule) : schedule_(schedule), graph_(schedule.spec().graph) {}

  /// Node i if it is an O, or null.
  template <class O>
  const O* as(Index i) const {
    return graph_.is<O>(i) ? std::get_if<O>(&graph_.op(i)) : nullptr;
  }
  Index operand(Index i, std::size_t k = 0) const { return graph_.operands(i)[k]; }
  const Shape& shape(Index i) const { return graph_.type(i).shape; }
  std::size_t rank(Index i) const { return graph_.type(i).rank(); }
  bool readable(Index i) const { return schedule_.readable(i); }
  bool is_permute(Index i, const Shape& order) const {
    const auto* permute = as<op::Permute>(i);
    return permute != nullptr && permute->order == order;
  }
  /// Whether i is a leaf that holds `number` everywhere.
  bool holds(Index leaf, double number) const;
  /// x of `0 + x`, the addition and its zero among the interiors; i itself if it is none.
  Index past_zero(Index i, Interiors& interiors) const;
  /// Whether every scheduled reader of i is the root or in the list.
  bool only_read_by(Index i, Index root, const Interiors& list) const;

  /// Fills in what the pattern claims. False: it is no candidate, since an interior is readable, or one that computes
  /// is read by a node that is neither in the match nor among `tolerated` (ascending).
  bool close(Pattern& pattern, Interiors interiors, const Interiors& tolerated = {}) const;

 private:
  /// A scheduled node's scheduled readers, one for each link.
  std::span<const Index> readers(Index i) const;
  bool only_moves(Index i) const;

  const Schedule& schedule_;
  const Graph& graph_;
  mutable std::vector<Index> first_reader_, readers_;  // made when the first match asks
};

/// The scheduled nodes that a match may be rooted at, by opcode: one look at the schedule for all matchers.
struct Roots {
  std::vector<Index> products, reshapes, additions, folds;
};

// The kinds, in the pool's order. A pool's maxima may be read by its gradient: `covered` lists what gradients cover.
std::vector<Pattern> window_products(const Matching& matching, const Roots& roots);
std::vector<Pattern> reduce_windows(const Matching& matching, const Roots& roots, const Interiors& covered);
std::vector<Pattern> batch_norms_training(const Matching& matching, const Roots& roots);
std::vector<Pattern> batch_norms_inference(const Matching& matching, const Roots& roots);
std::vector<Pattern> window_product_input_gradients(const Matching& matching, const Roots& roots);
std::vector<Pattern> window_product_kernel_gradients(const Matching& matching, const Roots& roots);
std::vector<Pattern> reduce_window_gradients(const Matching& matching, const Roots& roots);

}  // namespace topos
