// The optimizers' arithmetic, written once: over tensors it computes a step, over values it records one. Internal.
#pragma once

namespace topos::neural {

// A statement records one node at most, so that their order is the same with every compiler. Numbers beside a payload
// take its element, rounded once.

/// p - direction * rate, the rate of p's type.
template <class V>
V descended(const V& p, const V& direction, const V& rate) {
  const auto share = direction * rate;
  return p - share;
}

/// mean * beta + x * (1 - beta).
template <class V>
V running_mean(const V& mean, const V& x, double beta) {
  const auto kept = mean * beta;
  const auto added = x * (1 - beta);
  return kept + added;
}

/// The square that Adam's second moment is the running mean of, and its mean.
template <class V>
V running_square(const V& mean, const V& x, double beta) {
  const auto square = x * x;
  return running_mean(mean, square, beta);
}

/// (first / correction1) / (sqrt(second / correction2) + epsilon), the corrections of the moments' type.
template <class V>
V adam_direction(const V& first, const V& second, const V& correction1, const V& correction2, double epsilon) {
  const auto above = first / correction1;
  const auto variance = second / correction2;
  const auto deviation = sqrt(variance);
  const auto below = deviation + epsilon;
  return above / below;
}

/// What Adam remembers of a beta: beta^t in f64, from beta^(t - 1). `N` is double or a value of rank 0.
template <class N>
N next_power(const N& power, double beta) {
  return power * beta;
}

/// 1 - beta^t: what a running mean that started at zero is divided by.
template <class N>
N correction_of(const N& power) {
  return 1.0 - power;
}

}  // namespace topos::neural
