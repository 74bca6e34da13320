// Adam: steps scaled by running means of the gradients and of their squares.
#pragma once
#include <optional>

#include "topos/neural/optimizer.h"

namespace topos {

/// Adam (Kingma and Ba 2015). Each step, in this order of arithmetic and in each parameter's element:
///
///   first = first * beta1 + g * (1 - beta1);  second = second * beta2 + (g * g) * (1 - beta2)
///   direction = (first / (1 - beta1^t)) / (sqrt(second / (1 - beta2^t)) + epsilon);  p - direction * learning_rate
///
/// The moments start at zero. Numbers made of the betas alone are f64, powers as running products, and are rounded
/// once to the element.
class Adam final : public Optimizer {
 public:
  /// Throws Error(argument) for a beta outside [0, 1) or an epsilon that is negative or not finite.
  explicit Adam(double beta1 = 0.9, double beta2 = 0.999, double epsilon = 1e-8);

  Parameters step(const Parameters& parameters, const Parameters& gradients, double learning_rate) override;
  /// The moments are recorded as parameters of zeros: the first of every parameter, then the second of every one; then
  /// the two powers, f64 from 1. The replacements follow that order.
  RecordedStep record(Tape& tape, const Adjoints& adjoints, const Value& learning_rate,
                      Site site = Site::current()) const override;

 private:
  struct Moments {
    Parameters first;
    Parameters second;
  };

  double beta1_, beta2_, epsilon_;
  double power1_ = 1, power2_ = 1;  // beta^t
  std::optional<Moments> moments_;
};

}  // namespace topos
