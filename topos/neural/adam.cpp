#include "topos/neural/adam.h"

#include <fmt/format.h>

#include <limits>

#include "topos/neural/misuse.h"

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
  const auto power1 = power1_ * beta1_;
  const auto power2 = power2_ * beta2_;
  moments.first =
      moments.first.zip(gradients, [&](const Tensor& m, const Tensor& g) { return m * beta1_ + g * (1 - beta1_); });
  moments.second = moments.second.zip(
      gradients, [&](const Tensor& m, const Tensor& g) { return m * beta2_ + (g * g) * (1 - beta2_); });
  const auto directions = moments.first.zip(moments.second, [&](const Tensor& first, const Tensor& second) {
    return (first / (1 - power1)) / (sqrt(second / (1 - power2)) + epsilon_);
  });
  auto next = parameters.step(directions,
                              [&](const Tensor& p, const Tensor& direction) { return p - direction * learning_rate; });
  moments_ = std::move(moments);
  power1_ = power1;
  power2_ = power2;
  return next;
}

}  // namespace topos
