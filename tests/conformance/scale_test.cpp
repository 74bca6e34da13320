// Large modules: many nodes, a long chain, a large constant.
#include "conformance/emission.h"
#include "support/random.h"
#include "support/sanitized.h"

namespace topos::test {
namespace {

constexpr int part = TOPOS_TEST_SANITIZED ? 20 : 1;

/// Products, biases and activations, again and again.
TEST(Scale, a_layered_net_of_ten_thousand_nodes) {
  Random random(81);
  Tape tape(f32);
  auto x = tape.input(random.tensor({f32, {4, 6}}, -1, 1));
  const auto weights = tape.parameter(random.tensor({f32, {6, 6}}, -0.5, 0.5));
  const auto bias = tape.parameter(random.tensor({f32, {6}}, -0.5, 0.5));
  while (tape.size() < 10000 / part) {
    const auto product = matmul(x, weights);
    const auto spread = broadcast_along(bias, 0, 4);
    const auto shifted = product + spread;
    const auto active = tanh(shifted);
    const auto halves = reshape(active, {2, 12});
    x = reshape(halves, {4, 6});
  }
  const Symbol out = x;
  const auto network = std::move(tape).into_network();
  EXPECT_TRUE(agrees_with_itself(network.entry({out}).lower(), {"scale", "a layered net of 10,000 nodes"}));
}

TEST(Scale, an_elementwise_chain_of_a_thousand) {
  Tape tape(f32);
  auto x = tape.input(Random(82).tensor({f32, {64}}, 0.5, 1.5));
  const auto start = x;
  for (int i = 0; i < 1000 / part; ++i) {
    if (i % 4 == 0) x = x + start;
    if (i % 4 == 1) x = x * 0.75;
    if (i % 4 == 2) x = maximum(x, 0.25);
    if (i % 4 == 3) x = sqrt(x);
  }
  const Symbol out = x;
  const auto network = std::move(tape).into_network();
  EXPECT_TRUE(agrees_with_itself(network.entry({out}).lower(), {"scale", "an elementwise chain of 1,000"}));
}

/// 10 MB of numbers that are all different, so that they are written one by one.
TEST(Scale, a_constant_of_ten_megabytes) {
  Random random(83);
  Tape tape(f32);
  const auto constant = tape.leaf(random.tensor({f32, {2621440 / part}}, -1, 1));
  const auto x = tape.input(Tensor::of(0.5, f32));
  const auto largest = max_along(constant, 0);
  const auto ending = narrow(constant, 0, constant.shape()[0] - 5, 5);
  const auto scaled = broadcast(x * largest, {5});
  const Symbol out = ending * scaled;
  const Symbol place = argmax_along(constant, 0);
  const auto network = std::move(tape).into_network();
  EXPECT_TRUE(agrees_with_itself(network.entry({out, place}).lower(), {"scale", "a constant of 10 MB"}));
}

/// More work than the oracle follows: its bounds are open then.
TEST(Scale, a_product_of_more_than_four_million_terms) {
  Random random(84);
  Tape tape(f32);
  const Extent size = TOPOS_TEST_SANITIZED ? 40 : 170;
  const auto a = tape.parameter(random.tensor({f32, {size, size}}, -1, 1));
  const auto b = tape.input(random.tensor({f32, {size, size}}, -1, 1));
  const Symbol out = matmul(a, b);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({out}).lower();
  EXPECT_TRUE(agrees_with_itself(plan, {"scale", "a product of 170 by 170"}));
  EXPECT_EQ(traits_of(plan, {}).multiply_adds > most_multiply_adds, !TOPOS_TEST_SANITIZED);
}

}  // namespace
}  // namespace topos::test
