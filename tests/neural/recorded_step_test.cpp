// A training step as nodes: bit for bit the optimizers' own step, in every element, and what it refuses.
#include <gtest/gtest.h>

#include "tests/support/bits.h"
#include "tests/support/error.h"
#include "tests/support/random.h"
#include "topos/topos.h"

namespace topos {
namespace {

using test::Misuse;
using test::throws;

/// A layer and a scale whose elements may differ from the loss's, with or without the step recorded behind it.
struct RecordedProblem {
  Network network;
  std::vector<Symbol> trained;
  Symbol x, rate;
  Adjoints adjoints;
  std::vector<RecordedStep> step;  // one or none
};

RecordedProblem problem(ElementType working, ElementType of_bias, ElementType of_scale, const Optimizer* recorded) {
  test::Random random(17);
  Tape tape(working);
  const auto w = tape.parameter(random.tensor({working, {3, 2}}, -1, 1));
  const auto b = tape.parameter(random.tensor({of_bias, {2}}, -1, 1));
  const auto scale = tape.parameter(0.75, of_scale);
  const auto x = tape.input(random.tensor({working, {4, 3}}, -1, 1));
  const auto rate = tape.input(0.1, f64);
  const auto product = matmul(x, w);
  const auto bias = convert(b, working);
  const auto spread = broadcast_along(bias, 0, 4);
  const auto shifted = product + spread;
  const auto hidden = tanh(shifted);
  const auto factor = convert(scale, working);
  const auto factors = broadcast(factor, {4, 2});
  const auto scaled = hidden * factors;
  const auto squared = scaled * scaled;
  const auto loss = sum(squared);
  auto adjoints = tape.differentiate(loss, {w, b, scale});
  std::vector<RecordedStep> step;
  if (recorded != nullptr) step.push_back(recorded->record(tape, adjoints, rate));
  return {std::move(tape).into_network(), {w, b, scale}, x, rate, std::move(adjoints), std::move(step)};
}

void expect_same_steps(Optimizer& optimizer, ElementType working, ElementType of_bias, ElementType of_scale) {
  const auto eager = problem(working, of_bias, of_scale, nullptr);
  const auto whole = problem(working, of_bias, of_scale, &optimizer);
  const auto& step = whole.step[0];
  const auto gradients = eager.network.entry(eager.adjoints.roots()).lower();
  const auto function = whole.network.entry(step.roots()).replaces(step.replacements()).lower();
  auto expected = eager.network.parameters();
  auto state = whole.network.parameters();
  test::Random random(5);
  for (int k = 0; k < 40; ++k) {
    const auto x = random.tensor({working, {4, 3}}, -2, 2);
    const double rate = 0.1 / (1 + k);
    const auto run = gradients.forward(expected, {{eager.x, x}});
    expected = optimizer.step(expected, run.recorded_gradients(eager.adjoints), rate);
    const auto whole_run = function.forward(state, {{whole.x, x}, {whole.rate, rate}});
    EXPECT_TRUE(test::bits_agree(whole_run.of(step.target()), run.of(eager.adjoints.target())));
    state = step.apply(whole_run, state);
    for (std::size_t slot = 0; slot < expected.size(); ++slot)
      ASSERT_TRUE(test::bits_agree(state.of(whole.trained[slot]), expected.of(eager.trained[slot])))
          << "step " << k << " slot " << slot;
  }
}

template <class Made>
void expect_same_steps_in_every_element() {
  for (const auto element : {f32, f64, bf16}) {
    Made optimizer;
    expect_same_steps(optimizer, element, element, element);
  }
  Made first, second;
  expect_same_steps(first, f32, f64, bf16);
  expect_same_steps(second, bf16, bf16, f32);
}

TEST(recorded_step, of_sgd_has_the_bits_of_its_step) { expect_same_steps_in_every_element<Sgd>(); }

TEST(recorded_step, of_adam_has_the_bits_of_its_step) { expect_same_steps_in_every_element<Adam>(); }

TEST(recorded_step, of_adam_keeps_its_own_numbers) {
  Adam adam(0.5, 0.75, 1e-3);
  expect_same_steps(adam, f32, f32, f32);
}

TEST(recorded_step, lists_parameters_then_what_is_remembered) {
  const Adam adam;
  const auto made = problem(f32, f64, bf16, &adam);
  const auto& step = made.step[0];
  ASSERT_EQ(step.replacements().size(), 3u * 3u + 2u);
  ASSERT_EQ(step.roots().size(), 12u);
  EXPECT_EQ(step.roots()[0], made.adjoints.target());
  const auto initial = made.network.parameters();
  for (std::size_t k = 0; k < step.replacements().size(); ++k) {
    const auto& [source, value] = step.replacements()[k];
    EXPECT_EQ(step.roots()[1 + k], value);
    EXPECT_EQ(made.network.node(source).name(), "Parameter");
    EXPECT_EQ(made.network.node(source).type(), made.network.node(value).type());
    if (k < 3) {
      EXPECT_EQ(source, made.trained[k]);
    } else if (k < 9) {
      const auto& type = made.network.node(made.trained[k % 3]).type();
      EXPECT_TRUE(test::bits_agree(initial.of(source), Tensor::full(type, 0)));
    } else {
      EXPECT_TRUE(test::bits_agree(initial.of(source), Tensor::full({f64, {}}, 1)));
    }
  }
  // Sgd remembers nothing.
  const Sgd sgd;
  EXPECT_EQ(problem(f32, f32, f32, &sgd).step[0].replacements().size(), 3u);
}

TEST(recorded_step, numbers_its_nodes_alike_with_every_compiler) {
  const Adam adam;
  EXPECT_TRUE(order_left_to_compiler(problem(f32, f64, bf16, &adam).network).empty());
}

TEST(recorded_step, takes_the_rate_from_any_float_of_the_tape) {
  Tape tape(f32);
  const auto w = tape.parameter({1.0, 2.0});
  const auto loss = sum(w * w);
  const auto adjoints = tape.differentiate(loss, {w});
  const auto step = Sgd().record(tape, adjoints, tape.leaf(0.5));
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto next = step.apply(network.forward(parameters), parameters);
  EXPECT_TRUE(test::bits_agree(next.of(w), Tensor::from({2}, {0.0F, 0.0F})));
}

TEST(recorded_step, refuses_what_it_cannot_train) {
  Tape tape(f32);
  const auto w = tape.parameter({1.0, 2.0});
  const auto x = tape.input({3.0, 4.0});
  const auto product = w * x;
  const auto loss = sum(product);
  const auto rate = tape.input(0.1, f64);
  const auto adjoints = tape.differentiate(loss, {w});
  const auto of_input = tape.differentiate(loss, {w, x});
  const auto twice = tape.differentiate(loss, {w, w});
  const auto nodes = tape.size();
  const Sgd sgd;
  const Adam adam;
  for (const auto* optimizer : {static_cast<const Optimizer*>(&sgd), static_cast<const Optimizer*>(&adam)}) {
    const std::string name = optimizer == &sgd ? "Sgd::record" : "Adam::record";
    EXPECT_TRUE(throws([&] { optimizer->record(tape, of_input, rate); },
                       Misuse{ErrorKind::argument, name, {}, {"node 1", "Input", "parameter"}, __LINE__}));
    EXPECT_TRUE(throws([&] { optimizer->record(tape, twice, rate); },
                       Misuse{ErrorKind::argument, name, {}, {"node 0", "twice"}, __LINE__}));
    EXPECT_TRUE(throws([&] { optimizer->record(tape, adjoints, x); },
                       Misuse{ErrorKind::type, name, {"f32[2]"}, {"floating scalar"}, __LINE__}));
    const auto count = tape.input(1, i64);
    EXPECT_TRUE(throws([&] { optimizer->record(tape, adjoints, count); },
                       Misuse{ErrorKind::type, name, {"i64[]"}, {"floating scalar"}, __LINE__}));
    Tape other(f32);
    const auto foreign = other.input(0.1, f64);
    EXPECT_TRUE(throws([&] { optimizer->record(tape, adjoints, foreign); }, Misuse{ErrorKind::family}));
    EXPECT_TRUE(throws([&] { optimizer->record(other, adjoints, foreign); }, Misuse{ErrorKind::family}));
  }
  EXPECT_EQ(tape.size(), nodes + 2);  // the two counts: what was refused recorded nothing
}

TEST(recorded_step, is_applied_to_its_own_runs_alone) {
  const Sgd sgd;
  const auto made = problem(f32, f32, f32, &sgd);
  const auto other = problem(f32, f32, f32, &sgd);
  const auto& step = made.step[0];
  const auto parameters = made.network.parameters();
  const auto loss_alone = made.network.entry({step.target()}).lower().forward(parameters);
  EXPECT_TRUE(throws([&] { step.apply(loss_alone, parameters); }, Misuse{ErrorKind::coverage}));
  const auto stranger = other.network.forward(other.network.parameters());
  EXPECT_TRUE(throws([&] { step.apply(stranger, parameters); }, Misuse{ErrorKind::family}));
  const auto run = made.network.forward(parameters);
  EXPECT_TRUE(throws([&] { step.apply(run, other.network.parameters()); }, Misuse{ErrorKind::family}));
}

}  // namespace
}  // namespace topos
