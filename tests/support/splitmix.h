// Owns the stream of bits that seeded tests draw from: Splitmix64, after Steele, Lea and Flood (2014).
#pragma once
#include <cstdint>

namespace topos::test {

/// The next 64 bits, the same on every machine.
inline std::uint64_t next(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  std::uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

}  // namespace topos::test
