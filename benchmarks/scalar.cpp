// A training step of one f64 parameter, the program of the README: nanoseconds a step through the plan and through the
// interpreter, whole and in parts.
#include <fmt/format.h>
#include <topos/topos.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "timing.h"

namespace {

constexpr double samples[3][2] = {{1.0, 2.0}, {2.0, 4.0}, {3.0, 6.0}};

topos::Tensor descend(const topos::Tensor& w, const topos::Tensor& g) { return w - g * 0.02; }

/// w * x - y, squared.
struct Model {
  topos::Value w, x, y, loss;
};
Model record(topos::Tape& tape) {
  auto w = tape.parameter(0.0);
  auto x = tape.input(0.0);
  auto y = tape.input(0.0);
  auto error = w * x - y;
  return {w, x, y, error * error};
}

struct Row {
  std::string path;
  std::string part;
  std::vector<double> times;
};

/// Times loops of `steps` calls, several of them, after one that warms up.
class Report {
 public:
  Report(int steps, int repeat) : steps_(steps), repeat_(repeat) {}

  template <class F>
  void row(std::string path, std::string part, F&& f) {
    Row row{std::move(path), std::move(part), {}};
    const auto loop = [&] {
      for (int step = 0; step < steps_; ++step) f(step);
    };
    loop();
    for (int i = 0; i < repeat_; ++i) row.times.push_back(timing::nanoseconds(loop) / steps_);
    rows_.push_back(std::move(row));
  }

  std::string table() const {
    auto text = fmt::format("{:<12} {:<40} {:>10} {:>10}\n", "path", "part", "best ns", "median ns");
    for (const auto& row : rows_)
      text += fmt::format("{:<12} {:<40} {:>10.1f} {:>10.1f}\n", row.path, row.part, timing::best(row.times),
                          timing::median(row.times));
    return text;
  }
  nlohmann::json json() const {
    auto rows = nlohmann::json::array();
    for (const auto& row : rows_)
      rows.push_back({{"path", row.path},
                      {"part", row.part},
                      {"best_nanoseconds", timing::best(row.times)},
                      {"median_nanoseconds", timing::median(row.times)}});
    return {{"benchmark", "scalar"}, {"steps", steps_}, {"repeat", repeat_}, {"rows", rows}};
  }

 private:
  int steps_;
  int repeat_;
  std::vector<Row> rows_;
};

/// The state after a fixed number of steps, for comparing the paths.
template <class Step>
topos::Parameters trained(topos::Parameters parameters, Step&& step) {
  for (int i = 0; i < 100; ++i) step(parameters, i);
  return parameters;
}

topos::Parameters through_plan(Report& report) {
  auto [network, w, x, y, adjoints] = topos::Tape::record(topos::f64, [](topos::Tape& tape) {
    const auto model = record(tape);
    return std::tuple(model.w, model.x, model.y, tape.differentiate(model.loss, {model.w}));
  });
  const auto plan = network.entry(adjoints.roots()).lower();
  auto parameters = network.parameters();
  auto run = plan.forward(parameters);
  const auto forward_into = [&](topos::Parameters& state, int i) {
    plan.forward_into(run, state, {{x, samples[i % 3][0]}, {y, samples[i % 3][1]}});
  };
  const auto step = [&](topos::Parameters& state, int i) {
    forward_into(state, i);
    state = state.step(run.recorded_gradients(adjoints), descend);
  };
  const auto fresh_step = [&](topos::Parameters& state, int i) {
    const auto fresh = plan.forward(state, {{x, samples[i % 3][0]}, {y, samples[i % 3][1]}});
    state = state.step(fresh.recorded_gradients(adjoints), descend);
  };
  const auto result = trained(network.parameters(), step);
  const auto fresh_result = trained(network.parameters(), fresh_step);
  if (!topos::same_bits(result.of(w), fresh_result.of(w))) throw std::runtime_error("forward and forward_into differ");

  report.row("plan", "step: forward_into, gradients, step", [&](int i) { step(parameters, i); });
  report.row("plan", "step: forward, gradients, step", [&](int i) { fresh_step(parameters, i); });
  report.row("plan", "part: forward_into", [&](int i) { forward_into(parameters, i); });
  report.row("plan", "part: forward",
             [&](int i) { plan.forward(parameters, {{x, samples[i % 3][0]}, {y, samples[i % 3][1]}}); });
  report.row("plan", "part: recorded_gradients", [&](int) { run.recorded_gradients(adjoints); });
  const auto gradients = run.recorded_gradients(adjoints);
  report.row("plan", "part: Parameters::step", [&](int) { parameters = parameters.step(gradients, descend); });
  return result;
}

topos::Parameters through_interpreter(Report& report) {
  auto [network, w, x, y, loss] = topos::Tape::record(topos::f64, [](topos::Tape& tape) {
    const auto model = record(tape);
    return std::tuple(model.w, model.x, model.y, model.loss);
  });
  auto parameters = network.parameters();
  const auto forward = [&](const topos::Parameters& state, int i) {
    return network.forward(state, {{x, samples[i % 3][0]}, {y, samples[i % 3][1]}});
  };
  const auto step = [&](topos::Parameters& state, int i) {
    const auto run = forward(state, i);
    state = state.step(run.backward(loss).parameters(state), descend);
  };
  const auto result = trained(network.parameters(), step);
  if (!(std::abs(result.of(w).item() - 2.0) < 1e-6)) throw std::runtime_error("the interpreter's training diverged");

  report.row("interpreter", "step: forward, backward, step", [&](int i) { step(parameters, i); });
  report.row("interpreter", "part: forward", [&](int i) { forward(parameters, i); });
  const auto run = forward(parameters, 0);
  report.row("interpreter", "part: backward, parameters", [&](int) { run.backward(loss).parameters(parameters); });
  const auto gradients = run.backward(loss).parameters(parameters);
  report.row("interpreter", "part: Parameters::step", [&](int) { parameters = parameters.step(gradients, descend); });
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 20'000, repeat = 21, status = 0;
  bool json = false;
  CLI::App app("Times a training step of one f64 parameter, w * x - y squared, through the plan and the interpreter.");
  app.add_option("--steps", steps, "steps in a timed loop")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--repeat", repeat, "timed loops a row")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_flag("--json", json, "print JSON instead of a table");
  if (!timing::parsed(app, argc, argv, status)) return status;
  try {
    Report report(steps, repeat);
    const auto planned = through_plan(report);
    const auto interpreted = through_interpreter(report);
    if (!topos::same_bits(planned.payloads()[0], interpreted.payloads()[0]))
      throw std::runtime_error("the plan and the interpreter trained to different bits");
    fmt::print("{}", json ? report.json().dump(2) + "\n" : report.table());
  } catch (const std::exception& error) {
    fmt::print(stderr, "scalar: {}\n", error.what());
    return 1;
  }
  return 0;
}
