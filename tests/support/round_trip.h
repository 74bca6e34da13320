// A network, its text and the network that reads back: everything that must be the same.
#pragma once
#include "support/bits.h"
#include "support/program.h"
#include "topos/spec/spec.h"

namespace topos::test {

inline void expect_same_nodes(const Network& network, const Network& again) {
  const auto& graph = network.spec()->graph;
  const auto& other = again.spec()->graph;
  ASSERT_EQ(graph.size(), other.size());
  for (Index i = 0; i < graph.size(); ++i) {
    ASSERT_TRUE(graph.op(i) == other.op(i)) << i;
    ASSERT_TRUE(std::ranges::equal(graph.operands(i), other.operands(i))) << i;
    ASSERT_EQ(graph.type(i).text(), other.type(i).text()) << i;
    ASSERT_STREQ(graph.site(i).file(), other.site(i).file()) << i;
    ASSERT_EQ(graph.site(i).line(), other.site(i).line()) << i;
    ASSERT_EQ(graph.by_composite(i), other.by_composite(i)) << i;
    ASSERT_EQ(graph.label(i), other.label(i)) << i;
    ASSERT_EQ(graph.node(i).origin, other.node(i).origin) << i;
    const auto payload = payload_of(*network.spec(), i);
    if (!payload) continue;
    const auto read = payload_of(*again.spec(), i);
    ASSERT_TRUE(bits_agree(*payload, *read)) << i;
    ASSERT_EQ(payload->is_single(), read->is_single()) << i;
  }
}

/// The network of the text, which is the same as this one and prints the same text.
inline Network round_trip(const Network& network, const std::vector<ElementType>& elements = {}) {
  const auto text = to_text(network);
  auto again = from_text(text, elements);
  EXPECT_EQ(to_text(again), text);
  EXPECT_EQ(again.describe(), network.describe());
  EXPECT_EQ(again.element(), network.element());
  EXPECT_NE(again.parameters().family(), network.parameters().family());
  expect_same_nodes(network, again);
  return again;
}

/// The same, and a run of either gives the same bits everywhere.
inline void expect_round_trip(const Network& network) {
  const auto again = round_trip(network);
  const auto run = network.forward(network.parameters());
  const auto other = again.forward(again.parameters());
  const auto nodes = network.nodes();
  const auto others = again.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    ASSERT_TRUE(bits_agree(run.of(nodes[i].symbol()), other.of(others[i].symbol()))) << i;
}

}  // namespace topos::test
