// Owns the seeded random numbers: one stream of 64-bit outputs, uniform and standard normal values drawn from it.
#include "topos/neural/random.h"

#include <numbers>

#include "topos/neural/rounded.h"

namespace topos {

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

double Random::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::normal() {
  const double radius = __builtin_sqrt(-2.0 * rounded::log(1.0 - unit()));
  const double angle = 2.0 * std::numbers::pi * unit();
  return radius * rounded::cos(angle);
}

}  // namespace topos
