// A whole training step as one module: parameters, what the optimizer remembers and a batch in; the loss and what takes
// their place out.
#include <gtest/gtest.h>

#include "support/golden.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

/// The step of a regression over three samples, and its entry's plan.
Plan regression_step(const Optimizer& optimizer) {
  Tape tape(f32);
  const auto weights = tape.parameter({{0.5}, {-0.25}});
  const auto x = tape.input({{1.0, 2.0}, {0.5, -1.0}, {-1.5, 0.25}});
  const auto y = tape.input({{1.0}, {0.0}, {-1.0}});
  const auto learning_rate = tape.input(0.1, f64);
  const auto predicted = matmul(x, weights);
  const auto error = predicted - y;
  const auto squared = error * error;
  const auto loss = sum(squared);
  const auto adjoints = tape.differentiate(loss, {weights});
  const auto step = optimizer.record(tape, adjoints, learning_rate);
  const auto network = std::move(tape).into_network();
  return network.entry(step.roots()).replaces(step.replacements()).lower();
}

TEST(TrainingStep, of_sgd_is_one_module_to_the_character) {
  const auto plan = regression_step(Sgd());
  EXPECT_EQ(plan.emit_stablehlo({.target = "1.0.0"}), plate("training-step-sgd.mlir"));
  EXPECT_EQ(plan.replacements().size(), 1u);
}

TEST(TrainingStep, of_adam_is_one_module_to_the_character) {
  const auto plan = regression_step(Adam());
  EXPECT_EQ(plan.emit_stablehlo({.target = "1.0.0"}), plate("training-step-adam.mlir"));
  // Everything that is trained or remembered is an argument that its next value may overwrite.
  EXPECT_EQ(plan.replacements().size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(plan.arguments()[k], plan.replacements()[k].source);
    EXPECT_EQ(plan.results()[k + 1], plan.replacements()[k].value);
  }
}

}  // namespace
}  // namespace topos::test
