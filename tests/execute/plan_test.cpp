// What a plan executes and keeps: its program's text, shared and in-place steps, results that stay, threads, faults.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "topos/topos.h"

namespace topos::test {
namespace {

std::string message_of(const std::function<void()>& action, ErrorKind kind) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.text();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

struct Walkthrough {
  Walkthrough() {
    Tape tape(f32);
    const auto w = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
    const auto input = tape.input({{1.0, 2.0}});
    const auto product = matmul(input, w);
    const auto h = tanh(product);
    const auto square = h * h;
    const auto l = sum(square);
    const auto adjoints = tape.differentiate(l, {w});
    weights = w;
    x = input;
    hidden = h;
    loss = l;
    gradient = adjoints.of(w);
    network = std::make_unique<Network>(std::move(tape).into_network());
  }
  Symbol weights, x, hidden, loss, gradient;
  std::unique_ptr<Network> network;
};

TEST(Plan, shares_equal_subexpressions_and_writes_in_place) {
  const Walkthrough w;
  const auto text = w.network->entry({w.loss, w.gradient}).observe({w.hidden}).lower().program();
  EXPECT_NE(text.find("nodes 4, 16\n"), std::string::npos) << text;   // hidden * hidden, forward and in tanh's rule
  EXPECT_NE(text.find("nodes 10, 11\n"), std::string::npos) << text;  // the product rule's two equal products
  EXPECT_NE(text.find("program: exact; 13 steps for 25 nodes, 3 shared, 2 views, 5 in place"), std::string::npos)
      << text;
}

TEST(Plan, never_writes_over_a_value_that_another_operand_still_reads) {
  Tape tape(f64);
  const auto p = tape.parameter({{1.0, 2.0}, {3.0, 4.0}});
  const auto doubled = p + p;
  const auto turned = permute(doubled, {1, 0});
  const auto mixed = doubled + turned;  // both operands see the one buffer, in different orders
  const auto tripled = mixed * 3.0;
  const auto network = std::move(tape).into_network();
  const auto run = network.entry({tripled}).lower().forward(network.parameters());
  EXPECT_EQ(run.of(tripled).text(), "[[12, 30], [30, 48]]");
}

TEST(Plan, results_that_a_caller_holds_are_not_written_again) {
  const Walkthrough w;
  const auto plan = w.network->entry({w.gradient}).lower();
  const auto parameters = w.network->parameters();
  auto run = plan.forward(parameters);
  const Tensor held = run.of(w.gradient);
  const auto text = held.text();
  plan.forward_into(run, parameters, {{w.x, Tensor::from<float>({1, 2}, {3.0f, -1.0f})}});
  EXPECT_EQ(held.text(), text);
  EXPECT_NE(run.of(w.gradient).text(), text);
  auto copy = run;  // a run that is shared is not written either
  const auto shared = copy.of(w.gradient).text();
  plan.forward_into(run, parameters);
  EXPECT_EQ(copy.of(w.gradient).text(), shared);
  EXPECT_EQ(run.of(w.gradient).text(), text);
}

TEST(Plan, results_and_runs_outlive_the_plan_and_its_network) {
  std::optional<topos::Run> run;
  std::optional<Tensor> gradient;
  Symbol name;
  {
    const Walkthrough w;
    const auto plan = w.network->entry({w.gradient}).lower();
    run = plan.forward(w.network->parameters());
    gradient = run->of(w.gradient);
    name = w.gradient;
  }
  EXPECT_EQ(run->of(name).text(), "[[0.6397, 0.75025934], [1.2794, 1.5005187]]");
  run.reset();
  EXPECT_EQ(gradient->text(), "[[0.6397, 0.75025934], [1.2794, 1.5005187]]");
}

TEST(Plan, sources_constants_views_and_one_value_twice_can_be_results) {
  Tape tape(f64);
  const auto p = tape.parameter({{1.0, 2.0, 3.0}});
  const auto fed = tape.input({5.0, 6.0});
  const auto constant = tape.leaf({{7.0}, {8.0}});
  const auto count = tape.iota({2, 2}, 1);
  const auto turned = permute(p, {1, 0});
  const auto same = permute(p, {1, 0});
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({p, fed, constant, count, turned, same}).lower();
  const auto run = plan.forward(network.parameters(), {{fed, {9.0, 10.0}}});
  EXPECT_EQ(run.of(p).text(), "[[1, 2, 3]]");
  EXPECT_EQ(run.of(fed).text(), "[9, 10]");
  EXPECT_EQ(run.of(constant).text(), "[[7], [8]]");
  EXPECT_EQ(run.of(count).text(), "[[0, 1], [0, 1]]");
  EXPECT_EQ(run.of(turned).text(), "[[1], [2], [3]]");
  EXPECT_EQ(run.of(same).text(), "[[1], [2], [3]]");
}

TEST(Plan, feeds_that_cannot_be_read_in_place_are_laid_out) {
  Tape tape(f32);
  const auto x = tape.input(Tensor::full({f32, {2, 3}}, 0));
  const auto y = exp(x);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({y}).lower();
  const auto parameters = network.parameters();
  const auto turned = permute(Tensor::from<float>({3, 2}, {0, 1, 2, 3, 4, 5}), {1, 0});
  for (const auto& payload :
       {turned, Tensor::full({f32, {2, 3}}, 0.5), narrow(Tensor::full({f32, {2, 9}}, 2), 1, 3, 3)})
    EXPECT_TRUE(
        same_bits(plan.forward(parameters, {{x, payload}}).of(y), network.forward(parameters, {{x, payload}}).of(y)));
}

TEST(Plan, names_an_index_out_of_range_as_the_interpreter_does) {
  Tape tape(f32);
  const auto table = tape.parameter({{1.0}, {2.0}, {3.0}});
  const auto rows = tape.input({{0, 1}, {2, 0}}, i64);
  const auto read = gather(table, rows);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({read}).lower();
  const auto parameters = network.parameters();
  const auto bad = Tensor::from<std::int64_t>({2, 2}, {0, 1, 7, -1});
  const auto planned = message_of([&] { (void)plan.forward(parameters, {{rows, bad}}); }, ErrorKind::index);
  EXPECT_EQ(planned, "node 2: index 7 at place 2 is outside the 3 rows");
  EXPECT_EQ(message_of([&] { (void)network.forward(parameters, {{rows, bad}}); }, ErrorKind::index), planned);
  EXPECT_EQ(plan.forward(parameters).of(read).text(), "[[[1], [2]], [[3], [1]]]");  // and works on
}

TEST(Plan, names_an_integer_divisor_of_zero_as_the_interpreter_does) {
  Tape tape(i64);
  const auto a = tape.input({7, 8});
  const auto b = tape.input({2, 3});
  const auto quotient = a / b;
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({quotient}).lower();
  const auto parameters = network.parameters();
  EXPECT_EQ(plan.forward(parameters).of(quotient).text(), "[3, 2]");
  const auto planned = message_of([&] { (void)plan.forward(parameters, {{b, {1, 0}}}); }, ErrorKind::argument);
  EXPECT_EQ(planned, "node 2: the divisor i64[2] is zero at element 1");
  EXPECT_EQ(message_of([&] { (void)network.forward(parameters, {{b, {1, 0}}}); }, ErrorKind::argument), planned);
}

TEST(Plan, keeps_serving_its_prefix_when_the_network_grows) {
  Walkthrough w;
  const auto plan = w.network->entry({w.loss}).lower();
  const auto parameters = w.network->parameters();
  const auto before = plan.forward(parameters).of(w.loss);
  auto tape = std::move(*w.network).into_tape();
  const auto more = tape.parameter(2.0);
  const auto scaled = tape.resolve(w.loss) * more;
  const auto grown = std::move(tape).into_network();
  EXPECT_TRUE(same_bits(plan.forward(parameters).of(w.loss), before));
  EXPECT_TRUE(same_bits(plan.forward(parameters.carried(grown)).of(w.loss), before));
  message_of([&] { (void)plan.node(scaled); }, ErrorKind::coverage);
  message_of([&] { (void)grown.entry({scaled}).lower().forward(parameters); }, ErrorKind::coverage);
}

TEST(Plan, many_threads_run_one_plan_and_one_network_at_once) {
  const Walkthrough w;
  const auto plan = w.network->entry({w.loss, w.gradient}).observe({w.hidden}).lower();
  const auto parameters = w.network->parameters();
  const auto expected = plan.forward(parameters);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto run = plan.forward(parameters);
        const auto oracle = w.network->forward(parameters);
        const auto field = oracle.backward(w.loss);
        if (!same_bits(run.of(w.gradient), expected.of(w.gradient))) ++wrong;
        if (!same_bits(field.of(w.weights), expected.of(w.gradient))) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Plan, parameters_of_another_type_are_refused) {
  const Walkthrough w;
  const auto plan = w.network->entry({w.loss}).lower();
  const auto turned = w.network->parameters().map([](const Tensor& x) { return convert(x, f64); });
  const auto text = message_of([&] { (void)plan.forward(turned); }, ErrorKind::type);
  EXPECT_EQ(text, "parameter 0 is f64[2, 2], not f32[2, 2]");
}

}  // namespace
}  // namespace topos::test
