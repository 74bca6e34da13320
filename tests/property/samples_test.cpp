// Every opcode has its samples, and they reach the forms that its implementations must read.
#include "support/samples.h"

#include <set>

#include <gtest/gtest.h>

#include "support/models.h"

namespace topos::test {
namespace {

/// Which forms of operands and results an opcode's samples reach.
struct Reached {
  bool present = false, view = false, empty = false, rank_0 = false;
};

Reached forms_reached(std::string_view opcode, const std::vector<Sample>& samples, ElementType element) {
  Reached reached;
  for (const auto& sample : samples) {
    const auto program = build(sample, element, 0);
    const auto run = program.network.forward(program.network.parameters());
    for (const auto& node : program.network.nodes()) {
      if (node.opcode().name() != opcode) continue;
      reached.present = true;
      auto looked_at = node.operands();
      looked_at.push_back(node.symbol());
      for (const auto symbol : looked_at) {
        const auto& payload = run.of(symbol);
        // A window of one number is contiguous, though it begins inside a buffer.
        reached.view |= !payload.is_contiguous() || program.network.node(symbol).name() == "Narrow";
        reached.empty |= payload.volume() == 0;
        reached.rank_0 |= payload.shape().rank() == 0;
      }
    }
  }
  return reached;
}

TEST(Samples, every_opcode_has_one_of_each_form) {
  // These name an axis of their operand, or have none and always one of their result.
  const std::set<std::string_view> without_rank_0{"MatMul", "Softmax", "LogSoftmax", "Narrow", "Pad",
                                                  "Concat", "Unfold",  "Fold",       "Iota"};
  const auto names = opcode_names();
  ASSERT_EQ(names.size(), std::variant_size_v<Op>);
  ASSERT_EQ(samples_by_opcode().size(), std::variant_size_v<Op>);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const auto element : {f32, f64}) {
      SCOPED_TRACE(std::string(names[i]) + " over " + std::string(element.name()));
      const auto reached = forms_reached(names[i], samples_by_opcode()[i], element);
      EXPECT_TRUE(reached.present);
      EXPECT_TRUE(reached.empty);
      EXPECT_TRUE(reached.view || names[i] == "Iota");  // a count reads nothing
      EXPECT_TRUE(reached.rank_0 || without_rank_0.contains(names[i]));
    }
}

TEST(Samples, leave_no_order_to_the_compiler) {
  for (const auto& sample : all_samples()) {
    const auto program = build(sample, f32, 2);
    EXPECT_TRUE(order_left_to_compiler(program.network).empty()) << sample.name;
  }
}

}  // namespace
}  // namespace topos::test
