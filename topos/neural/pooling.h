// Pools: the largest and the mean of the windows of an image.
#pragma once
#include "topos/neural/pair.h"
#include "topos/spec/value.h"

namespace topos {

/// The largest of each window of x [b, c, h, w]: [b, c, oh, ow], oh = (h + 2 padding - size) / stride + 1. NaN where a
/// window holds NaN. A tie's cotangent goes to the earliest in row-major order. Padding is -inf, the least number of an
/// integer, so that it never wins over what is there, and is narrower than the window.
///
/// Records, where there is padding, for each axis a Leaf and Concat; Unfold axis=2, Unfold axis=4, Permute, Reshape
/// [b, c, oh, ow, lanes]; Narrow of lane 0, then for each further lane Narrow and Maximum (lane, running); Reshape. See
/// docs/windows.md. Throws Error(type) unless x has rank 4 and the window fits, Error(argument) for a size or stride
/// below 1 and a padding outside [0, size).
Value max_pool(const Value& x, Pair size, Pair stride, Pair padding = 0, Site site = Site::current());

/// What surrounds an image when its windows are averaged: zeros at the low and the high end of each axis, counted in a
/// window's divisor or not.
struct AveragePoolOptions {
  Pair padding_low = 0;
  Pair padding_high = 0;
  bool count_padding = true;
};

/// The mean of each window of x [b, c, h, w]: [b, c, oh, ow], oh = (h + low + high - size) / stride + 1. bf16 sums and
/// divides in f32 and rounds once.
///
/// Records Pad axis=2 and Pad axis=3 where there is padding, Unfold axis=2, Unfold axis=4, SumAlong axes=[3, 5], the
/// divisor as a Leaf of the result's type (of [oh, ow] and two BroadcastAlong where windows count differently), Div;
/// around them two Converts of bf16. Throws as max_pool does, and Error(type) for an element that is not floating.
Value average_pool(const Value& x, Pair size, Pair stride, const AveragePoolOptions& options = {},
                   Site site = Site::current());

}  // namespace topos
