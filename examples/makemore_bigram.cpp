// Names from a table of letter pairs. The table is trained by gradient descent, although counting would do, because
// the same loop trains everything that follows; afterwards the network is reopened for the probabilities to sample by.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <vector>

#include "examples/models/makemore_bigram.h"
#include "examples/support/chart.h"
#include "examples/support/command_line.h"
#include "examples/support/names.h"
#include "examples/support/progress.h"

namespace {

constexpr std::int64_t batch_size = 1024;
constexpr double learning_rate = 10;

struct Options {
  std::string data;
  std::int64_t steps = 1000;
  std::uint64_t seed = 7;
};

/// Follows the table from the end of a name to the next end.
std::string sample(const topos::Values<float>& probabilities, examples::Splitmix& stream) {
  std::string name;
  for (std::int64_t token = 0;;) {
    const std::span<const float> all = probabilities;
    const auto row = all.subspan(static_cast<std::size_t>(token * examples::vocabulary), examples::vocabulary);
    token = examples::pick(row, stream.unit());
    if (token == 0) return name;
    name += examples::letter(token);
  }
}

void print_table(const topos::Values<float>& probabilities) {
  std::vector<std::string> letters;
  for (std::int64_t i = 0; i < examples::vocabulary; ++i) letters.emplace_back(1, examples::letter(i));
  const std::vector<double> shades(probabilities.begin(), probabilities.end());
  std::cout << "\nprobability of a letter (column) after a letter (row); . ends a name:\n\n";
  std::cout << examples::heat_map(examples::vocabulary, examples::vocabulary, shades, letters, letters);
}

int bigram(const Options& options) {
  const auto names = examples::load_names(examples::default_names_path(options.data));
  const auto pairs = examples::contexts(names, 1);
  const auto samples = examples::shuffled(pairs, options.seed + 2);
  const auto size = std::min(batch_size, std::max<std::int64_t>(1, samples.size() - 1));
  std::cout << fmt::format("loaded {} names, {} bigram pairs\n", names.size(), samples.size());

  auto [network, table, letters, following, loss] = topos::Tape::record(
      [&](topos::Tape& tape) { return examples::record_bigram(tape, examples::vocabulary, size, options.seed); });
  const auto nodes = network.size();
  auto tape = std::move(network).into_tape();
  const auto adjoints = tape.differentiate(loss, {table});
  auto trained = std::move(tape).into_network();

  const auto plan = trained.entry(adjoints.roots()).lower();
  auto parameters = trained.parameters();
  topos::Sgd optimizer;
  std::vector<double> losses;
  const auto start = std::chrono::steady_clock::now();
  {
    examples::Progress progress(options.steps);
    for (std::int64_t step = 0; step < options.steps; ++step) {
      const auto batch = examples::batch(samples, step, size);
      const auto run = plan.forward(parameters, {{letters, topos::Tensor::from({size}, batch.contexts)},
                                                 {following, topos::Tensor::from({size}, batch.targets)}});
      losses.push_back(run.of(loss).item());
      parameters = optimizer.step(parameters, run.recorded_gradients(adjoints), learning_rate);
      progress.update(step + 1, losses.back());
      if (step % 100 == 0) {
        progress.clear();
        std::cout << fmt::format("step {:4}: minibatch loss = {:.4f}\n", step, losses.back());
      }
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("trained {} steps in {:.3f}s\n", options.steps, elapsed.count());
  std::cout << fmt::format("the network held {} nodes and {} of its derivative through every step\n\n", nodes,
                           trained.size() - nodes);
  std::cout << examples::Chart("loss of the bigram table").add("minibatch", losses).axes("step", "loss").text();

  // Reopening keeps every name: the plan above still works, and the trained state is carried over.
  auto reopened = std::move(trained).into_tape();
  const topos::Symbol probabilities = examples::record_bigram_probabilities(reopened, table);
  const auto grown = std::move(reopened).into_network();
  const auto sampler = grown.entry({probabilities}).lower();
  const auto run = sampler.forward(parameters.carried(grown));
  const auto rows = run.of(probabilities).values<float>();
  print_table(rows);

  std::cout << "\nsampled names:\n";
  examples::Splitmix stream(options.seed);
  for (int i = 0; i < 10; ++i) std::cout << "  " << sample(rows, stream) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return examples::run(
      argc, argv, "Names from a table of letter pairs, trained by gradient descent.",
      [&](CLI::App& app) {
        app.add_option("--data", options.data, "File of names, one a line (default: names.txt of the examples)");
        app.add_option("--steps", options.steps, "Training steps")->check(CLI::PositiveNumber)->capture_default_str();
        app.add_option("--seed", options.seed, "Seed of table, order and samples")->capture_default_str();
      },
      [&] { return bigram(options); });
}
