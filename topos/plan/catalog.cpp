#include "topos/plan/catalog.h"

#include "topos/plan/matching.h"
#include "topos/tensor/algebra.h"

namespace topos {

bool Matching::holds(Index leaf, double number) const {
  if (!graph_.is<op::Leaf>(leaf)) return false;
  const auto& payload = schedule_.spec().slots.constants[graph_.slot(leaf)];
  if (!(payload.element().is_floating() || payload.element() == i64)) return false;
  if (payload.is_single()) return Tensor::single({payload.element(), {}}, payload.first()).item() == number;
  const auto numbers = convert(payload, f64);
  const auto values = numbers.values<double>();
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == number; });
}

Index Matching::past_zero(Index i, Interiors& interiors) const {
  if (!graph_.is<op::Add>(i) || !holds(operand(i), 0.0)) return i;
  interiors.push_back(i);
  interiors.push_back(operand(i));
  return operand(i, 1);
}

std::span<const Index> Matching::readers(Index i) const {
  if (first_reader_.empty()) {
    first_reader_.assign(schedule_.reach() + std::size_t{1}, 0);
    for (const auto node : schedule_.nodes())
      for (const auto operand : graph_.operands(node)) ++first_reader_[operand + std::size_t{1}];
    for (std::size_t k = 1; k < first_reader_.size(); ++k) first_reader_[k] += first_reader_[k - 1];
    readers_.resize(first_reader_.back());
    auto next = first_reader_;
    for (const auto node : schedule_.nodes())
      for (const auto operand : graph_.operands(node)) readers_[next[operand]++] = node;
  }
  return {readers_.data() + first_reader_[i], readers_.data() + first_reader_[i + std::size_t{1}]};
}

bool Matching::only_read_by(Index i, Index root, const Interiors& list) const {
  const auto all = readers(i);
  return std::all_of(all.begin(), all.end(), [&](Index reader) {
    return reader == root || std::find(list.begin(), list.end(), reader) != list.end();
  });
}

bool Matching::only_moves(Index i) const {
  return graph_.is<op::Reshape>(i) || graph_.is<op::Permute>(i) || graph_.is<op::Unfold>(i) ||
         graph_.is<op::Narrow>(i) || graph_.is<op::Pad>(i) || graph_.is<op::Broadcast>(i) ||
         graph_.is<op::BroadcastAlong>(i) || graph_.is<op::Leaf>(i);
}

bool Matching::close(Pattern& pattern, Interiors interiors, const Interiors& tolerated) const {
  std::sort(interiors.begin(), interiors.end());
  interiors.erase(std::unique(interiors.begin(), interiors.end()), interiors.end());
  std::vector<bool> claimed(interiors.size());
  const auto place = [&](Index node) {
    const auto found = std::lower_bound(interiors.begin(), interiors.end(), node);
    return found != interiors.end() && *found == node ? found - interiors.begin() : -1;
  };
  // Readers come later in the graph: from the end, each is decided before what it reads.
  for (std::size_t k = interiors.size(); k-- > 0;) {
    const auto i = interiors[k];
    if (readable(i)) return false;
    bool inside = true, known = true;
    for (const auto reader : readers(i)) {
      const auto at = place(reader);
      const bool named = std::find(pattern.named.begin(), pattern.named.end(), reader) != pattern.named.end();
      if (reader == pattern.root || named) continue;
      inside = inside && at >= 0 && claimed[static_cast<std::size_t>(at)];
      known = known && (at >= 0 || std::binary_search(tolerated.begin(), tolerated.end(), reader));
    }
    if (!known && !only_moves(i)) return false;
    claimed[k] = inside;
  }
  pattern.closed = std::all_of(claimed.begin(), claimed.end(), [](bool one) { return one; });
  for (std::size_t k = 0; k < interiors.size(); ++k)
    if (claimed[k]) pattern.claimed.push_back(interiors[k]);
  return true;
}

std::vector<Pattern> candidates_of(const Schedule& schedule) {
  const Matching matching(schedule);
  std::vector<Pattern> pool;
  const auto take = [&](std::vector<Pattern> found) {
    std::move(found.begin(), found.end(), std::back_inserter(pool));
  };
  Roots roots;
  const auto& graph = schedule.spec().graph;
  for (const auto i : schedule.nodes()) {
    if (graph.is<op::MatMul>(i)) roots.products.push_back(i);
    if (graph.is<op::Reshape>(i)) roots.reshapes.push_back(i);
    if (graph.is<op::Add>(i)) roots.additions.push_back(i);
    if (graph.is<op::Fold>(i)) roots.folds.push_back(i);
  }
  auto pool_gradients = reduce_window_gradients(matching, roots);
  Interiors covered;
  for (const auto& gradient : pool_gradients)
    covered.insert(covered.end(), gradient.claimed.begin(), gradient.claimed.end());
  std::sort(covered.begin(), covered.end());
  take(window_products(matching, roots));
  take(reduce_windows(matching, roots, covered));
  take(batch_norms_training(matching, roots));
  take(batch_norms_inference(matching, roots));
  take(window_product_input_gradients(matching, roots));
  take(window_product_kernel_gradients(matching, roots));
  take(std::move(pool_gradients));
  return pool;
}

}  // namespace topos
