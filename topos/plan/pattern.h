// A composition that a plan recognised in its schedule: what kind, where, over which nodes.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "topos/spec/symbol.h"

namespace topos {

/// The catalog. Recognised by structure alone: a hand-written recording matches like a facade's.
enum class PatternKind : std::uint8_t {
  window_product,                  // a convolution: the windows of an image times a matrix
  reduce_window,                   // a pool: the largest of each window
  batch_norm_training,             // features normalised by the statistics of their batch
  batch_norm_inference,            // ... by statistics that are given
  window_product_input_gradient,   // what a convolution's cotangent gives its image
  window_product_kernel_gradient,  // ... and its matrix
  reduce_window_gradient,          // what a pool's cotangent gives its image
};

/// `WindowProduct`, `ReduceWindowGradient`.
std::string_view name_of(PatternKind kind);

/// One match. Prints `WindowProduct rooted at node 9, covering 5 nodes`.
class PatternMatch {
 public:
  PatternMatch(PatternKind kind, Symbol root, std::vector<Symbol> nodes)
      : kind_(kind), root_(root), nodes_(std::move(nodes)) {}

  PatternKind kind() const { return kind_; }
  std::string_view name() const { return name_of(kind_); }
  /// The node whose value the composition gives.
  Symbol root() const { return root_; }
  /// The nodes that only this composition needs, ascending, the root among them.
  const std::vector<Symbol>& nodes() const { return nodes_; }
  std::string text() const;

 private:
  PatternKind kind_;
  Symbol root_;
  std::vector<Symbol> nodes_;
};

std::ostream& operator<<(std::ostream& out, const PatternMatch& match);

}  // namespace topos
