// What an optimizer is: a step from parameters and gradients to the next parameters.
#pragma once
#include "topos/spec/parameters.h"

namespace topos {

/// Owns no parameters; what it remembers of earlier gradients is its own, and a copy of it is a copy of that.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The next parameters. The learning rate is per call, so that a schedule is the caller's; it is rounded once to each
  /// parameter's element. Throws Error(family) for gradients of another network or number of slots and Error(type) for
  /// gradients of other types; the optimizer is then as it was.
  virtual Parameters step(const Parameters& parameters, const Parameters& gradients, double learning_rate) = 0;

 protected:
  Optimizer() = default;
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;
};

}  // namespace topos
