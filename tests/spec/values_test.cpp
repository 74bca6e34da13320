// How long a value lives, what a composite takes back, what returns after reopening.
#include <optional>

#include <gtest/gtest.h>

#include "support/error.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

void expect_stale(const Value& value) {
  EXPECT_TRUE(throws([&] { value + value; }, {ErrorKind::family, "Add"}));
  EXPECT_TRUE(throws([&] { value * 2.0; }, {ErrorKind::family, "Value"}));
  EXPECT_TRUE(throws([&] { tanh(value); }, {ErrorKind::family, "Tanh"}));
  EXPECT_TRUE(throws([&] { value.type(); }, {ErrorKind::family, "Value"}));
  EXPECT_TRUE(throws([&] { value.label("late"); }, {ErrorKind::family, "Value"}));
  EXPECT_TRUE(throws([&] { sum(value, {}); }, {ErrorKind::family, "Value"}));
  EXPECT_TRUE(throws([&] { relu(value); }, {ErrorKind::family, "Value"}));
}

TEST(Values, of_no_tape_cannot_record) { expect_stale(Value()); }

TEST(Values, go_stale_when_the_tape_is_sealed) {
  Tape tape;
  const auto x = tape.input(1.0);
  const auto network = std::move(tape).into_network();
  expect_stale(x);
  EXPECT_EQ(x.symbol().index(), 0u);
  EXPECT_EQ(network.payload(x)->text(), "1");
}

TEST(Values, go_stale_when_the_tape_is_destroyed) {
  Value x;
  {
    Tape tape;
    x = tape.input(1.0);
    EXPECT_EQ(x.shape(), Shape{});
  }
  expect_stale(x);
}

TEST(Values, of_an_old_opening_stay_stale_after_reopening) {
  Tape tape;
  const auto x = tape.input(1.0);
  auto network = std::move(tape).into_network();
  auto reopened = std::move(network).into_tape();
  expect_stale(x);
  const auto again = reopened.resolve(x);
  EXPECT_EQ(again.symbol(), x.symbol());
  const auto y = again + again;
  EXPECT_EQ(y.symbol().index(), 1u);
  const auto beside = y.resolve(x);
  EXPECT_EQ(beside.symbol(), x.symbol());
}

TEST(Values, stay_stale_when_another_tape_takes_the_place) {
  // Whatever a new tape reuses, a value of an old one is never taken for one of its own.
  std::vector<Value> old;
  for (int i = 0; i < 20; ++i) {
    Tape tape;
    const auto x = tape.input(1.0);
    for (const auto& value : old) {
      EXPECT_TRUE(throws([&] { x + value; }, {ErrorKind::family, "Add"}));
      EXPECT_TRUE(throws([&] { value + x; }, {ErrorKind::family, "Add"}));
      EXPECT_NE(value.symbol(), x.symbol());
    }
    old.push_back(x);
    EXPECT_EQ(tape.size(), 1u);
  }
}

TEST(Values, follow_a_moved_tape) {
  Tape first;
  const auto x = first.input(1.0);
  Tape second = std::move(first);
  const auto y = x + x;
  EXPECT_EQ(second.size(), 2u);
  Tape third;
  const auto other = third.input(2.0);
  third = std::move(second);
  const auto z = x * y;
  EXPECT_EQ(third.size(), 3u);
  EXPECT_EQ(z.symbol().index(), 2u);
  expect_stale(other);
  EXPECT_TRUE(throws([&] { second.size(); }, {ErrorKind::family, "Tape"}));
}

TEST(Symbols, of_other_networks_are_refused_by_everything) {
  Tape tape, other;
  const Symbol x = tape.parameter(1.0);
  const Symbol foreign = other.parameter(1.0);
  const Symbol beyond{x.family(), 7};
  const auto expect = [&](auto&& use) {
    EXPECT_TRUE(throws([&] { use(foreign); }, {ErrorKind::family}));
    EXPECT_TRUE(throws([&] { use(beyond); }, {ErrorKind::coverage}));
    EXPECT_TRUE(throws([&] { use(Symbol{}); }, {ErrorKind::family}));
  };
  expect([&](Symbol s) { tape.resolve(s); });
  expect([&](Symbol s) { tape.node(s); });
  expect([&](Symbol s) { tape.payload(s); });
  expect([&](Symbol s) { tape.differentiate(s, {x}); });
  expect([&](Symbol s) { tape.differentiate(x, {s}); });
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto field = run.backward(x);
  expect([&](Symbol s) { network.node(s); });
  expect([&](Symbol s) { network.payload(s); });
  expect([&](Symbol s) { network.forward(parameters, {{s, 1.0}}); });
  expect([&](Symbol s) { network.entry({s}).results(); });
  expect([&](Symbol s) { network.entry({x}).observe({s}).lower(); });
  expect([&](Symbol s) { run.of(s); });
  expect([&](Symbol s) { run.backward(s); });
  expect([&](Symbol s) { field.of(s); });
  expect([&](Symbol s) { parameters.of(s); });
  expect([&](Symbol s) { parameters.with({{s, Tensor::full({f32, {}}, 0)}}); });
}

TEST(Composites, are_taken_back_whole_when_one_part_fails) {
  Tape tape;
  const auto x = tape.input({1.0, 2.0});
  const auto before = tape.describe();
  const auto broken = [](const Value& value, Site site = Site::current()) {
    Composite scope(value, site);
    auto twice = value + value;
    twice.label("twice");
    const auto wide = concat({twice, value, twice}, 0);
    return wide + value;
  };
  EXPECT_TRUE(throws([&] { broken(x); }, {ErrorKind::type, "Add", {"f32[6]", "f32[2]"}, {}, __LINE__}));
  EXPECT_EQ(tape.describe(), before);
  // Recording goes on, and nothing of the failed try is left: neither links nor labels.
  const auto y = tanh(x);
  const auto z = concat({x, y, y}, 0);
  EXPECT_TRUE(tape.node(y).label().empty());
  EXPECT_EQ(tape.node(z).operands(), (std::vector<Symbol>{x, y, y}));
}

TEST(Composites, take_sources_back_too) {
  Tape tape;
  const auto x = tape.input({1.0, 2.0});
  const auto before = tape.describe();
  const auto layer = [&](Site site = Site::current()) {
    Composite scope(tape, site);
    const auto weights = tape.parameter({{1.0, 2.0, 3.0}});
    const auto other = tape.input(3.0);
    return matmul(x, weights) + other;
  };
  EXPECT_TRUE(throws([&] { layer(); }, {ErrorKind::type, "MatMul", {"f32[2]", "f32[1, 3]"}, {}, __LINE__}));
  EXPECT_EQ(tape.describe(), before);
  const auto w = tape.parameter(4.0);
  const Symbol name = w;
  const auto network = std::move(tape).into_network();
  ASSERT_EQ(network.parameters().size(), 1u);
  EXPECT_EQ(network.parameters().of(name).text(), "4");
}

TEST(Composites, give_their_nodes_the_callers_line) {
  Tape tape;
  const auto x = tape.input({{1.0, 2.0}});
  const auto line = __LINE__ + 1;
  const auto y = broadcast_to(x, {3, 2});
  for (Index i = 1; i <= y.symbol().index(); ++i)
    EXPECT_EQ(tape.node(Symbol{x.symbol().family(), i}).site().line(), static_cast<std::uint32_t>(line));
  const auto z = mean(y);
  EXPECT_EQ(tape.node(z).site().line(), __LINE__ - 1u);
}

TEST(Composites, record_what_their_comments_list) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {1, 3}}, 1));
  const auto names = [&](std::size_t from) {
    std::string text;
    const auto nodes = tape.nodes();
    for (std::size_t i = from; i < nodes.size(); ++i)
      text += std::string(nodes[i].name()) + nodes[i].shape().text() + " ";
    return text;
  };
  const auto expect = [&](auto&& composite, const std::string& wanted) {
    const auto before = tape.size();
    composite();
    EXPECT_EQ(names(before), wanted);
  };
  expect([&] { relu(x); }, "Leaf[1, 3] Maximum[1, 3] ");
  expect([&] { mean(x); }, "Sum[] Leaf[] Div[] ");
  expect([&] { mean(x, {1}); }, "SumAlong[1] Leaf[1] Div[1] ");
  expect([&] { transpose(x); }, "Permute[3, 1] ");
  expect([&] { squeeze(x, 0); }, "Reshape[3] ");
  expect([&] { unsqueeze(x, 2); }, "Reshape[1, 3, 1] ");
  expect([&] { broadcast_to(x, {1, 3}); }, "");
  expect([&] { broadcast_to(x, {4, 3}); }, "Reshape[3] BroadcastAlong[4, 3] ");
  expect([&] { broadcast_to(x, {2, 1, 3}); }, "Reshape[1, 1, 3] Reshape[1, 3] BroadcastAlong[2, 1, 3] ");
  expect([&] { stack({x, x}, 0); }, "Reshape[1, 1, 3] Reshape[1, 1, 3] Concat[2, 1, 3] ");
  expect([&] { concat({x}, 0); }, "");
  expect([&] { sum(x, {}); }, "");
  expect([&] { convert(x, f32); }, "");
  expect([&] { x + 1.0; }, "Leaf[1, 3] Add[1, 3] ");
  expect([&] { 1.0 - x; }, "Leaf[1, 3] Sub[1, 3] ");
}

TEST(Reopening, continues_the_same_family) {
  Tape tape;
  const auto w = tape.parameter({1.0, 2.0});
  const auto x = tape.input({3.0, 4.0});
  const Symbol product = w * x;
  const Symbol weights = w;
  auto network = std::move(tape).into_network();
  const auto old_parameters =
      network.parameters().step(network.parameters(), [](const Tensor& a, const Tensor&) { return a * 10; });
  const auto old_run = network.forward(network.parameters());
  const auto node = network.node(product);
  auto reopened = std::move(network).into_tape();
  const auto bias = reopened.parameter({5.0, 6.0});
  const auto live = reopened.resolve(product);
  const Symbol shifted = live + bias;
  const auto later = std::move(reopened).into_network();
  EXPECT_EQ(later.size(), 5u);
  // What was made before stands as it was.
  EXPECT_EQ(old_run.of(product).text(), "[3, 8]");
  EXPECT_EQ(node.text(), later.node(product).text());
  EXPECT_TRUE(throws([&] { old_run.of(shifted); }, {ErrorKind::coverage, "Run::of"}));
  // Older state has too few slots until it is carried over.
  EXPECT_TRUE(throws([&] { later.forward(old_parameters); }, {ErrorKind::coverage, "", {}, {"carried"}}));
  const auto carried = old_parameters.carried(later);
  EXPECT_EQ(carried.of(weights).text(), "[10, 20]");
  EXPECT_EQ(later.forward(carried).of(shifted).text(), "[35, 86]");
  EXPECT_TRUE(throws([&] { old_run.backward(product); }, {ErrorKind::type, "Run::backward", {"f32[2]"}, {"sum"}}));
}

TEST(Reopening, keeps_a_plan_of_the_older_network_running) {
  Tape tape;
  const auto w = tape.parameter({1.0, 2.0});
  const Symbol square = w * w;
  auto network = std::move(tape).into_network();
  const auto plan = network.entry({square}).lower();
  const auto parameters = network.parameters();
  auto reopened = std::move(network).into_tape();
  const auto more = reopened.parameter(1.0);
  const Symbol late = more;
  const auto later = std::move(reopened).into_network();
  EXPECT_EQ(plan.forward(parameters).of(square).text(), "[1, 4]");
  EXPECT_EQ(plan.forward(parameters.carried(later)).of(square).text(), "[1, 4]");
  EXPECT_EQ(plan.size(), 2u);
  EXPECT_TRUE(throws([&] { plan.node(late); }, {ErrorKind::coverage}));
  EXPECT_TRUE(throws([&] { plan.forward(parameters).of(late); }, {ErrorKind::coverage}));
}

TEST(Carried, refuses_other_networks_and_smaller_ones) {
  Tape tape, other;
  tape.parameter(1.0);
  auto network = std::move(tape).into_network();
  other.parameter(1.0);
  const auto foreign = std::move(other).into_network();
  const auto small = network.parameters();
  EXPECT_TRUE(throws([&] { small.carried(foreign); }, {ErrorKind::family, "Parameters::carried"}));
  auto grown = std::move(network).into_tape();
  grown.parameter(2.0);
  const auto later = std::move(grown).into_network();
  const auto carried = small.carried(later);
  EXPECT_EQ(carried.size(), 2u);
  EXPECT_EQ(carried.carried(later).size(), 2u);
}

}  // namespace
}  // namespace topos::test
