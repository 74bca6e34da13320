// What an optimizer is: a step from parameters and gradients to the next parameters, computed or recorded.
#pragma once
#include "topos/neural/recorded_step.h"
#include "topos/spec/parameters.h"
#include "topos/spec/tape.h"

namespace topos {

/// Owns no parameters; what it remembers of earlier gradients is its own, and a copy of it is a copy of that.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The next parameters. The learning rate is per call, so that a schedule is the caller's; it is rounded once to each
  /// parameter's element. Throws Error(family) for gradients of another network or number of slots and Error(type) for
  /// gradients of other types; the optimizer is then as it was.
  virtual Parameters step(const Parameters& parameters, const Parameters& gradients, double learning_rate) = 0;

  /// Records the same step, bit for bit, as nodes of the tape: a new value for each parameter of `adjoints`, from the
  /// beginning of training, whatever this optimizer has stepped through. What it remembers becomes further parameters.
  /// The learning rate is a floating scalar of the tape, an input for a schedule, and is rounded once to each
  /// parameter's element. Throws Error(argument) for a gradient of something else than a parameter, or two of one;
  /// Error(type) for another learning rate; Error(family) or Error(coverage) for what is not of this tape.
  virtual RecordedStep record(Tape& tape, const Adjoints& adjoints, const Value& learning_rate,
                              Site site = Site::current()) const = 0;

 protected:
  Optimizer() = default;
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;
};

}  // namespace topos
