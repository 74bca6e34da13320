// The walkthrough's texts and bits: recording, derivative, plan, module, numbers.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

struct Walkthrough {
  Network network;
  Adjoints adjoints;
  Symbol weights, input, hidden, loss;
  std::string recorded, differentiated;
};

Walkthrough walkthrough() {
  Tape tape(f32);
  const auto weights = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
  const auto input = tape.input({{1.0, 2.0}});
  const auto product = matmul(input, weights);
  const auto hidden = tanh(product);
  const auto square = hidden * hidden;
  const auto loss = sum(square);
  auto recorded = tape.describe();
  auto adjoints = tape.differentiate(loss, {weights});
  auto differentiated = tape.describe();
  const Symbol names[] = {weights, input, hidden, loss};
  return {std::move(tape).into_network(), adjoints, names[0], names[1], names[2], names[3], std::move(recorded),
          std::move(differentiated)};
}

constexpr std::string_view spec_text =
    "   0  Parameter                         [2, 2]\n"
    "   1  Input                             [1, 2]\n"
    "   2  MatMul         1, 0               [1, 2]\n"
    "   3  Tanh           2                  [1, 2]\n"
    "   4  Mul            3, 3               [1, 2]\n"
    "   5  Sum            4                  []\n";
constexpr std::string_view derivative_text =
    "   6  Leaf                              []\n"
    "   7  Broadcast      6  shape=[1, 2]    [1, 2]\n"
    "   8  Leaf                              [1, 2]\n"
    "   9  Add            8, 7               [1, 2]\n"
    "  10  Mul            9, 3               [1, 2]\n"
    "  11  Mul            9, 3               [1, 2]\n"
    "  12  Leaf                              [1, 2]\n"
    "  13  Add            12, 10             [1, 2]\n"
    "  14  Add            13, 11             [1, 2]\n"
    "  15  Leaf                              [1, 2]\n"
    "  16  Mul            3, 3               [1, 2]\n"
    "  17  Sub            15, 16             [1, 2]\n"
    "  18  Mul            14, 17             [1, 2]\n"
    "  19  Leaf                              [1, 2]\n"
    "  20  Add            19, 18             [1, 2]\n"
    "  21  Permute        0  order=[1, 0]    [2, 2]\n"
    "  22  MatMul         20, 21             [1, 2]\n"
    "  23  Permute        1  order=[1, 0]    [2, 1]\n"
    "  24  MatMul         23, 20             [2, 2]\n"
    "  25  Leaf                              [1, 2]\n"
    "  26  Add            25, 22             [1, 2]\n"
    "  27  Leaf                              [2, 2]\n"
    "  28  Add            27, 24             [2, 2]\n"
    "tape: 29 nodes, 1 parameter, 1 input\n";

constexpr std::string_view plan_text =
    "   0  Parameter                         [2, 2]       freed after 2\n"
    "   1  Input                             [1, 2]       freed after 23\n"
    "   2  MatMul         1, 0               [1, 2]       freed after 3\n"
    "   3  Tanh           2                  [1, 2]       kept\n"
    "   4  Mul            3, 3               [1, 2]       freed after 5\n"
    "   5  Sum            4                  []           kept\n"
    "   6  Leaf                              []           freed after 7\n"
    "   7  Broadcast      6  shape=[1, 2]    [1, 2]       freed after 9\n"
    "   8  Leaf                              [1, 2]       freed after 9\n"
    "   9  Add            8, 7               [1, 2]       freed after 11\n"
    "  10  Mul            9, 3               [1, 2]       freed after 13\n"
    "  11  Mul            9, 3               [1, 2]       freed after 14\n"
    "  12  Leaf                              [1, 2]       freed after 13\n"
    "  13  Add            12, 10             [1, 2]       freed after 14\n"
    "  14  Add            13, 11             [1, 2]       freed after 18\n"
    "  15  Leaf                              [1, 2]       freed after 17\n"
    "  16  Mul            3, 3               [1, 2]       freed after 17\n"
    "  17  Sub            15, 16             [1, 2]       freed after 18\n"
    "  18  Mul            14, 17             [1, 2]       freed after 20\n"
    "  19  Leaf                              [1, 2]       freed after 20\n"
    "  20  Add            19, 18             [1, 2]       freed after 24\n"
    "  23  Permute        1  order=[1, 0]    [2, 1]       freed after 24\n"
    "  24  MatMul         23, 20             [2, 2]       freed after 28\n"
    "  27  Leaf                              [2, 2]       freed after 28\n"
    "  28  Add            27, 24             [2, 2]       kept\n"
    "plan: forward; 25 of 29 nodes evaluated, 3 readable\n"
    "live volume: peak 15 elements at node 28, retain-all 56\n";

TEST(Walkthrough, records_the_text_to_the_column) {
  const auto w = walkthrough();
  EXPECT_EQ(w.recorded, std::string(spec_text) + "tape: 6 nodes, 1 parameter, 1 input\n");
  EXPECT_EQ(w.differentiated, std::string(spec_text) + std::string(derivative_text));
  EXPECT_TRUE(same_tokens(w.recorded, plate("walkthrough-1-spec.txt")));
  EXPECT_TRUE(same_tokens(w.differentiated, plate("walkthrough-2-derivative.txt")));
}

TEST(Walkthrough, names_the_roots_of_its_derivative) {
  const auto w = walkthrough();
  EXPECT_EQ(w.adjoints.target(), w.loss);
  EXPECT_EQ(w.adjoints.of(w.weights).index(), 28u);
  EXPECT_EQ(w.adjoints.roots(), (std::vector{w.loss, w.adjoints.of(w.weights)}));
}

TEST(Walkthrough, lowers_to_the_plan_text) {
  const auto w = walkthrough();
  const auto plan = w.network.entry(w.adjoints.roots()).observe({w.hidden}).lower();
  EXPECT_EQ(plan.describe(), plan_text);
  EXPECT_TRUE(same_tokens(plan.describe(), plate("walkthrough-3-plan.txt")));
  std::vector<Index> results;
  for (const auto symbol : plan.results()) results.push_back(symbol.index());
  EXPECT_EQ(results, (std::vector<Index>{5, 28, 3}));
  EXPECT_EQ(plan.live_series(), (std::vector<Extent>{4,  6,  8, 6,  6,  7,  6, 8,  9, 11, 9,  11, 11,
                                                     13, 11, 9, 11, 13, 11, 9, 11, 9, 11, 11, 15}));
  EXPECT_EQ(plan.size(), 29u);
  EXPECT_EQ(plan.nodes().size(), 25u);
}

TEST(Walkthrough, emits_the_module_to_the_character) {
  const auto w = walkthrough();
  const auto plan = w.network.entry(w.adjoints.roots()).observe({w.hidden}).lower();
  EXPECT_EQ(emitted(plan), plate("walkthrough-4-stablehlo.mlir"));
}

TEST(Walkthrough, returns_its_results_in_declared_order) {
  const auto w = walkthrough();
  const auto entry = w.network.entry(w.adjoints.roots()).observe({w.hidden});
  const auto plan = entry.lower();
  const auto [loss, gradient] = std::pair(entry.entry().roots[0], entry.entry().roots[1]);
  std::string results;
  for (const auto symbol : plan.results()) results += (results.empty() ? "" : ", ") + std::to_string(symbol.index());
  std::string text = "entry roots: " + std::to_string(loss.index()) + " (the loss), " +
                     std::to_string(gradient.index()) +
                     " (its gradient)\nentry observes: " + std::to_string(entry.entry().observed[0].index()) +
                     " (hidden)\nplan.results(): [" + results + "]\n";
  std::istringstream module(emitted(plan));
  for (std::string line; std::getline(module, line);) {
    const auto first = line.find_first_not_of(' ');
    if (first != std::string::npos &&
        (line.substr(first).starts_with("func") || line.substr(first).starts_with("return")))
      text += line.substr(first) + "\n";
  }
  EXPECT_EQ(text, plate("emission-3-results.txt"));
}

TEST(Walkthrough, computes_the_bits_by_every_reading) {
  const auto w = walkthrough();
  const auto parameters = w.network.parameters();
  const auto check = [&](const topos::Run& run) {
    EXPECT_EQ(bits32(run.of(w.hidden)), (std::vector{0x3f42f7d6u, 0x3f002218u}));
    EXPECT_EQ(bits32(run.of(w.loss)), std::vector{0x3f549eacu});
    EXPECT_EQ(bits32(run.of(w.adjoints.of(w.weights))),
              (std::vector{0x3f23c361u, 0x3f4010ffu, 0x3fa3c361u, 0x3fc010ffu}));
  };
  const auto run = w.network.forward(parameters);
  check(run);
  EXPECT_TRUE(bits_agree(run.backward(w.loss).of(w.weights), run.of(w.adjoints.of(w.weights))));
  for (const auto numerics : {Numerics::exact, Numerics::fast})
    check(w.network.entry(w.adjoints.roots()).observe({w.hidden}).numerics(numerics).lower().forward(parameters));
}

TEST(Walkthrough, prints_the_numbers) {
  const auto w = walkthrough();
  const auto parameters = w.network.parameters();
  const auto run = w.network.forward(parameters);
  const auto plan = w.network.entry(w.adjoints.roots()).observe({w.hidden}).lower();
  const auto loss = run.of(w.loss).text();
  const auto gradient = run.backward(w.loss).of(w.weights).text();
  const auto recorded = plan.forward(parameters).recorded_gradients(w.adjoints).of(w.weights).text();
  const auto exact = plan.forward(parameters).of(w.loss).text();
  const auto hidden = run.of(w.hidden).text();
  const auto lines = "loss:\ninterpreter " + loss + "\nexact plan " + exact + "\nfast plan " + exact +
                     "\nd loss / d weights:\nengine scan " + gradient + "\nrecorded gradient " + recorded +
                     "\nhidden, declared readable: " + hidden;
  const auto wanted = plate("walkthrough-5-runs.txt");
  EXPECT_TRUE(same_tokens(lines, wanted.substr(0, wanted.find("exact plan =="))));
}

TEST(Walkthrough, replays_by_hand) {
  const auto wanted = tokens_of(plate("walkthrough-6-replay.txt"));
  const auto w = walkthrough();
  EXPECT_EQ(wanted[1].back(), w.network.forward(w.network.parameters()).of(w.loss).text());
  EXPECT_EQ(wanted[2].back(), wanted[1].back());
}

TEST(BackwardPosture, says_what_it_retains) {
  Tape tape(f32);
  const auto weights = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
  const auto input = tape.input({{1.0, 2.0}});
  const auto product = matmul(input, weights);
  const auto hidden = tanh(product);
  const auto square = hidden * hidden;
  const Symbol loss = sum(square);
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(network.entry({loss}).backward().lower().describe(),
            "   0  Parameter                         [2, 2]       retained\n"
            "   1  Input                             [1, 2]       retained\n"
            "   2  MatMul         1, 0               [1, 2]       releasable after 3\n"
            "   3  Tanh           2                  [1, 2]       retained\n"
            "   4  Mul            3, 3               [1, 2]       releasable after 5\n"
            "   5  Sum            4                  []           kept\n"
            "plan: retain; 6 of 6 nodes evaluated, 1 readable\n"
            "live volume: retain-all 13, release floor 11 at node 5\n");
}

}  // namespace
}  // namespace topos::test
