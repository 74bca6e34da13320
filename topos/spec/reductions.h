// Composites that reduce axes: means, deviations, norms, extremes, and reductions that keep their axes.
#pragma once
#include "topos/spec/value.h"

namespace topos {

/// Behind the axes of a reduction, leaves each with extent 1: a last Reshape, where there are axes.
struct KeepDims {
  explicit KeepDims() = default;
};
inline constexpr KeepDims keepdims{};

// Axes may be negative and in any order; over no axes a reduction is of each number alone. Each records the nodes that
// its comment lists, in that order, at the caller's line. Throws Error(type) for an axis outside of x or named twice,
// and what its nodes throw; the tape then stays as it was.
//
// A bf16 mean or variance is taken in f32: Convert first, Convert last.

Value sum(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());
Value logsumexp(const Value& x, Extent axis, KeepDims, Site site = Site::current());

/// The sum over axes divided by their volume; NaN over none: Sum, Leaf, Div.
Value mean(const Value& x, const Shape& axes, Site site = Site::current());
Value mean(const Value& x, Site site = Site::current());
Value mean(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());

/// The mean of (x - mean)^2, in two passes: Sum, Leaf, Div (the mean), BroadcastAlong an axis or one Broadcast over
/// all, Sub, Mul, Sum, Leaf, Div. The divisor is the volume of the axes.
Value variance(const Value& x, const Shape& axes, Site site = Site::current());
Value variance(const Value& x, Site site = Site::current());
Value variance(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());
/// The same with one less than the volume as divisor; NaN of one number.
Value unbiased_variance(const Value& x, const Shape& axes, Site site = Site::current());
Value unbiased_variance(const Value& x, Site site = Site::current());
Value unbiased_variance(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());
/// The square root of the variance, 0 and of slope 0 where the variance is 0: variance; Leaf 0, Compare EQ, Leaf 1,
/// Select, Sqrt, Select.
Value standard_deviation(const Value& x, const Shape& axes, Site site = Site::current());
Value standard_deviation(const Value& x, Site site = Site::current());
Value standard_deviation(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());
/// The same of the unbiased variance.
Value unbiased_standard_deviation(const Value& x, const Shape& axes, Site site = Site::current());
Value unbiased_standard_deviation(const Value& x, Site site = Site::current());
Value unbiased_standard_deviation(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());

/// A norm over axes, of slope 0 at the zero vector. Order 1, sum(|x|): Abs, Sum. Order 2, sqrt(sum(x^2)): Mul, Sum,
/// Leaf 0, Compare EQ, Leaf 1, Select, Sqrt, Select; squares may overflow or vanish. Order infinity, max(|x|): Abs,
/// then as `max`. Throws Error(argument) for another order.
Value norm(const Value& x, const Shape& axes, double order = 2, Site site = Site::current());
Value norm(const Value& x, const Shape& axes, double order, KeepDims, Site site = Site::current());
/// The norm of order 2 over every axis.
Value norm(const Value& x, Site site = Site::current());
/// x where its norm over every axis is at most `limit`, else x scaled to that norm: Mul, Sum, Sqrt, Leaf, Maximum,
/// Leaf, Div, Broadcast, Mul. Inside the ball it is the identity, at zero too. Throws Error(argument) unless 0 < limit
/// < inf.
Value clip_by_norm(const Value& x, double limit, Site site = Site::current());

/// The largest over axes, of which the first in row-major order takes a tie's cotangent: MaxAlong an axis, the last
/// first. NaN if any is NaN. Over an empty axis there is none: Error(type).
Value max(const Value& x, const Shape& axes, Site site = Site::current());
Value max(const Value& x, Site site = Site::current());
Value max(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());
/// The smallest in the same way: `max` between two Neg; of i64, whose smallest number has no negative, between Leaf -1,
/// Sub and Leaf -1, Sub. -0 is below +0.
Value min(const Value& x, const Shape& axes, Site site = Site::current());
Value min(const Value& x, Site site = Site::current());
Value min(const Value& x, const Shape& axes, KeepDims, Site site = Site::current());
/// The smallest along an axis, which goes away: `min`.
Value min_along(const Value& x, Extent axis, Site site = Site::current());
/// Its place, i64: the first NaN's, or else the first of equals: Neg, ArgMaxAlong; of i64 Leaf -1, Sub, ArgMaxAlong.
Value argmin_along(const Value& x, Extent axis, Site site = Site::current());

}  // namespace topos
