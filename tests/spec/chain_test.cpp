// Depth costs no stack: a long chain records, differentiates, lowers, runs and is destroyed.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/sanitized.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

// A frame a node would overflow the stack, sooner where a sanitizer makes frames larger.
constexpr Index long_chain = TOPOS_TEST_SANITIZED ? 40'000 : 200'000;
constexpr Index short_chain = TOPOS_TEST_SANITIZED ? 10'000 : 50'000;  // a plan has more to do for a node

Network chain(Index depth, std::vector<Symbol>& names) {
  Tape tape;
  const auto start = tape.parameter(0.5);
  auto x = start;
  for (Index i = 0; i < depth; ++i) x = tanh(x);
  const auto adjoints = tape.differentiate(x, {start});
  names = {start, x, adjoints.of(start)};
  return std::move(tape).into_network();
}

TEST(Chain, of_many_nodes_needs_no_deep_recursion) {
  std::vector<Symbol> names;
  const auto network = chain(long_chain, names);
  EXPECT_EQ(names[1].index(), long_chain);
  // One seed, then six nodes a step: one, square, difference, product, zero, sum.
  EXPECT_EQ(network.size(), std::size_t{long_chain} + 2 + std::size_t{long_chain} * 6);
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  EXPECT_GT(run.of(names[1]).scalar<float>(), 0.0f);
  EXPECT_TRUE(bits_agree(run.backward(names[1]).of(names[0]), run.of(names[2])));
}

TEST(Chain, of_many_nodes_lowers_and_runs_in_a_plan) {
  std::vector<Symbol> names;
  const auto network = chain(short_chain, names);
  const auto parameters = network.parameters();
  const auto plan = network.entry({names[1], names[2]}).lower();
  const auto run = plan.forward(parameters);
  const auto oracle = network.forward(parameters);
  EXPECT_TRUE(bits_agree(run.of(names[1]), oracle.of(names[1])));
  EXPECT_TRUE(bits_agree(run.of(names[2]), oracle.of(names[2])));
  EXPECT_FALSE(plan.describe().empty());
  EXPECT_TRUE(network.describe().ends_with("1 parameter, 0 inputs\n"));
}

TEST(Chain, of_the_backward_posture_goes_back) {
  std::vector<Symbol> names;
  const auto network = chain(long_chain, names);
  const auto parameters = network.parameters();
  const auto run = network.entry({names[1]}).backward().lower().forward(parameters);
  EXPECT_TRUE(bits_agree(run.backward(names[1]).of(names[0]), network.forward(parameters).of(names[2])));
}

}  // namespace
}  // namespace topos::test
