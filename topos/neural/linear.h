// Linear: a product with weights, and a bias on every row.
#pragma once
#include <vector>

#include "topos/spec/tape.h"

namespace topos {

/// An affine layer. It holds the names of its parameters, so that it may be called on any tape that knows them: the
/// one it was made on, and that one again after sealing and reopening.
class Linear {
 public:
  /// Records Parameter `weights` [in, out], then Parameter `bias` [out]. Throws Error(type) for other ranks, extents
  /// that disagree or two elements.
  Linear(Tape& tape, const Literal& weights, const Literal& bias, Site site = Site::current());

  /// For x [batch, in] records MatMul, BroadcastAlong axis=0, Add: [batch, out]. Throws Error(type) for another type of
  /// x, and Error(family) or Error(coverage) on a tape that lacks the parameters.
  Value operator()(const Value& x, Site site = Site::current()) const;

  Symbol weights() const { return weights_; }
  Symbol bias() const { return bias_; }
  /// The weights, then the bias.
  std::vector<Symbol> parameters() const { return {weights_, bias_}; }

 private:
  Symbol weights_;
  Symbol bias_;
};

}  // namespace topos
