// What more threads gain: products, maps and reductions through plans with one thread and with several, in turn.
#include <fmt/format.h>
#include <topos/topos.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "timing.h"

namespace {

topos::Tensor drawn(const topos::Shape& shape) {
  std::uint64_t state = 9;
  std::vector<float> values(static_cast<std::size_t>(shape.volume()));
  for (auto& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(state >> 40) * 0x1p-23F - 1.0F;
  }
  return topos::Tensor::from(shape, values);
}

/// One computation as a plan cut for some number of threads.
class Case {
 public:
  using Record = std::function<topos::Value(topos::Tape&)>;
  Case(const Record& record, int threads) : threads_(threads) {
    topos::set_threads(threads);
    topos::Tape tape(topos::f32);
    const topos::Symbol result = record(tape);
    auto network = std::move(tape).into_network();
    parameters_ = std::make_unique<topos::Parameters>(network.parameters());
    plan_ = std::make_unique<topos::Plan>(network.entry({result}).lower());
    run_ = std::make_unique<topos::Run>(plan_->forward(*parameters_));
    result_ = result;
  }
  /// Nanoseconds of a run. Changing the number of threads ends and starts them: the first run is not timed.
  double time() {
    topos::set_threads(threads_);
    plan_->forward_into(*run_, *parameters_);
    return timing::nanoseconds([&] { plan_->forward_into(*run_, *parameters_); });
  }
  const topos::Tensor& result() const { return run_->of(result_); }

 private:
  int threads_;
  topos::Symbol result_;
  std::unique_ptr<topos::Parameters> parameters_;
  std::unique_ptr<topos::Plan> plan_;
  std::unique_ptr<topos::Run> run_;
};

struct Row {
  std::string name;
  std::vector<double> one = {}, several = {};  // milliseconds
  double gain() const { return timing::median(one) / timing::median(several); }
  double best_gain() const { return timing::best(one) / timing::best(several); }
};

Row measured(std::string name, const Case::Record& record, int threads, int repeat) {
  Case one(record, 1), several(record, threads);
  if (!topos::same_bits(one.result(), several.result()))
    throw std::runtime_error(name + ": the number of threads reached the bits");
  Row row{std::move(name)};
  for (int i = 0; i < repeat; ++i) {
    row.one.push_back(one.time() / 1e6);
    row.several.push_back(several.time() / 1e6);
  }
  return row;
}

std::vector<std::pair<std::string, Case::Record>> cases() {
  std::vector<std::pair<std::string, Case::Record>> all;
  for (const topos::Extent n : {128, 256, 512, 1024, 2048})
    all.emplace_back(fmt::format("product {0} x {0} x {0}", n), [n](topos::Tape& tape) {
      const auto a = tape.parameter(drawn({n, n}));
      const auto b = tape.parameter(drawn({n, n}));
      return matmul(a, b);
    });
  for (const topos::Extent n : {1 << 16, 1 << 20, 1 << 24}) {
    all.emplace_back(fmt::format("exp of {} Ki", n >> 10),
                     [n](topos::Tape& tape) { return exp(tape.parameter(drawn({n}))); });
    all.emplace_back(fmt::format("a + b of {} Ki", n >> 10), [n](topos::Tape& tape) {
      const auto a = tape.parameter(drawn({n}));
      const auto b = tape.parameter(drawn({n}));
      return a + b;
    });
    all.emplace_back(fmt::format("sums of {} rows of 1024", n >> 10),
                     [n](topos::Tape& tape) { return sum(tape.parameter(drawn({n >> 10, 1024})), {1}); });
    all.emplace_back(fmt::format("softmax of {} rows of 1024", n >> 10),
                     [n](topos::Tape& tape) { return softmax(tape.parameter(drawn({n >> 10, 1024})), 1); });
  }
  for (const topos::Extent n : {1 << 20, 1 << 24})
    all.emplace_back(fmt::format("sum of {} Ki", n >> 10),
                     [n](topos::Tape& tape) { return sum(tape.parameter(drawn({n}))); });
  for (const topos::Extent columns : {10, 64, 256, 1024})
    all.emplace_back(fmt::format("sums of {} columns of 16 Ki", columns),
                     [columns](topos::Tape& tape) { return sum(tape.parameter(drawn({16384, columns})), {0}); });
  all.emplace_back("dot product of 1024 Ki", [](topos::Tape& tape) {
    const auto a = tape.parameter(drawn({1, 1 << 20}));
    const auto b = tape.parameter(drawn({1 << 20, 1}));
    return matmul(a, b);
  });
  for (const topos::Extent columns : {32, 64, 768})
    all.emplace_back(fmt::format("scatter of 8 Ki rows of {}", columns), [columns](topos::Tape& tape) {
      const auto rows = tape.parameter(drawn({8192, columns}));
      std::vector<std::int64_t> places(8192);
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i * 40503 % 1000);
      return scatter(rows, tape.leaf(topos::Tensor::from({8192}, places)), 1000);
    });
  return all;
}

void report(int threads, int repeat, const std::string& filter, bool json) {
  double logarithms = 0;
  auto list = nlohmann::json::array();
  if (!json)
    fmt::print("{:<30} {:>11} {:>11} {:>6} {:>11} {:>11} {:>6}\n", "milliseconds", "1, median",
               fmt::format("{}, median", threads), "gain", "1, best", fmt::format("{}, best", threads), "gain");
  for (const auto& [name, record] : cases()) {
    if (!std::regex_search(name, std::regex(filter))) continue;
    const auto row = measured(name, record, threads, repeat);
    const auto one = timing::median(row.one), several = timing::median(row.several);
    if (!json)
      fmt::print("{:<30} {:>11.3f} {:>11.3f} {:>6.2f} {:>11.3f} {:>11.3f} {:>6.2f}\n", row.name, one, several,
                 row.gain(), timing::best(row.one), timing::best(row.several), row.best_gain());
    std::fflush(stdout);
    list.push_back({{"name", row.name}, {"one_milliseconds", one}, {"several_milliseconds", several}});
    logarithms += std::log(row.gain());
  }
  if (json)
    fmt::print("{}\n", nlohmann::json{{"benchmark", "threads"}, {"threads", threads}, {"rows", list}}.dump(2));
  else if (!list.empty())
    fmt::print("geometric mean: {:.2f}\n", std::exp(logarithms / static_cast<double>(list.size())));
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 2, repeat = 11, status = 0;
  bool json = false;
  std::string filter;
  CLI::App app("Times steps of plans on one thread and on several, in turn.");
  app.add_option("--threads", threads, "how many the several are")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--repeat", repeat, "runs a row")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--filter", filter, "only rows that contain a match of this regular expression");
  app.add_flag("--json", json, "print JSON instead of a table");
  if (!timing::parsed(app, argc, argv, status)) return status;
  try {
    report(threads, repeat, filter, json);
  } catch (const std::exception& error) {
    fmt::print(stderr, "threads: {}\n", error.what());
    return 1;
  }
  return 0;
}
