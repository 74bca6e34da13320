#include "topos/neural/initializer.h"

#include "topos/neural/misuse.h"
#include "topos/neural/random.h"

namespace topos::init {
namespace {

void check_initialized(std::string_view name, const Shape& shape, ElementType element) {
  if (!element.is_floating())
    neural::refuse_type(name, std::string(element.name()) + " has no fractions to draw",
                        {TensorType{element, shape}.text()}, Site::none());
  for (const auto extent : shape)
    if (extent < 0) neural::refuse_argument(name, "the shape " + shape.text() + " has a negative extent");
}

/// A tensor of one draw an element.
template <class Draw>
Tensor drawn(const Shape& shape, ElementType element, Draw&& draw) {
  std::vector<double> numbers(static_cast<std::size_t>(shape.volume()));
  for (auto& number : numbers) number = draw();
  return Tensor::from(shape, numbers, element);
}

/// Weights by `weights(in, out)`, which gives the draw; zeros for a bias.
template <class Weights>
Tensor by_fans(std::string_view name, const Shape& shape, ElementType element, Weights&& weights) {
  check_initialized(name, shape, element);
  if (shape.rank() == 1) return Tensor::full({element, shape}, 0);
  if (shape.rank() != 2)
    neural::refuse_argument(name, "the shape " + shape.text() + " has no fans: weights are [in, out], a bias is [out]");
  return drawn(shape, element, weights(static_cast<double>(shape[0]), static_cast<double>(shape[1])));
}

}  // namespace

Initializer uniform(std::uint64_t seed, double scale) {
  return [random = Random(seed), scale](const Shape& shape, ElementType element) mutable {
    check_initialized("init::uniform", shape, element);
    return drawn(shape, element, [&] { return (random.unit() * 2.0 - 1.0) * scale; });
  };
}

Initializer normal(std::uint64_t seed, double deviation) {
  return [random = Random(seed), deviation](const Shape& shape, ElementType element) mutable {
    check_initialized("init::normal", shape, element);
    return drawn(shape, element, [&] { return random.normal() * deviation; });
  };
}

Initializer xavier(std::uint64_t seed) {
  return [random = Random(seed)](const Shape& shape, ElementType element) mutable {
    return by_fans("init::xavier", shape, element, [&](double in, double out) {
      return [&random, bound = __builtin_sqrt(6.0 / (in + out))] { return (random.unit() * 2.0 - 1.0) * bound; };
    });
  };
}

Initializer kaiming(std::uint64_t seed) {
  return [random = Random(seed)](const Shape& shape, ElementType element) mutable {
    return by_fans("init::kaiming", shape, element, [&](double in, double) {
      return [&random, deviation = __builtin_sqrt(2.0 / in)] { return random.normal() * deviation; };
    });
  };
}

Initializer scaled(std::uint64_t seed, double gain) {
  return [random = Random(seed), gain](const Shape& shape, ElementType element) mutable {
    return by_fans("init::scaled", shape, element, [&](double in, double) {
      return [&random, deviation = gain / __builtin_sqrt(in)] { return random.normal() * deviation; };
    });
  };
}

}  // namespace topos::init
