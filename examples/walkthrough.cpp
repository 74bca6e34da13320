// One small graph read six ways: as its list, its derivative, a plan, StableHLO text, runs that must agree, and a walk
// by hand. Whatever it claims it also checks; a claim that fails ends it with exit code 1.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <stdexcept>

#include "examples/models/walkthrough.h"
#include "examples/support/command_line.h"

namespace {

using examples::record_walkthrough;

void heading(const std::string& text) { std::cout << "\n== " << text << "\n\n"; }

/// Checked in every build.
void require(bool holds, const std::string& claim) {
  if (!holds) throw std::runtime_error("this must hold and does not: " + claim);
}

/// Plain gradient descent: the plan was lowered once and holds no state, so a step is a function from parameters to
/// parameters, and a copy of them is all that trying something else costs.
void train(const topos::Plan& plan, const topos::Adjoints& adjoints, topos::Parameters parameters) {
  const auto before = plan.forward(parameters).of(adjoints.target());
  for (int step = 0; step < 40; ++step) {
    const auto run = plan.forward(parameters);
    const auto gradients = run.recorded_gradients(adjoints);
    parameters =
        parameters.step(gradients, [](const topos::Tensor& w, const topos::Tensor& g) { return w - g * 0.05; });
  }
  const auto after = plan.forward(parameters).of(adjoints.target());
  require(after.item() < 0.1 * before.item(), "forty steps through the plan bring the loss down");
  std::cout << fmt::format("\nforty steps of gradient descent through the plan: loss {:.2g} -> {:.2g}\n", before.item(),
                           after.item());
}

/// The oracle, two plans, and both ways to a gradient.
void compare_runs(const topos::Network& network, const topos::Adjoints& adjoints, topos::Symbol weights,
                  topos::Symbol hidden, topos::Symbol loss) {
  const auto parameters = network.parameters();
  // The interpreter over the whole list is the oracle; its reverse scan applies the derivative rules without recording.
  const auto oracle = network.forward(parameters);
  const auto engine_gradient = oracle.backward(loss).parameters(parameters);
  // A plan is exact unless its entry says otherwise; `fast` lets a backend of this build reorder a sum.
  auto entry = network.entry(adjoints.roots()).observe({hidden});
  const auto exact_run = entry.lower().forward(parameters);
  const auto fast_run = entry.numerics(topos::Numerics::fast).lower().forward(parameters);
  const auto recorded_gradient = exact_run.recorded_gradients(adjoints);

  require(same_bits(exact_run.of(loss), oracle.of(loss)), "the exact plan has the interpreter's bits");
  require(same_bits(exact_run.of(hidden), oracle.of(hidden)), "an observed value has the interpreter's bits");
  require(same_bits(recorded_gradient.of(weights), engine_gradient.of(weights)),
          "the recorded gradient has the bits of the engine's scan");
  const bool fast_agrees = same_bits(fast_run.of(loss), exact_run.of(loss)) &&
                           same_bits(fast_run.of(adjoints.of(weights)), exact_run.of(adjoints.of(weights)));
  const auto scale = std::abs(exact_run.of(loss).item());
  require(std::abs(fast_run.of(loss).item() - exact_run.of(loss).item()) <= 1e-5 * scale,
          "the fast plan is within rounding of the exact one");

  std::cout << "loss:\n";
  std::cout << fmt::format("  interpreter        {}\n", oracle.of(loss).text());
  std::cout << fmt::format("  exact plan         {}\n", exact_run.of(loss).text());
  std::cout << fmt::format("  fast plan          {}\n", fast_run.of(loss).text());
  std::cout << "d loss / d weights:\n";
  std::cout << fmt::format("  engine scan        {}\n", engine_gradient.of(weights).text());
  std::cout << fmt::format("  recorded gradient  {}\n", recorded_gradient.of(weights).text());
  std::cout << fmt::format("hidden, declared readable: {}\n", exact_run.of(hidden).text());
  std::cout << "exact plan == interpreter, bit for bit: asserted\n";
  std::cout << "recorded gradient == engine scan, bit for bit: asserted\n";
  std::cout << "fast plan == exact plan: "
            << (fast_agrees ? "yes; no backend claimed any of this graph in this build\n"
                            : "no; a backend served part of it\n");
}

/// The printed lines are an instruction list: sources take the payloads they hold, every other node expresses its
/// opcode over operands computed before. This is all that the interpreter does.
void walk_by_hand(const topos::Network& network, topos::Symbol loss) {
  std::vector<topos::Tensor> values;
  for (const auto& node : network.nodes()) {
    if (node.is_source()) {
      values.push_back(*network.payload(node.symbol()));
      continue;
    }
    std::vector<const topos::Tensor*> operands;
    for (const auto operand : node.operands()) operands.push_back(&values[operand.index()]);
    values.push_back(node.opcode().express<topos::Tensor>(operands));
  }
  const auto& by_hand = values[loss.index()];
  const auto oracle = network.forward(network.parameters());
  require(same_bits(by_hand, oracle.of(loss)), "the walk by hand has the interpreter's bits");

  std::cout << fmt::format("walked {} lines by hand, outside the library\n", values.size());
  std::cout << fmt::format("loss by hand:        {}\n", by_hand.text());
  std::cout << fmt::format("loss by interpreter: {}\n", oracle.of(loss).text());
  std::cout << "same bits: asserted\n";
}

int walkthrough() {
  // Recording writes the graph down once; every section below is another reading of the same list.
  topos::Tape tape(topos::f32);
  const auto model = record_walkthrough(tape);
  const topos::Symbol weights = model.weights;
  const topos::Symbol hidden = model.hidden;
  const topos::Symbol loss = model.loss;
  heading("1. The graph as recorded: number, opcode, operands, shape");
  std::cout << tape.describe();

  // The chain rule as more of the same list. Nothing above changes.
  const auto recorded = tape.size();
  const auto adjoints = tape.differentiate(loss, {weights});
  heading(fmt::format("2. Its derivative: {} nodes appended by differentiate; node {} is d loss / d weights",
                      tape.size() - recorded, adjoints.of(weights).index()));
  std::cout << tape.describe();

  // An entry declares what a run may read: the loss and the gradient as roots, and `hidden`. What nobody declared, the
  // gradient of the input for example, is never computed.
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry(adjoints.roots()).observe({hidden}).lower();
  heading("3. A plan: what is computed, in which order, and when it is freed");
  std::cout << plan.describe();

  heading("4. The plan as StableHLO");
  std::cout << plan.emit_stablehlo();

  heading("5. Runs that must agree");
  compare_runs(network, adjoints, weights, hidden, loss);
  train(plan, adjoints, network.parameters());

  // The walk takes the graph as it was first recorded, without its derivative.
  topos::Tape again(topos::f32);
  const topos::Symbol loss_again = record_walkthrough(again).loss;
  heading("6. The list is executable: a walk by hand");
  walk_by_hand(std::move(again).into_network(), loss_again);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run(
      argc, argv, "One small graph read six ways: list, derivative, plan, StableHLO, runs that agree, a walk by hand.",
      [](CLI::App&) {}, walkthrough);
}
