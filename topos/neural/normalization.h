// BatchNorm: features normalised over their batch, and the running statistics that stand for it afterwards.
#pragma once
#include <vector>

#include "topos/spec/tape.h"

namespace topos {

/// What a batch gave: the normalised values and the statistics of each feature. The variance is biased, divided by the
/// number of rows.
struct Normalized {
  Value output;
  Value mean;
  Value variance;
};

/// Normalises each feature over the rows of a batch, then scales and shifts it.
///
/// It normalises with the biased variance. Running statistics are the caller's: read mean and variance from a run,
/// follow them with RunningStatistics, feed them to `express_with`. (Ioffe, Szegedy 2015.)
class BatchNorm {
 public:
  /// Records Parameter `scale` [f], Parameter `shift` [f], Leaf `epsilon`. Throws Error(type) unless scale and shift
  /// are one vector type and epsilon is a single number.
  BatchNorm(Tape& tape, const Literal& scale, const Literal& shift, const Literal& epsilon,
            Site site = Site::current());

  /// Training, for x [batch, f]: SumAlong axis=0, Leaf, Div (the mean); BroadcastAlong, Sub (centred); Mul, SumAlong,
  /// Leaf, Div (the variance); Broadcast of epsilon, Add, Sqrt, BroadcastAlong, Div; BroadcastAlong of scale, Mul;
  /// BroadcastAlong of shift, Add. For x [b, f, h, w] a Permute and Reshape to [b h w, f] before and back after. bf16
  /// is computed in f32, statistics included, and the output rounded. Throws Error(type) for another type of x, and
  /// Error(family) or Error(coverage) on a tape that lacks the parameters.
  Normalized express(const Value& x, Site site = Site::current()) const;
  /// The output of `express` alone.
  Value operator()(const Value& x, Site site = Site::current()) const { return express(x, site).output; }
  /// Inference, with a mean and a variance [f] that are given: BroadcastAlong, Sub and the same end.
  Value express_with(const Value& x, const Value& mean, const Value& variance, Site site = Site::current()) const;

  Symbol scale() const { return scale_; }
  Symbol shift() const { return shift_; }
  Symbol epsilon() const { return epsilon_; }
  /// The scale, then the shift.
  std::vector<Symbol> parameters() const { return {scale_, shift_}; }

 private:
  Symbol scale_;
  Symbol shift_;
  Symbol epsilon_;
};

/// Statistics that follow those of the batches. The running variance is the unbiased one, divided by n - 1, as the
/// checkpoints of the common frameworks hold it: what a batch is normalised with and what is kept differ by n / (n -
/// 1).
struct RunningStatistics {
  Tensor mean;
  Tensor variance;

  /// old (1 - momentum) + new momentum, from a batch of `rows` rows (b h w of an image) with its biased variance. The
  /// variance of one row is NaN. Throws Error(type) for other shapes.
  RunningStatistics step(const Tensor& batch_mean, const Tensor& batch_variance, Extent rows, double momentum) const;
};

}  // namespace topos
