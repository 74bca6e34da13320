// Composites: named recordings of primitives, without privileges. Here those that move values; all others by inclusion.
#pragma once
#include "topos/spec/activations.h"
#include "topos/spec/einsum.h"
#include "topos/spec/reductions.h"
#include "topos/spec/value.h"

namespace topos {

// Each records the nodes that its comment lists, in that order, at the caller's line.

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
/// An axis cut into as many equal parts: a Narrow each. Throws Error(type) unless the parts divide its extent.
std::vector<Value> split(const Value& x, Extent parts, Extent axis, Site site = Site::current());
/// The same into parts of these sizes. Throws Error(type) for a negative size or if their sum is not the extent.
std::vector<Value> split_sizes(const Value& x, const Shape& sizes, Extent axis, Site site = Site::current());
/// An axis read backwards: a Permute that swaps it with the first, Iota, Leaf, Sub, Gather, the Permute again; no
/// Permute for the first axis itself.
Value flip(const Value& x, Extent axis, Site site = Site::current());
/// Every product of a number of a [m] and one of b [n]: [m, n]. BroadcastAlong, BroadcastAlong, Mul.
Value outer(const Value& a, const Value& b, Site site = Site::current());
/// 1 of `element` where the new last axis counts what an i64 index names, 0 elsewhere: Iota [depth], Gather (an index
/// out of range throws Error(index) at the run), BroadcastAlong, Iota, Compare EQ, Convert.
Value one_hot(const Value& indices, Extent depth, ElementType element = f32, Site site = Site::current());
/// A constant on the tape of x, beside it: a number takes x's type, a tensor stays as it is. Leaf.
Value leaf_beside(const Value& x, const Literal& constant, Site site = Site::current());

}  // namespace topos
