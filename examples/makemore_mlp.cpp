// Names from a small network over three letters of context, trained through compiled plans. The loss, its gradient,
// the loss over held-out names and the sampler are four recordings on one tape, which share their parameters.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "examples/models/makemore_mlp.h"
#include "examples/models/makemore_training.h"
#include "examples/support/chart.h"
#include "examples/support/command_line.h"
#include "examples/support/names.h"
#include "examples/support/progress.h"

namespace {

using examples::mean_of_last;
using examples::Samples;

constexpr std::int64_t held_out_batch_size = 512;

struct Options {
  std::string data;
  std::int64_t steps = 20000;
  std::uint64_t seed = 1;
};

/// The network and the names of what is used of it.
struct Model {
  topos::Network network;
  examples::MakemoreSizes sizes;
  examples::MakemoreBatch training;
  examples::MakemoreBatch held_out;
  examples::MakemoreSampler sampler;
  topos::Adjoints adjoints;
};

Model record(const examples::MakemoreSeeds& seeds) {
  topos::Tape tape(topos::f32);
  const examples::MakemoreSizes sizes;
  const examples::MakemoreMlp model(tape, sizes, seeds.embedding, seeds.layers);
  const auto training = examples::record_makemore_batch(tape, model, sizes, examples::makemore_batch_size, false);
  const auto held_out = examples::record_makemore_batch(tape, model, sizes, held_out_batch_size, true);
  const auto sampler = examples::record_makemore_sampler(tape, model, sizes);
  const auto forward_nodes = tape.size();
  const auto adjoints = tape.differentiate(training.loss, model.parameters());
  std::cout << fmt::format("recorded {} nodes and {} of the derivative\n", forward_nodes, tape.size() - forward_nodes);
  return {std::move(tape).into_network(), sizes, training, held_out, sampler, adjoints};
}

/// Plain gradient descent at a constant rate over rows drawn with replacement; gives the loss of each step.
std::vector<double> train(const Model& model, topos::Parameters& parameters, const Samples& samples, std::int64_t steps,
                          std::uint64_t seed) {
  // One forward plan over the loss and its recorded gradient: no step runs a backward pass.
  const auto plan = model.network.entry(model.adjoints.roots()).lower();
  topos::Sgd optimizer;
  examples::MakemoreBatches batches(model.training, samples, seed);
  examples::Progress progress(steps);
  std::optional<topos::Run> run;
  std::vector<double> losses;
  const auto window = std::max<std::int64_t>(1, steps / 10);
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto feeds = batches.next();
    if (run)
      plan.forward_into(*run, parameters, feeds);
    else
      run = plan.forward(parameters, feeds);
    losses.push_back(run->of(model.training.loss).item());
    parameters = optimizer.step(parameters, run->recorded_gradients(model.adjoints), examples::makemore_learning_rate);
    progress.update(step + 1, losses.back());
    if (step == 0 || (step + 1) % window == 0) progress.clear();
    if (step == 0)
      std::cout << fmt::format("step 0: minibatch loss = {:.4f} (a uniform model costs ln 27 ~ 3.30)\n", losses[0]);
    if ((step + 1) % window == 0)
      std::cout << fmt::format("steps {:5}..{:5}: mean minibatch loss = {:.4f}\n", step + 1 - window, step + 1,
                               mean_of_last(losses, static_cast<std::size_t>(window)))
                << std::flush;
  }
  return losses;
}

/// The mean loss over all samples, batch by batch, NaN over none; the last one is padded with rows that are not
/// counted.
double held_out_loss(const Model& model, const topos::Parameters& parameters, const Samples& samples) {
  if (samples.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto plan = model.network.entry({model.held_out.loss}).lower();
  double total = 0;
  for (std::int64_t start = 0; start < samples.size(); start += held_out_batch_size) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(std::min(held_out_batch_size, samples.size() - start)));
    std::iota(rows.begin(), rows.end(), start);
    const auto feeds = examples::makemore_feeds(model.held_out, samples, rows, held_out_batch_size);
    const auto run = plan.forward(parameters, feeds);
    total += run.of(model.held_out.loss).item() * static_cast<double>(rows.size());
  }
  return total / static_cast<double>(samples.size());
}

void print_chart(const std::vector<double>& losses) {
  examples::Chart chart("loss of the network over three letters");
  chart.add("minibatch mean", examples::chart_means(losses)).rule(2.45, "bigram limit").axes("step", "loss");
  std::cout << '\n' << chart.x_range(0, static_cast<double>(losses.size())).text();
}

int makemore(const Options& options) {
  const auto names = examples::load_names(examples::default_names_path(options.data));
  const examples::MakemoreSeeds seeds(options.seed);
  const auto parts = examples::split(names, seeds.split);
  const auto model = record(seeds);
  const auto training = examples::contexts(parts.training, model.sizes.context);
  const auto held_out = examples::contexts(parts.held_out, model.sizes.context);
  std::cout << fmt::format("loaded {} names: {} samples to train on, {} held out\n", names.size(), training.size(),
                           held_out.size());

  auto parameters = model.network.parameters();
  const auto start = std::chrono::steady_clock::now();
  const auto losses = train(model, parameters, training, options.steps, seeds.batches);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("trained {} steps in {:.1f}s, {:.2f} ms a step, no backward pass\n", options.steps,
                           elapsed.count(), elapsed.count() * 1e3 / static_cast<double>(options.steps));
  print_chart(losses);

  std::cout << "\nsampled names:\n";
  for (const auto& name : examples::sample_names(model.network, model.sampler, parameters, 10, seeds.sampling))
    std::cout << "  " << name << '\n';
  std::cout << fmt::format("\nmean loss of the last 1000 steps: {:.4f}, held-out loss: {:.4f}\n",
                           mean_of_last(losses, 1000), held_out_loss(model, parameters, held_out));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return examples::run(
      argc, argv, "Names from a small network over three letters of context, trained through a compiled plan.",
      [&](CLI::App& app) {
        app.add_option("--data", options.data, "File of names, one a line (default: names.txt of the examples)");
        app.add_option("--steps", options.steps, "Training steps")->check(CLI::PositiveNumber)->capture_default_str();
        app.add_option("--seed", options.seed, "Seed of the split, the network, the batches and the samples")
            ->capture_default_str();
      },
      [&] { return makemore(options); });
}
