// Convolutions of one and two axes and their transposes, as windows and a product.
#pragma once
#include <vector>

#include "topos/neural/pair.h"
#include "topos/spec/tape.h"

namespace topos {

/// How the windows of an image are laid: tap (i, j) of output (y, x) reads the row y * stride + i * dilation - padding,
/// and columns alike. Padding is zeros on both sides. Each of `groups` filters its own share of the channels.
struct ConvolutionOptions {
  Pair stride = 1;
  Pair padding = 0;
  Pair dilation = 1;
  Extent groups = 1;
};
/// The same of a row.
struct Convolution1dOptions {
  Extent stride = 1;
  Extent padding = 0;
  Extent dilation = 1;
  Extent groups = 1;
};
/// Of a transpose: `output_padding`, below the stride, names which of the extents that the convolution reads alike is
/// meant, by so many rows and columns more at the end.
struct TransposedOptions {
  Pair stride = 1;
  Pair padding = 0;
  Pair dilation = 1;
  Extent groups = 1;
  Pair output_padding = 0;
};
struct Transposed1dOptions {
  Extent stride = 1;
  Extent padding = 0;
  Extent dilation = 1;
  Extent groups = 1;
  Extent output_padding = 0;
};

// All throw Error(type) for ranks, channels, filters, elements, groups that do not divide and windows that do not fit,
// and Error(argument) for a stride, dilation or group count below 1 and a negative padding, with the types and the
// line.

/// For input [b, c, h, w], weights [f, c / groups, kh, kw] and bias [f]: [b, f, oh, ow], oh = (h + 2 padding -
/// dilation (kh - 1) - 1) / stride + 1. The kernel is not turned around: a cross-correlation.
///
/// Records, for one group: Pad axis=2 and Pad axis=3 where there is padding; Unfold axis=2, Unfold axis=4, Permute,
/// Reshape [b oh ow, c kh kw]; of the weights Permute, Reshape [c kh kw, f]; MatMul; BroadcastAlong of the bias, Add;
/// Reshape, Permute. Several groups are a batched product. See docs/windows.md.
Value conv2d(const Value& input, const Value& weights, const Value& bias, const ConvolutionOptions& options = {},
             Site site = Site::current());
Value conv2d(const Value& input, const Value& weights, const Value& bias, Pair stride, Pair padding,
             Site site = Site::current());
/// Without a bias: the last BroadcastAlong and Add are not recorded.
Value conv2d(const Value& input, const Value& weights, const ConvolutionOptions& options = {},
             Site site = Site::current());

/// For input [b, c, l], weights [f, c / groups, k] and bias [f]: [b, f, ol], as conv2d of rows of height 1: a Reshape
/// of each before, one after.
Value conv1d(const Value& input, const Value& weights, const Value& bias, const Convolution1dOptions& options = {},
             Site site = Site::current());
Value conv1d(const Value& input, const Value& weights, const Convolution1dOptions& options = {},
             Site site = Site::current());

/// The adjoint of the conv2d with these weights and options, read as a linear map of its input: for input [b, c, h, w],
/// weights [c, f / groups, kh, kw] and bias [f]: [b, f, oh, ow], oh = (h - 1) stride + dilation (kh - 1) + 1 -
/// 2 padding + output_padding.
///
/// Records for one group: of the input Permute, Reshape [b h w, c]; of the weights Permute, Reshape, Permute; MatMul,
/// Reshape, Permute, Fold axis=4, Fold axis=2; Narrow axis=3 and Narrow axis=2 where there is padding; of the bias a
/// BroadcastAlong an axis, Add. Throws Error(argument) also for an output padding that is negative or not below the
/// stride.
Value conv2d_transposed(const Value& input, const Value& weights, const Value& bias,
                        const TransposedOptions& options = {}, Site site = Site::current());
Value conv2d_transposed(const Value& input, const Value& weights, const TransposedOptions& options = {},
                        Site site = Site::current());

/// The same for input [b, c, l], weights [c, f / groups, k] and bias [f].
Value conv1d_transposed(const Value& input, const Value& weights, const Value& bias,
                        const Transposed1dOptions& options = {}, Site site = Site::current());
Value conv1d_transposed(const Value& input, const Value& weights, const Transposed1dOptions& options = {},
                        Site site = Site::current());

/// A convolution with its weights and bias.
class Conv2d {
 public:
  /// Records Parameter `weights` [f, c / groups, kh, kw], then Parameter `bias` [f]. Throws Error(type) for other
  /// ranks, another number of filters or two elements, Error(argument) as conv2d does.
  Conv2d(Tape& tape, const Literal& weights, const Literal& bias, const ConvolutionOptions& options = {},
         Site site = Site::current());

  /// Records conv2d of x. Throws as conv2d does, and Error(family) or Error(coverage) on a tape that lacks the
  /// parameters.
  Value operator()(const Value& x, Site site = Site::current()) const;

  Symbol weights() const { return weights_; }
  Symbol bias() const { return bias_; }
  /// The weights, then the bias.
  std::vector<Symbol> parameters() const { return {weights_, bias_}; }
  const ConvolutionOptions& options() const { return options_; }

 private:
  Symbol weights_;
  Symbol bias_;
  ConvolutionOptions options_;
};

}  // namespace topos
