// In steady state a run allocates nothing: counted by replacing the global allocation functions.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "topos/topos.h"

// The sanitizers bring allocation functions of their own: nothing is counted there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOPOS_TEST_COUNTS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TOPOS_TEST_COUNTS 0
#endif
#endif
#ifndef TOPOS_TEST_COUNTS
#define TOPOS_TEST_COUNTS 1
#endif

namespace {

std::atomic<long> allocations{0};

#if TOPOS_TEST_COUNTS
void* counted(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto rounded = (bytes + alignment - 1) / alignment * alignment;
  void* place = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}
#endif

}  // namespace

#if TOPOS_TEST_COUNTS
// Not inlined: g++ would take the pair of a replaced new and free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
#endif

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
  if (TOPOS_TEST_COUNTS == 0) GTEST_SKIP() << "a sanitizer owns the allocation functions";
  Model model;
  const auto parameters = model.network.parameters();
  const Feed feeds[] = {{model.indices, Tensor::from<std::int64_t>({6}, {0, 1, 2, 3, 4, 0})}};
  auto run = model.plan.forward(parameters, feeds);
  model.plan.forward_into(run, parameters, feeds);
  const auto before = allocations.load();
  for (int i = 0; i < 10; ++i) model.plan.forward_into(run, parameters, feeds);
  EXPECT_EQ(allocations.load() - before, 0);
}

TEST(Allocation, a_plan_run_with_the_previous_run_dropped_allocates_nothing) {
  if (TOPOS_TEST_COUNTS == 0) GTEST_SKIP() << "a sanitizer owns the allocation functions";
  Model model;
  const auto parameters = model.network.parameters();
  const Feed feeds[] = {{model.indices, Tensor::from<std::int64_t>({6}, {0, 1, 2, 3, 4, 0})}};
  for (int i = 0; i < 2; ++i) (void)model.plan.forward(parameters, feeds);
  const auto before = allocations.load();
  for (int i = 0; i < 10; ++i) (void)model.plan.forward(parameters, feeds);
  EXPECT_EQ(allocations.load() - before, 0);
}

TEST(Allocation, the_count_itself_counts) {
  if (TOPOS_TEST_COUNTS == 0) GTEST_SKIP() << "a sanitizer owns the allocation functions";
  const auto before = allocations.load();
  // The function itself: a compiler may leave out the pair of a new expression and its delete.
  void* held = ::operator new(sizeof(int));
  EXPECT_EQ(allocations.load() - before, 1);
  ::operator delete(held);
}

}  // namespace
}  // namespace topos::test
