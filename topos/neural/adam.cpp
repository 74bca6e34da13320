#include "topos/neural/adam.h"

#include <fmt/format.h>

#include <limits>

#include "topos/neural/misuse.h"
#include "topos/neural/step_recorder.h"
#include "topos/neural/update_rules.h"
#include "topos/spec/composite.h"

namespace topos {

Adam::Adam(double beta1, double beta2, double epsilon) : beta1_(beta1), beta2_(beta2), epsilon_(epsilon) {
  // Written so that NaN is refused too.
  if (!(beta1 >= 0 && beta1 < 1)) neural::refuse_argument("Adam", fmt::format("beta1 {} is outside [0, 1)", beta1));
  if (!(beta2 >= 0 && beta2 < 1)) neural::refuse_argument("Adam", fmt::format("beta2 {} is outside [0, 1)", beta2));
  if (!(epsilon >= 0 && epsilon <= std::numeric_limits<double>::max()))
    neural::refuse_argument("Adam", fmt::format("epsilon {} is not a finite number from 0", epsilon));
}

Parameters Adam::step(const Parameters& parameters, const Parameters& gradients, double learning_rate) {
  const auto zeros = [](const Tensor& g) { return full_like(g, 0.0); };
  auto moments = moments_ ? *moments_ : Moments{gradients.map(zeros), gradients.map(zeros)};
  const auto power1 = neural::next_power(power1_, beta1_);
  const auto power2 = neural::next_power(power2_, beta2_);
  const auto correction1 = neural::correction_of(power1);
  const auto correction2 = neural::correction_of(power2);
  moments.first = moments.first.zip(
      gradients, [&](const Tensor& m, const Tensor& g) { return neural::running_mean(m, g, beta1_); });
  moments.second = moments.second.zip(
      gradients, [&](const Tensor& m, const Tensor& g) { return neural::running_square(m, g, beta2_); });
  const auto directions = moments.first.zip(moments.second, [&](const Tensor& first, const Tensor& second) {
    return neural::adam_direction(first, second, full_like(first, correction1), full_like(second, correction2),
                                  epsilon_);
  });
  auto next = parameters.step(directions, [&](const Tensor& p, const Tensor& direction) {
    return neural::descended(p, direction, full_like(direction, learning_rate));
  });
  moments_ = std::move(moments);
  power1_ = power1;
  power2_ = power2;
  return next;
}

RecordedStep Adam::record(Tape& tape, const Adjoints& adjoints, const Value& learning_rate, Site site) const {
  const neural::StepRecorder step("Adam::record", tape, adjoints, learning_rate, site);
  const Composite scope(tape, site);
  std::vector<Value> firsts, seconds;
  for (auto* moments : {&firsts, &seconds})
    for (const auto& slot : step.slots()) moments->push_back(tape.parameter(Tensor::full(slot.parameter.type(), 0)));
  const auto power1 = tape.parameter(1.0, f64);
  const auto power2 = tape.parameter(1.0, f64);
  const auto next_power1 = neural::next_power(power1, beta1_);
  const auto next_power2 = neural::next_power(power2, beta2_);
  neural::Spread correction1(neural::correction_of(next_power1));
  neural::Spread correction2(neural::correction_of(next_power2));
  neural::Spread rate(step.rate());
  std::vector<Replacement> parameters, first_moments, second_moments;
  for (std::size_t k = 0; k < firsts.size(); ++k) {
    const auto& [p, g] = step.slots()[k];
    const auto first = neural::running_mean(firsts[k], g, beta1_);
    const auto second = neural::running_square(seconds[k], g, beta2_);
    const auto spread1 = correction1.like(first);
    const auto spread2 = correction2.like(second);
    const auto direction = neural::adam_direction(first, second, spread1, spread2, epsilon_);
    parameters.push_back({p, neural::descended(p, direction, rate.like(p))});
    first_moments.push_back({firsts[k], first});
    second_moments.push_back({seconds[k], second});
  }
  for (const auto* list : {&first_moments, &second_moments})
    parameters.insert(parameters.end(), list->begin(), list->end());
  parameters.push_back({power1, next_power1});
  parameters.push_back({power2, next_power2});
  return {adjoints.target(), std::move(parameters)};
}

}  // namespace topos
