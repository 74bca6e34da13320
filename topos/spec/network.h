// The sealed program: structure, initial parameters, input defaults.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topos/spec/node.h"
#include "topos/spec/parameters.h"
#include "topos/spec/watch.h"

namespace topos {

class BoundEntry;  // plan/
struct Entry;      // plan/
class Run;         // interpret/
class Tape;

/// Immutable; any number of threads may read and run one. Move-only: a second copy could be reopened into another
/// future of the same family.
class Network {
 public:
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// Fresh parameters from the record-time initials.
  Parameters parameters() const;

  /// Runs the interpreter over the whole program: the oracle. Unfed inputs take their defaults; of several feeds of
  /// one input the last wins. Throws Error(family) for foreign parameters or symbols, Error(coverage) for another
  /// number of slots, Error(feed) for a feed that names no input or does not fit it. Defined in interpret/.
  Run forward(const Parameters& parameters, Feeds feeds) const;
  Run forward(const Parameters& parameters, FeedList feeds = {}) const;
  /// The same, looking at every number: throws Error(number) at the first node that holds a NaN, or an infinity, while
  /// none of its operands does, with the operands' ranges and the place that recorded it.
  Run forward(const Parameters& parameters, Feeds feeds, Watch watch) const;
  Run forward(const Parameters& parameters, FeedList feeds, Watch watch) const;

  /// Begins an entry: what a plan computes and what may be read of it. Defined in plan/.
  BoundEntry entry(const std::vector<Symbol>& roots) const;
  /// The same from a declaration kept elsewhere.
  BoundEntry bind(Entry entry) const;

  ElementType element() const;
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  Node node(Symbol symbol) const;
  std::vector<Node> nodes() const;
  /// The one node with a label. Throws Error(coverage), which tells labels close to it, when there is none, and
  /// Error(argument) when there are several.
  Symbol labelled(std::string_view label) const;
  /// What a leaf, parameter or input holds; nothing for a computed node.
  std::optional<Tensor> payload(Symbol symbol) const;
  /// One line a node, then the counts.
  std::string describe() const;

  /// Reopens for more recording, with the same family: symbols stay valid, `Parameters::carried` carries state over.
  Tape into_tape() &&;

  /// The columns, which plans and runs share.
  const std::shared_ptr<const Spec>& spec() const { return spec_; }

 private:
  friend class Tape;
  Network(std::shared_ptr<const Spec> spec, Parameters::Nodes parameter_nodes);
  std::shared_ptr<const Spec> spec_;
  Parameters::Nodes parameter_nodes_;
};

/// The nodes whose operands one line recorded outside of any composite: C++ leaves their order, and so their numbers
/// and the order in which gradients accumulate, to the compiler. A program whose text or bits are published has none.
std::vector<Symbol> order_left_to_compiler(const Network& network);

}  // namespace topos
