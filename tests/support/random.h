// The stream of numbers that tests draw from: the same on every machine and standard library.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/sanitized.h"
#include "support/splitmix.h"
#include "topos/tensor/tensor.h"

namespace topos::test {

/// How many random programs a property is held to: fewer where a sanitizer makes each ten times as long.
inline constexpr std::uint64_t random_programs = TOPOS_TEST_SANITIZED ? 25 : 250;

/// Splitmix64: seeded, without a distribution of the standard library, which may differ.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Draws `bytes` first, eight at a time, then what their sum seeds: a fuzzer steers the first draws.
  Random(const std::uint8_t* bytes, std::size_t count) : state_(count), bytes_(bytes), left_(count) {}

  std::uint64_t bits() {
    if (left_ >= sizeof(std::uint64_t)) {
      std::uint64_t drawn = 0;
      std::memcpy(&drawn, bytes_, sizeof drawn);
      bytes_ += sizeof drawn;
      left_ -= sizeof drawn;
      state_ += drawn;
      return drawn;
    }
    return next(state_);
  }
  /// Of 0 .. count - 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(bits() % count); }
  /// In [low, high), a multiple of 2^-20 of the width: exact in f32 for small bounds.
  double between(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 44) * 0x1p-20; }
  bool coin() { return (bits() >> 63) != 0; }

  /// Row-major numbers in [low, high), rounded once into `type`.
  Tensor tensor(const TensorType& type, double low, double high) {
    std::vector<double> values(static_cast<std::size_t>(type.shape.volume()));
    for (auto& value : values) value = between(low, high);
    return Tensor::from(type.shape, values, type.element);
  }
  /// i64 numbers of 0 .. extent - 1.
  Tensor indices(const Shape& shape, Extent extent) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(shape.volume()));
    for (auto& value : values) value = static_cast<std::int64_t>(below(static_cast<std::size_t>(extent)));
    return Tensor::from(shape, values);
  }
  Tensor predicate(const Shape& shape) {
    std::vector<bool> values(static_cast<std::size_t>(shape.volume()));
    for (auto&& value : values) value = coin();
    return Tensor::from(shape, values);
  }

 private:
  std::uint64_t state_;
  const std::uint8_t* bytes_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace topos::test
