// Long recordings, long training, and graphs that run again on other numbers: everything stays linear and nothing
// leaks.
#include <gtest/gtest.h>

#include "support/allocations.h"
#include "support/edges.h"
#include "support/emitted.h"
#include "support/error.h"

namespace topos::test {
namespace {

/// The sum of (t_n - t_m)^2 over all pairs, a node for every operation: one chain of additions.
Value pairwise_energy(const Value& t) {
  const auto count = t.shape()[0];
  std::vector<Value> numbers;
  for (Extent i = 0; i < count; ++i) {
    const auto window = narrow(t, 0, i, 1);
    numbers.push_back(reshape(window, {}));
  }
  auto energy = full_like(numbers[0], 0);
  for (std::size_t n = 1; n < numbers.size(); ++n)
    for (std::size_t m = 0; m < n; ++m) {
      const auto difference = numbers[n] - numbers[m];
      const auto square = difference * difference;
      energy = energy + square;
    }
  return energy;
}
/// The same by matrices: half of the sum over all ordered pairs.
Value pairwise_energy_by_matrix(const Value& t) {
  const auto count = t.shape()[0];
  const auto rows = broadcast_along(t, 1, count);
  const auto columns = broadcast_along(t, 0, count);
  const auto difference = rows - columns;
  const auto square = difference * difference;
  const auto total = sum(square);
  return total * 0.5;
}

TEST(Traps, T02_a_long_chain_of_additions) {
  // Whole numbers: E = N sum t^2 - (sum t)^2 and dE/dt_k = 2 (N t_k - sum t) are exact in f64.
  for (const Extent count : {Extent{3}, Extent{60}}) {
    std::vector<double> t, slope;
    double total = 0, squares = 0;
    for (Extent k = 0; k < count; ++k) t.push_back(static_cast<double>(k));
    for (const double x : t) {
      total += x;
      squares += x * x;
    }
    const double n = static_cast<double>(count);
    for (const double x : t) slope.push_back(2 * (n * x - total));
    const auto payload = Tensor::from({count}, t, f64);
    const auto one = Tensor::full({f64, {}}, 1);
    for (const bool by_matrix : {false, true}) {
      const auto f = [by_matrix](const std::vector<Value>& in) {
        return by_matrix ? pairwise_energy_by_matrix(in[0]) : pairwise_energy(in[0]);
      };
      EXPECT_EQ(value_of(f, {payload}).item(), n * squares - total * total);
      EXPECT_TRUE(bits_agree(cotangents_of(f, {payload}, one)[0], Tensor::from({count}, slope, f64)));
    }
  }
  std::vector<double> t;
  for (int k = 0; k < 1000; ++k) t.push_back(k / 1000.0);
  Tape tape(f64);
  const auto points = tape.parameter(Tensor::from({1000}, t, f64));
  const Symbol energy = pairwise_energy_by_matrix(points);
  const Symbol source = points;
  const auto adjoints = tape.differentiate(energy, {source});
  const auto network = std::move(tape).into_network();
  const auto run = network.entry(adjoints.roots()).lower().forward(network.parameters());
  EXPECT_NEAR(run.of(energy).item(), 83333.25, 1e-7);
  const auto g = run.of(adjoints.of(source)).values<double>();
  for (const int k : {0, 1, 500, 999}) EXPECT_NEAR(g[static_cast<std::size_t>(k)], 2 * k - 999, 1e-9) << k;
}

/// What an unrolled loop of `blocks` costs: nodes, scheduled nodes, lines of the program and of the module, memory.
struct Cost {
  std::size_t nodes, scheduled, program, module, arena;
};
std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}
Cost cost_of(int blocks, bool differentiate) {
  Tape tape;
  const auto start = tape.parameter(Tensor::full({f32, {4, 4}}, 0.25));
  auto x = start;
  for (int i = 0; i < blocks; ++i) {  // each block reads its input three times
    const auto product = matmul(x, x);
    const auto active = tanh(product);
    const auto shifted = active + x;
    x = relu(shifted);
  }
  const auto loss = sum(x);
  std::vector<Symbol> roots{loss};
  if (differentiate) roots = tape.differentiate(loss, {start}).roots();
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry(roots).lower();
  return {network.size(), plan.nodes().size(), lines(plan.program()), lines(emitted(plan)), plan.arena_bytes()};
}

TEST(Traps, T04_lowering_is_linear_in_blocks) {
  for (const bool differentiate : {false, true}) {
    std::vector<Cost> costs;
    for (const int blocks : {50, 100, 200, 400}) costs.push_back(cost_of(blocks, differentiate));
    for (std::size_t i = 1; i < costs.size(); ++i) {
      EXPECT_LE(costs[i].nodes, 2 * costs[i - 1].nodes);
      EXPECT_LE(costs[i].scheduled, 2 * costs[i - 1].scheduled);
      EXPECT_LE(costs[i].program, 2 * costs[i - 1].program + 8);
      EXPECT_LE(costs[i].module, 2 * costs[i - 1].module);
      EXPECT_LE(costs[i].arena, 2 * costs[i - 1].arena + 4096);
    }
    // Forward alone, a chain needs the memory of one block.
    if (!differentiate) {
      EXPECT_LE(costs.back().arena, costs.front().arena + 4096);
    }
  }
}

TEST(Traps, T06_training_keeps_nothing_of_its_steps) {
  Tape tape;
  auto initializer = init::normal(5, 0.3);
  const auto x = tape.input(initializer({8, 3}));
  const auto classes = tape.input(Tensor::full({i64, {8}}, 1));
  const Mlp model(tape, {3, 5, 4}, Activation::tanh, initializer);
  const auto logits = model(x);
  const Symbol loss = cross_entropy(logits, classes);
  const auto adjoints = tape.differentiate(loss, model.parameters());
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry(adjoints.roots()).lower();
  const auto nodes = network.size();
  Adam optimizer;
  auto parameters = network.parameters();
  auto total = Tensor::of(0, f32);  // a running loss in a tensor holds its number, not the run that gave it
  double scalar = 0;
  std::ptrdiff_t after_ten = 0;
  allocations::counting = true;
  for (int step = 1; step <= 300; ++step) {
    const auto run = plan.forward(parameters);
    const auto engine = network.forward(parameters).backward(loss).parameters(parameters);
    parameters = optimizer.step(parameters, step % 2 == 0 ? engine : run.recorded_gradients(adjoints), 1e-3);
    total = total + run.of(loss);
    scalar += run.of(loss).item();
    if (step == 10) after_ten = allocations::live.load();
  }
  // A block that is used again may be a little larger than what was asked for.
  EXPECT_NEAR(static_cast<double>(allocations::live.load()), static_cast<double>(after_ten), 4096);
  EXPECT_EQ(network.size(), nodes);
  EXPECT_NEAR(total.item(), scalar, 1e-3 * scalar);
}

TEST(Traps, T07_a_branch_is_chosen_at_every_run) {
  for (const auto element : {f32, f64, bf16}) {
    Tape tape(element);
    const auto a = tape.input(0.0);
    const auto b = tape.input(1.0);
    const auto chosen = equal(a, full_like(a, 1));
    const auto product = a * b;
    const Symbol out = select(chosen, product, 0);
    const Symbol names[] = {a, b};
    const auto adjoints = tape.differentiate(out, {names[0], names[1]});
    const auto network = std::move(tape).into_network();
    const auto parameters = network.parameters();
    const auto plan = network.entry(adjoints.roots()).lower();
    const auto posture = network.entry({out}).backward().lower();
    struct At {
      double a, b, value, by_a, by_b;
    };
    for (const auto& at : std::vector<At>{{0, 1, 0, 0, 0}, {1, 0, 0, 0, 1}, {1, 5, 5, 5, 1}, {2, 5, 0, 0, 0}}) {
      const std::vector<std::pair<Symbol, Tensor>> fed{{names[0], Tensor::of(at.a, element)},
                                                       {names[1], Tensor::of(at.b, element)}};
      std::vector<Feed> feeds;
      for (const auto& [name, payload] : fed) feeds.push_back({name, payload});
      const auto field = network.forward(parameters, Feeds(feeds)).backward(out);
      const auto back = posture.forward(parameters, Feeds(feeds)).backward(out);
      const auto run = plan.forward(parameters, Feeds(feeds));
      EXPECT_EQ(run.of(out).item(), at.value);
      EXPECT_EQ(run.of(adjoints.of(names[0])).item(), at.by_a);
      EXPECT_EQ(run.of(adjoints.of(names[1])).item(), at.by_b);
      EXPECT_EQ(field.of(names[0]).item(), at.by_a);
      EXPECT_EQ(back.of(names[1]).item(), at.by_b);
    }
  }
}

/// The reader of saved networks walks its text; it never calls itself.
TEST(Traps, T03_deep_nesting_in_a_text_is_an_error) {
  const std::string open(100000, '['), parentheses(100000, '('), braces(100000, '{');
  const std::string head = "topos network, version 1, numerics 1\nelement f32\n";
  for (const auto& deep : {open, parentheses, braces, open + "1" + std::string(100000, ']')})
    for (const auto& text :
         {head + deep + "\n", head + "%0 = Leaf slot=0 : f32" + deep + "\n",
          head + "%0 = Permute(%0) order=" + deep + " : f32[2]\n", head + "%0 = Exp" + deep + " : f32[]\n",
          head + "%0 = Leaf slot=0 : f32[2]\nleaf 0 = " + deep + "\nend 1 nodes\n", deep})
      EXPECT_TRUE(throws([&] { (void)from_text(text); }, {.kind = ErrorKind::file, .operation = "load"}));
}

}  // namespace
}  // namespace topos::test
