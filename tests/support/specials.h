// Owns the names of the infinities and of NaN in tests.
#pragma once
#include <limits>

namespace topos::test {

inline constexpr float inf32 = std::numeric_limits<float>::infinity();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace topos::test
