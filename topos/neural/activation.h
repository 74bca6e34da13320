// The activations: a closed list of functions between layers, each with the gain that keeps a signal's size.
#pragma once
#include "topos/spec/composites.h"

namespace topos {

/// The nonlinear function between two layers.
enum class Activation : std::uint8_t { tanh, relu };

/// Records the activation of x, whose type it keeps: Tanh, or Leaf and Maximum. Throws what the operation throws.
inline Value activate(Activation activation, const Value& x, Site site = Site::current()) {
  return activation == Activation::relu ? relu(x, site) : tanh(x, site);
}

/// The factor on a layer's deviation 1 / sqrt(fan in) that keeps the size of a signal through this activation: 5/3 for
/// tanh, sqrt(2) for relu (LeCun et al. 1998; He et al. 2015). For init::scaled.
constexpr double gain(Activation activation) { return activation == Activation::relu ? 1.4142135623730951 : 5.0 / 3.0; }

}  // namespace topos
