// An exact plan gives the interpreter's bits: forward, gradients of both orders, observes, backward posture.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/models.h"
#include "support/random_program.h"

namespace topos::test {
namespace {

/// The plan over `roots` and what it observes, twice into one run, against the interpreter.
void expect_plan(const Program& program, const std::vector<Symbol>& roots, const std::vector<Symbol>& observed) {
  const auto& network = program.network;
  const auto parameters = network.parameters();
  const auto oracle = network.forward(parameters);
  const auto plan = network.entry(roots).observe(observed).lower();
  auto run = plan.forward(parameters);
  for (const auto symbol : plan.results())
    ASSERT_TRUE(bits_agree(run.of(symbol), oracle.of(symbol))) << network.node(symbol).text() << "\n" << plan.program();
  plan.forward_into(run, parameters);
  for (const auto symbol : plan.results())
    ASSERT_TRUE(bits_agree(run.of(symbol), oracle.of(symbol))) << "again: " << network.node(symbol).text();
  const auto sliced = network.entry(roots).observe(observed).interpret(parameters);
  for (const auto symbol : plan.results()) ASSERT_TRUE(bits_agree(sliced.of(symbol), oracle.of(symbol)));
}

void expect_backward(const Program& program) {
  const auto parameters = program.network.parameters();
  const auto plan = program.network.entry({program.loss}).backward().lower();
  const auto field = plan.forward(parameters).backward(program.loss);
  const auto oracle = program.network.forward(parameters).backward(program.loss);
  for (const auto wrt : program.wrt) ASSERT_TRUE(bits_agree(field.of(wrt), oracle.of(wrt))) << wrt.index();
}

std::vector<Symbol> some_nodes(const Network& network, Random& random) {
  std::vector<Symbol> some;
  for (const auto& node : network.nodes())
    if (random.below(3) == 0) some.push_back(node.symbol());
  return some;
}

class Plans : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Floats, Plans, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Plans, compute_the_interpreters_bits) {
  for (const auto& sample : all_samples())
    for (const int order : {0, 1, 2}) {
      SCOPED_TRACE(case_name(sample, GetParam()) + ", order " + std::to_string(order));
      const auto program = build(sample, GetParam(), order);
      expect_plan(program, program.roots(), {});
    }
}

TEST_P(Plans, compute_observed_values_too) {
  Random random(81);
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, GetParam()));
    const auto program = build(sample, GetParam(), 1);
    expect_plan(program, program.roots(), some_nodes(program.network, random));
    std::vector<Symbol> all;
    for (const auto& node : program.network.nodes()) all.push_back(node.symbol());
    expect_plan(program, {program.output}, all);
  }
}

TEST_P(Plans, of_the_backward_posture_go_backward_like_the_interpreter) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, GetParam()));
    expect_backward(build(sample, GetParam(), 0));
    expect_backward(build(sample, GetParam(), 1));
  }
}

TEST_P(Plans, of_random_programs_compute_the_interpreters_bits) {
  Random random(82);
  for (std::uint64_t seed = 1; seed <= random_programs; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = build(random_sample(seed), GetParam(), seed % 5 == 0 ? 2 : 1);
    expect_plan(program, program.roots(), {});
    expect_plan(program, program.roots(), some_nodes(program.network, random));
    expect_backward(program);
    if (HasFailure()) FAIL() << program.network.describe();
  }
}

TEST_P(Plans, read_feeds_that_are_views) {
  for (const auto& sample : model_samples()) {
    const auto program = build(sample, GetParam(), 1);
    std::vector<Feed> feeds;
    Random random(83);
    for (const auto& node : program.network.nodes()) {
      if (node.opcode().name() != "Input" || !node.type().element.is_floating()) continue;
      auto wide = node.type();
      wide.shape[0] += 2;
      const auto fed = narrow(random.tensor(wide, -1, 1), 0, 1, node.shape()[0]);
      feeds.push_back({node.symbol(), transpose(transpose(fed).dense())});
    }
    const auto parameters = program.network.parameters();
    const auto oracle = program.network.forward(parameters, Feeds(feeds));
    const auto run = program.network.entry(program.roots()).lower().forward(parameters, Feeds(feeds));
    for (const auto symbol : program.roots())
      EXPECT_TRUE(bits_agree(run.of(symbol), oracle.of(symbol))) << case_name(sample, GetParam());
  }
}

}  // namespace
}  // namespace topos::test
