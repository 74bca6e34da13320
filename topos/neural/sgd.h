// Sgd: gradient descent without a memory.
#pragma once
#include "topos/neural/optimizer.h"

namespace topos {

/// p - g * learning_rate, in each parameter's element.
class Sgd final : public Optimizer {
 public:
  Parameters step(const Parameters& parameters, const Parameters& gradients, double learning_rate) override {
    return parameters.step(gradients, [&](const Tensor& p, const Tensor& g) { return p - g * learning_rate; });
  }
};

}  // namespace topos
