// Forward mode by an algebra of the user's. The same network is read over dual numbers whose parts are tensors, which
// computes a derivative along a direction at once, and over dual numbers whose parts are values, which records it; read
// over its own recorded gradient it gives a product with the Hessian. The reverse scan has the last word.
#include <fmt/format.h>

#include <iostream>
#include <stdexcept>
#include <vector>

#include "examples/models/dual_algebra.h"
#include "examples/support/command_line.h"

namespace {

using examples::Dual;
using topos::Symbol;
using topos::Tensor;
using topos::Value;

void demand(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

/// Every node's payload with its tangent along `direction` of the source `moving`.
std::vector<Dual<Tensor>> along(const topos::Network& network, Symbol moving, const Tensor& direction) {
  return topos::walk<Dual<Tensor>>(network, network.parameters(), [&](Symbol symbol, const Tensor& payload) {
    return symbol == moving ? Dual<Tensor>(payload, direction) : Dual<Tensor>(payload);
  });
}

/// The same recorded: the tangent of `output` as a node of a network of its own, run once.
Tensor recorded_along(const topos::Network& network, Symbol moving, const Tensor& direction, Symbol output) {
  topos::Tape tape(network.element());
  const auto duals = topos::walk<Dual<Value>>(network, network.parameters(), [&](Symbol symbol, const Tensor& payload) {
    const auto value = tape.input(payload);
    if (symbol != moving) return Dual<Value>(value);
    const auto tangent = tape.input(direction);
    return Dual<Value>(value, tangent);
  });
  const Symbol slope = duals[output.index()].tangent_or_zero();
  const auto recorded = std::move(tape).into_network();
  return recorded.entry({slope}).lower().forward(recorded.parameters()).of(slope);
}

/// A layer with a squared error, along a direction that moves every weight.
void compare_eager_and_recorded() {
  const auto [network, weights, loss] = topos::Tape::record(topos::f64, [](topos::Tape& tape) {
    const auto weights = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
    const auto input = tape.input({{1.0, 2.0}});
    const auto target = tape.input({{0.8, 0.4}});
    const auto product = matmul(input, weights);
    const auto hidden = tanh(product);
    const auto error = hidden - target;
    const auto loss = sum(error * error);
    return std::tuple(weights, loss);
  });
  const auto direction = Tensor::of({{0.5, 0.25}, {-0.125, 0.75}}, topos::f64);
  const auto eager = *along(network, weights, direction)[loss.index()].tangent();
  const auto recorded = recorded_along(network, weights, direction, loss);
  demand(same_bits(eager, recorded), "the recorded tangent must be the eager one, bit for bit");
  std::cout << fmt::format("jvp of a layer's loss: eager = recorded = {}\n", eager.text());
}

/// The sum of cubes at dyadic numbers, where every reading is exact.
void compare_forward_and_reverse() {
  topos::Tape tape(topos::f64);
  const auto w = tape.parameter({0.5, -0.25, 1.5});
  const auto square = w * w;
  const auto cube = square * w;
  const auto loss = sum(cube);
  const auto gradient = tape.differentiate(loss, {w});
  const auto weight = tape.leaf({0.25, 1.0, -0.5});
  const auto product = tape.resolve(gradient.of(w)) * weight;
  const auto slope = sum(product);
  const auto second = tape.differentiate(slope, {w});
  const Symbol parameter = w, target = loss, first = gradient.of(w), slope_target = slope;
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());

  const auto direction = Tensor::of({0.25, 1.0, -0.5}, topos::f64);
  const auto duals = along(network, parameter, direction);
  const auto forward_slope = *duals[target.index()].tangent();
  demand(same_bits(forward_slope, run.of(slope_target)), "forward and reverse slopes must agree bit for bit");
  std::cout << fmt::format("sum of cubes: slope along the direction = {}, as the reverse scan has it\n",
                           forward_slope.text());

  // Forward over reverse: the tangent of the recorded gradient.
  const auto hessian_product = *duals[first.index()].tangent();
  demand(same_bits(hessian_product, run.of(second.of(parameter))), "forward over reverse must be reverse over reverse");
  demand(same_bits(hessian_product, recorded_along(network, parameter, direction, first)), "recorded, too");
  std::cout << fmt::format("sum of cubes: Hessian times the direction = {}, as reverse over reverse has it\n",
                           hessian_product.text());
}

int forward_mode() {
  compare_eager_and_recorded();
  compare_forward_and_reverse();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run(
      argc, argv, "Forward mode by a user's algebra of dual numbers, eager and recorded, graded against reverse mode.",
      [](CLI::App&) {}, forward_mode);
}
