#include "topos/plan/fusion.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "topos/element/registry.h"

namespace topos {
namespace {

/// The kernel that carries out a kind of composition; `copy`: none does.
kernel::Kind kernel_of(PatternKind kind) {
  switch (kind) {
    case PatternKind::window_product: return kernel::Kind::window_product;
    case PatternKind::window_product_input_gradient: return kernel::Kind::window_input_gradient;
    case PatternKind::window_product_kernel_gradient: return kernel::Kind::window_kernel_gradient;
    case PatternKind::reduce_window: return kernel::Kind::window_maximum;
    case PatternKind::reduce_window_gradient: return kernel::Kind::window_maximum_gradient;
    case PatternKind::batch_norm_training:
    case PatternKind::batch_norm_inference: break;
  }
  return kernel::Kind::copy;
}

bool has_kernel(const Pattern& pattern, const Graph& graph) {
  const auto kind = kernel_of(pattern.kind);
  const auto element = graph.type(pattern.root).element;
  const bool pool = kind == kernel::Kind::window_maximum || kind == kernel::Kind::window_maximum_gradient;
  const bool covered = element == f32 || element == f64 || element == bf16 || (element == i64 && pool);
  // A kernel counts the windows that fit; a fold may be of fewer.
  const auto full = [](const WindowAxis& axis) { return axis.remainder() >= 0 && axis.remainder() < axis.step; };
  return kind != kernel::Kind::copy && covered && full(pattern.rows) && full(pattern.columns);
}

}  // namespace

Sharing::Sharing(const Schedule& schedule)
    : spec_(schedule.spec()),
      graph_(spec_.graph),
      first_(schedule.reach(), nowhere),
      never_negative_zero_(schedule.reach()),
      table_(std::bit_ceil(std::clamp<std::size_t>(4 * schedule.nodes().size(), 64, 65536)), nowhere) {
  for (const auto i : schedule.nodes()) find(i);
}

void Sharing::find(Index i) {
  first_[i] = i;
  if (graph_.is<op::Parameter>(i) || graph_.is<op::Input>(i)) return;
  const auto added = added_to_zero(i);
  never_negative_zero_[i] = added != nowhere || computes_no_negative_zero(i);
  if (added != nowhere && never_negative_zero_[added]) {
    first_[i] = added;
    return;
  }
  auto& entry = table_[hash(i) & (table_.size() - 1)];
  if (entry != nowhere && equal(entry, i))
    first_[i] = entry;
  else
    entry = i;
}

/// Whether a node is one constant, +0 or the integer.
bool Sharing::is_zero(Index i) const {
  if (!graph_.is<op::Leaf>(i)) return false;
  const auto& payload = spec_.slots.constants[graph_.slot(i)];
  constexpr std::byte zero[16] = {};
  return payload.is_single() && std::memcmp(payload.first(), zero, payload.element().size()) == 0;
}

/// The x of a node that is 0 + x or x + 0, for numbers of our own.
Index Sharing::added_to_zero(Index i) const {
  if (!graph_.is<op::Add>(i)) return nowhere;
  const auto operands = graph_.operands(i);
  const auto zero = is_zero(operands[0]) ? 0 : is_zero(operands[1]) ? 1 : -1;
  return zero < 0 || is_users(graph_.type(i).element) ? nowhere : first_[operands[zero == 0]];
}

/// Sums start at +0, and so does what adds into zeros: a total of nothing but zeros stays +0, others are no -0 because
/// sums never underflow.
bool Sharing::computes_no_negative_zero(Index i) const {
  const auto element = graph_.type(i).element;
  if (element == i64) return true;
  if (graph_.is<op::Sum>(i) || graph_.is<op::Fold>(i) || graph_.is<op::Scatter>(i)) return !is_users(element);
  const bool view = graph_.is<op::Broadcast>(i) || graph_.is<op::BroadcastAlong>(i) || graph_.is<op::Reshape>(i) ||
                    graph_.is<op::Permute>(i) || graph_.is<op::Narrow>(i) || graph_.is<op::Unfold>(i) ||
                    graph_.is<op::StopGradient>(i);
  return view && never_negative_zero_[graph_.operands(i)[0]];
}

std::uint64_t Sharing::hash(Index i) const {
  const auto& node = graph_.node(i);
  std::uint64_t hash = node.op * 0x9E3779B97F4A7C15u;
  if (graph_.is<op::Leaf>(i)) hash ^= node.first * 0xD1B54A32D192ED03u;
  for (const auto operand : graph_.operands(i)) hash = (hash ^ first_[operand]) * 0xD1B54A32D192ED03u;
  return hash ^ (hash >> 29);
}

bool Sharing::equal(Index a, Index b) const {
  if (graph_.node(a).op != graph_.node(b).op) return false;
  if (graph_.is<op::Leaf>(a)) return graph_.slot(a) == graph_.slot(b);
  const auto x = graph_.operands(a), y = graph_.operands(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](Index p, Index q) { return first_[p] == first_[q]; });
}

Fusion::Fusion(const Schedule& schedule, const Sharing& sharing) : needed_(schedule.reach()) {
  const auto& graph = schedule.spec().graph;
  if (!schedule.backward())  // there the rules of derivatives read what is inside
    for (const auto& pattern : schedule.candidates())
      if (has_kernel(pattern, graph)) at_.emplace(pattern.root, &pattern);
  for (const auto i : schedule.nodes()) needed_[i] = schedule.readable(i) || schedule.required(i);
  const auto& nodes = schedule.nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!needed_[*node]) continue;
    needed_[sharing.first(*node)] = true;
    const auto* pattern = at(*node);
    if (pattern != nullptr)
      for (const auto read : pattern->reads) needed_[read] = true;
    else
      for (const auto operand : graph.operands(*node)) needed_[operand] = true;
  }
}

void describe_fused(const Pattern& pattern, kernel::Task& task) {
  const auto window = [](const WindowAxis& axis) {
    return kernel::Window{axis.size, axis.step, axis.dilation, axis.padding};
  };
  task.kind = kernel_of(pattern.kind);
  task.rows = window(pattern.rows);
  task.columns = window(pattern.columns);
  if (!pattern.turned) return;
  auto& matrix = task.operands[1];
  matrix = {matrix.element, {matrix.shape[1], matrix.shape[0]}, {matrix.strides[1], matrix.strides[0]}};
}

std::vector<Index> fused_key(const Pattern& pattern, Index type) {
  std::vector<Index> key{nowhere - 3, static_cast<Index>(pattern.kind), pattern.turned ? 1u : 0u, type};
  const auto push = [&](Extent extent) {
    key.push_back(static_cast<Index>(extent));
    key.push_back(static_cast<Index>(extent >> 32));
  };
  for (const auto* axis : {&pattern.rows, &pattern.columns})
    for (const auto extent : {axis->size, axis->step, axis->dilation, axis->padding}) push(extent);
  return key;
}

}  // namespace topos
