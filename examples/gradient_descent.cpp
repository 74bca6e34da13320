// One network, many states: a line fitted to three points from three learning rates at once. The network is recorded
// once and never written again, so threads share it; what each of them changes is a set of parameters of its own.
#include <fmt/format.h>

#include <chrono>
#include <future>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "examples/models/line_fit.h"
#include "examples/support/chart.h"
#include "examples/support/command_line.h"

namespace {

constexpr int steps = 500;

struct Trained {
  topos::Parameters parameters;
  std::vector<double> losses;
};

Trained train(const topos::Network& network, topos::Symbol loss, topos::Parameters parameters, double rate) {
  std::vector<double> losses;
  topos::Sgd optimizer;
  for (int step = 0; step < steps; ++step) {
    const auto run = network.forward(parameters);
    losses.push_back(run.of(loss).item());
    const auto gradients = run.backward(loss).parameters(parameters);
    parameters = optimizer.step(parameters, gradients, rate);
  }
  losses.push_back(network.forward(parameters).of(loss).item());
  return {parameters, losses};
}

int gradient_descent() {
  const auto [network, w, b, point_losses, loss] = topos::Tape::record(topos::f64, examples::record_line_fit);
  const auto parameters = network.parameters();

  // A run is an immutable value too: one thread a point differentiates the same run.
  const auto run = network.forward(parameters);
  std::vector<std::future<double>> slopes;
  for (const auto point_loss : point_losses) {
    slopes.push_back(
        std::async(std::launch::async, [&run, w = w, point_loss] { return run.backward(point_loss).of(w).item(); }));
  }
  std::string printed;
  double sum = 0;
  for (auto& slope : slopes) {
    const auto value = slope.get();
    printed += fmt::format("{}{:.1f}", printed.empty() ? "" : ", ", value);
    sum += value;
  }
  const auto whole = run.backward(loss).of(w).item();
  std::cout << fmt::format("per-sample d/dw, computed on separate threads: [{}]\n", printed);
  std::cout << fmt::format("their sum {} equals the total-loss d/dw {} by linearity\n", sum, whole);
  if (sum != whole) throw std::runtime_error("the gradients of the samples must add up to that of the total loss");

  const std::vector<double> rates{0.005, 0.02, 0.05};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::future<Trained>> training;
  for (const auto rate : rates) {
    training.push_back(std::async(std::launch::async, [&network = network, loss = loss, &parameters, rate] {
      return train(network, loss, parameters, rate);
    }));
  }
  std::vector<Trained> trained;
  for (auto& each : training) trained.push_back(each.get());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  std::cout << fmt::format("trained {} states of {} steps in {:.3f}s\n", rates.size(), steps, elapsed.count());
  std::cout << "parallel training on cloned states (target: w = 2, b = 1):\n";
  examples::ChartStyle style;
  style.log_y = true;
  examples::Chart chart("loss of three learning rates", style);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const auto& [state, losses] = trained[i];
    std::cout << fmt::format("  lr = {:5.3f}: loss = {:.6f}, w = {:.3f}, b = {:.3f}\n", rates[i], losses.back(),
                             state.of(w).item(), state.of(b).item());
    chart.add(fmt::format("lr {:.3f}", rates[i]), losses);
  }
  std::cout << '\n' << chart.axes("step", "loss").text();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run(
      argc, argv, "One network, many states: a line fitted from three learning rates at once.", [](CLI::App&) {},
      gradient_descent);
}
