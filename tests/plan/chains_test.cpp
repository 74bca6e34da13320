// Elementwise nodes that a plan runs as chains: which they are, and that they keep the interpreter's bits.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/count.h"
#include "support/random.h"
#include "support/readings.h"
#include "topos/kernel/partition.h"
#include "topos/kernel/threads.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

std::size_t chains_in(const Plan& plan) { return count_in(plan.program(), "  chain of "); }
std::size_t product_chains_in(const Plan& plan) { return count_in(plan.program(), "  matmul, chain of "); }

/// gelu with its nodes by name.
struct Gelu {
  Network network;
  Symbol x, scaled, bent, shifted, half, result;
};
Gelu gelu(ElementType element, const Shape& shape) {
  Tape tape(element);
  const auto x = tape.parameter(Random(3).tensor({element, shape}, -2, 2));
  const auto scaled = x * 0.7071067811865476;
  const auto bent = erf(scaled);
  const auto shifted = 1.0 + bent;
  const auto half = x * 0.5;
  const auto result = half * shifted;
  return {std::move(tape).into_network(), x, scaled, bent, shifted, half, result};
}

TEST(plan_chains, nodes_that_only_one_another_read_are_one_step) {
  for (const auto element : {f32, f64, bf16}) {
    const auto model = gelu(element, {40, 70});
    const auto plan = model.network.entry({model.result}).lower();
    const auto text = plan.program();
    EXPECT_EQ(chains_in(plan), 1u) << text;
    EXPECT_NE(text.find("chain of 5"), std::string::npos) << text;
    EXPECT_NE(text.find("14000 flops  nodes 2, 3, 5, 7, 8\n"), std::string::npos) << text;
    EXPECT_NE(text.find("1 steps for 9 nodes"), std::string::npos) << text;
    expect_interpreter(model.network, plan, "gelu");
  }
}

TEST(plan_chains, what_is_observed_is_no_interior) {
  const auto model = gelu(f32, {40, 70});
  const std::vector<Symbol> nodes{model.scaled, model.bent, model.shifted, model.half};
  for (const auto observed : nodes) {
    const auto plan = model.network.entry({model.result}).observe({observed}).lower();
    expect_interpreter(model.network, plan, "observed");
    EXPECT_GE(count_in(plan.program(), "\n"), 3u) << plan.program();
  }
  const auto plan = model.network.entry({model.result}).observe(nodes).lower();
  EXPECT_EQ(chains_in(plan), 0u) << plan.program();
  expect_interpreter(model.network, plan, "all observed");
  const auto backward = model.network.entry({model.result}).backward().lower();
  EXPECT_EQ(chains_in(backward), 0u) << backward.program();
}

TEST(plan_chains, what_others_read_is_no_interior) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(4).tensor({f32, {64, 8}}, -2, 2));
  const auto doubled = x + x;
  const auto bent = tanh(doubled);
  const auto total = sum(bent);  // reads what the chain would hide
  const auto shifted = bent * 3.0;
  const auto turned = permute(shifted, {1, 0});  // and so does a view
  const auto squared = turned * turned;
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({total, squared}).lower();
  EXPECT_EQ(chains_in(plan), 1u) << plan.program();
  EXPECT_NE(plan.program().find("nodes 1, 2\n"), std::string::npos) << plan.program();
  expect_interpreter(network, plan, "read by others");
}

TEST(plan_chains, equal_nodes_are_covered_by_one_link) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(5).tensor({f32, {200}}, -2, 2));
  const auto one = tanh(x);
  const auto same = tanh(x);
  const auto result = one * same;
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({result}).lower();
  EXPECT_NE(plan.program().find("chain of 2"), std::string::npos) << plan.program();
  EXPECT_NE(plan.program().find("nodes 1, 2, 3\n"), std::string::npos) << plan.program();
  EXPECT_NE(plan.program().find("1 shared"), std::string::npos) << plan.program();
  expect_interpreter(network, plan, "equal nodes");
}

TEST(plan_chains, write_over_what_nobody_reads_later) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(6).tensor({f32, {64, 64}}, -2, 2));
  const auto weights = softmax(x, 1);
  const auto shifted = weights + x;
  const auto bent = tanh(shifted);
  const auto total = sum(bent);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({total}).lower();
  EXPECT_EQ(chains_in(plan), 1u) << plan.program();
  EXPECT_NE(plan.program().find("1 in place"), std::string::npos) << plan.program();
  expect_interpreter(network, plan, "in place");
}

/// tanh(x w + b) with its nodes by name.
struct Layer {
  Network network;
  Symbol x, w, product, shifted, result;
};
Layer layer(ElementType element) {
  Tape tape(element);
  const auto x = tape.input(Random(7).tensor({element, {40, 30}}, -2, 2));
  const auto w = tape.parameter(Random(8).tensor({element, {30, 50}}, -2, 2));
  const auto b = tape.parameter(Random(9).tensor({element, {50}}, -2, 2));
  const auto product = matmul(x, w);
  const auto shifted = product + broadcast_along(b, 0, 40);
  const auto result = tanh(shifted);
  return {std::move(tape).into_network(), x, w, product, shifted, result};
}

TEST(plan_chains, follow_a_product_that_only_they_read) {
  for (const auto element : {f32, f64, bf16}) {
    const auto model = layer(element);
    const auto plan = model.network.entry({model.result}).lower();
    const auto text = plan.program();
    EXPECT_EQ(product_chains_in(plan), 1u) << text;
    EXPECT_NE(text.find("matmul, chain of 2"), std::string::npos) << text;
    EXPECT_NE(text.find("124000 flops  nodes 3, 5, 6\n"), std::string::npos) << text;
    EXPECT_NE(text.find("1 steps"), std::string::npos) << text;
    expect_interpreter(model.network, plan, "layer");
    for (const auto observed : {model.product, model.shifted}) {
      const auto watched = model.network.entry({model.result}).observe({observed}).lower();
      EXPECT_EQ(product_chains_in(watched), observed == model.product ? 0u : 1u) << watched.program();
      expect_interpreter(model.network, watched, "observed");
    }
    const auto backward = model.network.entry({model.result}).backward().lower();
    EXPECT_EQ(product_chains_in(backward), 0u) << backward.program();
  }
}

TEST(plan_chains, add_a_products_own_operand) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(10).tensor({f32, {30, 30}}, -2, 2));
  const auto y = x * 0.5;  // read by the product too: no link
  const auto product = matmul(y, y);
  const auto result = (product + y) * product;
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({result}).lower();
  EXPECT_EQ(product_chains_in(plan), 1u) << plan.program();
  EXPECT_NE(plan.program().find("2 steps"), std::string::npos) << plan.program();
  expect_interpreter(network, plan, "residual");
}

TEST(plan_chains, one_product_a_chain) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(11).tensor({f32, {20, 20}}, -2, 2));
  const auto y = tape.parameter(Random(12).tensor({f32, {20, 20}}, -2, 2));
  const auto result = matmul(x, y) + matmul(y, x);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({result}).lower();
  EXPECT_EQ(product_chains_in(plan), 1u) << plan.program();
  EXPECT_NE(plan.program().find("2 steps"), std::string::npos) << plan.program();
  expect_interpreter(network, plan, "two products");
}

TEST(plan_chains, integer_divisions_keep_their_error) {
  Tape tape(f32);
  const auto x = tape.input(Tensor::full({i64, {200}}, 6));
  const auto y = tape.input(Tensor::full({i64, {200}}, 2));
  const auto raised = x + x;
  const auto ratio = raised / y;
  const Symbol divided = ratio;
  const auto result = ratio * ratio;
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({result}).lower();
  expect_interpreter(network, plan, "integers");
  try {
    plan.forward(network.parameters(), {{y, Tensor::full({i64, {200}}, 0)}});
    FAIL() << "a division by zero";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::argument);
    EXPECT_NE(error.text().find("node " + std::to_string(divided.index())), std::string::npos) << error.what();
  }
}

/// Draws elementwise graphs over a few shapes, with views, sums and products between.
class Elementwise {
 public:
  explicit Elementwise(std::uint64_t seed) : random_(seed), tape_(f32) {
    constexpr ElementType elements[] = {f32, f32, f64, bf16, i64};
    for (int i = 0; i < 4; ++i)
      pool_.push_back(tape_.input(random_.tensor({elements[random_.below(5)], shape()}, -2, 2)));
    while (pool_.size() < 60) step();
  }

  void check(std::uint64_t seed) {
    std::vector<Symbol> roots{pool_.back()}, observed;
    for (int i = 0; i < 3; ++i) roots.push_back(pool_[random_.below(pool_.size())]);
    for (int i = 0; i < 2; ++i) observed.push_back(pool_[random_.below(pool_.size())]);
    std::sort(roots.begin(), roots.end(), [](Symbol a, Symbol b) { return a.index() < b.index(); });
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    const auto network = std::move(tape_).into_network();
    const auto what = "seed " + std::to_string(seed);
    const auto plan = network.entry(roots).observe(observed).lower();
    chains += chains_in(plan);
    product_chains += product_chains_in(plan);
    expect_interpreter(network, plan, what);
    const auto before = threads();
    set_threads(3);
    kernel::set_least_part(1e-3);
    const auto shared = network.entry(roots).observe(observed).lower();
    expect_interpreter(network, shared, what + " on threads");
    kernel::set_least_part(kernel::usual_least_part);
    set_threads(before);
  }

  std::size_t chains = 0, product_chains = 0;

 private:
  Shape shape() { return random_.below(4) == 0 ? Shape{130} : Shape{31, 130}; }
  /// Late ones more often: long chains.
  const Value& pick() {
    const auto n = pool_.size();
    return pool_[std::max({random_.below(n), random_.below(n), random_.below(n)})];
  }
  Value like(const Value& x) {
    std::vector<Value> fitting;
    for (const auto& value : pool_)
      if (value.type() == x.type()) fitting.push_back(value);
    return fitting[random_.below(fitting.size())];
  }

  void step() {
    const Value x = pick();
    const bool real = x.element().is_floating();
    switch (random_.below(13)) {
      case 0: return pool_.push_back(real ? tanh(x) : abs(x));
      case 1: return pool_.push_back(real ? logistic(x) : -x);
      case 2: return pool_.push_back(real ? x * 0.5 : x * 3);
      case 3: return pool_.push_back(x - like(x));
      case 4: return pool_.push_back(0.0 + x);
      case 5: {
        const auto y = like(x);
        const auto less_than = less(x, y);
        return pool_.push_back(select(less_than, y, x));
      }
      case 6: return pool_.push_back(convert(x, random_.below(2) == 0 ? f32 : f64));
      case 7:
        if (x.shape().rank() == 2) return pool_.push_back(sum(x, {0}));
        return pool_.push_back(broadcast_along(x, 0, 31));
      case 8: return pool_.push_back(maximum(x, like(x)));
      case 9:
        if (x.shape().rank() == 2) return pool_.push_back(matmul(x, permute(like(x), {1, 0})));
        return pool_.push_back(x + like(x));
      default: return pool_.push_back(x * like(x));
    }
  }

  Random random_;
  Tape tape_;
  std::vector<Value> pool_;
};

TEST(plan_chains, random_graphs_keep_the_interpreters_bits) {
  std::size_t chains = 0, product_chains = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Elementwise graph(seed);
    graph.check(seed);
    chains += graph.chains;
    product_chains += graph.product_chains;
  }
  EXPECT_GT(chains, 150u);
  EXPECT_GT(product_chains, 15u);
}

TEST(plan_chains, a_zero_is_added_only_where_it_can_change_a_bit) {
  Tape tape(f32);
  const auto x = tape.parameter(Tensor::full({f32, {8, 100}}, -0.0));
  const auto total = sum(x, {0});
  const auto after_sum = 0.0 + total;   // the sum is +0
  const auto after_view = 0.0 + x;      // -0 becomes +0
  const auto again = 0.0 + after_view;  // which it is already
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({after_sum, again}).lower();
  EXPECT_EQ(count_in(plan.program(), "addition"), 1u) << plan.program();
  expect_interpreter(network, plan, "zeros");
  EXPECT_FALSE(std::signbit(plan.forward(network.parameters()).of(again).values<float>()[0]));
}

}  // namespace
}  // namespace topos::test
