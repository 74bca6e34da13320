// Mlp: linear layers with an activation between them.
#pragma once
#include <vector>

#include "topos/neural/activation.h"
#include "topos/neural/initializer.h"
#include "topos/neural/linear.h"

namespace topos {

/// A multilayer perceptron.
class Mlp {
 public:
  /// A layer for each two neighbours a, b of `sizes`, in the tape's element: the initializer is asked for [a, b], then
  /// for [b], then Linear records both. Throws Error(argument) for fewer than two sizes or a negative one, Error(type)
  /// for an initializer that gives other shapes, and what the initializer throws.
  Mlp(Tape& tape, const std::vector<Extent>& sizes, Activation activation, Initializer& initializer,
      Site site = Site::current());
  Mlp(Tape& tape, const std::vector<Extent>& sizes, Activation activation, Initializer&& initializer,
      Site site = Site::current())
      : Mlp(tape, sizes, activation, initializer, site) {}

  /// For x [batch, first size] records each layer's nodes and, after all but the last, the activation's:
  /// [batch, last size]. Throws as Linear does.
  Value operator()(const Value& x, Site site = Site::current()) const;

  const std::vector<Linear>& layers() const { return layers_; }
  /// Each layer's weights and bias, in order.
  std::vector<Symbol> parameters() const;

 private:
  std::vector<Linear> layers_;
  Activation activation_;
};

}  // namespace topos
