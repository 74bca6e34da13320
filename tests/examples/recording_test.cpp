// Tests of the examples' graphs: their order is in no compiler's hands, their node counts, plans equal the interpreter.
#include <gtest/gtest.h>

#include "examples/models/line_fit.h"
#include "examples/models/makemore_bigram.h"
#include "examples/models/makemore_mlp.h"
#include "examples/models/makemore_step.h"
#include "examples/models/walkthrough.h"
#include "examples/support/names.h"
#include "tests/support/bits.h"
#include "tests/support/golden.h"

namespace examples {
namespace {

using topos::test::bits_agree;

/// Seals the tape after a gradient, looks at the order, and compares a plan of both with the interpreter.
void expect_sound(topos::Tape tape, topos::Symbol loss, const std::vector<topos::Symbol>& wrt, std::size_t nodes,
                  const std::vector<topos::Feed>& feeds = {}) {
  EXPECT_EQ(tape.size(), nodes);
  const auto adjoints = tape.differentiate(loss, wrt);
  const auto network = std::move(tape).into_network();
  for (const auto symbol : order_left_to_compiler(network)) ADD_FAILURE() << network.node(symbol).text();
  const auto parameters = network.parameters();
  const auto oracle = network.forward(parameters, feeds);
  const auto engine = oracle.backward(loss);
  const auto run = network.entry(adjoints.roots()).lower().forward(parameters, feeds);
  EXPECT_TRUE(bits_agree(run.of(loss), oracle.of(loss)));
  for (const auto symbol : wrt) EXPECT_TRUE(bits_agree(run.of(adjoints.of(symbol)), engine.of(symbol)));
}

/// Splitmix tokens.
topos::Tensor tokens(const topos::Shape& shape, std::uint64_t seed) {
  Splitmix stream(seed);
  std::vector<std::int64_t> values(static_cast<std::size_t>(shape.volume()));
  for (auto& value : values) value = static_cast<std::int64_t>(stream.next() % 27);
  return topos::Tensor::from(shape, values);
}

TEST(recording, walkthrough) {
  topos::Tape tape;
  const auto model = record_walkthrough(tape);
  EXPECT_TRUE(topos::test::same_tokens(tape.describe(), topos::test::plate("walkthrough-1-spec.txt")));
  const topos::Symbol loss = model.loss;
  const topos::Symbol weights = model.weights;
  expect_sound(std::move(tape), loss, {weights}, 6);
}

TEST(recording, line_fit) {
  topos::Tape tape(topos::f64);
  const auto [w, b, losses, total] = record_line_fit(tape);
  const std::vector<topos::Symbol> wrt{w, b};
  expect_sound(std::move(tape), total, wrt, 2 + 3 * 6 + 2);
}

TEST(recording, bigram) {
  topos::Tape tape;
  const auto [table, letters, following, loss] = record_bigram(tape, 27, 64, 7);
  record_bigram_probabilities(tape, table);
  expect_sound(std::move(tape), loss, {table}, 19, {{letters, tokens({64}, 1)}, {following, tokens({64}, 2)}});
}

TEST(recording, mlp) {
  for (const bool padded : {false, true}) {
    topos::Tape tape;
    const MakemoreSizes sizes;
    const MakemoreMlp model(tape, sizes, 1, 2);
    const auto batch = record_makemore_batch(tape, model, sizes, 32, padded);
    record_makemore_sampler(tape, model, sizes);
    expect_sound(std::move(tape), batch.loss, model.parameters(), 5 + 2 + 9 + (padded ? 27 : 14) + 1 + 9 + 1,
                 {{batch.contexts, tokens({32, 3}, 1)}, {batch.targets, tokens({32}, 2)}});
  }
}

/// Trains by the recorded step and as makemore_mlp does, and compares each loss and the last parameters bit for bit.
void expect_same_training(topos::Optimizer&& optimizer) {
  const MakemoreSizes sizes;
  topos::Tape tape, stepping_tape;
  const MakemoreMlp model(tape, sizes, 1, 2), stepping_model(stepping_tape, sizes, 1, 2);
  const auto batch = record_makemore_batch(tape, model, sizes, makemore_batch_size, false);
  const auto adjoints = tape.differentiate(batch.loss, model.parameters());
  const auto step = record_makemore_step(stepping_tape, stepping_model, sizes, optimizer, makemore_learning_rate);
  const auto network = std::move(tape).into_network();
  const auto stepping = std::move(stepping_tape).into_network();
  for (const auto symbol : order_left_to_compiler(stepping)) ADD_FAILURE() << stepping.node(symbol).text();

  const auto plan = network.entry(adjoints.roots()).lower();
  const auto whole = stepping.entry(step.update.roots()).replaces(step.update.replacements()).lower();
  auto parameters = network.parameters();
  auto state = stepping.parameters();
  for (std::uint64_t number = 0; number < 5; ++number) {
    const auto contexts = tokens({makemore_batch_size, 3}, 2 * number);
    const auto targets = tokens({makemore_batch_size}, 2 * number + 1);
    const auto run = plan.forward(parameters, {{batch.contexts, contexts}, {batch.targets, targets}});
    const auto stepped = whole.forward(state, {{step.batch.contexts, contexts}, {step.batch.targets, targets}});
    EXPECT_TRUE(bits_agree(stepped.of(step.batch.loss), run.of(batch.loss)));
    parameters = optimizer.step(parameters, run.recorded_gradients(adjoints), makemore_learning_rate);
    state = step.update.apply(stepped, state);
  }
  const auto names = model.parameters();
  const auto stepping_names = stepping_model.parameters();
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_TRUE(bits_agree(state.of(stepping_names[i]), parameters.of(names[i])));
}

TEST(recording, a_recorded_mlp_step_trains_like_the_optimizer) {
  expect_same_training(topos::Sgd());
  expect_same_training(topos::Adam());
}

}  // namespace
}  // namespace examples
