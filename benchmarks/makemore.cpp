// One training step of examples/makemore_mlp: microseconds through one plan of the whole step, through a plan of loss
// and gradient with the optimizer beside it, and through the interpreter; and where the plan's time goes.
#include <examples/models/makemore_step.h>
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "timing.h"
#include "topos/execute/compiled_plan.h"
#include "topos/kernel/chain.h"
#include "topos/kernel/threads.h"

namespace {

constexpr std::int64_t sample_count = 4096;

/// Contexts and letters drawn evenly: a step takes as long as over names.
examples::Samples drawn_samples(topos::Extent context, topos::Extent vocabulary) {
  examples::Splitmix stream(3);
  const auto letter = [&] { return static_cast<std::int64_t>(stream.unit() * static_cast<double>(vocabulary)); };
  examples::Samples samples;
  samples.context = context;
  for (std::int64_t i = 0; i < sample_count; ++i) {
    for (topos::Extent k = 0; k < context; ++k) samples.contexts.push_back(letter());
    samples.targets.push_back(letter());
  }
  return samples;
}

/// The model on one tape: the step as one function, and the loss with its gradient alone.
struct Model {
  topos::Network network;
  examples::MakemoreBatch batch;
  topos::Adjoints adjoints;
  topos::RecordedStep update;
};
Model record() {
  const examples::MakemoreSeeds seeds(1);
  topos::Tape tape(topos::f32);
  const examples::MakemoreMlp model(tape, {}, seeds.embedding, seeds.layers);
  const auto batch = examples::record_makemore_batch(tape, model, {}, examples::makemore_batch_size, false);
  const auto adjoints = tape.differentiate(batch.loss, model.parameters());
  const auto rate = tape.leaf(examples::makemore_learning_rate);
  const auto update = topos::Sgd().record(tape, adjoints, rate);
  return {std::move(tape).into_network(), batch, adjoints, update};
}

/// Some batches, made beforehand: the steps of a loop take them in turn.
std::vector<std::vector<topos::Feed>> batches_of(const Model& model, const examples::Samples& samples) {
  examples::MakemoreBatches stream(model.batch, samples, 5);
  std::vector<std::vector<topos::Feed>> batches;
  for (int i = 0; i < 64; ++i) batches.push_back(stream.next());
  return batches;
}

struct Row {
  std::string path;
  std::vector<double> times;  // microseconds a step
  topos::Parameters state;
};

/// Times every step by itself, the paths in turn, so that a slow phase of the machine falls on all of them and what
/// else it does for a moment leaves the median alone.
class Race {
 public:
  Race(int steps, int repeat) : steps_(steps), repeat_(repeat) {}

  using Step = std::function<void(topos::Parameters& state, std::size_t step)>;
  void add(std::string path, const topos::Parameters& state, Step step) {
    rows_.push_back({std::move(path), {}, state});
    runners_.push_back(std::move(step));
  }
  void run() {
    for (int i = 0; i <= repeat_; ++i)
      for (std::size_t r = 0; r < rows_.size(); ++r)
        for (int k = 0; k < steps_; ++k) {
          const auto time = timing::nanoseconds([&] { runners_[r](rows_[r].state, static_cast<std::size_t>(k)); });
          if (i > 0) rows_[r].times.push_back(time / 1e3);  // the first loop warms up
        }
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  int steps_, repeat_;
  std::vector<Row> rows_;
  std::vector<Step> runners_;
};

std::string word_of(const topos::kernel::Task& task) {
  using topos::kernel::Kind;
  if (task.kind == Kind::unary || task.kind == Kind::binary) return std::string(topos::name_of(task.function));
  if (task.kind == Kind::chain && task.chain->follows_product) return "matmul, chain";
  return std::string(topos::kernel::name_of(task.kind));
}
std::string types_of(const topos::kernel::Task& task) {
  const auto text = [](const topos::kernel::View& view) { return topos::TensorType{view.element, view.shape}.text(); };
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < task.operand_count; ++i) operands.push_back(text(topos::kernel::operand_of(task, i)));
  return fmt::format("{} -> {}", fmt::join(operands, ", "), text(task.result));
}

/// Where the time of a plan's steps goes: each step, then each kind of kernel. A reading of the clock, some 25 ns, is
/// in every step.
std::string profile_of(const Model& model, const std::vector<std::vector<topos::Feed>>& batches, int runs) {
  const auto plan = model.network.entry(model.update.roots()).lower();
  const auto& program = plan.compiled().program;
  auto parameters = model.network.parameters();
  auto run = plan.forward(parameters, batches[0]);
  std::vector<std::vector<double>> times(program.steps.size());
  std::vector<double> taken(program.steps.size());
  for (int i = 0; i < runs; ++i) {
    taken.assign(taken.size(), 0);
    topos::execute(plan.compiled(), *run.state(), parameters, batches[static_cast<std::size_t>(i) % batches.size()],
                   taken.data());
    for (std::size_t s = 0; s < taken.size(); ++s) times[s].push_back(taken[s] / 1e3);
  }
  double total = 0;
  std::map<std::string, std::pair<int, double>> kinds;
  std::string text = fmt::format("\n{:>4}  {:<14} {:>8}  {}\n", "step", "kernel", "us", "types");
  for (std::size_t s = 0; s < taken.size(); ++s) {
    const auto& task = program.tasks[program.steps[s].task];
    const auto time = timing::median(times[s]);
    total += time;
    auto& [count, sum] = kinds[word_of(task)];
    ++count;
    sum += time;
    text += fmt::format("{:>4}  {:<14} {:>8.2f}  {}\n", s, word_of(task), time, types_of(task));
  }
  text += fmt::format("\n{:<14} {:>6} {:>8} {:>7}\n", "kernel", "steps", "us", "share");
  for (const auto& [kind, cost] : kinds)
    text += fmt::format("{:<14} {:>6} {:>8.2f} {:>6.1f}%\n", kind, cost.first, cost.second, 100 * cost.second / total);
  return text + fmt::format("{:<14} {:>6} {:>8.2f}\n", "all", taken.size(), total);
}

void race(const Model& model, const std::vector<std::vector<topos::Feed>>& batches, Race& race) {
  const auto whole = model.network.entry(model.update.roots()).lower();
  const auto gradient = model.network.entry(model.adjoints.roots()).lower();
  const auto start = model.network.parameters();
  auto whole_run = whole.forward(start, batches[0]);
  auto gradient_run = gradient.forward(start, batches[0]);
  topos::Sgd optimizer;
  const auto batch = [&](std::size_t k) -> const std::vector<topos::Feed>& { return batches[k % batches.size()]; };
  race.add("plan of the whole step", start, [&](topos::Parameters& state, std::size_t k) {
    whole.forward_into(whole_run, state, batch(k));
    state = model.update.apply(whole_run, state);
  });
  race.add("plan of loss and gradient, Sgd::step", start, [&](topos::Parameters& state, std::size_t k) {
    gradient.forward_into(gradient_run, state, batch(k));
    state = optimizer.step(state, gradient_run.recorded_gradients(model.adjoints), examples::makemore_learning_rate);
  });
  race.add("interpreter, Run::backward, Sgd::step", start, [&](topos::Parameters& state, std::size_t k) {
    const auto run = model.network.entry({model.batch.loss}).interpret(state, batch(k));
    state = optimizer.step(state, run.backward(model.batch.loss).parameters(state), examples::makemore_learning_rate);
  });
  race.run();
  const auto& rows = race.rows();
  for (const auto& row : rows)
    for (std::size_t p = 0; p < row.state.size(); ++p)
      if (!topos::same_bits(row.state.payloads()[p], rows.front().state.payloads()[p]))
        throw std::runtime_error(fmt::format("{}: other bits than {}", row.path, rows.front().path));
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 200, repeat = 15, threads = 1, status = 0;
  bool json = false, profile = false;
  CLI::App app("Times a training step of makemore_mlp through plans and the interpreter.");
  app.add_option("--steps", steps, "steps in a loop")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--repeat", repeat, "loops a row, each step timed by itself")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "threads of the plans")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_flag("--profile", profile, "print where the plan's time goes, step by step and by kind of kernel");
  app.add_flag("--json", json, "print JSON instead of a table");
  if (!timing::parsed(app, argc, argv, status)) return status;
  try {
    topos::set_threads(threads);
    const auto model = record();
    const examples::MakemoreSizes sizes;
    const auto samples = drawn_samples(sizes.context, sizes.vocabulary);
    const auto batches = batches_of(model, samples);
    Race rows(steps, repeat);
    race(model, batches, rows);
    nlohmann::json list = nlohmann::json::array();
    if (!json) fmt::print("{:<40} {:>10} {:>10}\n", "a step, microseconds", "best", "median");
    for (const auto& row : rows.rows()) {
      const auto best = timing::best(row.times), median = timing::median(row.times);
      if (!json) fmt::print("{:<40} {:>10.1f} {:>10.1f}\n", row.path, best, median);
      list.push_back({{"path", row.path}, {"best_microseconds", best}, {"median_microseconds", median}});
    }
    if (json)
      fmt::print("{}\n", nlohmann::json{{"benchmark", "makemore"}, {"threads", threads}, {"rows", list}}.dump(2));
    if (profile && !json) fmt::print("{}", profile_of(model, batches, steps));
  } catch (const std::exception& error) {
    fmt::print(stderr, "makemore: {}\n", error.what());
    return 1;
  }
  return 0;
}
