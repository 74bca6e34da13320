// The initialisers: seeded streams of tensors for parameters to start from.
#pragma once
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "topos/tensor/tensor.h"

namespace topos {

/// Something that gives a tensor for a shape, and another one the next time: a stream with a state. A copy has its own
/// state from there on; layers take one by reference and so advance the caller's.
class Initializer {
 public:
  /// From any callable `Tensor(const Shape&, ElementType)`.
  template <class Draw>
    requires(!std::same_as<std::remove_cvref_t<Draw>, Initializer> &&
             std::is_invocable_r_v<Tensor, Draw&, const Shape&, ElementType>)
  Initializer(Draw draw) : draw_(std::move(draw)) {}

  /// The next tensor of this shape, whose numbers are drawn in row-major order.
  Tensor operator()(const Shape& shape, ElementType element = f32) { return draw_(shape, element); }

 private:
  std::function<Tensor(const Shape&, ElementType)> draw_;
};

/// Streams of splitmix64 (random.h): one draw an element, all in f64, rounded once to the element that is asked for.
/// Equal seeds give equal bits on every machine. Each throws Error(type) for an element that is not floating and
/// Error(argument) for a negative extent.
namespace init {

/// Uniform in [-scale, scale), any shape: (unit * 2 - 1) * scale.
Initializer uniform(std::uint64_t seed, double scale);
/// Normal with mean 0, any shape.
Initializer normal(std::uint64_t seed, double deviation);

// By a layer's fans: weights [in, out] are drawn, a bias of rank 1 is zeros and draws nothing. Other ranks throw
// Error(argument).

/// Uniform with the bound sqrt(6 / (in + out)) (Glorot and Bengio 2010): for tanh.
Initializer xavier(std::uint64_t seed);
/// Normal with the deviation sqrt(2 / in) (He et al. 2015): for relu.
Initializer kaiming(std::uint64_t seed);
/// Normal with the deviation gain / sqrt(in); see gain(Activation).
Initializer scaled(std::uint64_t seed, double gain);

}  // namespace init
}  // namespace topos
