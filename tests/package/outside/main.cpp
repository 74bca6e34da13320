// The front door of the README, and an element of this program's own, built outside the project; fails unless both
// print as they should.
#include <topos/custom.h>

#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

/// Quarters.
struct Quarter {
  std::int32_t raw;
};
inline Quarter operator+(Quarter a, Quarter b) { return {a.raw + b.raw}; }
inline Quarter operator*(Quarter a, Quarter b) { return {a.raw * b.raw / 4}; }

template <>
struct topos::ElementTraits<Quarter> : topos::NumberTraits<Quarter> {
  static constexpr std::string_view name = "quarter";
  static Quarter from_double(double x) { return {static_cast<std::int32_t>(x * 4)}; }
  static double to_double(const Quarter& x) { return x.raw / 4.0; }
};

/// d(w w)/dw at 1.25, over the element of this program's.
std::string slope_over_quarters() {
  topos::Tape tape(topos::element_of<Quarter>());
  const auto w = tape.parameter(1.25);
  const auto square = w * w;
  const auto adjoints = tape.differentiate(square, {w});
  const topos::Symbol gradient = adjoints.of(w);
  const auto network = std::move(tape).into_network();
  return network.entry(adjoints.roots()).lower().forward(network.parameters()).of(gradient).text();
}

int main() {
  topos::Tape tape(topos::f32);
  auto weights = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
  auto input = tape.input({{1.0, 2.0}});
  auto product = matmul(input, weights);
  auto hidden = tanh(product);
  auto loss = sum(hidden * hidden);
  auto adjoints = tape.differentiate(loss, {weights});
  auto network = std::move(tape).into_network();

  auto plan = network.entry(adjoints.roots()).observe({hidden}).lower();
  auto run = plan.forward(network.parameters());
  std::cout << plan.describe() << run.of(loss) << "\n" << plan.emit_stablehlo();

  std::ostringstream printed;
  printed << run.of(loss);
  if (printed.str() != "0.83054614") {
    std::cerr << "the loss is " << printed.str() << ", not 0.83054614\n";
    return 1;
  }
  if (slope_over_quarters() != "2.5") {
    std::cerr << "the slope over quarters is " << slope_over_quarters() << ", not 2.5\n";
    return 1;
  }
  return 0;
}
