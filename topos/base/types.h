// Integer types that every folder shares: extents of axes and indices of nodes.
#pragma once
#include <cstdint>

namespace topos {

/// An extent, an axis, a stride or a count of elements. Signed, so that differences are safe.
using Extent = std::int64_t;

/// A node's number in its graph: the number that `describe` prints.
using Index = std::uint32_t;

/// No node: the index that none has.
inline constexpr Index nowhere = ~Index{0};

}  // namespace topos
