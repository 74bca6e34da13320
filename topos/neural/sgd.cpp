#include "topos/neural/sgd.h"

#include "topos/neural/step_recorder.h"
#include "topos/neural/update_rules.h"
#include "topos/spec/composite.h"

namespace topos {

Parameters Sgd::step(const Parameters& parameters, const Parameters& gradients, double learning_rate) {
  return parameters.step(gradients, [&](const Tensor& p, const Tensor& g) {
    return neural::descended(p, g, full_like(g, learning_rate));
  });
}

RecordedStep Sgd::record(Tape& tape, const Adjoints& adjoints, const Value& learning_rate, Site site) const {
  const neural::StepRecorder step("Sgd::record", tape, adjoints, learning_rate, site);
  const Composite scope(tape, site);
  neural::Spread rate(step.rate());
  std::vector<Replacement> replacements;
  for (const auto& [parameter, gradient] : step.slots())
    replacements.push_back({parameter, neural::descended(parameter, gradient, rate.like(parameter))});
  return {adjoints.target(), std::move(replacements)};
}

}  // namespace topos
