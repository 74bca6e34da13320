// Numbers of the user's own as elements: a double that counts its fused multiply-adds, and a fixed-point number of 16
// bits. Both record, run, differentiate and train like the built-in ones.
#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "topos/custom.h"

#include "examples/support/command_line.h"

namespace examples {

/// f64 in every bit, audited: products are counted where they happen.
struct Audited {
  double value;
};
std::int64_t multiply_adds = 0;

Audited operator+(Audited a, Audited b) { return {a.value + b.value}; }
Audited operator-(Audited a, Audited b) { return {a.value - b.value}; }
Audited operator*(Audited a, Audited b) { return {a.value * b.value}; }
Audited operator-(Audited a) { return {-a.value}; }

/// 1/1024 a step, from -32 to 32.
struct Fixed {
  std::int16_t raw;
};
Fixed fixed(std::int64_t raw) { return {static_cast<std::int16_t>(raw)}; }
Fixed operator+(Fixed a, Fixed b) { return fixed(a.raw + b.raw); }
Fixed operator-(Fixed a, Fixed b) { return fixed(a.raw - b.raw); }
Fixed operator*(Fixed a, Fixed b) { return fixed((a.raw * b.raw + 512) >> 10); }
Fixed operator-(Fixed a) { return fixed(-a.raw); }

}  // namespace examples

template <>
struct topos::ElementTraits<examples::Audited> : topos::NumberTraits<examples::Audited> {
  using Number = examples::Audited;
  static constexpr std::string_view name = "audited";
  static Number from_double(double x) { return {x}; }
  static double to_double(const Number& x) { return x.value; }
  static Number multiply_add(const Number& a, const Number& b, const Number& c) {
    ++examples::multiply_adds;
    return {__builtin_fma(a.value, b.value, c.value)};
  }
};
template <>
struct topos::ElementTraits<examples::Fixed> : topos::NumberTraits<examples::Fixed> {
  static constexpr std::string_view name = "fixed";
  static examples::Fixed from_double(double x) {
    const double scaled = x * 1024;
    return examples::fixed(static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5));
  }
  static double to_double(const examples::Fixed& x) { return x.raw / 1024.0; }
};

namespace {

void demand(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

/// A product over the audited element, by the interpreter and by a plan, beside that of f64.
void audit_a_product() {
  const auto audited = topos::element_of<examples::Audited>();
  const auto [network, product] = topos::Tape::record(audited, [](topos::Tape& tape) {
    const auto a = tape.parameter({{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}});
    const auto b = tape.input({{1.0, -2.0}, {0.7, 0.3}, {-0.9, 0.25}});
    return matmul(a, b);
  });
  const auto expected = matmul(topos::Tensor::of({{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, topos::f64),
                               topos::Tensor::of({{1.0, -2.0}, {0.7, 0.3}, {-0.9, 0.25}}, topos::f64));
  examples::multiply_adds = 0;
  const auto planned = network.entry({product}).lower().forward(network.parameters()).of(product);
  const auto counted = examples::multiply_adds;
  const auto interpreted = network.forward(network.parameters()).of(product);
  demand(same_bits(planned, interpreted), "a plan must give the interpreter's bits");
  demand(same_bits(convert(planned, topos::f64), expected), "the audited product must be that of f64");
  std::cout << fmt::format("{} fused multiply-adds audited; product matches the reference bit for bit\n", counted);
}

/// Fits w to data that 2 explains, over any element.
double train(topos::ElementType element, double rate) {
  const auto [network, w, x, y, loss] = topos::Tape::record(element, [](topos::Tape& tape) {
    const auto w = tape.parameter(0.0);
    const auto x = tape.input(0.0);
    const auto y = tape.input(0.0);
    const auto product = w * x;
    const auto error = product - y;
    const auto loss = error * error;
    return std::tuple(w, x, y, loss);
  });
  auto parameters = network.parameters();
  const std::pair<double, double> samples[] = {{1.0, 2.0}, {2.0, 4.0}, {0.5, 1.0}};
  for (int step = 0; step < 300; ++step) {
    const auto [sample_x, sample_y] = samples[step % 3];
    const auto run = network.forward(parameters, {{x, sample_x}, {y, sample_y}});
    const auto gradients = run.backward(loss).parameters(parameters);
    parameters = parameters.step(
        gradients, [&](const topos::Tensor& weight, const topos::Tensor& slope) { return weight - slope * rate; });
  }
  return parameters.of(w).item();
}

int element_seam() {
  audit_a_product();
  std::cout << fmt::format("trained w = {:.6f} on the audited element (target 2)\n",
                           train(topos::element_of<examples::Audited>(), 0.05));
  std::cout << fmt::format("trained w = {:.6f} on the fixed-point element, steps of 1/1024 (target 2)\n",
                           train(topos::element_of<examples::Fixed>(), 0.05));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run(
      argc, argv, "Elements of the user's own: an audited double and a fixed-point number, trained like any other.",
      [](CLI::App&) {}, element_seam);
}
