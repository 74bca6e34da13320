// One graph, one meaning: engine scan, recorded gradient, interpreter and public walk agree on bits.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/models.h"
#include "support/walk.h"

namespace topos::test {
namespace {

class Readings : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Floats, Readings, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Readings, engine_scan_is_the_recorded_gradient) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, GetParam()));
    const auto program = build(sample, GetParam(), 2);
    const auto run = program.network.forward(program.network.parameters());
    const auto first = run.backward(program.loss);
    for (const auto& [wrt, gradient] : program.first->pairs()) EXPECT_TRUE(bits_agree(first.of(wrt), run.of(gradient)));
    if (program.wrt.empty()) continue;
    const auto second = run.backward(program.slope);
    for (const auto& [wrt, gradient] : program.second->pairs())
      EXPECT_TRUE(bits_agree(second.of(wrt), run.of(gradient)));
  }
}

TEST_P(Readings, recorded_gradients_are_the_engines_parameters) {
  for (const auto& sample : model_samples()) {
    SCOPED_TRACE(case_name(sample, GetParam()));
    const auto program = build(sample, GetParam(), 0);
    const auto parameters = program.network.parameters();
    auto network = build(sample, GetParam(), 0).network;
    // The same recording, differentiated with respect to its parameters alone.
    const auto fresh = network.parameters();
    std::vector<Symbol> slots;
    for (std::size_t slot = 0; slot < fresh.size(); ++slot) slots.push_back(fresh.symbol(slot));
    const Symbol loss{fresh.family(), program.loss.index()};
    auto tape = std::move(network).into_tape();
    const auto adjoints = tape.differentiate(loss, slots);
    const auto reopened = std::move(tape).into_network();
    const auto run = reopened.forward(reopened.parameters());
    const auto recorded = run.recorded_gradients(adjoints);
    const auto engine = program.network.forward(parameters).backward(program.loss).parameters(parameters);
    ASSERT_EQ(recorded.size(), engine.size());
    for (std::size_t slot = 0; slot < engine.size(); ++slot)
      EXPECT_TRUE(bits_agree(recorded.payloads()[slot], engine.payloads()[slot]));
  }
}

TEST_P(Readings, walk_by_hand_is_the_interpreter) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, GetParam()));
    const auto program = build(sample, GetParam(), 2);
    const auto run = program.network.forward(program.network.parameters());
    const auto values = walk_by_hand(program.network);
    ASSERT_EQ(values.size(), program.network.size());
    for (const auto& node : program.network.nodes()) {
      ASSERT_TRUE(bits_agree(values[node.symbol().index()], run.of(node.symbol()))) << node.text();
      EXPECT_EQ(run.of(node.symbol()).type(), node.type()) << node.text();
    }
  }
}

TEST_P(Readings, recording_again_gives_the_same_text) {
  for (const auto& sample : all_samples()) {
    const auto program = build(sample, GetParam(), 2);
    EXPECT_EQ(recorded_again(program.network), program.network.describe()) << case_name(sample, GetParam());
  }
}

TEST_P(Readings, scan_by_hand_is_the_engine) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, GetParam()));
    const auto program = build(sample, GetParam(), 1);
    const auto run = program.network.forward(program.network.parameters());
    const auto field = run.backward(program.loss);
    const auto values = walk_by_hand(program.network);
    const auto cotangents = scan_by_hand(program.network, values, program.loss);
    for (const auto& node : program.network.nodes()) {
      const auto symbol = node.symbol();
      if (!node.type().element.is_floating()) {
        EXPECT_FALSE(cotangents[symbol.index()]) << "a cotangent of " << node.text();
        continue;
      }
      const auto& mine = cotangents[symbol.index()];
      EXPECT_TRUE(bits_agree(mine ? *mine : Tensor::full(node.type(), 0), field.of(symbol))) << node.text();
    }
  }
}

TEST_P(Readings, checking_by_hand_gives_the_recorded_types) {
  for (const auto& sample : all_samples()) {
    const auto program = build(sample, GetParam(), 1);
    const auto nodes = program.network.nodes();
    for (const auto& node : nodes) {
      if (node.is_source()) continue;
      std::vector<const TensorType*> in;
      for (const auto operand : node.operands()) in.push_back(&nodes[operand.index()].type());
      EXPECT_EQ(node.opcode().express<TensorType>(in), node.type()) << node.text();
    }
  }
}

}  // namespace
}  // namespace topos::test
