// Sgd: gradient descent without a memory.
#pragma once
#include "topos/neural/optimizer.h"

namespace topos {

/// p - g * learning_rate, in each parameter's element.
class Sgd final : public Optimizer {
 public:
  Parameters step(const Parameters& parameters, const Parameters& gradients, double learning_rate) override;
  RecordedStep record(Tape& tape, const Adjoints& adjoints, const Value& learning_rate,
                      Site site = Site::current()) const override;
};

}  // namespace topos
