// What the composites share: how they refuse operands, and lists of axes in order. Internal.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "topos/spec/value.h"

namespace topos::parts {

/// Throws Error(type) of a composite's name.
[[noreturn]] void refuse(std::string_view operation, const std::string& text, std::vector<std::string> types,
                         const Site& site);

/// Axes counted from the front, ascending. Throws Error(type) for one outside of x or named twice.
Shape ascending_axes(std::string_view operation, const Value& x, const Shape& axes, const Site& site);

/// An axis counted from the front. Throws Error(type) for one outside of x.
Extent inner_axis(std::string_view operation, const Value& x, Extent axis, const Site& site);

/// 0, 1, ..., extent - 1 beside x, as `Tape::iota` records it.
Value count_beside(const Value& x, Extent extent, const Site& site);

}  // namespace topos::parts
