// One training step of makemore_mlp as one function: state and batch in, loss and next state out.
#pragma once

#include <topos/topos.h>

#include "examples/models/makemore_mlp.h"
#include "examples/models/makemore_training.h"

namespace examples {

/// The names of a recorded step.
struct MakemoreStep {
  MakemoreBatch batch;
  topos::RecordedStep update;
};

/// Records the loss of a batch, its gradient, and what the optimizer makes of it at a constant learning rate.
inline MakemoreStep record_makemore_step(topos::Tape& tape, const MakemoreMlp& model, const MakemoreSizes& sizes,
                                         const topos::Optimizer& optimizer, double learning_rate) {
  const auto batch = record_makemore_batch(tape, model, sizes, makemore_batch_size, false);
  const auto adjoints = tape.differentiate(batch.loss, model.parameters());
  const auto rate = tape.leaf(learning_rate);
  const auto update = optimizer.record(tape, adjoints, rate);
  return {batch, update};
}

}  // namespace examples
