// What a plan computes and what may be read of it: roots, observes, posture and numerics.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "topos/spec/network.h"
#include "topos/spec/replacement.h"

namespace topos {

class Plan;  // execute/

/// Whether float maths may be reordered. `exact`: the interpreter's bits, on every machine. `fast`: backends that the
/// build enables may sum in another order; without one it is the same as exact.
enum class Numerics : std::uint8_t { exact, fast };

/// A declaration as plain data, good for any network of the family. An entry never changes the graph.
struct Entry {
  std::vector<Symbol> roots;
  std::vector<Symbol> observed = {};
  bool backward = false;
  Numerics numerics = Numerics::exact;
  std::vector<Replacement> replaced = {};
  std::vector<Symbol> steady = {};
};

/// An entry of one network. The declared survive; everything else may be skipped, freed or fused, and reading it
/// throws.
class BoundEntry {
 public:
  BoundEntry(std::shared_ptr<const Spec> spec, Parameters::Nodes parameter_nodes, Entry entry)
      : spec_(std::move(spec)), parameter_nodes_(std::move(parameter_nodes)), entry_(std::move(entry)) {}

  /// Further values to be readable. Accumulates.
  BoundEntry& observe(const std::vector<Symbol>& symbols);
  /// Keeps what the derivative rules read, so that a run may go backward from a readable scalar.
  BoundEntry& backward();
  BoundEntry& numerics(Numerics numerics);
  /// A licence to write `value`, which is declared already, where `source` stood, a parameter or an input of the same
  /// type: the emitted argument carries `{tf.aliasing_output = K : i32}` with the value's place K among the results.
  /// A caller of the module then gives the argument up. Runs of the plan take no notice. Each source and each value at
  /// most once. Throws Error(family), Error(coverage) for a node that the network lacks, Error(type) where the types
  /// differ and Error(argument) otherwise.
  BoundEntry& replaces(Symbol source, Symbol value);
  /// Each of them, as an optimizer's recorded step lists them.
  BoundEntry& replaces(const std::vector<Replacement>& replacements);

  /// Parameters and inputs that most runs find with the same payloads: weights that are not trained, say. A plan keeps
  /// such a payload, laid out for the products whose right operand it is, until a run brings another; no bit depends
  /// on it. Each of several runs at once keeps its own. Accumulates. Throws Error(family), Error(coverage) for a node
  /// that the network lacks and Error(argument) for any other node.
  BoundEntry& steady(const std::vector<Symbol>& sources);

  /// Roots, then observes, as declared, each once. Throws Error(family) or Error(coverage).
  std::vector<Symbol> results() const;
  const Entry& entry() const { return entry_; }

  /// Runs the interpreter over the ancestors of the declared; only the declared may be read. Throws as
  /// Network::forward does. Defined in execute/.
  Run interpret(const Parameters& parameters, Feeds feeds) const;
  Run interpret(const Parameters& parameters, FeedList feeds = {}) const;
  /// The same, watched as Network::forward is.
  Run interpret(const Parameters& parameters, Feeds feeds, Watch watch) const;
  Run interpret(const Parameters& parameters, FeedList feeds, Watch watch) const;
  /// Compiles: schedule, memory plan, kernels. Throws Error(argument) for a replaced source that no result reads: the
  /// module would have no such argument. Defined in execute/.
  Plan lower() const;

 private:
  /// Throws as `replaces` does; the first `earlier` replacements are taken already.
  void check(const Replacement& replacement, std::size_t earlier) const;
  /// Throws as `steady` does.
  void check_steady(Symbol source) const;
  Run interpret(const Parameters& parameters, Feeds feeds, std::optional<Watch> watch) const;

  std::shared_ptr<const Spec> spec_;
  Parameters::Nodes parameter_nodes_;
  Entry entry_;
};

}  // namespace topos
