// The verifier: every network that was recorded passes, and each kind of damage is named with its node.
#include <gtest/gtest.h>

#include "support/error.h"
#include "support/models.h"
#include "topos/spec/spec.h"

namespace topos::test {
namespace {

/// Nodes: 0 parameter, 1 parameter, 2 input, 3 input, 4 product, 5 sum, 6 leaf, 7 count, 8 compare, 9 select, 10
/// concat, then the gradient of 5.
Network recorded() {
  Tape tape;
  const auto a = tape.parameter({1.0, 2.0});
  const auto b = tape.parameter({3.0, 4.0});
  const auto x = tape.input({5.0, 6.0});
  tape.input({1, 2}, i64);
  const auto product = a * b;
  const auto total = sum(product);
  const auto zero = full_like(x, 0.0);
  tape.iota({3}, 0);
  const auto test = compare(x, zero, Direction::gt);
  const auto chosen = select(test, x, zero);
  concat({chosen, x, a, b}, 0);
  tape.differentiate(total, {a, b});
  return std::move(tape).into_network();
}

struct Damaged {
  Network network = recorded();
  Spec& spec = const_cast<Spec&>(*network.spec());
  NodeRecord& node(Index i) { return const_cast<NodeRecord&>(spec.graph.node(i)); }
  Index type_id(const TensorType& type) { return spec.graph.intern_type(type); }
};

template <class F>
testing::AssertionResult refused(F&& damage, std::vector<std::string> words, std::vector<std::string> types = {}) {
  Damaged damaged;
  verify(damaged.network);
  damage(damaged);
  return throws([&] { verify(damaged.network); }, {ErrorKind::argument, "verify", std::move(types), std::move(words)});
}

TEST(Verify, passes_what_was_recorded) {
  for (const auto& sample : all_samples())
    for (const auto element : {f32, f64}) EXPECT_NO_THROW(verify(build(sample, element, 2).network)) << sample.name;
}

TEST(Verify, names_the_node_with_type_and_site) {
  Damaged damaged;
  damaged.node(4).second = 4;
  const auto error = caught([&] { verify(damaged.network); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text(), "node 4 (Mul): operand 1 is node 4, which is not before it");
  EXPECT_EQ(error->types(), std::vector<std::string>{"f32[2]"});
  EXPECT_EQ(error->site().file(), std::string_view(__FILE__));
}

TEST(Verify, sees_ids_out_of_range) {
  EXPECT_TRUE(refused([](Damaged& d) { d.node(4).op = 999; }, {"node 4", "opcode id 999"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(4).type = 999; }, {"node 4", "type id 999"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(4).site = 999 | composite_bit; }, {"node 4", "site id 999"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(4).origin = 4; }, {"node 4", "its origin, node 4"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(12).origin = 400; }, {"node 12", "its origin, node 400"}));
}

TEST(Verify, sees_wrong_operands) {
  EXPECT_TRUE(refused([](Damaged& d) { d.node(4).first = 70; }, {"node 4 (Mul)", "operand 0 is node 70"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(9).second = 2; }, {"node 9 (Select)", "takes 3 operands, not 2"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(9).first = 999; }, {"node 9 (Select)", "leave the list"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(10).second = ~Index{0}; }, {"node 10 (Concat)", "leave the list"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(10).second = 0; }, {"node 10 (Concat)", "C1"}));
}

TEST(Verify, sees_types_that_no_rule_gives) {
  EXPECT_TRUE(refused([](Damaged& d) { d.node(5).type = d.node(4).type; },
                      {"node 5 (Sum)", "its type is f32[2], its rule gives f32[]"}, {"f32[2]", "f32[]"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(7).type = d.type_id({i64, {4}}); },
                      {"node 7 (Iota)", "its type is i64[4], its rule gives i64[3]"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(4).second = 3; }, {"node 4 (Mul)", "its rule refuses", "C1"},
                      {"f32[2]", "i64[2]"}));
}

TEST(Verify, sees_sources_without_their_payload) {
  for (const Index i : {0, 2, 6})
    EXPECT_TRUE(
        refused([i](Damaged& d) { d.node(i).first = 77; }, {"node " + std::to_string(i), "slot 77 is none of"}));
  for (const Index i : {0, 2, 6})
    EXPECT_TRUE(refused([i](Damaged& d) { d.node(i).type = d.type_id({f64, {2}}); },
                        {"node " + std::to_string(i), "its payload in slot 0 is f32[2], its type f64[2]"},
                        {"f32[2]", "f64[2]"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(6).type = d.type_id({f32, {-1}}); },
                      {"node 6 (Leaf)", "[-1] has a negative extent"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(6).type = d.type_id({f32, {Extent{1} << 40, Extent{1} << 40}}); },
                      {"node 6 (Leaf)", "larger than memory can be"}));
  EXPECT_TRUE(refused([](Damaged& d) { d.node(0).type = d.type_id({i64, {2}}); },
                      {"node 0 (Parameter)", "a parameter is floating"}));
}

TEST(Verify, sees_lists_of_sources_that_do_not_match) {
  const auto& of_parameters = [](Damaged& d) -> std::vector<Index>& { return d.spec.slots.parameter_nodes; };
  const auto& of_inputs = [](Damaged& d) -> std::vector<Index>& { return d.spec.slots.input_nodes; };
  EXPECT_TRUE(refused([&](Damaged& d) { of_parameters(d) = {1, 0}; }, {"node 0 (Parameter)", "does not name it"}));
  EXPECT_TRUE(refused([&](Damaged& d) { of_parameters(d) = {0}; }, {"node 1 (Parameter)", "does not name it"}));
  EXPECT_TRUE(refused([&](Damaged& d) { of_inputs(d) = {2, 2}; }, {"node 3 (Input)", "does not name it"}));
  EXPECT_TRUE(refused([&](Damaged& d) { of_inputs(d).push_back(4); }, {"3 input nodes for 2 payloads"}));
  const auto grow = [](std::vector<Tensor>& payloads) { payloads.push_back(payloads[0]); };
  EXPECT_TRUE(refused(
      [&](Damaged& d) {
        grow(d.spec.slots.parameters);
        of_parameters(d).push_back(4);
      },
      {"node 4 (Mul)", "it is no parameter"}));
  EXPECT_TRUE(refused(
      [&](Damaged& d) {
        grow(d.spec.slots.inputs);
        of_inputs(d).push_back(2);
      },
      {"node 2 (Input)", "after node 3: it does not ascend"}));
  EXPECT_TRUE(refused(
      [&](Damaged& d) {
        grow(d.spec.slots.inputs);
        of_inputs(d).push_back(500);
      },
      {"node 500 in place 2", "there are"}));
}

TEST(Verify, sees_a_network_whose_own_list_differs) {
  EXPECT_TRUE(refused([](Damaged& d) { const_cast<std::vector<Index>&>(*d.network.parameters().nodes()) = {0}; },
                      {"own list of parameter nodes"}));
}

TEST(Verify, sees_labels_of_no_node) {
  EXPECT_TRUE(refused([](Damaged& d) { d.spec.graph.label(400, "h"); }, {"the label \"h\" names node 400"}));
}

TEST(Verify, takes_earlier_nodes_as_checked) {
  Damaged damaged;
  damaged.node(4).second = 4;
  EXPECT_NO_THROW(verify(damaged.spec, 5));
  EXPECT_TRUE(throws([&] { verify(damaged.spec, 4); }, {ErrorKind::argument, "verify"}));
}

}  // namespace
}  // namespace topos::test
