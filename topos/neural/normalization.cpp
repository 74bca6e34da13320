#include "topos/neural/normalization.h"

#include <fmt/format.h>

#include "topos/neural/misuse.h"
#include "topos/spec/composite.h"
#include "topos/spec/composites.h"
#include "topos/tensor/algebra.h"

namespace topos {
namespace {

/// The parameters as the formula reads them.
struct Read {
  Value scale, shift, epsilon;
};

/// bf16 is computed in f32.
Value widened(const Value& x) { return x.element() == bf16 ? convert(x, f32) : x; }

/// [b, f, h, w] as rows [b h w, f]; rows stay as they are.
Value rows_of(const Value& x) {
  const auto shape = x.shape();
  if (shape.rank() == 2) return x;
  const auto last = permute(x, {0, 2, 3, 1});
  return reshape(last, {shape[0] * shape[2] * shape[3], shape[1]});
}
Value image_of(const Value& rows, const Shape& shape) {
  if (shape.rank() == 2) return rows;
  const auto last = reshape(rows, {shape[0], shape[2], shape[3], shape[1]});
  return permute(last, {0, 3, 1, 2});
}

Value normalized(const Value& centered, const Value& variance, const Read& read) {
  const auto rows = centered.shape()[0];
  const auto epsilon = broadcast(read.epsilon, variance.shape());
  const auto raised = variance + epsilon;
  const auto deviation = sqrt(raised);
  const auto spread_deviation = broadcast_along(deviation, 0, rows);
  const auto unit = centered / spread_deviation;
  const auto spread_scale = broadcast_along(read.scale, 0, rows);
  const auto scaled = unit * spread_scale;
  const auto spread_shift = broadcast_along(read.shift, 0, rows);
  return scaled + spread_shift;
}

void check_scale(const Value& x, const Value& scale, const Site& site) {
  const auto& shape = x.shape();
  const bool fits = (shape.rank() == 2 || shape.rank() == 4) && shape[1] == scale.shape()[0];
  if (!fits || !(x.element() == scale.element()))
    neural::refuse_type("BatchNorm",
                        fmt::format("the input {} is neither [batch, f] nor [b, f, h, w] for a scale {}",
                                    x.type().text(), scale.type().text()),
                        {x.type().text(), scale.type().text()}, site);
}

}  // namespace

BatchNorm::BatchNorm(Tape& tape, const Literal& scale, const Literal& shift, const Literal& epsilon, Site site) {
  Composite scope(tape, site);
  const auto factor = tape.parameter(scale);
  const auto offset = tape.parameter(shift);
  const std::vector<std::string> types{factor.type().text(), offset.type().text()};
  if (factor.shape().rank() != 1 || !(factor.type() == offset.type()))
    neural::refuse_type(
        "BatchNorm", fmt::format("scale {} and shift {} are not one vector type [f]", types[0], types[1]), types, site);
  const auto least = tape.leaf(epsilon, factor.element());
  if (least.shape().volume() != 1)
    neural::refuse_type("BatchNorm", fmt::format("epsilon {} is not a single number", least.type().text()),
                        {least.type().text()}, site);
  scale_ = factor;
  shift_ = offset;
  epsilon_ = least;
}

Normalized BatchNorm::express(const Value& x, Site site) const {
  Composite scope(x, site);
  const auto scale = x.resolve(scale_);
  check_scale(x, scale, site);
  const auto wide = widened(x);
  const auto rows = rows_of(wide);
  const auto count = rows.shape()[0];
  const auto mean = topos::mean(rows, {0});
  const auto spread_mean = broadcast_along(mean, 0, count);
  const auto centered = rows - spread_mean;
  const auto squares = centered * centered;
  const auto variance = topos::mean(squares, {0});
  const auto read = Read{widened(scale), widened(x.resolve(shift_)), widened(x.resolve(epsilon_))};
  const auto output = normalized(centered, variance, read);
  return {convert(image_of(output, x.shape()), x.element()), mean, variance};
}

Value BatchNorm::express_with(const Value& x, const Value& mean, const Value& variance, Site site) const {
  Composite scope(x, site);
  const auto scale = x.resolve(scale_);
  check_scale(x, scale, site);
  const auto wide = widened(x);
  const auto expected = TensorType{wide.element(), scale.shape()};
  if (!(mean.type() == expected) || !(variance.type() == expected))
    neural::refuse_type(
        "BatchNorm",
        fmt::format("mean {} and variance {} are not {}", mean.type().text(), variance.type().text(), expected.text()),
        {mean.type().text(), variance.type().text()}, site);
  const auto rows = rows_of(wide);
  const auto spread_mean = broadcast_along(mean, 0, rows.shape()[0]);
  const auto centered = rows - spread_mean;
  const auto read = Read{widened(scale), widened(x.resolve(shift_)), widened(x.resolve(epsilon_))};
  const auto output = normalized(centered, variance, read);
  return convert(image_of(output, x.shape()), x.element());
}

RunningStatistics RunningStatistics::step(const Tensor& batch_mean, const Tensor& batch_variance, Extent rows,
                                          double momentum) const {
  const auto unbiased = batch_variance * static_cast<double>(rows) / static_cast<double>(rows - 1);
  const auto kept = 1.0 - momentum;
  const auto next_mean = mean * kept + batch_mean * momentum;
  const auto next_variance = variance * kept + unbiased * momentum;
  return {next_mean, next_variance};
}

}  // namespace topos
