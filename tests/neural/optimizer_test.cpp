// Tests of the optimizers: their arithmetic by hand, their state, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/bits.h"
#include "tests/support/error.h"
#include "topos/topos.h"

namespace topos {
namespace {

using test::Misuse;
using test::throws;

/// Two parameters of the element, and gradients for a step.
struct Problem {
  Network network;
  Symbol a;
  Symbol b;

  Parameters gradients(int step) const {
    const auto parameters = network.parameters();
    const double t = step;
    return parameters.with({{a, Tensor::of({0.5 + t, -0.25 * t, 3.0}, network.element())},
                            {b, Tensor::of(0.125 * t - 1.0, network.element())}});
  }
};

Problem problem(ElementType element) {
  auto [network, a, b] = Tape::record(element, [](Tape& tape) {
    const auto a = tape.parameter({1.0, -2.0, 0.3});
    const auto b = tape.parameter(0.7);
    return std::tuple(a, b);
  });
  return {std::move(network), a, b};
}

template <class T>
void expect_sgd_by_hand(ElementType element) {
  const Problem made = problem(element);
  const auto before = made.network.parameters();
  const auto gradients = made.gradients(1);
  Sgd sgd;
  const auto after = sgd.step(before, gradients, 0.1);
  for (const Symbol symbol : {made.a, made.b}) {
    const auto p = before.of(symbol).values<T>();
    const auto g = gradients.of(symbol).values<T>();
    const auto next = after.of(symbol).values<T>();
    for (std::size_t i = 0; i < p.size(); ++i) {
      const T share = g[i] * static_cast<T>(0.1);
      EXPECT_EQ(next[i], p[i] - share);
    }
  }
}

TEST(sgd, is_the_parameter_less_rate_times_gradient) {
  expect_sgd_by_hand<float>(f32);
  expect_sgd_by_hand<double>(f64);
}

template <class T>
void expect_adam_by_hand(ElementType element) {
  const Problem made = problem(element);
  const double beta1 = 0.9;
  const double beta2 = 0.99;
  const double epsilon = 1e-6;
  const double rate = 0.05;
  for (const Symbol symbol : {made.a, made.b}) {
    auto expected = made.network.parameters().of(symbol).values<T>().to_vector();
    std::vector<T> first(expected.size(), T{0});
    std::vector<T> second(expected.size(), T{0});
    double power1 = 1;
    double power2 = 1;
    Adam own(beta1, beta2, epsilon);
    auto state = made.network.parameters();
    for (int step = 0; step < 5; ++step) {
      const auto gradients = made.gradients(step);
      state = own.step(state, gradients, rate);
      power1 *= beta1;
      power2 *= beta2;
      const auto g = gradients.of(symbol).values<T>();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const T kept1 = first[i] * static_cast<T>(beta1);
        const T new1 = g[i] * static_cast<T>(1 - beta1);
        first[i] = kept1 + new1;
        const T square = g[i] * g[i];
        const T kept2 = second[i] * static_cast<T>(beta2);
        const T new2 = square * static_cast<T>(1 - beta2);
        second[i] = kept2 + new2;
        const T top = first[i] / static_cast<T>(1 - power1);
        const T under = second[i] / static_cast<T>(1 - power2);
        const T bottom = std::sqrt(under) + static_cast<T>(epsilon);
        const T direction = top / bottom;
        const T share = direction * static_cast<T>(rate);
        expected[i] = expected[i] - share;
      }
      const auto got = state.of(symbol).values<T>();
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(got[i], expected[i]) << "step " << step << " " << i;
    }
  }
}

TEST(adam, has_the_bits_of_its_written_arithmetic) {
  expect_adam_by_hand<float>(f32);
  expect_adam_by_hand<double>(f64);
}

TEST(adam, a_copy_goes_its_own_way) {
  const auto made = problem(f64);
  Adam adam;
  auto parameters = adam.step(made.network.parameters(), made.gradients(0), 0.1);
  auto copy = adam;
  const auto once = adam.step(parameters, made.gradients(1), 0.1);
  const auto other = copy.step(parameters, made.gradients(1), 0.1);
  EXPECT_TRUE(test::bits_agree(once.of(made.a), other.of(made.a)));
  Adam fresh;
  EXPECT_FALSE(same_bits(fresh.step(parameters, made.gradients(1), 0.1).of(made.a), once.of(made.a)));
}

TEST(adam, a_refused_step_changes_nothing) {
  const auto made = problem(f64);
  const auto other = problem(f64);
  Adam adam;
  auto parameters = adam.step(made.network.parameters(), made.gradients(0), 0.1);
  auto copy = adam;
  EXPECT_TRUE(throws([&] { adam.step(parameters, other.gradients(0), 0.1); }, Misuse{ErrorKind::family}));
  const auto wrong = made.gradients(0).map([](const Tensor& g) { return convert(g, f32); });
  EXPECT_TRUE(throws([&] { adam.step(parameters, wrong, 0.1); }, Misuse{ErrorKind::type}));
  EXPECT_TRUE(test::bits_agree(adam.step(parameters, made.gradients(1), 0.1).of(made.a),
                               copy.step(parameters, made.gradients(1), 0.1).of(made.a)));
}

TEST(adam, refuses_hyper_parameters_outside_their_meaning) {
  const auto refused = [](double beta1, double beta2, double epsilon, const char* word) {
    return throws([&] { Adam(beta1, beta2, epsilon); }, Misuse{ErrorKind::argument, "Adam", {}, {word}});
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused(1.0, 0.9, 1e-8, "beta1 1"));
  EXPECT_TRUE(refused(-0.1, 0.9, 1e-8, "beta1 -0.1"));
  EXPECT_TRUE(refused(nan, 0.9, 1e-8, "beta1"));
  EXPECT_TRUE(refused(0.9, 1.5, 1e-8, "beta2 1.5"));
  EXPECT_TRUE(refused(0.9, 0.9, -1, "epsilon -1"));
  EXPECT_TRUE(refused(0.9, 0.9, std::numeric_limits<double>::infinity(), "epsilon"));
}

TEST(optimizer, is_chosen_at_run_time) {
  auto [network, w, loss] = Tape::record(f64, [](Tape& tape) {
    const auto w = tape.parameter(5.0);
    const auto error = w - 3.0;
    return std::tuple(w, error * error);
  });
  Sgd sgd;
  Adam adam;
  for (Optimizer* optimizer : {static_cast<Optimizer*>(&sgd), static_cast<Optimizer*>(&adam)}) {
    auto parameters = network.parameters();
    for (int step = 0; step < 500; ++step) {
      const auto gradients = network.forward(parameters).backward(loss).parameters(parameters);
      parameters = optimizer->step(parameters, gradients, 0.1);
    }
    EXPECT_NEAR(parameters.of(w).item(), 3.0, 1e-3);
  }
}

}  // namespace
}  // namespace topos
