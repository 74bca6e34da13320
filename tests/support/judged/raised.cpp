#include "support/judged/raised.h"

#include "support/judged/enclosure_parts.h"
#include "topos/plan/election.h"

namespace topos::test {
namespace {

double largest_magnitude(const Enclosure& x) {
  double largest = 0;
  for (const auto& t : intervals_of(x)) largest = t.is_finite() ? std::fmax(largest, t.magnitude()) : largest;
  return largest;
}
double smallest(const Enclosure& x) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& t : intervals_of(x)) least = t.is_number() ? std::fmin(least, t.low) : least;
  return least;
}

Enclosure by(const Enclosure& x, double error) {
  auto intervals = intervals_of(x);
  for (auto& t : intervals) {
    if (!(error < std::numeric_limits<double>::max())) t = Interval::anything();
    if (t.is_finite()) t = {t.low - error, t.high + error};
  }
  // Ends are numbers of the element again.
  return with_float(x.type().element, [&]<class T>() {
    for (auto& t : intervals)
      if (t.is_finite())
        t = rounded<T>({Format<T>::next(t.low, -std::numeric_limits<double>::infinity()),
                        Format<T>::next(t.high, std::numeric_limits<double>::infinity())});
    return enclosed(x.value, intervals);
  });
}

}  // namespace

RaisedBounds::RaisedBounds(const Plan& plan, bool raise) : plan_(plan.compiled()) {
  if (!raise) return;
  const auto& schedule = plan_.schedule;
  for (const auto k : elect_raised(schedule.candidates(), schedule)) {
    const auto& pattern = schedule.candidates()[k];
    if (pattern.kind == PatternKind::batch_norm_training || pattern.kind == PatternKind::batch_norm_inference) {
      norms_.emplace(pattern.root, &pattern);
      for (const auto i : pattern.named) norms_.emplace(i, &pattern);
      continue;
    }
    // One product in f32, as ours is.
    if (pattern.kind == PatternKind::window_product || pattern.kind == PatternKind::window_product_kernel_gradient)
      continue;
    loose_.resize(schedule.reach());
    loose_[pattern.root] = true;
    for (const auto i : pattern.claimed) loose_[i] = true;
  }
}

Enclosure RaisedBounds::widened(Index i, const Values& values, Enclosure x) const {
  const auto found = norms_.find(i);
  if (found == norms_.end()) return x;
  const auto& pattern = *found->second;
  const auto& input = *values[pattern.reads[0]];
  const bool training = pattern.kind == PatternKind::batch_norm_training;
  const auto element = input.type().element;
  const double unit = element == bf16 ? 0x1p-8 : element == f32 ? 0x1p-24 : 0x1p-53;
  const double rows = static_cast<double>(input.value.volume()) / static_cast<double>(input.type().shape[1]);
  double peak = largest_magnitude(input);
  const double of_mean = training ? (rows + 2) * unit * peak : 0;
  const double of_variance = training ? 4 * (rows + 8) * unit * peak * peak : 0;
  if (i != pattern.root) return by(x, i == pattern.named[0] ? of_mean : of_variance);
  const auto& mean = *values[training ? pattern.named[0] : pattern.reads[4]];
  const auto& variance = *values[training ? pattern.named[1] : pattern.reads[5]];
  peak = std::fmax(peak, largest_magnitude(mean));
  // The operation's epsilon is an attribute, and an f32.
  const double epsilon = smallest(*values[pattern.reads[3]]);
  const double of_epsilon = std::fabs(epsilon - static_cast<double>(static_cast<float>(epsilon)));
  const double least = std::fmax(0, smallest(variance)) + epsilon - of_epsilon;
  const double slope = 1 / std::sqrt(least);
  const double scale = largest_magnitude(*values[pattern.reads[1]]);
  const double shift = largest_magnitude(*values[pattern.reads[2]]);
  const double of_deviation =
      of_mean * slope + peak * slope * slope * slope * (of_variance + of_epsilon) + 32 * unit * peak * slope;
  return by(x, scale * of_deviation + 4 * unit * shift);
}

}  // namespace topos::test
