// Windowed products and window reductions.
#include "topos/plan/windows.h"

namespace topos {
namespace {

/// The windows of an image [b, c, oh, kh, ow, kw] below node i, padding included where `padded`.
std::optional<Windows> windows_below(const Matching& m, Index i, Index root, const Interiors& above, bool padded) {
  const auto* columns = m.as<op::Unfold>(i);
  if (columns == nullptr || columns->axis != 4) return std::nullopt;
  const auto middle = m.operand(i);
  const auto* rows = m.as<op::Unfold>(middle);
  if (rows == nullptr || rows->axis != 2 || m.rank(m.operand(middle)) != 4) return std::nullopt;
  Windows windows;
  windows.interiors = above;
  windows.interiors.insert(windows.interiors.end(), {i, middle});
  windows.image = m.operand(middle);
  windows.rows = {rows->size, rows->step, rows->dilation, 0, 0, m.shape(i)[2]};
  windows.columns = {columns->size, columns->step, columns->dilation, 0, 0, m.shape(i)[4]};
  if (padded)
    for (const Extent axis : {3, 2}) {
      const auto* pad = m.as<op::Pad>(windows.image);
      if (pad == nullptr || pad->axis != axis || m.readable(windows.image)) continue;
      const auto inside = m.operand(windows.image);
      if (pad->full_extent != m.shape(inside).at(axis) + 2 * pad->start) continue;
      if (!m.only_read_by(windows.image, root, windows.interiors)) continue;
      (axis == 3 ? windows.columns : windows.rows).padding = pad->start;
      windows.interiors.push_back(windows.image);
      windows.image = inside;
    }
  windows.rows.extent = m.shape(windows.image)[2];
  windows.columns.extent = m.shape(windows.image)[3];
  return windows;
}

/// The lanes' order: a permutation of the windows, reshaped.
std::optional<Windows> reshaped_windows(const Matching& m, Index i, Index root, Interiors above, const Shape& order,
                                        bool padded) {
  if (m.as<op::Reshape>(i) == nullptr || !m.is_permute(m.operand(i), order)) return std::nullopt;
  above.insert(above.end(), {i, m.operand(i)});
  return windows_below(m, m.operand(m.operand(i)), root, above, padded);
}

Pattern pattern_of(PatternKind kind, Index root, const Windows& windows, Interiors reads) {
  Pattern pattern;
  pattern.kind = kind;
  pattern.root = root;
  pattern.reads = std::move(reads);
  pattern.rows = windows.rows;
  pattern.columns = windows.columns;
  return pattern;
}

/// The lanes that a chain of maxima ends in.
Index lanes_below(const Matching& m, Index top) {
  while (m.as<op::Maximum>(top) != nullptr) top = m.operand(top, 1);
  return m.as<op::Narrow>(top) != nullptr ? m.operand(top) : nowhere;
}

}  // namespace

std::optional<Windows> product_windows(const Matching& m, Index i, Index root, Interiors above) {
  if (m.rank(i) != 2) return std::nullopt;
  auto windows = reshaped_windows(m, i, root, std::move(above), {0, 2, 4, 1, 3, 5}, true);
  if (!windows) return std::nullopt;
  const auto& image = m.shape(windows->image);
  const Shape rows{image[0] * windows->rows.count * windows->columns.count,
                   image[1] * windows->rows.size * windows->columns.size};
  return m.shape(i) == rows ? windows : std::nullopt;
}

std::optional<Windows> pool_windows(const Matching& m, Index lanes, Index root) {
  if (m.rank(lanes) != 5) return std::nullopt;
  auto windows = reshaped_windows(m, lanes, root, {}, {0, 1, 2, 4, 3, 5}, false);
  if (!windows || windows->rows.dilation != 1 || windows->columns.dilation != 1) return std::nullopt;
  const auto& image = m.shape(windows->image);
  const Shape expected{image[0], image[1], windows->rows.count, windows->columns.count,
                       windows->rows.size * windows->columns.size};
  return m.shape(lanes) == expected ? windows : std::nullopt;
}

bool running_maxima(const Matching& m, Index top, Index lanes, Extent count, Interiors& interiors) {
  const auto is_lane = [&](Index i, Extent start) {
    const auto* narrow = m.as<op::Narrow>(i);
    return narrow != nullptr && narrow->axis == 4 && narrow->length == 1 && narrow->start == start &&
           m.operand(i) == lanes;
  };
  for (Extent lane = count - 1; lane > 0; --lane) {
    if (m.as<op::Maximum>(top) == nullptr || !is_lane(m.operand(top), lane)) return false;
    interiors.insert(interiors.end(), {top, m.operand(top)});
    top = m.operand(top, 1);
  }
  interiors.push_back(top);
  return is_lane(top, 0);
}

std::vector<Pattern> window_products(const Matching& m, const Roots& roots) {
  std::vector<Pattern> found;
  for (const auto root : roots.products) {
    const auto windows = product_windows(m, m.operand(root), root, {});
    if (!windows) continue;
    auto pattern = pattern_of(PatternKind::window_product, root, *windows, {windows->image, m.operand(root, 1)});
    if (m.close(pattern, windows->interiors)) found.push_back(std::move(pattern));
  }
  return found;
}

std::vector<Pattern> reduce_windows(const Matching& m, const Roots& roots, const Interiors& covered) {
  std::vector<Pattern> found;
  for (const auto root : roots.reshapes) {
    if (m.rank(root) != 4 || m.rank(m.operand(root)) != 5) continue;
    const auto top = m.operand(root), lanes = lanes_below(m, top);
    if (lanes == nowhere || !(m.shape(root) == m.shape(top).without(4))) continue;
    auto windows = pool_windows(m, lanes, root);
    if (!windows || !running_maxima(m, top, lanes, m.shape(lanes)[4], windows->interiors)) continue;
    auto pattern = pattern_of(PatternKind::reduce_window, root, *windows, {windows->image});
    if (m.close(pattern, windows->interiors, covered)) found.push_back(std::move(pattern));
  }
  return found;
}

}  // namespace topos
