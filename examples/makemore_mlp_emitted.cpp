// The network of makemore_mlp trained through its emitted text: one training step, recorded whole as one function, is
// compiled by another program's engine, which keeps the parameters. Every loss is graded against the plan in process.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "examples/models/makemore_mlp.h"
#include "examples/models/makemore_step.h"
#include "examples/models/makemore_training.h"
#include "examples/support/chart.h"
#include "examples/support/command_line.h"
#include "examples/support/names.h"
#include "examples/support/progress.h"
#include "examples/support/resident_process.h"
#include "examples/support/stablehlo_server.h"

namespace {

using examples::ResidentProcess;
using Clock = std::chrono::steady_clock;

/// How far two losses of one step may lie apart, relative to the plan's. An engine rounds its sums and its tanh
/// otherwise than we do, by about 1e-7, and the parameters carry that on from step to step: 2.5e-7 was the most in
/// 2,000 steps of XLA, and 7e-7 in 20,000. The rest is room for other engines.
constexpr double envelope = 1e-5;

constexpr double adam_learning_rate = 0.002;

struct Options {
  std::string data;
  std::string server;
  std::string optimizer = "sgd";
  std::int64_t steps = 2000;
  std::uint64_t seed = 1;
  double timeout = 60;
  bool ship = false;
};

struct Model {
  topos::Network network;
  examples::MakemoreSampler sampler;
  examples::MakemoreStep step;
};

Model record(const Options& options, const examples::MakemoreSeeds& seeds) {
  topos::Tape tape(topos::f32);
  const examples::MakemoreSizes sizes;
  const examples::MakemoreMlp model(tape, sizes, seeds.embedding, seeds.layers);
  const auto sampler = examples::record_makemore_sampler(tape, model, sizes);
  const auto step =
      options.optimizer == "adam"
          ? examples::record_makemore_step(tape, model, sizes, topos::Adam(), adam_learning_rate)
          : examples::record_makemore_step(tape, model, sizes, topos::Sgd(), examples::makemore_learning_rate);
  return {std::move(tape).into_network(), sampler, step};
}

/// The step as a plan: the loss and the next state, each part of which may be written where the last one stood.
topos::Plan lowered(const Model& model) {
  return model.network.entry(model.step.update.roots()).replaces(model.step.update.replacements()).lower();
}

/// Trains by the plan, in this process.
class InProcess {
 public:
  InProcess(const Model& model, const topos::Plan& plan)
      : model_(model), plan_(plan), state_(model.network.parameters()) {}

  double step(const std::vector<topos::Feed>& feeds) {
    if (run_)
      plan_.forward_into(*run_, state_, feeds);
    else
      run_ = plan_.forward(state_, feeds);
    state_ = model_.step.update.apply(*run_, state_);
    return run_->of(model_.step.batch.loss).item();
  }

 private:
  const Model& model_;
  const topos::Plan& plan_;
  topos::Parameters state_;
  std::optional<topos::Run> run_;
};

/// Trains by the emitted module, in the server. The state is kept there, in the slot of its argument's place, or is
/// shipped both ways with each batch.
class InServer {
 public:
  InServer(const Model& model, const topos::Plan& plan, ResidentProcess& process, const std::string& module, bool ship)
      : model_(model), process_(process), ship_(ship), sources_(plan.arguments()) {
    program_ = process.load(module);
    if (program_.arguments != sources_.size() || program_.results != plan.results().size())
      throw std::runtime_error(fmt::format("the server sees {} arguments and {} results in a module of {} and {}",
                                           program_.arguments, program_.results, sources_.size(),
                                           plan.results().size()));
    const auto initial = model.network.parameters();
    results_.emplace_back(ResidentProcess::SendBack{});
    for (const auto& [source, value] : model.step.update.replacements()) {
      const auto place = place_of(source);
      places_.push_back(place);
      if (ship) {
        state_.push_back(initial.of(source));
        results_.emplace_back(ResidentProcess::SendBack{});
      } else {
        process.put({place}, initial.of(source));
        results_.emplace_back(ResidentProcess::Slot{place});
      }
    }
    arguments_.resize(sources_.size());
  }

  double step(const std::vector<topos::Feed>& feeds) {
    for (const auto& feed : feeds) arguments_[place_of(feed.input)] = *feed.value.strong();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (ship_)
        arguments_[places_[i]] = state_[i];
      else
        arguments_[places_[i]] = ResidentProcess::GivenUp{{places_[i]}};
    }
    auto sent = process_.run(program_, arguments_, results_);
    if (ship_) state_.assign(sent.begin() + 1, sent.end());
    return static_cast<double>(sent[0].scalar<float>());
  }

  /// The state as it is now, fetched from the server where it is kept there.
  topos::Parameters state() {
    std::vector<std::pair<topos::Symbol, topos::Tensor>> now;
    for (std::size_t i = 0; i < places_.size(); ++i)
      now.emplace_back(sources_[places_[i]], ship_ ? state_[i] : process_.get({places_[i]}));
    return model_.network.parameters().with(now);
  }

 private:
  std::uint32_t place_of(topos::Symbol source) const {
    return static_cast<std::uint32_t>(std::find(sources_.begin(), sources_.end(), source) - sources_.begin());
  }

  const Model& model_;
  ResidentProcess& process_;
  bool ship_;
  std::vector<topos::Symbol> sources_;  // of the module's arguments
  ResidentProcess::Program program_;
  std::vector<std::uint32_t> places_;  // of the state among the arguments
  std::vector<topos::Tensor> state_;   // only where it is shipped
  std::vector<ResidentProcess::Argument> arguments_;
  std::vector<ResidentProcess::Result> results_;
};

/// The losses of both, and the seconds that they took.
struct Graded {
  std::vector<double> plan;
  std::vector<double> server;
  double plan_seconds = 0;
  double server_seconds = 0;

  /// |server - plan| / |plan| of the steps from `first` on.
  std::vector<double> differences(std::size_t first = 0) const {
    std::vector<double> all;
    for (auto i = first; i < plan.size(); ++i) all.push_back(std::abs(server[i] - plan[i]) / std::abs(plan[i]));
    return all;
  }
};

/// The largest, NaN if any is one.
double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values)
    if (!(value <= most)) most = value;
  return most;
}

template <class Call>
auto timed(double& seconds, Call&& call) {
  const auto start = Clock::now();
  auto result = call();
  seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

Graded train(InProcess& plan, InServer& server, examples::MakemoreBatches& batches, std::int64_t steps) {
  Graded graded;
  examples::Progress progress(steps);
  const auto window = std::max<std::int64_t>(1, steps / 10);
  for (std::int64_t step = 1; step <= steps; ++step) {
    const auto feeds = batches.next();
    graded.server.push_back(timed(graded.server_seconds, [&] { return server.step(feeds); }));
    graded.plan.push_back(timed(graded.plan_seconds, [&] { return plan.step(feeds); }));
    progress.update(step, graded.server.back());
    if (step % window != 0) continue;
    progress.clear();
    const auto count = static_cast<std::size_t>(window);
    const auto differences = graded.differences(graded.plan.size() - count);
    std::cout << fmt::format("steps {:5}..{:5}: mean loss {:.6f} by the plan, {:.6f} by the server; ", step - window,
                             step, examples::mean_of_last(graded.plan, count),
                             examples::mean_of_last(graded.server, count))
              << fmt::format("apart by {:.1e} at most, {:.1e} on average\n", largest(differences),
                             examples::mean(differences))
              << std::flush;
  }
  return graded;
}

void print_chart(const Graded& graded) {
  examples::Chart chart("loss of the network over three letters");
  chart.add("plan in process", examples::chart_means(graded.plan))
      .add("emitted module", examples::chart_means(graded.server))
      .rule(2.45, "bigram limit")
      .axes("step", "loss");
  std::cout << '\n' << chart.x_range(0, static_cast<double>(graded.plan.size())).text();
}

std::unique_ptr<ResidentProcess> start(const Options& options) {
  examples::ResidentLimits limits;
  limits.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout * 1e3));
  try {
    return std::make_unique<ResidentProcess>(examples::stablehlo_server(options.server), limits);
  } catch (const examples::ChildError& error) {
    throw examples::MissingData(error.what());
  } catch (const std::invalid_argument& error) {
    throw examples::MissingData(error.what());
  }
}

int makemore(const Options& options) {
  const auto names = examples::load_names(examples::default_names_path(options.data));
  const auto process = start(options);
  const examples::MakemoreSeeds seeds(options.seed);
  const auto samples =
      examples::contexts(examples::split(names, seeds.split).training, examples::MakemoreSizes().context);
  const auto model = record(options, seeds);
  const auto plan = lowered(model);
  const auto module = plan.emit_stablehlo();
  std::cout << fmt::format("emitted one step of {}: {} bytes of text, {} arguments, {} results\n", options.optimizer,
                           module.size(), plan.arguments().size(), plan.results().size());

  double loading = 0;
  auto server = timed(loading, [&] { return InServer(model, plan, *process, module, options.ship); });
  std::cout << fmt::format("timing: started and compiled in {:.2f} s\n", loading);
  std::cout << (options.ship ? "the parameters travel both ways with every batch\n"
                             : "the parameters stay in the server\n");
  InProcess in_process(model, plan);
  examples::MakemoreBatches batches(model.step.batch, samples, seeds.batches);
  const auto graded = train(in_process, server, batches, options.steps);
  const auto steps = static_cast<double>(options.steps);
  std::cout << fmt::format("timing: {:.2f} ms a step by the server, {:.2f} ms by the plan\n",
                           graded.server_seconds * 1e3 / steps, graded.plan_seconds * 1e3 / steps);
  print_chart(graded);

  std::cout << "\nnames sampled from the server's parameters:\n";
  const auto sampled = examples::sample_names(model.network, model.sampler, server.state(), 10, seeds.sampling);
  for (const auto& name : sampled) std::cout << "  " << name << '\n';
  process->quit();

  const auto differences = graded.differences();
  const auto apart = largest(differences);
  const bool close = apart <= envelope;
  std::cout << fmt::format(
      "\nlosses of {} steps apart by {:.2e} at most, {:.2e} on average; {} the envelope of {:.0e}\n", options.steps,
      apart, examples::mean(differences), close ? "within" : "BEYOND", envelope);
  return close ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return examples::run(
      argc, argv,
      "The network of makemore_mlp trained through its emitted StableHLO text, which a server compiles, and graded "
      "against the plan in process.",
      [&](CLI::App& app) {
        app.add_option("--server", options.server,
                       "Command of a resident process (default: $TOPOS_STABLEHLO_EVALUATOR --resident --engine xla, "
                       "else tools/serve-stablehlo.py with the Python of scripts/setup --conformance)");
        app.add_flag("--ship", options.ship, "Send the parameters both ways with every batch");
        app.add_option("--optimizer", options.optimizer, "Which step is recorded")
            ->check(CLI::IsMember({"sgd", "adam"}))
            ->capture_default_str();
        app.add_option("--steps", options.steps, "Training steps")->check(CLI::PositiveNumber)->capture_default_str();
        app.add_option("--data", options.data, "File of names, one a line (default: names.txt of the examples)");
        app.add_option("--seed", options.seed, "Seed of the split, the network, the batches and the samples")
            ->capture_default_str();
        app.add_option("--timeout", options.timeout, "Seconds for each answer of the server")
            ->check(CLI::Range(0.001, 86400.0))
            ->capture_default_str();
      },
      [&] { return makemore(options); });
}
