// Parameters as values: step, algebra, feeds, recorded gradients, and training with them.
#include <cmath>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

struct Pair {
  Network network;
  Symbol a, b, x, loss;
};
Pair pair() {
  auto [network, a, b, x, loss] = Tape::record([](Tape& tape) {
    const auto a = tape.parameter({1.0, 2.0});
    const auto b = tape.parameter(3.0);
    const auto x = tape.input({4.0, 5.0});
    const auto product = a * x;
    const auto total = sum(product);
    return std::tuple(a, b, x, total * b);
  });
  return {std::move(network), a, b, x, loss};
}

std::string text(const Parameters& parameters) {
  std::string all;
  for (const auto& payload : parameters.payloads()) all += payload.text() + " ";
  return all;
}

TEST(Parameters, are_an_algebra_of_slots) {
  const auto p = pair();
  const auto one = p.network.parameters();
  EXPECT_EQ(one.size(), 2u);
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one.symbol(1), p.b);
  EXPECT_EQ(text(one), "[1, 2] 3 ");
  EXPECT_EQ(text(one + one), "[2, 4] 6 ");
  EXPECT_EQ(text(one.scale(0.5)), "[0.5, 1] 1.5 ");
  EXPECT_EQ(text(one.map([](const Tensor& t) { return -t; })), "[-1, -2] -3 ");
  EXPECT_EQ(text(one.zip(one, [](const Tensor& s, const Tensor& t) { return s * t; })), "[1, 4] 9 ");
  EXPECT_EQ(text(one.step(one, [](const Tensor& t, const Tensor& d) { return t - d * 0.5; })), "[0.5, 1] 1.5 ");
  EXPECT_EQ(text(one), "[1, 2] 3 ");
  const auto replaced = one.with({{p.b, Tensor::full({f32, {}}, 8)}, {p.b, Tensor::full({f32, {}}, 9)}});
  EXPECT_EQ(text(replaced), "[1, 2] 9 ");
  EXPECT_EQ(replaced.of(p.b).text(), "9");
}

TEST(Parameters, step_each_in_slot_order) {
  const auto p = pair();
  const auto one = p.network.parameters();
  std::vector<Symbol> order;
  one.step_each(one, [&](Symbol symbol, const Tensor& t, const Tensor&) {
    order.push_back(symbol);
    return t;
  });
  EXPECT_EQ(order, (std::vector{p.a, p.b}));
}

TEST(Parameters, refuse_what_does_not_fit) {
  const auto p = pair();
  const auto q = pair();
  const auto one = p.network.parameters();
  const auto other = q.network.parameters();
  const auto keep = [](const Tensor& t, const Tensor&) { return t; };
  EXPECT_TRUE(throws([&] { one.step(other, keep); }, {ErrorKind::family, "Parameters::step"}));
  EXPECT_TRUE(throws([&] { one.zip(other, keep); }, {ErrorKind::family, "Parameters::zip"}));
  EXPECT_TRUE(throws([&] { one + other; }, {ErrorKind::family}));
  EXPECT_TRUE(throws([&] { one.step(one, [](const Tensor& t, const Tensor&) { return sum(t); }); },
                     {ErrorKind::type, "Parameters::step", {"f32[2]", "f32[]"}}));
  EXPECT_TRUE(throws([&] { one.step(one, [](const Tensor& t, const Tensor&) { return convert(t, f64); }); },
                     {ErrorKind::type, "Parameters::step", {"f32[2]", "f64[2]"}}));
  EXPECT_TRUE(throws([&] { one.of(p.x); }, {ErrorKind::coverage, "Parameters::of"}));
  EXPECT_TRUE(throws([&] { one.with({{p.x, Tensor()}}); }, {ErrorKind::coverage, "Parameters::with"}));
  EXPECT_TRUE(throws([&] { one.with({{p.a, Tensor()}}); }, {ErrorKind::type, "Parameters::with", {"f32[2]", "f32[]"}}));
  EXPECT_TRUE(throws([&] { p.network.forward(other); }, {ErrorKind::family, "", {}, {"different network"}}));
  EXPECT_TRUE(throws([&] { p.network.entry({p.loss}).interpret(other); }, {ErrorKind::family}));
  EXPECT_TRUE(throws([&] { p.network.entry({p.loss}).lower().forward(other); }, {ErrorKind::family}));
}

/// Feeds by every way to run.
void expect_feeds(const Pair& p, const std::vector<Feed>& feeds, const std::string& loss) {
  const auto parameters = p.network.parameters();
  EXPECT_EQ(p.network.forward(parameters, Feeds(feeds)).of(p.loss).text(), loss);
  EXPECT_EQ(p.network.entry({p.loss}).interpret(parameters, Feeds(feeds)).of(p.loss).text(), loss);
  EXPECT_EQ(p.network.entry({p.loss}).lower().forward(parameters, Feeds(feeds)).of(p.loss).text(), loss);
}
void expect_refused(const Pair& p, const Feed& feed, const Misuse& wanted) {
  const auto parameters = p.network.parameters();
  const auto plan = p.network.entry({p.loss}).lower();
  EXPECT_TRUE(throws([&] { p.network.forward(parameters, {feed}); }, wanted));
  EXPECT_TRUE(throws([&] { p.network.entry({p.loss}).interpret(parameters, {feed}); }, wanted));
  EXPECT_TRUE(throws([&] { plan.forward(parameters, {feed}); }, wanted));
}

TEST(Feeds, the_last_of_several_wins_and_a_number_spreads) {
  const auto p = pair();
  expect_feeds(p, {}, "42");
  expect_feeds(p, {{p.x, {1, 1}}}, "9");
  expect_feeds(p, {{p.x, {1, 1}}, {p.x, {0, 2}}}, "12");
  expect_feeds(p, {{p.x, 2}}, "18");
  expect_feeds(p, {{p.x, Tensor::from<float>({2}, {1, 0.5})}}, "6");
}

TEST(Feeds, refuse_what_is_no_input_or_does_not_fit) {
  const auto p = pair();
  const auto q = pair();
  expect_refused(p, {p.x, {1.0, 2.0, 3.0}}, {ErrorKind::feed, "", {"f32[3]", "f32[2]"}, {"f32[3]", "f32[2]"}});
  expect_refused(p, {p.x, Tensor::full({f64, {2}}, 1)}, {ErrorKind::feed, "", {"f64[2]", "f32[2]"}});
  expect_refused(p, {p.a, {1.0, 2.0}}, {ErrorKind::feed, "", {}, {"only inputs"}});
  expect_refused(p, {p.loss, 1.0}, {ErrorKind::feed, "", {}, {"only inputs"}});
  expect_refused(p, {q.x, {1.0, 2.0}}, {ErrorKind::family});
  expect_refused(p, {Symbol{p.x.family(), 99}, 1.0}, {ErrorKind::coverage});
}

TEST(Runs, read_only_what_was_declared) {
  const auto p = pair();
  const auto parameters = p.network.parameters();
  for (const auto& run : {p.network.entry({p.loss}).observe({p.b}).interpret(parameters),
                          p.network.entry({p.loss}).observe({p.b}).lower().forward(parameters)}) {
    EXPECT_EQ(run.of(p.loss).text(), "42");
    EXPECT_EQ(run.of(p.b).text(), "3");
    EXPECT_TRUE(throws([&] { run.of(p.a); }, {ErrorKind::coverage, "Run::of", {"f32[2]"}, {"observe"}}));
  }
  const auto plan = p.network.entry({p.loss}).lower();
  EXPECT_FALSE(plan.can_backward());
  EXPECT_TRUE(throws([&] { plan.forward(parameters).backward(p.loss); },
                     {ErrorKind::coverage, "Run::backward", {}, {"backward()"}}));
  const auto posture = p.network.entry({p.loss}).backward().lower();
  EXPECT_TRUE(posture.can_backward());
  EXPECT_EQ(text(posture.forward(parameters).backward(p.loss).parameters(parameters)), "[12, 15] 14 ");
  EXPECT_TRUE(throws([&] { posture.forward(parameters).backward(p.a); }, {ErrorKind::coverage}));
}

TEST(Fields, are_an_algebra_and_project_to_parameters) {
  const auto p = pair();
  const auto parameters = p.network.parameters();
  const auto run = p.network.forward(parameters);
  const auto field = run.backward(p.loss);
  EXPECT_EQ(text(field.parameters(parameters)), "[12, 15] 14 ");
  EXPECT_EQ(text(field.scale(0.5).parameters(parameters)), "[6, 7.5] 7 ");
  EXPECT_EQ(text((field + run.backward(p.b)).parameters(parameters)), "[12, 15] 15 ");
  EXPECT_EQ(field.of(p.x).text(), "[3, 6]");
  const auto q = pair();
  const auto foreign = q.network.forward(q.network.parameters()).backward(q.loss);
  EXPECT_TRUE(throws([&] { field + foreign; }, {ErrorKind::family}));
  EXPECT_TRUE(throws([&] { field.parameters(q.network.parameters()); }, {ErrorKind::family, "Field::parameters"}));
}

TEST(Fields, that_are_stale_say_so) {
  auto p = pair();
  const auto field = p.network.forward(p.network.parameters()).backward(p.loss);
  auto tape = std::move(p.network).into_tape();
  const Symbol late = tape.parameter(1.0);
  const auto later = std::move(tape).into_network();
  EXPECT_TRUE(
      throws([&] { field.parameters(later.parameters()); }, {ErrorKind::coverage, "Field::parameters", {}, {"stale"}}));
  EXPECT_TRUE(throws([&] { field.of(late); }, {ErrorKind::coverage, "Field::of"}));
}

TEST(RecordedGradients, want_readable_gradients_of_parameters) {
  auto p = pair();
  auto tape = std::move(p.network).into_tape();
  const auto by_input = tape.differentiate(p.loss, {p.x});
  const auto by_one = tape.differentiate(p.loss, {p.b});
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  EXPECT_TRUE(throws([&] { run.recorded_gradients(by_input); }, {ErrorKind::coverage, "Run::recorded_gradients"}));
  // A parameter that was not asked for gets zeros.
  EXPECT_EQ(text(run.recorded_gradients(by_one)), "[0, 0] 14 ");
  const auto short_run = network.entry({p.loss}).lower().forward(parameters);
  EXPECT_TRUE(throws([&] { short_run.recorded_gradients(by_one); }, {ErrorKind::coverage}));
}

auto regression() {
  return Tape::record(f64, [](Tape& tape) {
    const auto w = tape.parameter(0.0);
    const auto x = tape.input(0.0);
    const auto y = tape.input(0.0);
    const auto product = w * x;
    const auto error = product - y;
    const auto loss = error * error;
    const auto adjoints = tape.differentiate(loss, {w});
    return std::tuple(w, x, y, loss, adjoints);
  });
}

TEST(Training, reaches_the_solution_by_engine_and_by_plan) {
  const auto [network, w, x, y, loss, adjoints] = regression();
  const auto rule = [](const Tensor& value, const Tensor& gradient) { return value - gradient * 0.02; };
  const double points[] = {1, 2, 3, 4};
  auto by_engine = network.parameters();
  auto by_plan = network.parameters();
  const auto plan = network.entry(adjoints.roots()).lower();
  for (int step = 0; step < 100; ++step) {
    const double at = points[step % 4];
    const auto run = network.forward(by_engine, {{x, at}, {y, 2 * at}});
    by_engine = by_engine.step(run.backward(loss).parameters(by_engine), rule);
    const auto fast = plan.forward(by_plan, {{x, at}, {y, 2 * at}});
    by_plan = by_plan.step(fast.recorded_gradients(adjoints), rule);
    ASSERT_TRUE(bits_agree(by_engine.of(w), by_plan.of(w))) << "step " << step;
  }
  EXPECT_LT(std::abs(by_engine.of(w).scalar<double>() - 2), 1e-6);
  EXPECT_LT(std::abs(by_plan.of(w).item() - 2), 1e-6);
}

}  // namespace
}  // namespace topos::test
