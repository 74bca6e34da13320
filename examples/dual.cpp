// A derivative by an element of the user's: the number itself carries value and tangent. The same lines of a program,
// recorded over it, give at a forward run what the engine's backward and the recorded gradient give over f64.
#include <fmt/format.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <tuple>

#include "topos/custom.h"

#include "examples/support/command_line.h"

namespace examples {

/// A number and its derivative by one variable.
struct DualNumber {
  double value, tangent;
};
DualNumber operator+(DualNumber a, DualNumber b) { return {a.value + b.value, a.tangent + b.tangent}; }
DualNumber operator-(DualNumber a, DualNumber b) { return {a.value - b.value, a.tangent - b.tangent}; }
DualNumber operator*(DualNumber a, DualNumber b) {
  return {a.value * b.value, a.tangent * b.value + a.value * b.tangent};
}

}  // namespace examples

template <>
struct topos::ElementTraits<examples::DualNumber> : topos::NumberTraits<examples::DualNumber> {
  static constexpr std::string_view name = "dual";
  static examples::DualNumber from_double(double x) { return {x, 0}; }  // a constant: it does not move
  static double to_double(const examples::DualNumber& x) { return x.value; }
};

namespace {

struct Case {
  double slope, offset, w;
  const char* text;
};

/// (w * slope - offset)^2 over any element.
auto record(topos::ElementType element, const Case& c) {
  return topos::Tape::record(element, [&](topos::Tape& tape) {
    const auto w = tape.parameter(c.w);
    const auto product = w * c.slope;
    const auto error = product - c.offset;
    const auto loss = error * error;
    return std::tuple(w, loss);
  });
}

double by_the_element(const Case& c) {
  const auto dual = topos::element_of<examples::DualNumber>();
  const auto [network, w, loss] = record(dual, c);
  const auto moving = topos::Tensor::from<examples::DualNumber>({}, {{c.w, 1}});
  const auto run = network.forward(network.parameters().with({{w, moving}}));
  return run.of(loss).scalar<examples::DualNumber>().tangent;
}

double by_the_engine(const Case& c) {
  const auto [network, w, loss] = record(topos::f64, c);
  return network.forward(network.parameters()).backward(loss).of(w).item();
}

double by_the_recorded_gradient(const Case& c) {
  auto [network, w, loss] = record(topos::f64, c);
  auto tape = std::move(network).into_tape();
  const auto adjoints = tape.differentiate(loss, {w});
  const auto grown = std::move(tape).into_network();
  const auto plan = grown.entry(adjoints.roots()).lower();
  return plan.forward(grown.parameters()).of(adjoints.of(w)).item();
}

int dual() {
  for (const auto& c : {Case{0.25, 1.5, 0.5, "(w*0.25 - 1.5)^2"}, Case{1.25, 0.5, -0.75, "(w*1.25 - 0.5)^2"},
                        Case{-0.5, -1.25, 2, "(w*-0.5 - -1.25)^2"}}) {
    const auto forward = by_the_element(c);
    if (forward != by_the_engine(c) || forward != by_the_recorded_gradient(c))
      throw std::runtime_error("the three routes must give one number");
    std::cout << fmt::format("d/dw {} at w = {}: {} on all three routes\n", c.text, c.w, forward);
  }
  std::cout << "the dual element forward, the engine's backward and the recorded gradient agree bit for bit\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run(
      argc, argv, "Derivatives by a number that carries its tangent, against the engine and the recorded gradient.",
      [](CLI::App&) {}, dual);
}
