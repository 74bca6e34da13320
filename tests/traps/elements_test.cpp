// Traps of number formats, nesting and state that others fell into, each as its kind and in every reading.
#include <gtest/gtest.h>

#include "examples/models/dual_algebra.h"
#include "support/bits.h"
#include "support/error.h"
#include "support/random.h"

namespace topos::test {
namespace {

using examples::Dual;

/// d target / d wrt at a tape's payloads, which every reading must give: engine, recorded gradient, plan, backward
/// posture, forward mode. Seals the tape.
Tensor derivative(Tape tape, const Value& target_value, const Value& wrt_value) {
  const Symbol target = target_value, wrt = wrt_value;
  const auto adjoints = tape.differentiate(target, {wrt});
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto result = run.backward(target).of(wrt);
  EXPECT_TRUE(bits_agree(run.of(adjoints.of(wrt)), result)) << "the recorded gradient";
  const auto plan = network.entry(adjoints.roots()).lower();
  EXPECT_TRUE(bits_agree(plan.forward(parameters).of(adjoints.of(wrt)), result)) << "the plan";
  const auto posture = network.entry({target}).backward().lower();
  EXPECT_TRUE(bits_agree(posture.forward(parameters).backward(target).of(wrt), result)) << "the backward posture";
  if (result.shape().rank() == 0) {
    const auto duals = walk<Dual<Tensor>>(network, parameters, [&](Symbol symbol, const Tensor& payload) {
      return symbol == wrt ? Dual<Tensor>(payload, full_like(payload, 1.0)) : Dual<Tensor>(payload);
    });
    EXPECT_TRUE(bits_agree(duals[target.index()].tangent_or_zero(), result)) << "forward mode";
  }
  return result;
}

TEST(Traps, P05_bf16_rounds_to_nearest_even_and_keeps_nan) {
  const std::vector<std::uint32_t> from{0x3E89CCD5, 0x3F808000, 0x3F818000, 0x7F800001, 0x7F7FFFFF,
                                        0x7F7F7FFF, 0x00008001, 0x80000001, 0xFF800001, 0x7FFFFFFF};
  const std::vector<std::uint16_t> expected{0x3E8A, 0x3F80, 0x3F82, 0x7FC0, 0x7F80,
                                            0x7F7F, 0x0001, 0x8000, 0xFFC0, 0x7FC0};
  std::vector<float> numbers;
  for (const auto bits : from) numbers.push_back(std::bit_cast<float>(bits));
  const auto x = Tensor::from({10}, numbers);
  const auto eager = convert(x, bf16);
  Tape tape;
  const auto source = tape.input(x);
  const Symbol out = convert(source, bf16);
  const auto network = std::move(tape).into_network();
  const auto interpreted = network.forward(network.parameters()).of(out);
  const auto planned = network.entry({out}).lower().forward(network.parameters()).of(out);
  for (const auto& result : {eager, Tensor::from({10}, numbers, bf16), interpreted, planned}) {
    const auto values = result.values<BFloat16>();
    for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(values[i].bits(), expected[i]) << i;
  }
  EXPECT_EQ(narrow(eager, 0, 0, 1).text(), "[0.27]");
}

/// 100 steps of Adam on loss = w, w held in one element and multiplied in bf16.
Tensor trained(ElementType held, bool through_plan) {
  Tape tape(held);
  const auto w = tape.parameter(1.0);
  const auto weight = convert(w, bf16);
  const auto one = tape.leaf(1.0, bf16);
  const auto product = weight * one;
  const Symbol loss = product, parameter = w;
  const auto adjoints = tape.differentiate(product, {w});
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry(adjoints.roots()).lower();
  auto parameters = network.parameters();
  Adam adam;
  for (int step = 0; step < 100; ++step) {
    const auto gradients = through_plan ? plan.forward(parameters).recorded_gradients(adjoints)
                                        : network.forward(parameters).backward(loss).parameters(parameters);
    parameters = adam.step(parameters, gradients, 6e-4);
  }
  return parameters.of(parameter);
}

TEST(Traps, P06_weights_in_bf16_alone_never_move_and_an_f32_master_does) {
  for (const bool through_plan : {false, true}) {
    EXPECT_EQ(trained(bf16, through_plan).item(), 1.0);
    const auto master = trained(f32, through_plan);
    EXPECT_EQ(master.element(), f32);
    EXPECT_NEAR(master.item(), 0.94, 1e-5);  // 100 roundings of f32
    EXPECT_EQ(convert(master, bf16).item(), 0.94140625);
  }
  EXPECT_TRUE(bits_agree(trained(f32, false), trained(f32, true)));
}

TEST(Traps, H06_an_inner_derivative_does_not_see_the_outer_direction) {
  for (const double at : {1.0, -0.5, 3.0}) {
    // x * D_y[x + y]: the inner derivative is 1 whatever x is.
    Tape tape(f64);
    const auto x = tape.parameter(at), y = tape.parameter(1.0);
    const auto total = x + y;
    const auto inner = tape.resolve(tape.differentiate(total, {y}).of(y));
    const auto outer = x * inner;
    EXPECT_EQ(derivative(std::move(tape), outer, x).item(), 1);
  }
  // Nested dual numbers: each level has its own tangent.
  const Dual<Tensor> x(Tensor::full({f64, {}}, 1), Tensor::full({f64, {}}, 1));
  const Dual<Dual<Tensor>> lifted(x);
  const Dual<Tensor> one(Tensor::full({f64, {}}, 1));
  const Dual<Dual<Tensor>> y(one, one);
  const auto inner = lifted + y;
  const auto outer = x * *inner.tangent();
  EXPECT_EQ(outer.tangent_or_zero().item(), 1);
}

TEST(Traps, H07_an_inner_gradient_keeps_the_variable_it_closes_over) {
  for (const double at : {1.0, 0.25, -2.0}) {
    // G = x * d/dy[x y] = x^2.
    Tape tape(f64);
    const auto x = tape.parameter(at), y = tape.parameter(2.0);
    const auto product = x * y;
    const auto inner = tape.resolve(tape.differentiate(product, {y}).of(y));
    const auto outer = x * inner;
    EXPECT_EQ(derivative(std::move(tape), outer, x).item(), 2 * at);
  }
}

TEST(Traps, H09_two_inner_derivatives_keep_a_captured_parameter) {
  for (const double at : {3.0, -1.0})
    for (const double point : {2.0, 0.5}) {
      // f(p) = d2/dx2 (p x^2) = 2 p.
      Tape tape(f64);
      const auto p = tape.parameter(at), x = tape.parameter(point);
      const auto square = x * x;
      const auto product = p * square;
      const auto first = tape.resolve(tape.differentiate(product, {x}).of(x));
      const auto second = tape.resolve(tape.differentiate(first, {x}).of(x));
      EXPECT_EQ(derivative(std::move(tape), second, p).item(), 2);
    }
}

TEST(Traps, R07_a_second_backward_starts_at_zero) {
  Tape tape(f64);
  const auto a = tape.parameter(1.0);
  const auto b = a * 2.0;
  const auto y = b * 3.0;
  const Symbol parameter = a, middle = b, target = y;
  const auto adjoints = tape.differentiate(y, {a, b});
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto plan = network.entry(adjoints.roots()).lower();
  const auto posture = network.entry({target}).backward().lower();
  auto planned = plan.forward(parameters);
  auto again = posture.forward(parameters);
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(run.backward(target).of(parameter).item(), 6);
    EXPECT_EQ(run.backward(target).of(middle).item(), 3);
    plan.forward_into(planned, parameters);
    EXPECT_EQ(planned.of(adjoints.of(parameter)).item(), 6);
    EXPECT_EQ(again.backward(target).of(parameter).item(), 6);
    posture.forward_into(again, parameters);
    EXPECT_EQ(again.backward(target).of(parameter).item(), 6);
  }
  // Who wants a sum writes one.
  const auto twice = run.backward(target) + run.backward(target);
  EXPECT_EQ(twice.of(parameter).item(), 12);
}

/// By value, through temporaries that are gone when the result is used.
auto fourth_power(auto x) {
  auto left = x * x;
  auto right = x * x;
  return left * right;
}
auto rosenbrock(auto a, auto b) {
  auto square = a * a;
  auto gap = square - b;
  auto steep = gap * gap;
  auto scaled = steep * 100.0;
  auto rest = 1.0 - a;
  auto flat = rest * rest;
  return scaled + flat;
}

TEST(Traps, T12_values_made_of_temporaries_keep_their_meaning) {
  {
    Tape tape(f64);
    const auto x = tape.parameter(2.0);
    auto y = fourth_power(x);
    EXPECT_EQ(derivative(std::move(tape), y, x).item(), 32);
  }
  for (const bool first : {true, false}) {
    Tape tape(f64);
    const auto a = tape.parameter(1.2), b = tape.parameter(1.0);
    auto f = rosenbrock(a, b);
    EXPECT_NEAR(derivative(std::move(tape), f, first ? a : b).item(), first ? 211.6 : -88.0, 1e-10);
  }
  const auto eager = fourth_power(Tensor::full({f64, {}}, 2));
  EXPECT_EQ(eager.item(), 16);
}

TEST(Traps, T13_a_const_copy_is_the_variable_and_a_foreign_one_is_an_error) {
  const auto determinant = [](const Value& u) {
    const auto flat = reshape(u, {4});
    const auto at = [&](Extent i) {
      const auto window = narrow(flat, 0, i, 1);
      return reshape(window, {});
    };
    const auto a = at(0), b = at(1), c = at(2), d = at(3);
    const auto left = a * d;
    const auto right = b * c;
    return left - right;
  };
  {
    Tape tape(f64);
    auto u = tape.parameter({{1, 2}, {3, 4}});
    const auto& reference = u;
    const Value copy = reference;
    EXPECT_EQ(derivative(std::move(tape), determinant(copy), copy).text(), "[[4, -3], [-2, 1]]");
  }
  Tape tape(f64), other(f64);
  const auto u = tape.parameter({{1, 2}, {3, 4}});
  const auto foreign = other.parameter({{1, 2}, {3, 4}});
  const auto loss = determinant(u);
  EXPECT_TRUE(throws([&] { tape.differentiate(loss, {foreign}); }, {.kind = ErrorKind::family}));
  EXPECT_TRUE(throws([&] { loss* determinant(foreign); }, {.kind = ErrorKind::family}));
  const Symbol target = loss, stranger = foreign;
  const auto network = std::move(tape).into_network();
  const auto field = network.forward(network.parameters()).backward(target);
  EXPECT_TRUE(throws([&] { field.of(stranger); }, {.kind = ErrorKind::family}));
}

TEST(Traps, M02_the_epsilon_of_adam_is_not_scaled) {
  for (const auto element : {f64, f32}) {
    Tape tape(element);
    const auto w = tape.parameter(0.0);
    const Symbol loss = w * 1e-8, parameter = w;
    const auto network = std::move(tape).into_network();
    auto parameters = network.parameters();
    Adam adam(0.9, 0.999, 1e-8);
    for (int step = 1; step <= 3; ++step) {
      const auto gradients = network.forward(parameters).backward(loss).parameters(parameters);
      parameters = adam.step(parameters, gradients, 0.1);
      // The gradient stands still, so both corrected moments do: every step is 0.1 * 1e-8 / (1e-8 + 1e-8).
      EXPECT_NEAR(parameters.of(parameter).item(), -0.05 * step, element == f64 ? 1e-12 : 1e-6);
    }
  }
}

}  // namespace
}  // namespace topos::test
