// What a plan executes of windowed products, pools and their gradients: one step each, with the interpreter's bits.
#include <gtest/gtest.h>

#include "support/convolution_models.h"

namespace topos::test {
namespace {

std::size_t steps_of(const Plan& plan, const std::string& kernel) {
  return count_of(plan.program(), "  " + kernel + " ");
}

TEST(window_steps, a_convolution_and_its_pool_are_one_step_each) {
  for (const auto element : {f32, f64, bf16}) {
    const auto model = pooled_convolution({2, 3, 9, 8}, {4, 3, 3, 3}, 1, 2, element);
    const auto plan = model.network.entry({model.pooled}).lower();
    const auto text = plan.program();
    EXPECT_EQ(steps_of(plan, "window_product"), 1u) << text;
    EXPECT_EQ(steps_of(plan, "window_maximum"), 1u) << text;
    for (const auto* gone : {"matmul", "fill_zero"}) EXPECT_EQ(steps_of(plan, gone), 0u) << text;
    EXPECT_EQ(steps_of(plan, "copy"), 1u) << text;  // the kernel as a matrix
    expect_plan_is_interpreter(model.network, {model.pooled});
  }
}

TEST(window_steps, a_training_step_never_lays_its_windows_out) {
  for (const auto element : {f32, f64, bf16}) {
    const auto model = training_step({}, element);
    const auto plan = model.network.entry(model.roots).lower();
    const auto text = plan.program();
    for (const auto* kernel : {"window_product", "window_kernel_gradient", "window_input_gradient", "window_maximum",
                               "window_maximum_gradient"})
      EXPECT_EQ(steps_of(plan, kernel), 1u) << kernel << '\n' << text;
    for (const auto* gone : {"matmul", "fold"}) EXPECT_EQ(steps_of(plan, gone), 0u) << text;
    expect_plan_is_interpreter(model.network, model.roots);
  }
}

TEST(window_steps, give_the_interpreters_bits_for_every_geometry) {
  for (const auto stride : {Pair(1), Pair(2), Pair(3, 1)})
    for (const auto padding : {Pair(0), Pair(1), Pair(2, 1)})
      for (const auto dilation : {Pair(1), Pair(2)}) {
        const auto model = training_step({stride, padding, dilation, 1});
        expect_plan_is_interpreter(model.network, model.roots);
      }
}

/// Windows that are a result themselves are laid out, once, and the product reads them.
TEST(window_steps, observed_windows_are_computed) {
  Random random(33);
  Tape tape(f32);
  const auto x = tape.input(random.tensor({f32, {1, 2, 5, 5}}, -1, 1));
  const auto w = tape.parameter(random.tensor({f32, {3, 2, 3, 3}}, -1, 1));
  const auto rows = unfold(x, 2, 3, 1, 1);
  const auto windows = unfold(rows, 4, 3, 1, 1);
  const auto places = permute(windows, {0, 2, 4, 1, 3, 5});
  const auto matrix = reshape(places, {9, 18});
  const auto turned = permute(w, {1, 2, 3, 0});
  const auto kernel = reshape(turned, {18, 3});
  const auto product = matmul(matrix, kernel);
  const auto doubled = matrix + matrix;
  const std::vector<Symbol> seen{product, matrix}, read{product, doubled};
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(steps_of(network.entry(seen).lower(), "matmul"), 1u);
  EXPECT_EQ(steps_of(network.entry(read).lower(), "window_product"), 1u);
  expect_plan_is_interpreter(network, seen);
  expect_plan_is_interpreter(network, read);
}

}  // namespace
}  // namespace topos::test
