// Batch normalisation, with the statistics of its batch or with given ones.
#include "topos/plan/matching.h"

namespace topos {
namespace {

/// x of a BroadcastAlong axis=0, or nowhere.
Index spread_over_rows(const Matching& m, Index i) {
  const auto* along = m.as<op::BroadcastAlong>(i);
  return along != nullptr && along->axis == 0 ? m.operand(i) : nowhere;
}

struct Tail {
  Index input, centered, mean, variance, scale, shift, epsilon;
  Interiors interiors;
};

/// root = (centered / spread(sqrt(variance + epsilon))) spread(scale) + spread(shift), centered = input - spread(mean).
std::optional<Tail> tail_of(const Matching& m, Index root) {
  if (m.rank(root) != 2) return std::nullopt;
  const auto scaled = m.operand(root), spread_shift = m.operand(root, 1);
  const auto shift = spread_over_rows(m, spread_shift);
  if (shift == nowhere || m.as<op::Mul>(scaled) == nullptr) return std::nullopt;
  const auto unit = m.operand(scaled), spread_scale = m.operand(scaled, 1);
  const auto scale = spread_over_rows(m, spread_scale);
  if (scale == nowhere || m.as<op::Div>(unit) == nullptr) return std::nullopt;
  const auto centered = m.operand(unit), spread_deviation = m.operand(unit, 1);
  const auto deviation = spread_over_rows(m, spread_deviation);
  if (deviation == nowhere || m.as<op::Sqrt>(deviation) == nullptr || m.as<op::Sub>(centered) == nullptr)
    return std::nullopt;
  const auto raised = m.operand(deviation);
  if (m.as<op::Add>(raised) == nullptr) return std::nullopt;
  const auto variance = m.operand(raised), spread_epsilon = m.operand(raised, 1);
  if (m.as<op::Broadcast>(spread_epsilon) == nullptr) return std::nullopt;
  const auto epsilon = m.operand(spread_epsilon);
  const auto input = m.operand(centered), spread_mean = m.operand(centered, 1);
  const auto mean = spread_over_rows(m, spread_mean);
  if (mean == nowhere || m.as<op::Leaf>(epsilon) == nullptr || m.shape(epsilon).volume() != 1) return std::nullopt;
  return Tail{input,
              centered,
              mean,
              variance,
              scale,
              shift,
              epsilon,
              {scaled, spread_shift, unit, spread_scale, spread_deviation, deviation, raised, spread_epsilon, centered,
               spread_mean}};
}

/// Whether `mean` is the sum of `summed` over its rows, divided by their number; its parts among the interiors.
bool is_mean_of(const Matching& m, Index mean, Index summed, Interiors& interiors) {
  if (m.as<op::Div>(mean) == nullptr) return false;
  const auto total = m.operand(mean), count = m.operand(mean, 1);
  const auto* sum = m.as<op::Sum>(total);
  if (sum == nullptr || !(sum->axes == Shape{0}) || m.operand(total) != summed) return false;
  if (!m.holds(count, static_cast<double>(m.shape(summed)[0]))) return false;
  interiors.push_back(total);
  interiors.push_back(count);
  return true;
}

}  // namespace

std::vector<Pattern> batch_norms_training(const Matching& m, const Roots& roots) {
  std::vector<Pattern> found;
  for (const auto root : roots.additions) {
    auto tail = tail_of(m, root);
    if (!tail || !is_mean_of(m, tail->mean, tail->input, tail->interiors)) continue;
    if (m.as<op::Div>(tail->variance) == nullptr) continue;
    const auto total = m.operand(tail->variance);
    if (m.as<op::Sum>(total) == nullptr) continue;
    const auto square = m.operand(total);
    const bool squared = m.as<op::Mul>(square) != nullptr && m.operand(square) == tail->centered &&
                         m.operand(square, 1) == tail->centered;
    if (!squared || !is_mean_of(m, tail->variance, square, tail->interiors)) continue;
    tail->interiors.push_back(square);
    Pattern pattern{PatternKind::batch_norm_training,
                    root,
                    {},
                    {tail->mean, tail->variance},
                    {tail->input, tail->scale, tail->shift, tail->epsilon},
                    {},
                    {},
                    false,
                    false};
    if (!m.close(pattern, tail->interiors) || !pattern.closed) continue;
    // The statistics may be read as results, by nothing else.
    if (m.only_read_by(tail->mean, root, pattern.claimed) && m.only_read_by(tail->variance, root, pattern.claimed))
      found.push_back(std::move(pattern));
  }
  return found;
}

std::vector<Pattern> batch_norms_inference(const Matching& m, const Roots& roots) {
  std::vector<Pattern> found;
  for (const auto root : roots.additions) {
    const auto tail = tail_of(m, root);
    if (!tail) continue;
    Pattern pattern{PatternKind::batch_norm_inference,
                    root,
                    {},
                    {},
                    {tail->input, tail->scale, tail->shift, tail->epsilon, tail->mean, tail->variance},
                    {},
                    {},
                    false,
                    false};
    if (m.close(pattern, tail->interiors) && pattern.closed) found.push_back(std::move(pattern));
  }
  return found;
}

}  // namespace topos
