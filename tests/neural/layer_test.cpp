// Tests of the layers: the nodes that each records, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "tests/support/bits.h"
#include "tests/support/error.h"
#include "tests/support/golden.h"
#include "topos/topos.h"

namespace topos {
namespace {

using test::Misuse;
using test::same_tokens;
using test::throws;

Tensor zeros(const Shape& shape, ElementType element = f32) { return Tensor::full({element, shape}, 0); }

TEST(linear, records_two_parameters_and_three_nodes) {
  Tape tape;
  const Linear layer(tape, {{1, 2, 3}, {4, 5, 6}}, {10, 20, 30});
  const auto x = tape.input({{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  const auto y = layer(x);
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Parameter [2, 3]
1 Parameter [3]
2 Input [4, 2]
3 MatMul 2, 0 [4, 3]
4 BroadcastAlong 1 axis=0 extent=4 [4, 3]
5 Add 3, 4 [4, 3]
tape: 6 nodes, 2 parameters, 1 input)"));
  EXPECT_EQ(layer.weights().index(), 0u);
  EXPECT_EQ(layer.bias().index(), 1u);
  EXPECT_EQ(layer.parameters(), (std::vector<Symbol>{layer.weights(), layer.bias()}));
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(y).text(), "[[19, 32, 45], [29, 46, 63], [39, 60, 81], [49, 74, 99]]");
}

TEST(linear, takes_an_empty_batch) {
  Tape tape;
  const Linear layer(tape, zeros({2, 3}), zeros({3}));
  EXPECT_EQ(layer(tape.input(zeros({0, 2}))).shape(), (Shape{0, 3}));
}

TEST(linear, records_on_the_reopened_tape) {
  Tape tape;
  const Linear layer(tape, {{2}}, {1});
  auto network = std::move(tape).into_network();
  auto reopened = std::move(network).into_tape();
  const auto y = layer(reopened.input({{3}}));
  const auto grown = std::move(reopened).into_network();
  EXPECT_EQ(grown.forward(grown.parameters()).of(y).text(), "[[7]]");
}

TEST(linear, refuses_what_makes_no_layer_and_records_nothing) {
  Tape tape;
  const auto refused = [&](const Literal& weights, const Literal& bias, std::vector<std::string> types) {
    const std::uint32_t line = __LINE__ + 1;
    const auto result = throws([&] { Linear(tape, weights, bias); },
                               Misuse{ErrorKind::type, "Linear", types, {types[0], types[1]}, line});
    EXPECT_EQ(tape.size(), 0u);
    return result;
  };
  EXPECT_TRUE(refused(zeros({2, 3, 1}), zeros({3}), {"f32[2, 3, 1]", "f32[3]"}));
  EXPECT_TRUE(refused(zeros({2, 3}), zeros({2}), {"f32[2, 3]", "f32[2]"}));
  EXPECT_TRUE(refused(zeros({2, 3}), zeros({3, 1}), {"f32[2, 3]", "f32[3, 1]"}));
  EXPECT_TRUE(refused(zeros({2, 3}), 0.0, {"f32[2, 3]", "f32[]"}));
  EXPECT_TRUE(refused(zeros({2, 3}), zeros({3}, f64), {"f32[2, 3]", "f64[3]"}));
}

TEST(linear, refuses_an_input_of_another_type) {
  Tape tape;
  const Linear layer(tape, zeros({2, 3}), zeros({3}));
  for (const auto& x : {tape.input(zeros({4, 3})), tape.input(zeros({2})), tape.input(zeros({4, 2}, f64))}) {
    const auto size = tape.size();
    const std::uint32_t line = __LINE__ + 1;
    EXPECT_TRUE(throws([&] { layer(x); }, Misuse{ErrorKind::type, "Linear", {x.type().text(), "f32[2, 3]"}, {}, line}));
    EXPECT_EQ(tape.size(), size);
  }
}

TEST(linear, refuses_another_tape) {
  Tape tape;
  const Linear layer(tape, zeros({2, 3}), zeros({3}));
  Tape other;
  EXPECT_TRUE(throws([&] { layer(other.input(zeros({1, 2}))); }, Misuse{ErrorKind::family}));
}

TEST(mlp, records_seven_nodes_for_two_layers) {
  Tape tape;
  const Mlp mlp(tape, {2, 4, 1}, Activation::tanh, init::uniform(7, 0.5));
  const auto x = tape.input({{1, 2}, {3, 4}});
  const std::uint32_t line = __LINE__ + 1;
  const auto y = mlp(x);
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Parameter [2, 4]
1 Parameter [4]
2 Parameter [4, 1]
3 Parameter [1]
4 Input [2, 2]
5 MatMul 4, 0 [2, 4]
6 BroadcastAlong 1 axis=0 extent=2 [2, 4]
7 Add 5, 6 [2, 4]
8 Tanh 7 [2, 4]
9 MatMul 8, 2 [2, 1]
10 BroadcastAlong 3 axis=0 extent=2 [2, 1]
11 Add 9, 10 [2, 1]
tape: 12 nodes, 4 parameters, 1 input)"));
  EXPECT_EQ(mlp.layers().size(), 2u);
  EXPECT_EQ(mlp.parameters().size(), 4u);
  EXPECT_EQ(mlp.parameters()[3].index(), 3u);
  for (Index i = 5; i <= y.symbol().index(); ++i)
    EXPECT_EQ(tape.node(Symbol(y.symbol().family(), i)).site().line(), line);
}

TEST(mlp, draws_weights_then_bias_from_one_stream) {
  Tape tape(f64);
  auto stream = init::uniform(7, 0.5);
  const Mlp mlp(tape, {2, 3, 2}, Activation::relu, stream);
  auto again = init::uniform(7, 0.5);
  for (const auto symbol : mlp.parameters()) {
    const auto payload = *tape.payload(symbol);
    EXPECT_TRUE(test::bits_agree(payload, again(payload.shape(), f64)));
  }
  // The caller's stream went on.
  EXPECT_TRUE(test::bits_agree(stream({4}, f64), again({4}, f64)));
}

TEST(mlp, relu_is_a_leaf_and_a_maximum) {
  Tape tape;
  const Mlp mlp(tape, {1, 1, 1}, Activation::relu, init::xavier(1));
  mlp(tape.input({{1}}));
  EXPECT_EQ(tape.size(), 4u + 1u + 3u + 2u + 3u);
  EXPECT_EQ(tape.nodes()[9].name(), "Maximum");
}

TEST(mlp, takes_any_callable_as_its_initializer) {
  Tape tape;
  int calls = 0;
  const Mlp mlp(tape, {2, 2}, Activation::tanh, [&](const Shape& shape, ElementType element) {
    ++calls;
    return Tensor::full({element, shape}, 3);
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(tape.payload(mlp.parameters()[0])->text(), "[[3, 3], [3, 3]]");
}

TEST(mlp, refuses_what_names_no_layer) {
  Tape tape;
  const auto make = [&](const std::vector<Extent>& sizes) { Mlp(tape, sizes, Activation::tanh, init::xavier(1)); };
  EXPECT_TRUE(throws([&] { make({}); }, Misuse{ErrorKind::argument, "Mlp", {}, {"[]", "input and an output"}}));
  EXPECT_TRUE(throws([&] { make({3}); }, Misuse{ErrorKind::argument, "Mlp", {}, {"[3]"}}));
  EXPECT_TRUE(throws([&] { make({3, -1}); }, Misuse{ErrorKind::argument, "Mlp", {}, {"[3, -1]"}}));
  const auto wrong = [](const Shape&, ElementType element) { return Tensor::full({element, {1}}, 0); };
  EXPECT_TRUE(throws([&] { Mlp(tape, {2, 3}, Activation::tanh, wrong); },
                     Misuse{ErrorKind::type, "Mlp", {"f32[1]", "f32[1]"}}));
  EXPECT_EQ(tape.size(), 0u);
}

TEST(embedding, records_one_gather_for_indices_of_any_rank) {
  Tape tape;
  const Embedding embedding(tape, {{1, 2}, {3, 4}, {5, 6}});
  const auto indices = tape.input({{2, 0}, {1, 1}, {0, 2}}, i64);
  const auto rows = embedding(indices);
  const auto single = embedding(tape.leaf(1, i64));
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Parameter [3, 2]
1 Input i64[3, 2]
2 Gather 0, 1 [3, 2, 2]
3 Leaf i64[]
4 Gather 0, 3 [2]
tape: 5 nodes, 1 parameter, 1 input)"));
  EXPECT_EQ(embedding.parameters(), (std::vector<Symbol>{embedding.table()}));
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(rows).text(), "[[[5, 6], [1, 2]], [[3, 4], [3, 4]], [[1, 2], [5, 6]]]");
  EXPECT_EQ(run.of(single).text(), "[3, 4]");
  EXPECT_TRUE(throws([&] { network.forward(network.parameters(), {{indices, 3}}); }, Misuse{ErrorKind::index}));
}

TEST(embedding, refuses_other_types) {
  Tape tape;
  EXPECT_TRUE(throws([&] { Embedding(tape, zeros({3})); }, Misuse{ErrorKind::type, "Embedding", {"f32[3]"}}));
  EXPECT_EQ(tape.size(), 0u);
  const Embedding embedding(tape, zeros({3, 2}));
  const auto indices = tape.input(zeros({4}));
  EXPECT_TRUE(throws([&] { embedding(indices); }, Misuse{ErrorKind::type, "Embedding", {"f32[3, 2]", "f32[4]"}}));
  Tape other;
  EXPECT_TRUE(throws([&] { embedding(other.input(zeros({4}, i64))); }, Misuse{ErrorKind::family}));
}

TEST(activation, has_the_gains_of_the_literature) {
  EXPECT_EQ(gain(Activation::tanh), 5.0 / 3.0);
  EXPECT_EQ(gain(Activation::relu), std::sqrt(2.0));
}

TEST(activation, records_the_operation) {
  Tape tape;
  const auto x = tape.input({-1.0, 2.0});
  activate(Activation::tanh, x);
  activate(Activation::relu, x);
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Input [2]
1 Tanh 0 [2]
2 Leaf [2]
3 Maximum 0, 2 [2]
tape: 4 nodes, 0 parameters, 1 input)"));
}

}  // namespace
}  // namespace topos
