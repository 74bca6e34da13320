// What the reverse scan records for windowed products and window reductions.
#include "topos/plan/windows.h"

namespace topos {
namespace {

/// Two folds, of the columns and then of the rows: an image [b, c, h, w] from its windows.
struct Folds {
  Index windows = nowhere;  // [b, c, oh, kh, ow, kw]
  WindowAxis rows, columns;
  Interiors interiors;
};

std::optional<Folds> folds_below(const Matching& m, Index root) {
  const auto* rows = m.as<op::Fold>(root);
  if (rows == nullptr || rows->axis != 2 || m.rank(root) != 4) return std::nullopt;
  Folds folds;
  const auto inner = m.past_zero(m.operand(root), folds.interiors);
  const auto* columns = m.as<op::Fold>(inner);
  if (columns == nullptr || columns->axis != 4) return std::nullopt;
  folds.interiors.push_back(inner);
  folds.windows = m.past_zero(m.operand(inner), folds.interiors);
  const auto& shape = m.shape(folds.windows);
  folds.rows = {rows->size, rows->step, rows->dilation, 0, rows->extent, shape[2]};
  folds.columns = {columns->size, columns->step, columns->dilation, 0, columns->extent, shape[4]};
  return folds;
}

/// Below the folds a permutation of a reshape of what is returned.
Index laid_out(const Matching& m, Folds& folds, const Shape& order) {
  if (!m.is_permute(folds.windows, order)) return nowhere;
  folds.interiors.push_back(folds.windows);
  const auto reshape = m.past_zero(m.operand(folds.windows), folds.interiors);
  if (m.as<op::Reshape>(reshape) == nullptr) return nowhere;
  folds.interiors.push_back(reshape);
  return m.past_zero(m.operand(reshape), folds.interiors);
}

/// `Select` by a comparison, and which of its branches is the zero.
struct Routed {
  Index test = nowhere, cotangent = nowhere;
  bool to_lane = false;  // to where the comparison holds
};
std::optional<Routed> routed(const Matching& m, Index i, Interiors& interiors) {
  i = m.past_zero(i, interiors);
  if (m.as<op::Select>(i) == nullptr) return std::nullopt;
  const auto test = m.operand(i), first = m.operand(i, 1), second = m.operand(i, 2);
  const auto* compare = m.as<op::Compare>(test);
  if (compare == nullptr || compare->direction != Direction::gt) return std::nullopt;
  const bool to_lane = m.holds(second, 0.0);
  if (!to_lane && !m.holds(first, 0.0)) return std::nullopt;
  interiors.insert(interiors.end(), {i, test, to_lane ? second : first});
  return Routed{test, to_lane ? first : second, to_lane};
}

/// The select chain of a pool's maxima: the cotangent of lane i flows through the tests of the lanes after it.
struct Chain {
  Index cotangent = nowhere;  // of the whole maximum, [b, c, oh, ow, 1]
  Index test = nowhere;       // of the last lane
};

/// `selected[i]` is what lane i is padded from.
std::optional<Chain> chain_of(const Matching& m, const std::vector<Index>& selected, Interiors& interiors) {
  const auto count = selected.size();
  Chain chain;
  Index flowing = nowhere;  // the cotangent of the maximum up to the lane
  for (std::size_t lane = count - 1; lane > 0; --lane) {
    const auto own = routed(m, selected[lane], interiors);
    if (!own || !own->to_lane) return std::nullopt;
    if (lane + 1 == count) {
      chain = {own->cotangent, own->test};
    } else if (own->cotangent != flowing) {
      return std::nullopt;
    }
    // What this test passes on goes to the test of the lane before, or to lane 0 itself.
    if (lane == 1) {
      flowing = selected[0];
    } else {
      const auto before = routed(m, selected[lane - 1], interiors);
      if (!before) return std::nullopt;
      flowing = before->cotangent;
    }
    const auto passed = routed(m, flowing, interiors);
    if (!passed || passed->to_lane || passed->test != own->test || passed->cotangent != own->cotangent)
      return std::nullopt;
  }
  return chain;
}

/// What the lanes' cotangents are padded from, by lane: ((0 + last) + ..) + first.
std::optional<std::vector<Index>> lane_cotangents(const Matching& m, Index total, Extent count, Interiors& interiors) {
  std::vector<Index> selected(static_cast<std::size_t>(count), nowhere);
  for (Extent lane = 0; lane < count; ++lane) {
    Index pad = nowhere;
    if (lane + 1 == count) {
      pad = m.past_zero(total, interiors);
    } else {
      if (m.as<op::Add>(total) == nullptr) return std::nullopt;
      interiors.push_back(total);
      pad = m.operand(total, 1);
      total = m.operand(total);
    }
    const auto* placed = m.as<op::Pad>(pad);
    if (placed == nullptr || placed->axis != 4 || placed->start != lane || placed->full_extent != count)
      return std::nullopt;
    interiors.push_back(pad);
    selected[static_cast<std::size_t>(lane)] = m.operand(pad);
  }
  return selected;
}

/// The pool whose maxima the tests compare, each lane with the maximum of those before it.
std::optional<Windows> tested_pool(const Matching& m, const std::vector<Index>& selected, Index last_test, Index root) {
  const auto last_lane = m.operand(last_test);
  auto running = m.operand(last_test, 1);
  if (m.as<op::Narrow>(last_lane) == nullptr) return std::nullopt;
  const auto lanes = m.operand(last_lane);
  auto windows = pool_windows(m, lanes, root);
  const auto count = static_cast<Extent>(selected.size());
  Interiors ignored;
  if (!windows || m.shape(lanes)[4] != count || !running_maxima(m, running, lanes, count - 1, ignored))
    return std::nullopt;
  for (auto lane = selected.size() - 1; lane > 0; --lane) {
    const auto test = routed(m, selected[lane], ignored)->test;
    const auto value = m.operand(test);
    const auto* narrow = m.as<op::Narrow>(value);
    const bool agrees = narrow != nullptr && narrow->axis == 4 && narrow->length == 1 &&
                        narrow->start == static_cast<Extent>(lane) && m.operand(value) == lanes &&
                        m.operand(test, 1) == running;
    if (!agrees) return std::nullopt;
    if (lane > 1) running = m.operand(running, 1);
  }
  return windows;
}

}  // namespace

std::vector<Pattern> window_product_input_gradients(const Matching& m, const Roots& roots) {
  std::vector<Pattern> found;
  for (const auto root : roots.folds) {
    auto folds = folds_below(m, root);
    if (!folds) continue;
    const auto product = laid_out(m, *folds, {0, 3, 1, 4, 2, 5});
    if (product == nowhere || m.as<op::MatMul>(product) == nullptr || m.rank(product) != 2) continue;
    const auto& image = m.shape(root);
    const Shape expected{image[0] * folds->rows.count * folds->columns.count,
                         image[1] * folds->rows.size * folds->columns.size};
    if (!(m.shape(product) == expected)) continue;
    folds->interiors.push_back(product);
    Pattern pattern;
    pattern.kind = PatternKind::window_product_input_gradient;
    pattern.root = root;
    auto matrix = m.operand(product, 1);
    if (m.is_permute(matrix, {1, 0}) && !m.readable(matrix)) {
      pattern.turned = true;
      folds->interiors.push_back(matrix);
      matrix = m.operand(matrix);
    }
    pattern.reads = {m.operand(product), matrix};
    pattern.rows = folds->rows;
    pattern.columns = folds->columns;
    if (m.close(pattern, folds->interiors)) found.push_back(std::move(pattern));
  }
  return found;
}

std::vector<Pattern> window_product_kernel_gradients(const Matching& m, const Roots& roots) {
  std::vector<Pattern> found;
  for (const auto root : roots.products) {
    if (!m.is_permute(m.operand(root), {1, 0})) continue;
    const auto turned = m.operand(root);
    const auto windows = product_windows(m, m.operand(turned), root, {turned});
    if (!windows) continue;
    Pattern pattern;
    pattern.kind = PatternKind::window_product_kernel_gradient;
    pattern.root = root;
    pattern.reads = {windows->image, m.operand(root, 1)};
    pattern.rows = windows->rows;
    pattern.columns = windows->columns;
    if (m.close(pattern, windows->interiors)) found.push_back(std::move(pattern));
  }
  return found;
}

std::vector<Pattern> reduce_window_gradients(const Matching& m, const Roots& roots) {
  std::vector<Pattern> found;
  for (const auto root : roots.folds) {
    auto folds = folds_below(m, root);
    if (!folds) continue;
    const auto count = folds->rows.size * folds->columns.size;
    const auto total = laid_out(m, *folds, {0, 1, 2, 4, 3, 5});
    if (total == nowhere || count < 2 || m.rank(total) != 5 || m.shape(total)[4] != count) continue;
    const auto selected = lane_cotangents(m, total, count, folds->interiors);
    if (!selected) continue;
    const auto chain = chain_of(m, *selected, folds->interiors);
    if (!chain) continue;
    const auto windows = tested_pool(m, *selected, chain->test, root);
    if (!windows) continue;
    const bool same = windows->rows.size == folds->rows.size && windows->rows.step == folds->rows.step &&
                      windows->columns.size == folds->columns.size && windows->columns.step == folds->columns.step &&
                      folds->rows.dilation == 1 && folds->columns.dilation == 1 &&
                      m.shape(windows->image) == m.shape(root);
    if (!same) continue;
    Pattern pattern;
    pattern.kind = PatternKind::reduce_window_gradient;
    pattern.root = root;
    pattern.reads = {windows->image, chain->cotangent};
    pattern.rows = windows->rows;
    pattern.columns = windows->columns;
    if (m.close(pattern, folds->interiors)) found.push_back(std::move(pattern));
  }
  return found;
}

}  // namespace topos
