// In steady state a run allocates nothing: counted by replacing the global allocation functions.
#include <gtest/gtest.h>

#include "support/allocations.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

/// A training step with an embedding, products, a bias, tanh and a log-softmax: most kernels once.
struct Model {
  Model() : network(record()), plan(network.entry(roots).lower()) {}

  Network record() {
    Tape tape(f32);
    const auto table = tape.parameter(Tensor::full({f32, {5, 4}}, 0.25));
    const auto weights = tape.parameter(Tensor::full({f32, {4, 3}}, 0.5));
    const auto bias = tape.parameter(Tensor::full({f32, {3}}, 0.125));
    const auto rows = tape.input(Tensor::full({i64, {6}}, 1));
    const auto embedded = gather(table, rows);
    const auto product = matmul(embedded, weights);
    const auto spread = broadcast_along(bias, 0, 6);
    const auto shifted = product + spread;
    const auto hidden = tanh(shifted);
    const auto logs = log_softmax(hidden, 1);
    const auto loss = sum(logs);
    const auto adjoints = tape.differentiate(loss, {table, weights, bias});
    indices = rows;
    roots = adjoints.roots();
    return std::move(tape).into_network();
  }

  Symbol indices;
  std::vector<Symbol> roots;
  Network network;
  Plan plan;
};

TEST(Allocation, a_plan_run_into_an_earlier_run_allocates_nothing) {
  if (TOPOS_TEST_SANITIZED) GTEST_SKIP() << "a sanitizer owns the allocation functions";
  Model model;
  const auto parameters = model.network.parameters();
  const Feed feeds[] = {{model.indices, Tensor::from<std::int64_t>({6}, {0, 1, 2, 3, 4, 0})}};
  auto run = model.plan.forward(parameters, feeds);
  model.plan.forward_into(run, parameters, feeds);
  allocations::counting = true;
  const auto before = allocations::calls.load();
  for (int i = 0; i < 10; ++i) model.plan.forward_into(run, parameters, feeds);
  EXPECT_EQ(allocations::calls.load() - before, 0);
}

TEST(Allocation, a_plan_run_with_the_previous_run_dropped_allocates_nothing) {
  if (TOPOS_TEST_SANITIZED) GTEST_SKIP() << "a sanitizer owns the allocation functions";
  Model model;
  const auto parameters = model.network.parameters();
  const Feed feeds[] = {{model.indices, Tensor::from<std::int64_t>({6}, {0, 1, 2, 3, 4, 0})}};
  for (int i = 0; i < 2; ++i) (void)model.plan.forward(parameters, feeds);
  allocations::counting = true;
  const auto before = allocations::calls.load();
  for (int i = 0; i < 10; ++i) (void)model.plan.forward(parameters, feeds);
  EXPECT_EQ(allocations::calls.load() - before, 0);
}

TEST(Allocation, the_count_itself_counts) {
  if (TOPOS_TEST_SANITIZED) GTEST_SKIP() << "a sanitizer owns the allocation functions";
  allocations::counting = true;
  const auto before = allocations::calls.load();
  // The function itself: a compiler may leave out the pair of a new expression and its delete.
  void* held = ::operator new(sizeof(int));
  EXPECT_EQ(allocations::calls.load() - before, 1);
  ::operator delete(held);
}

}  // namespace
}  // namespace topos::test
