// What optimizers share when they record a step: their arguments, checked, and scalars spread over parameters.
// Internal.
#pragma once
#include <string_view>
#include <vector>

#include "topos/spec/tape.h"

namespace topos::neural {

/// The parameters with their gradients, and the learning rate.
class StepRecorder {
 public:
  struct Slot {
    Value parameter;
    Value gradient;
  };

  /// Throws Error(argument) for a gradient of something else than a parameter or for a parameter named twice,
  /// Error(type) for a learning rate that is not a floating scalar, and Error(family) or Error(coverage) for adjoints
  /// or a rate of another tape.
  StepRecorder(std::string_view facade, Tape& tape, const Adjoints& adjoints, const Value& rate, const Site& site);

  const std::vector<Slot>& slots() const { return slots_; }
  const Value& rate() const { return rate_; }

 private:
  std::vector<Slot> slots_;
  Value rate_;
};

/// A scalar in the element and shape of another value, rounded once. Converts once an element.
class Spread {
 public:
  explicit Spread(const Value& scalar) : scalar_(scalar) {}
  Value like(const Value& x);

 private:
  Value scalar_;
  std::vector<Value> converted_;
};

}  // namespace topos::neural
