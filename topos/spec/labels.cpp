// Nodes found by the label that the program gave them.
#include <fmt/format.h>

#include <algorithm>

#include "topos/spec/network.h"
#include "topos/spec/spec.h"

namespace topos {
namespace {

/// How many letters to change, add or leave out between two labels.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

/// The labels that the asked one may have meant, closest first, three at most.
std::vector<std::string> near_misses(const Graph& graph, std::string_view asked) {
  constexpr std::size_t longest = 100;  // a longer label is no slip of a finger, and the distance is a product
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const auto& [node, label] : graph.labels()) {
    if (label.empty() || label.size() > longest || asked.size() > longest) continue;
    const auto steps = distance(asked, label);
    const bool part = asked.find(label) != std::string_view::npos || label.find(asked) != std::string::npos;
    if (part || steps <= 1 + asked.size() / 3) found.emplace_back(steps, fmt::format("\"{}\"", label));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 3); ++i) nearest.push_back(found[i].second);
  return nearest;
}

}  // namespace

Symbol Network::labelled(std::string_view label) const {
  const auto& graph = spec_->graph;
  std::vector<Index> found;
  for (const auto& [node, text] : graph.labels())
    if (text == label && !text.empty()) found.push_back(node);
  if (found.size() == 1) return {graph.family(), found[0]};
  std::sort(found.begin(), found.end());
  if (!found.empty())
    throw Error(
        ErrorKind::argument, "Network::labelled",
        fmt::format("{} nodes have the label \"{}\": {} and {}, for two", found.size(), label, found[0], found[1]));
  const auto nearest = near_misses(graph, label);
  throw Error(ErrorKind::coverage, "Network::labelled",
              fmt::format("no node has the label \"{}\"{}", label,
                          nearest.empty() ? "" : fmt::format("; close to it: {}", fmt::join(nearest, ", "))));
}

}  // namespace topos
