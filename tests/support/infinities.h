// Owns the names of the infinities in tests.
#pragma once
#include <limits>

namespace topos::test {

inline constexpr float inf32 = std::numeric_limits<float>::infinity();
inline constexpr double inf64 = std::numeric_limits<double>::infinity();

}  // namespace topos::test
