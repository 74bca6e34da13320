#include "topos/plan/chains.h"

#include <algorithm>

#include "topos/element/registry.h"
#include "topos/plan/lowering.h"

namespace topos {
namespace {

constexpr Extent least_volume = 128;  // below, a chain costs what its steps do
constexpr std::size_t most_links = 12;
static_assert(most_links <= kernel::max_links);

bool is_large(const Shape& shape) { return !shape.empty() && shape.volume() >= least_volume; }

/// The task of a node but for its views; `copy`: it is no link.
kernel::Task task_of(const Graph& graph, Index i) {
  kernel::Task task;
  if (!describe_task(graph.op(i), task) || task.kind > kernel::Kind::convert) task.kind = kernel::Kind::copy;
  const bool refuses = task.kind == kernel::Kind::binary && task.function == Function::divide;
  if (refuses && graph.type(i).element == i64) task.kind = kernel::Kind::copy;
  return task;
}

void add_once(std::vector<Index>& list, Index i) {
  if (std::find(list.begin(), list.end(), i) == list.end()) list.push_back(i);
}

}  // namespace

Chains::Chains(const Schedule& schedule, const Sharing& sharing, const Fusion& fusion, const Steady& steady)
    : schedule_(schedule), graph_(schedule.spec().graph), sharing_(sharing), fusion_(fusion), steady_(steady) {
  if (schedule.backward()) return;  // there the rules of derivatives read what is inside
  const auto& nodes = schedule.nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [&](Index i) { return is_large(graph_.type(i).shape); })) return;
  root_.assign(schedule.reach(), nowhere);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) see_readers(*node);
  for (auto& [root, group] : groups_) {
    std::reverse(group.members.begin(), group.members.end());
    std::vector<Index> others;
    for (const auto member : group.members)
      for (const auto operand : graph_.operands(member))
        if (const auto read = sharing.first(operand); root_[read] != root) add_once(others, read);
    group.operands.clear();
    if (group.product != nowhere)
      for (const auto operand : graph_.operands(group.product)) group.operands.push_back(sharing.first(operand));
    group.operands.insert(group.operands.end(), others.begin(), others.end());
  }
  if (groups_.empty()) return;
  for (const auto i : nodes)
    if (fusion.needed(i))
      if (const auto group = groups_.find(root_[sharing.first(i)]); group != groups_.end())
        if (i <= group->first) group->second.covered.push_back(i);
}

/// Readers come after what they read: when a node is visited, all that read it have been.
void Chains::see_readers(Index i) {
  if (!fusion_.needed(i)) return;
  const auto first = sharing_.first(i);
  if (first != i) {  // a result that stands in the first one's memory
    if (schedule_.readable(i)) root_[first] = mixed;
    return;
  }
  const auto* pattern = fusion_.at(i);
  const bool link = pattern == nullptr && may_join(i);
  const bool inner = root_[i] < mixed && !schedule_.readable(i);
  const bool leads = inner && !link && pattern == nullptr && lead(i, root_[i]);
  if (link && inner)
    join(i, root_[i]);
  else if (!leads)
    root_[i] = link ? i : mixed;
  const auto see = [&, by = leads ? mixed : root_[i]](Index operand) {
    auto& reader = root_[sharing_.first(operand)];
    reader = reader == nowhere || reader == by ? by : mixed;
  };
  if (pattern != nullptr)
    for (const auto read : pattern->reads) see(read);
  else
    for (const auto operand : graph_.operands(i)) see(operand);
}

/// Whether a node can be a link.
bool Chains::may_join(Index i) const {
  const auto& type = graph_.type(i);
  if (!is_large(type.shape) || is_source(graph_.op(i))) return false;
  if (task_of(graph_, i).kind == kernel::Kind::copy || is_users(type.element)) return false;
  for (const auto operand : graph_.operands(i))
    if (is_users(graph_.type(operand).element)) return false;
  return true;
}

/// The group of a root, which may be new.
ChainGroup& Chains::group_of(Index root) {
  const auto [found, fresh] = groups_.try_emplace(root);
  auto& group = found->second;
  if (fresh) {
    group.members = {root};
    for (const auto operand : graph_.operands(root)) add_once(group.operands, sharing_.first(operand));
  }
  return group;
}

/// Puts a node before a group, or by itself where the group has no room.
void Chains::join(Index i, Index root) {
  auto& group = group_of(root);
  auto operands = group.operands;
  std::erase(operands, i);
  for (const auto operand : graph_.operands(i)) add_once(operands, sharing_.first(operand));
  const std::size_t factors = group.product == nowhere ? 0 : 2;
  const bool fits = graph_.type(i).shape == graph_.type(root).shape && group.members.size() < most_links &&
                    operands.size() + factors <= kernel::max_chain_operands;
  if (fits) {
    group.members.push_back(i);
    group.operands = std::move(operands);
  } else {
    root_[i] = i;
    if (group.members.size() == 1 && group.product == nowhere) groups_.erase(root);
  }
}

/// Whether a node is a product that a chain can follow. One by what is steady is a step, whose operand is packed.
bool Chains::may_lead(Index i) const {
  const auto element = graph_.type(i).element;
  if (!graph_.is<op::MatMul>(i) || !is_large(graph_.type(i).shape) || is_users(element)) return false;
  auto right = sharing_.first(graph_.operands(i)[1]);
  while (!is_source(graph_.op(right)) && graph_.operands(right).size() == 1)
    right = sharing_.first(graph_.operands(right)[0]);
  return !is_source(graph_.op(right)) || !steady_.holds(right);
}
/// Puts a product before a group; false, and nothing is done, where it cannot stand there.
bool Chains::lead(Index i, Index root) {
  if (!may_lead(i) || graph_.type(i).shape != graph_.type(root).shape) return false;
  auto& group = group_of(root);
  if (group.product == nowhere && group.operands.size() + 1 <= kernel::max_chain_operands) {
    group.product = i;
    std::erase(group.operands, i);
    return true;
  }
  if (group.members.size() == 1 && group.product == nowhere) groups_.erase(root);
  return false;
}

std::vector<kernel::Link> links_of(const Graph& graph, const Sharing& sharing, const ChainGroup& group) {
  const auto place = [](const std::vector<Index>& list, Index i) {
    return static_cast<std::size_t>(std::find(list.begin(), list.end(), i) - list.begin());
  };
  const std::size_t factors = group.product == nowhere ? 0 : 2;
  const std::vector<Index> others(group.operands.begin() + static_cast<std::ptrdiff_t>(factors), group.operands.end());
  std::vector<kernel::Link> links;
  for (const auto member : group.members) {
    const auto task = task_of(graph, member);
    kernel::Link link{task.kind, task.function, task.direction, graph.type(member).element, 0, {}};
    for (const auto operand : graph.operands(member)) {
      const auto read = sharing.first(operand);
      auto& to = link.operands[link.operand_count++];
      to = read == group.product ? 0 : factors + place(others, read);
      if (to == group.operands.size()) to += place(group.members, read);
    }
    links.push_back(link);
  }
  return links;
}

std::vector<Index> chain_key(const Graph& graph, const Sharing& sharing, const ChainGroup& group) {
  std::vector<Index> key{group.product == nowhere ? nowhere - 4 : nowhere - 5,
                         static_cast<Index>(group.members.size())};
  const auto links = links_of(graph, sharing, group);
  for (std::size_t l = 0; l < links.size(); ++l) {
    key.push_back(graph.node(group.members[l]).op);
    key.push_back(graph.node(group.members[l]).type);
    for (std::size_t k = 0; k < links[l].operand_count; ++k) key.push_back(static_cast<Index>(links[l].operands[k]));
  }
  return key;
}

}  // namespace topos
