// Owns the seeded random numbers: one stream of 64-bit outputs, uniform and standard normal values drawn from it.
#pragma once

#include <cstdint>

namespace topos {

/// A splitmix64 stream. Equal seeds give equal bits on every machine and with every compiler.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// The next 64 bits.
  std::uint64_t next();

  /// Uniform in [0, 1): the top 53 bits of one output, a multiple of 2^-53.
  double unit();

  /// Standard normal, sqrt(-2 log(1 - u)) * cos(2 pi v) of two units drawn in this order. Each operation rounds to the
  /// nearest double, the logarithm and the cosine included.
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace topos
