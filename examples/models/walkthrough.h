// The graph of the walkthrough: a product, a tanh, a loss.
#pragma once
#include <topos/topos.h>

namespace examples {

/// The values that the walkthrough speaks of.
struct Walkthrough {
  topos::Value weights;
  topos::Value hidden;
  topos::Value loss;
};

/// Records loss = sum(tanh(input weights)^2).
inline Walkthrough record_walkthrough(topos::Tape& tape) {
  const auto weights = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
  const auto input = tape.input({{1.0, 2.0}});
  const auto product = matmul(input, weights);
  const auto hidden = tanh(product);
  const auto loss = sum(hidden * hidden);
  return {weights, hidden, loss};
}

}  // namespace examples
