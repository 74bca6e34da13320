// Composites: named recordings of primitives, without privileges.
#pragma once
#include "topos/spec/value.h"

namespace topos {

// Each records the nodes that its comment lists, in that order, at the caller's line.

/// max(x, 0), slope 0 at 0: Leaf, Maximum.
Value relu(const Value& x, Site site = Site::current());
/// The sum over axes divided by their volume; NaN over none: Sum, Leaf, Div.
Value mean(const Value& x, const Shape& axes, Site site = Site::current());
Value mean(const Value& x, Site site = Site::current());
/// The one value of x in the shape of `reference`: Broadcast.
Value broadcast_like(const Value& x, const Value& reference, Site site = Site::current());
/// x repeated along the axis that `reference` has more: BroadcastAlong. Throws Error(type) unless the others agree.
Value broadcast_along_like(const Value& x, Extent axis, const Value& reference, Site site = Site::current());
/// Array broadcasting, right-aligned: nothing if equal, one Broadcast for a single value, else a Reshape that prepends
/// axes of extent 1 if ranks differ, then for each axis that must grow a Reshape and a BroadcastAlong.
Value broadcast_to(const Value& x, const Shape& shape, Site site = Site::current());
/// Axes reversed, rank 2 at most: Permute.
Value transpose(const Value& x, Site site = Site::current());
/// An axis of extent 1 taken away, put in: Reshape.
Value squeeze(const Value& x, Extent axis, Site site = Site::current());
Value unsqueeze(const Value& x, Extent axis, Site site = Site::current());
/// Equal shapes side by side along a new axis: a Reshape each, then Concat.
Value stack(const std::vector<Value>& values, Extent axis, Site site = Site::current());
/// A constant on the tape of x, beside it: a number takes x's type, a tensor stays as it is. Leaf.
Value leaf_beside(const Value& x, const Literal& constant, Site site = Site::current());

}  // namespace topos
