// A training step as nodes: which values take the place of which parameters.
#pragma once
#include <vector>

#include "topos/interpret/run.h"
#include "topos/spec/adjoints.h"
#include "topos/spec/replacement.h"

namespace topos {

/// What an optimizer's `record` gives back. Plain data that outlives its tape. Everything that the optimizer remembers
/// is a parameter of the tape, so that a step is one function: (parameters, memory, inputs) to (loss, parameters,
/// memory).
class RecordedStep {
 public:
  RecordedStep(Symbol target, std::vector<Replacement> replacements)
      : target_(target), replacements_(std::move(replacements)) {}

  /// What was differentiated: the loss.
  Symbol target() const { return target_; }
  /// (source, value): the parameters in the order in which their gradients were asked for, then what the optimizer
  /// remembers. `BoundEntry::replaces` takes them.
  const std::vector<Replacement>& replacements() const { return replacements_; }
  /// The target, then the new values: what an entry of the whole step names.
  std::vector<Symbol> roots() const;

  /// The next parameters: those of `parameters` with the new values of a run. Throws Error(family) for a run or
  /// parameters of another network, and Error(coverage) for a new value that may not be read from the run or for
  /// parameters that lack a slot.
  Parameters apply(const Run& run, const Parameters& parameters) const;

 private:
  Symbol target_;
  std::vector<Replacement> replacements_;
};

}  // namespace topos
