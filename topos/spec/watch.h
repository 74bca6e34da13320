// What a watched run looks for.
#pragma once
#include <cstdint>

namespace topos {

/// A number that a watched run reports where it first appears.
enum class Watch : std::uint8_t {
  nan,       ///< NaN
  infinity,  ///< an infinity, except in a leaf: what the program wrote is meant
};

}  // namespace topos
