// One training step of makemore_mlp as one function: state and batch in, loss and next state out.
#pragma once

#include <topos/topos.h>

#include <utility>
#include <vector>

#include "examples/models/makemore_mlp.h"
#include "examples/models/makemore_training.h"

namespace examples {

/// The names of a recorded step.
struct MakemoreStep {
  MakemoreBatch batch;
  /// Each part of the state, a parameter of the network, with its next value.
  std::vector<std::pair<topos::Symbol, topos::Symbol>> updates;
};

/// Records the loss of a batch, its gradient and a step of the optimizer at makemore_mlp's learning rate.
inline MakemoreStep record_makemore_step(topos::Tape& tape, const MakemoreMlp& model, const MakemoreSizes& sizes,
                                         bool) {
  const auto batch = record_makemore_batch(tape, model, sizes, makemore_batch_size, false);
  const auto adjoints = tape.differentiate(batch.loss, model.parameters());
  std::vector<std::pair<topos::Symbol, topos::Symbol>> updates;
  for (const auto& [parameter, gradient] : adjoints.pairs()) {
    const auto p = tape.resolve(parameter);
    const auto g = tape.resolve(gradient);
    const auto change = g * makemore_learning_rate;
    const auto next = p - change;
    updates.emplace_back(parameter, next.symbol());
  }
  return {batch, updates};
}

}  // namespace examples
