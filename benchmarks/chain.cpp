// A chain x = tanh(x) of scalars, up to a million nodes: time and memory a node of every phase of its life.
#include <sys/resource.h>
#include <topos/topos.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "allocations.h"
#include "chain_report.h"
#include "timing.h"

namespace {

/// The chain as it is recorded: one parameter and n times tanh.
struct Chain {
  std::optional<topos::Tape> tape;
  topos::Symbol first, loss;
};

Chain record(std::size_t n) {
  Chain chain;
  auto& tape = chain.tape.emplace(topos::f32);
  auto x = tape.parameter(0.5);
  chain.first = x;
  for (std::size_t i = 0; i < n; ++i) x = tanh(x);
  chain.loss = x;
  return chain;
}

void demand_same(const topos::Tensor& a, const topos::Tensor& b, const char* what) {
  if (!topos::same_bits(a, b)) throw std::runtime_error(std::string("not the same bits: ") + what);
}

/// The chain alone: what a program without training does. Every node is one of the chain.
void forward_phases(std::size_t n, Trial& trial) {
  const auto kind = Node::forward;
  Chain chain;
  std::optional<topos::Network> network;
  std::optional<topos::Plan> plan;
  std::optional<topos::Run> run, oracle;
  std::optional<topos::Field> field;
  std::optional<std::string> lines, module;
  trial.phase("record", kind, n + 1, [&] { chain = record(n); });
  network.emplace(std::move(*chain.tape).into_network());
  const auto parameters = network->parameters();
  trial.phase("lower, loss only", kind, n + 1, [&] { plan.emplace(network->entry({chain.loss}).lower()); });
  trial.phase("describe", kind, n + 1, [&] { lines = network->describe(); });
  lines.reset();
  trial.phase("emit", kind, n + 1, [&] { module = plan->emit_stablehlo(); });
  module.reset();
  trial.warmed_phase("run plan, loss only", kind, n + 1, [&] { run.emplace(plan->forward(parameters)); });
  trial.phase("interpret", kind, n + 1, [&] { oracle.emplace(network->forward(parameters)); });
  demand_same(run->of(chain.loss), oracle->of(chain.loss), "the loss of the plan and of the interpreter");
  trial.phase("engine backward", kind, n + 1, [&] { field.emplace(oracle->backward(chain.loss)); });
  trial.gradient = field->of(chain.first);
  field.reset();
  trial.phase("destroy interpreter's run", kind, n + 1, [&] { oracle.reset(); });
}

/// The chain with its recorded gradient: what a program that trains does.
void training_phases(std::size_t n, Trial& trial) {
  const auto kind = Node::any;
  auto chain = record(n);
  auto& tape = *chain.tape;
  const auto recorded = tape.size();
  std::optional<topos::Adjoints> adjoints;
  std::optional<topos::Network> network;
  std::optional<topos::Plan> plan;
  std::optional<topos::Run> run;
  // As many appended nodes as there will be: 6 a tanh, and the seed.
  trial.phase("differentiate", Node::appended, 6 * n + 1,
              [&] { adjoints.emplace(tape.differentiate(chain.loss, {chain.first})); });
  if (tape.size() != recorded + 6 * n + 1) throw std::runtime_error("differentiate appended another number of nodes");
  const auto all = tape.size();
  trial.phase("seal", kind, all, [&] { network.emplace(std::move(tape).into_network()); });
  const auto parameters = network->parameters();
  trial.phase("lower, loss and gradient", kind, all, [&] { plan.emplace(network->entry(adjoints->roots()).lower()); });
  trial.warmed_phase("run plan, loss and gradient", kind, all, [&] { run.emplace(plan->forward(parameters)); });
  demand_same(run->of(adjoints->of(chain.first)), trial.gradient, "the recorded gradient and the engine's");
  trial.phase("destroy plan's run", kind, all, [&] { run.reset(); });
  trial.phase("destroy plan", kind, all, [&] { plan.reset(); });
  trial.phase("destroy network", kind, all, [&] { network.reset(); });
}

void life(std::size_t n, Trial& trial) {
  forward_phases(n, trial);
  training_phases(n, trial);
}

std::size_t process_peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// Times first, with counting off; then one life in which only memory is measured.
Size measured(std::size_t n) {
  const int repeat = n <= 20'000 ? 9 : n <= 200'000 ? 5 : 2;
  Size size{n, {}, 0};
  for (int i = 0; i < repeat; ++i) {
    Trial trial(size.phases, Measure::time);
    life(n, trial);
  }
  allocations::counting = true;
  Trial trial(size.phases, Measure::memory);
  life(n, trial);
  allocations::counting = false;
  size.process_peak = process_peak();
  return size;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes{10'000, 100'000, 1'000'000};
  int status = 0;
  bool json = false;
  CLI::App app("Measures every phase in the life of a chain x = tanh(x) of f32 scalars: nanoseconds and bytes a node.");
  app.add_option("--sizes", sizes, "lengths of the chain, ascending")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_flag("--json", json, "print JSON instead of tables");
  if (!timing::parsed(app, argc, argv, status)) return status;
  try {
    measured(1'000);  // warms up caches, pages and everything that initialises itself
    std::vector<Size> results;
    for (const auto n : sizes) results.push_back(measured(n));
    fmt::print("{}", json ? json_of(results).dump(2) + "\n" : text_of(results));
  } catch (const std::exception& error) {
    fmt::print(stderr, "chain: {}\n", error.what());
    return 1;
  }
  return 0;
}
