// Products with constants: what a kernel would lay out in every run is laid out once, with the same bits.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/count.h"
#include "support/random.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

void expect_interpreter(const Network& network, const std::vector<Symbol>& roots, const Plan& plan) {
  const auto parameters = network.parameters();
  const auto oracle = network.forward(parameters);
  auto run = plan.forward(parameters);
  for (int again = 0; again < 2; ++again) {
    for (const auto root : roots) ASSERT_TRUE(bits_agree(run.of(root), oracle.of(root))) << plan.program();
    plan.forward_into(run, parameters);
  }
}

TEST(packed_constants, are_laid_out_once_for_all_products) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent rows : {1, 3, 40}) {
      Tape tape(element);
      const auto x = tape.parameter(Random(1).tensor({element, {rows, 70}}, -1, 1));
      const auto table = tape.leaf(Random(2).tensor({element, {50, 70}}, -1, 1));
      const auto turned = transpose(table);
      const auto first = matmul(x, turned);
      const auto bent = tanh(x);
      const auto second = matmul(bent, turned);
      const auto network = std::move(tape).into_network();
      const auto plan = network.entry({first, second}).lower();
      EXPECT_EQ(count_in(plan.program(), "packed 0"), 2u) << plan.program();
      EXPECT_EQ(count_in(plan.program(), "packed 1"), 0u) << plan.program();
      expect_interpreter(network, {first, second}, plan);
    }
}

TEST(packed_constants, may_be_windows_and_batches_of_a_constant) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(3).tensor({f32, {2, 5, 8}}, -1, 1));
  const auto table = tape.leaf(Random(4).tensor({f32, {30, 12}}, -1, 1));
  const auto window = narrow(table, 1, 3, 8);
  const auto lower = narrow(window, 0, 7, 20);
  const auto turned = transpose(lower);
  const auto batches = broadcast_along(turned, 0, 2);
  const auto product = matmul(x, batches);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({product}).lower();
  EXPECT_EQ(count_in(plan.program(), "packed 0"), 1u) << plan.program();
  expect_interpreter(network, {product}, plan);
}

TEST(packed_constants, that_products_read_in_place_are_not_copied_nor_is_what_may_change) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(5).tensor({f32, {4, 30}}, -1, 1));
  const auto table = tape.leaf(Random(6).tensor({f32, {30, 20}}, -1, 1));
  const auto weights = tape.parameter(Random(7).tensor({f32, {20, 30}}, -1, 1));
  const auto plain = matmul(x, table);
  const auto turned = transpose(weights);
  const auto changing = matmul(x, turned);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({plain, changing}).lower();
  EXPECT_EQ(count_in(plan.program(), "packed"), 0u) << plan.program();
  expect_interpreter(network, {plain, changing}, plan);
}

}  // namespace
}  // namespace topos::test
