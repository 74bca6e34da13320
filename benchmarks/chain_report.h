// What chain measures, phase by phase, and how it is printed.
#pragma once
#include <fmt/format.h>
#include <topos/topos.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allocations.h"
#include "timing.h"

/// Which nodes a phase's cost is divided by.
enum class Node { forward, appended, any };

inline std::string_view word_of(Node node) {
  return node == Node::forward ? "forward" : node == Node::appended ? "appended" : "any";
}

/// One phase at one size.
struct Phase {
  std::string name;
  Node node;
  std::size_t nodes;
  std::vector<double> times = {};  // nanoseconds of the whole phase
  std::ptrdiff_t held = 0;         // bytes that the phase leaves behind; negative: gives back
  std::ptrdiff_t peak = 0;         // the most above what was there before

  double time_a_node() const { return timing::median(times) / static_cast<double>(nodes); }
  /// To a hundredth: below that is what a phase holds once.
  double bytes_a_node() const {
    return std::round(100.0 * static_cast<double>(held) / static_cast<double>(nodes)) / 100.0 + 0.0;
  }
};

struct Size {
  std::size_t n;
  std::vector<Phase> phases;
  std::size_t process_peak;
};

enum class Measure { time, memory };

/// One life of a chain: runs its phases, in order, and files what they cost.
class Trial {
 public:
  Trial(std::vector<Phase>& phases, Measure measure) : phases_(phases), measure_(measure) {}

  template <class F>
  void phase(std::string_view name, Node node, std::size_t nodes, F&& f) {
    auto& row = next(name, node, nodes);
    if (measure_ == Measure::time) {
      row.times.push_back(timing::nanoseconds(f));
      return;
    }
    const auto before = allocations::live.load();
    allocations::restart_peak();
    f();
    row.held = allocations::live - before;
    row.peak = allocations::peak - before;
  }
  /// Time is that of a second run, memory that of the first, which fetches what later ones use again.
  template <class F>
  void warmed_phase(std::string_view name, Node node, std::size_t nodes, F&& f) {
    if (measure_ == Measure::time) f();
    phase(name, node, nodes, f);
  }

  topos::Tensor gradient;  // the engine's, for comparing

 private:
  Phase& next(std::string_view name, Node node, std::size_t nodes) {
    if (at_ == phases_.size()) phases_.push_back({std::string(name), node, nodes});
    return phases_[at_++];
  }
  std::vector<Phase>& phases_;
  Measure measure_;
  std::size_t at_ = 0;
};

/// 10k, 1M, 12345.
inline std::string short_count(std::size_t n) {
  if (n % 1'000'000 == 0) return fmt::format("{}M", n / 1'000'000);
  return n % 1'000 == 0 ? fmt::format("{}k", n / 1'000) : fmt::format("{}", n);
}

inline std::string table_of(const Size& size) {
  auto text = fmt::format("chain of {} (process peak so far {:.1f} MiB)\n{:<28} {:<9} {:>9} {:>10} {:>12} {:>12}\n",
                          short_count(size.n), static_cast<double>(size.process_peak) / 0x1p20, "phase", "node",
                          "nodes", "ns a node", "bytes a node", "peak MiB");
  for (const auto& phase : size.phases)
    text +=
        fmt::format("{:<28} {:<9} {:>9} {:>10.2f} {:>12.2f} {:>12.2f}\n", phase.name, word_of(phase.node), phase.nodes,
                    phase.time_a_node(), phase.bytes_a_node(), static_cast<double>(phase.peak) / 0x1p20);
  return text + "\n";
}

/// A phase that does not depend on the number of nodes has no cost a node to compare: the clock's grain decides.
inline bool is_constant(const Phase& larger) { return larger.time_a_node() < 0.1; }

/// The lines that the project's promises are read from.
inline std::string text_of(const std::vector<Size>& sizes) {
  std::string text =
      "node: forward = a node of the chain, recorded or executed alone; appended = a node that differentiate added;\n"
      "any = every node of the network with its gradient. Time: median. Bytes a node: held when the phase ends,\n"
      "negative when given back. Peak: the most above what was there before the phase.\n\n";
  for (const auto& size : sizes) text += table_of(size);
  const auto& last = sizes.back();
  const auto& recorded = last.phases.front();
  text += fmt::format("record at {}: {:.1f} ns, {:.1f} bytes a node\n", short_count(last.n), recorded.time_a_node(),
                      recorded.bytes_a_node());
  if (sizes.size() < 2) return text;
  const auto& before = sizes[sizes.size() - 2];
  for (std::size_t i = 0; i < last.phases.size(); ++i) {
    const auto& phase = last.phases[i];
    text += fmt::format("{} at {} over {}: ", phase.name, short_count(last.n), short_count(before.n));
    if (is_constant(phase))
      text += "constant, below 0.1 ns a node\n";
    else
      text += fmt::format("{:.2f}\n", phase.time_a_node() / before.phases[i].time_a_node());
  }
  return text;
}

inline nlohmann::json json_of(const std::vector<Size>& sizes) {
  auto list = nlohmann::json::array();
  for (const auto& size : sizes) {
    auto phases = nlohmann::json::array();
    for (const auto& phase : size.phases)
      phases.push_back({{"phase", phase.name},
                        {"node", word_of(phase.node)},
                        {"nodes", phase.nodes},
                        {"nanoseconds_a_node", phase.time_a_node()},
                        {"bytes_a_node", phase.bytes_a_node()},
                        {"peak_bytes", phase.peak}});
    list.push_back({{"size", size.n}, {"process_peak_bytes", size.process_peak}, {"phases", phases}});
  }
  const auto& recorded = sizes.back().phases.front();
  nlohmann::json json{{"benchmark", "chain"},
                      {"sizes", list},
                      {"record",
                       {{"size", sizes.back().n},
                        {"nanoseconds_a_node", recorded.time_a_node()},
                        {"bytes_a_node", recorded.bytes_a_node()}}}};
  if (sizes.size() < 2) return json;
  auto ratios = nlohmann::json::array();
  for (std::size_t i = 0; i < sizes.back().phases.size(); ++i) {
    const auto& phase = sizes.back().phases[i];
    nlohmann::json ratio{{"phase", phase.name}, {"ratio", nullptr}};
    if (!is_constant(phase)) ratio["ratio"] = phase.time_a_node() / sizes[sizes.size() - 2].phases[i].time_a_node();
    ratios.push_back(ratio);
  }
  json["ratios"] = {{"of", sizes.back().n}, {"over", sizes[sizes.size() - 2].n}, {"phases", ratios}};
  return json;
}
