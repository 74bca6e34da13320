#include "topos/plan/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topos/autodiff/reads.h"
#include "topos/plan/election.h"
#include "topos/spec/describe.h"

namespace topos {

Schedule::Schedule(SharedSpec spec, std::vector<Index> results, bool backward)
    : spec_(std::move(spec)), results_(std::move(results)), backward_(backward), size_(spec_->graph.size()) {
  const auto& graph = spec_->graph;
  const Index end = results_.empty() ? 0 : *std::max_element(results_.begin(), results_.end()) + 1;
  last_.assign(end, nowhere);
  readable_.resize(end);
  std::vector<bool> wanted(end);
  for (const auto i : results_) wanted[i] = readable_[i] = true;
  std::size_t count = 0;
  for (Index i = end; i-- > 0;) {
    if (!wanted[i]) continue;
    ++count;
    for (const auto operand : graph.operands(i)) {
      wanted[operand] = true;
      if (last_[operand] == nowhere) last_[operand] = i;  // descending: the first reader met is the last
    }
  }
  nodes_.reserve(count);
  for (Index i = 0; i < end; ++i)
    if (wanted[i]) nodes_.push_back(i);
  if (backward_) require_reads();
}

void Schedule::require_reads() {
  const auto& graph = spec_->graph;
  required_.resize(reach());
  std::map<std::vector<Index>, std::vector<bool>> known;  // by opcode and operand types
  std::vector<const TensorType*> room;
  for (const auto i : nodes_) {
    std::vector<Index> key{graph.node(i).op};
    for (const auto operand : graph.operands(i)) key.push_back(graph.node(operand).type);
    auto found = known.find(key);
    if (found == known.end())
      found = known.emplace(std::move(key), reads_of(graph.op(i), graph.operand_types(i, room))).first;
    const auto& reads = found->second;
    const auto operands = graph.operands(i);
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (reads[k]) required_[operands[k]] = true;
    if (reads.back()) required_[i] = true;
  }
}

void Schedule::recognise() {
  candidates_ = candidates_of(*this);
  fused_ = elect_fused(candidates_, *this);
  if (fused_.empty()) return;
  swallowed_.resize(reach());
  for (const auto k : fused_) {
    const auto& pattern = candidates_[k];
    fused_at_.emplace(pattern.root, k);
    for (const auto i : pattern.claimed) swallowed_[i] = true;
    for (const auto i : pattern.reads) last_[i] = std::max(last_[i], pattern.root);
  }
}

std::span<const Index> Schedule::read_at(Index i) const {
  const auto group = fused_at_.find(i);
  if (group != fused_at_.end()) return candidates_[group->second].reads;
  return spec_->graph.operands(i);
}

std::vector<Index> Schedule::arguments() const {
  std::vector<Index> parameters, inputs;
  for (const auto i : nodes_) {
    if (spec_->graph.is<op::Parameter>(i)) parameters.push_back(i);
    if (spec_->graph.is<op::Input>(i)) inputs.push_back(i);
  }
  parameters.insert(parameters.end(), inputs.begin(), inputs.end());
  return parameters;
}

std::vector<bool> Schedule::marks() const {
  std::vector<bool> scheduled(size_);
  for (const auto i : nodes_) scheduled[i] = true;
  return scheduled;
}

Index Schedule::released_after(Index i) const { return readable_[i] || required(i) ? nowhere : last_[i]; }

template <class Each>
Schedule::LiveVolume Schedule::walk(Each&& each) const {
  const auto& graph = spec_->graph;
  LiveVolume volume;
  Extent live = 0;
  for (const auto i : nodes_) {
    if (swallowed(i)) continue;
    const auto elements = graph.type(i).shape.volume();
    volume.total += elements;
    live += elements;
    each(live);
    if (live > volume.peak) {
      volume.peak = live;
      volume.peak_node = i;
    }
    const auto operands = read_at(i);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const auto operand = operands[k];
      const bool again = std::find(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(k), operand) !=
                         operands.begin() + static_cast<std::ptrdiff_t>(k);
      if (!again && released_after(operand) == i) live -= graph.type(operand).shape.volume();
    }
  }
  return volume;
}

std::vector<Extent> Schedule::live_series() const {
  std::vector<Extent> series;
  series.reserve(nodes_.size());
  walk([&](Extent live) { series.push_back(live); });
  return series;
}

std::string Schedule::fate(Index i) const {
  if (readable_[i]) return "kept";
  if (swallowed(i)) return "fused";
  const auto after = released_after(i);
  if (after == nowhere) return "retained";
  return fmt::format("{} after {}", backward_ ? "releasable" : "freed", after);
}

std::string Schedule::describe() const {
  std::string out;
  const auto replaced = std::count(swallowed_.begin(), swallowed_.end(), true);
  for (const auto i : nodes_) out += fmt::format("{:<52} {}\n", line_of(*spec_, i), fate(i));
  out += fmt::format("plan: {}; {} of {} nodes evaluated, {} readable\n", backward_ ? "retain" : "forward",
                     nodes_.size(), size(), results_.size());
  if (!fused_.empty())
    out += fmt::format("fused {} group{}, {} node{} replaced\n", fused_.size(), fused_.size() == 1 ? "" : "s", replaced,
                       replaced == 1 ? "" : "s");
  const auto volume = walk([](Extent) {});
  if (backward_)
    return out + fmt::format("live volume: retain-all {}, release floor {} at node {}\n", volume.total, volume.peak,
                             volume.peak_node);
  return out + fmt::format("live volume: peak {} elements at node {}, retain-all {}\n", volume.peak, volume.peak_node,
                           volume.total);
}

}  // namespace topos
