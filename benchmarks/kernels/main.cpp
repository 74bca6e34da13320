// Each kernel beside what one would call instead: libmvec and SLEEF for functions, OpenBLAS and oneDNN for products,
// convolutions and rows, plain loops for sums and copies.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness.h"
#include "timing.h"

namespace {

nlohmann::json json_of(const std::vector<bench::Measured>& measured) {
  auto rows = nlohmann::json::array();
  for (const auto& m : measured) {
    auto peers = nlohmann::json::array();
    for (const auto& peer : m.peers)
      peers.push_back({{"name", peer.name}, {"nanoseconds", peer.nanoseconds}, {"ratio", peer.ratio}});
    rows.push_back({{"group", m.row->group},
                    {"name", m.row->name},
                    {"nanoseconds", m.nanoseconds},
                    {"speed", m.row->work / m.nanoseconds},
                    {"unit", m.row->unit},
                    {"peers", peers}});
  }
  return {{"benchmark", "kernels"}, {"rows", rows}};
}

/// Google Benchmark's own report, each contender by itself.
int report(const std::vector<const bench::Row*>& chosen, const char* program) {
  for (const auto* row : chosen) {
    auto contest = std::make_shared<bench::Contest>(row->make());
    const auto enter = [&](const bench::Contender& contender) {
      const auto name = fmt::format("{}/{}/{}", row->group, row->name, contender.name);
      benchmark::RegisterBenchmark(name.c_str(), [contest, run = contender.run](benchmark::State& state) {
        for (auto _ : state) run();
      });
    };
    enter(contest->ours);
    for (const auto& peer : contest->theirs) enter(peer);
  }
  int count = 1;
  std::string name = program;
  char* arguments[] = {name.data(), nullptr};
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times each kernel beside what one would call instead."};
  bool summary = false, list = false;
  std::string filter, json;
  bench::Options options;
  app.add_flag("--summary", summary, "one table: ours, theirs and the ratio theirs / ours, contenders in turn");
  app.add_flag("--list", list, "the rows, without running them");
  app.add_option("--filter", filter, "only rows whose \"group/name\" has a match of this regular expression");
  app.add_option("--json", json, "with --summary: the numbers, into this file too");
  app.add_option("--samples", options.samples, "samples of each contender; medians are shown")
      ->check(CLI::Range(1, 1001));
  app.add_option("--milliseconds", options.sample_milliseconds, "length of a sample")->check(CLI::Range(0.01, 1e4));
  int status = 0;
  if (!timing::parsed(app, argc, argv, status)) return status;
  std::regex pattern;
  try {
    pattern = std::regex(filter);
  } catch (const std::regex_error& error) {
    std::fprintf(stderr, "--filter %s: %s\n", filter.c_str(), error.what());
    return 2;
  }
  bench::collect();
  std::vector<const bench::Row*> chosen;
  for (const auto& row : bench::rows())
    if (std::regex_search(row.group + "/" + row.name, pattern)) chosen.push_back(&row);
  if (chosen.empty()) {
    std::fprintf(stderr, "no row matches --filter %s; --list shows them all\n", filter.c_str());
    return 2;
  }
  if (list) {
    for (const auto* row : chosen) fmt::print("{}/{}\n", row->group, row->name);
    return 0;
  }
  if (!summary) return report(chosen, argv[0]);
  std::vector<bench::Measured> measured;
  try {
    for (const auto* row : chosen) {
      std::fprintf(stderr, "\r\033[K%zu of %zu: %s", measured.size() + 1, chosen.size(), row->name.c_str());
      measured.push_back(bench::measure(*row, options));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "\n%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "\r\033[K");
  fmt::print("{}", bench::table(measured));
  if (!json.empty()) {
    std::ofstream file(json);
    file << json_of(measured).dump(2) << '\n';
    if (!file) {
      std::fprintf(stderr, "cannot write %s\n", json.c_str());
      return 1;
    }
  }
  return 0;
}
