// The closure form of recording, literals beside values, and order left to the compiler.
#include <array>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

TEST(Record, gives_the_network_and_its_names) {
  const auto [network, w, loss] = Tape::record(f64, [](Tape& tape) {
    const auto w = tape.parameter(3.0);
    const auto square = w * w;
    return std::tuple(w, square);
  });
  static_assert(std::is_same_v<decltype(w), const Symbol>);
  EXPECT_EQ(network.element(), f64);
  EXPECT_EQ(network.forward(network.parameters()).of(loss).scalar<double>(), 9.0);
  EXPECT_EQ(network.payload(w)->scalar<double>(), 3.0);
}

TEST(Record, flattens_one_level_of_tuple_and_detaches_lists) {
  auto [network, all, pair, array, adjoints, word] = Tape::record([](Tape& tape) {
    const auto a = tape.parameter(1.0);
    const auto b = tape.parameter(2.0);
    const auto loss = a * b;
    const auto gradients = tape.differentiate(loss, {a, b});
    return std::tuple(std::vector{a, b, loss}, std::tuple(a, loss), std::array{a, b}, gradients, std::string("word"));
  });
  static_assert(std::is_same_v<decltype(all), std::vector<Symbol>>);
  static_assert(std::is_same_v<decltype(array), std::array<Symbol, 2>>);
  EXPECT_EQ(network.element(), f32);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(array[1], all[1]);
  EXPECT_EQ(adjoints.wrt(), (std::vector{all[0], all[1]}));
  EXPECT_EQ(word, "word");
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(adjoints.of(all[0])).text(), "2");
  // An inner tuple comes back whole; its members still name the same nodes.
  EXPECT_EQ(std::get<0>(pair).symbol(), all[0]);
  EXPECT_EQ(std::get<1>(pair).symbol(), all[2]);
}

TEST(Record, of_one_name_or_none) {
  const auto [network, only] = Tape::record([](Tape& tape) { return tape.parameter({1.0, 2.0}); });
  EXPECT_EQ(only.index(), 0u);
  const auto [silent] = Tape::record([](Tape& tape) { tape.parameter(1.0); });
  EXPECT_EQ(silent.size(), 1u);
  EXPECT_FALSE(silent.empty());
}

TEST(Record, passes_an_error_on) {
  const auto record = [] {
    Tape::record([](Tape& tape) {
      const auto a = tape.parameter({1.0, 2.0});
      const auto b = tape.parameter(1.0);
      return a + b;
    });
  };
  EXPECT_TRUE(throws(record, {ErrorKind::type, "Add", {"f32[2]", "f32[]"}, {}, __LINE__ - 3}));
}

TEST(Numbers, beside_a_value_take_its_type_and_shape) {
  Tape tape(f64);
  const auto x = tape.input(Tensor::full({f32, {2, 2}}, 1));
  const auto n = tape.input({4, 5}, i64);
  const auto scaled = x * 0.1;
  const auto shifted = 1 - x;
  const auto half = n / 2;
  const auto larger = maximum(x, 0);
  const auto test = compare(n, 4, Direction::gt);
  const auto masked = select(test, n, -1);
  const auto other = select(test, 7, n);
  EXPECT_EQ(scaled.type(), (TensorType{f32, {2, 2}}));
  EXPECT_EQ(larger.type(), x.type());
  EXPECT_EQ(tape.payload(Symbol{x.symbol().family(), 2})->type(), x.type());
  // 0.1 is rounded once, to the place's element.
  EXPECT_TRUE(bits_agree(*tape.payload(Symbol{x.symbol().family(), 2}), Tensor::full({f32, {2, 2}}, 0.1)));
  const Symbol names[] = {shifted, half, masked, other};
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(names[0]).text(), "[[0, 0], [0, 0]]");
  EXPECT_EQ(run.of(names[1]).text(), "[2, 2]");
  EXPECT_EQ(run.of(names[2]).text(), "[-1, 5]");
  EXPECT_EQ(run.of(names[3]).text(), "[4, 7]");
}

TEST(Numbers, as_braces_and_tensors_stand_beside_a_value) {
  Tape tape;
  const auto x = tape.input({1.0, 2.0});
  const auto sum_of_both = x + Literal({10, 20});
  const auto product = Tensor::from<float>({2}, {3, 4}) * x;
  const Symbol names[] = {sum_of_both, product};
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(names[0]).text(), "[11, 22]");
  EXPECT_EQ(run.of(names[1]).text(), "[3, 8]");
}

TEST(Sources, take_the_working_element_or_the_one_named) {
  Tape tape(f64);
  const auto type = [&](const Value& value) { return value.type().text(); };
  EXPECT_EQ(type(tape.parameter({{1, 2}})), "f64[1, 2]");
  EXPECT_EQ(type(tape.parameter(1.5, f32)), "f32[]");
  EXPECT_EQ(type(tape.input({1, 2}, i64)), "i64[2]");
  EXPECT_EQ(type(tape.input(Tensor::from<float>({1}, {1}))), "f32[1]");
  EXPECT_EQ(type(tape.leaf({true, false}, boolean)), "boolean[2]");
  EXPECT_EQ(type(tape.leaf(Tensor::full({f32, {2, 0}}, 1))), "f32[2, 0]");
  EXPECT_EQ(type(tape.leaf(9007199254740993, i64)), "i64[]");
  EXPECT_EQ(tape.payload(Symbol{tape.leaf(1.0).symbol().family(), 6})->text(), "9007199254740993");
}

TEST(Nodes, know_their_site_origin_and_kind) {
  Tape tape;
  const auto w = tape.parameter(2.0);
  const auto square = w * w;
  const auto line = static_cast<std::uint32_t>(__LINE__) - 1;
  square.label("square");
  const auto adjoints = tape.differentiate(square, {w});
  const auto node = tape.node(square);
  EXPECT_EQ(node.site().line(), line);
  EXPECT_EQ(node.site().text(), "record_test.cpp:" + std::to_string(line));
  EXPECT_EQ(node.label(), "square");
  EXPECT_EQ(node.origin(), Symbol{});
  EXPECT_EQ(node.text(), "   1  Mul            0, 0               []");
  EXPECT_EQ(node.operands(), (std::vector<Symbol>{w, w}));
  EXPECT_FALSE(node.is_source());
  EXPECT_TRUE(tape.node(w).is_source());
  // What a rule recorded carries the line and the number of the forward node.
  const auto first = tape.node(Symbol{w.symbol().family(), 3});
  EXPECT_EQ(first.name(), "Mul");
  EXPECT_EQ(first.site().line(), line);
  EXPECT_EQ(first.origin(), square.symbol());
  EXPECT_EQ(tape.node(adjoints.of(w)).origin(), square.symbol());
  EXPECT_EQ(tape.payload(square), std::nullopt);
}

TEST(Opcodes, refuse_sources_and_wrong_operand_counts) {
  Tape tape;
  const auto w = tape.parameter(2.0);
  const auto square = w * w;
  const auto two = Tensor::full({f32, {}}, 2);
  const auto source = tape.node(w).opcode();
  const auto product = tape.node(square).opcode();
  using In = std::vector<const Tensor*>;
  EXPECT_TRUE(source.is_source());
  EXPECT_TRUE(throws([&] { source.express<Tensor>(In{}); }, {ErrorKind::argument, "Parameter"}));
  EXPECT_TRUE(throws([&] { source.vjp<Tensor>(In{}, two, two); }, {ErrorKind::argument, "Parameter"}));
  EXPECT_TRUE(throws([&] { product.express<Tensor>(In{&two}); }, {ErrorKind::argument, "Mul", {}, {"2", "1"}}));
  EXPECT_TRUE(throws([&] { product.vjp<Tensor>(In{&two, &two, &two}, two, two); }, {ErrorKind::argument, "Mul"}));
  const auto wide = Tensor::full({f32, {3}}, 2);
  EXPECT_TRUE(throws([&] { product.express<Tensor>(In{&two, &wide}); }, {ErrorKind::type, "Mul", {"f32[]", "f32[3]"}}));
}

TEST(Order, is_left_to_the_compiler_by_two_recordings_in_one_expression) {
  const auto [open, sum_of_both] = Tape::record([](Tape& tape) {
    const auto x = tape.parameter(1.0);
    return exp(x) + tanh(x);
  });
  EXPECT_EQ(order_left_to_compiler(open), std::vector{sum_of_both});
  const auto [settled, same_sum] = Tape::record([](Tape& tape) {
    const auto x = tape.parameter(1.0);
    const auto power = exp(x);
    const auto bounded = tanh(x);
    return power + bounded;
  });
  EXPECT_TRUE(order_left_to_compiler(settled).empty());
}

TEST(Order, is_settled_for_numbers_composites_and_chains) {
  const auto [network, loss] = Tape::record([](Tape& tape) {
    const auto x = tape.parameter({1.0, 2.0});
    const auto y = tanh(exp(x));
    const auto z = 2.0 * y + 1.0;
    const auto wide = stack({x, z, y}, 0);
    const auto loss = mean(relu(wide));
    tape.differentiate(loss, {x});
    return loss;
  });
  EXPECT_TRUE(order_left_to_compiler(network).empty());
}

}  // namespace
}  // namespace topos::test
