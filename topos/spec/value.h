// A recorded node as a value: arithmetic and functions over it append to its tape.
#pragma once
#include <vector>

#include "topos/base/site.h"
#include "topos/spec/symbol.h"
#include "topos/tensor/literal.h"

namespace topos {

class Recorder;
struct Session;

/// 24 bytes, copied freely. Belongs to a tape until that is sealed or destroyed; recording through a stale value
/// throws Error(family), while `symbol()` and comparing still work. A default value belongs to no tape.
class Value {
 public:
  Value();

  Symbol symbol() const { return {key_ >> 24, index_}; }
  operator Symbol() const { return symbol(); }
  /// Stays valid while the tape records on.
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  ElementType element() const { return type().element; }
  /// A name for messages and reports; `describe` never shows it. Returns this value.
  Value label(std::string text) const;
  /// A live value of the same tape for another of its nodes.
  Value resolve(Symbol symbol) const;

 private:
  friend class Recorder;
  Value(Session* session, std::uint64_t key, Index index) : session_(session), key_(key), index_(index) {}

  Session* session_;
  std::uint64_t key_;  // family << 24 | opening
  Index index_;
};

/// The operand that stands left of an operator, with the line that wrote it: an operator cannot have defaulted
/// arguments.
struct Located {
  Located(const Value& value, Site site = Site::current()) : value(value), site(site) {}
  const Value& value;
  Site site;
};

// Every function records at least one node at the caller's line and throws Error(type) that names it, the operands'
// types and that line; the tape then stays as it was. Shapes and elements must agree; a negative axis counts from the
// end. A number beside a value takes
// its type and shape, and records one leaf.

Value operator+(Located a, const Value& b);
Value operator-(Located a, const Value& b);
Value operator*(Located a, const Value& b);
Value operator/(Located a, const Value& b);
Value operator+(Located a, const Literal& b);
Value operator-(Located a, const Literal& b);
Value operator*(Located a, const Literal& b);
Value operator/(Located a, const Literal& b);
Value operator+(const Literal& a, Located b);
Value operator-(const Literal& a, Located b);
Value operator*(const Literal& a, Located b);
Value operator/(const Literal& a, Located b);
Value operator-(Located x);

/// IEEE 754 pow: power(x, 0) and power(1, y) are 1, even beside NaN.
Value power(const Value& a, const Value& b, Site site = Site::current());
Value power(const Value& a, const Literal& b, Site site = Site::current());
Value power(const Literal& a, const Value& b, Site site = Site::current());
/// NaN if any is NaN, +0 above -0; a tie's cotangent goes to b.
Value maximum(const Value& a, const Value& b, Site site = Site::current());
Value maximum(const Value& a, const Literal& b, Site site = Site::current());
Value minimum(const Value& a, const Value& b, Site site = Site::current());
Value minimum(const Value& a, const Literal& b, Site site = Site::current());
/// Slope 0 at 0.
Value abs(const Value& x, Site site = Site::current());
/// -1, 0 or 1; zeros of either sign and NaN give themselves. No cotangent passes.
Value sign(const Value& x, Site site = Site::current());
Value exp(const Value& x, Site site = Site::current());
Value expm1(const Value& x, Site site = Site::current());
Value log(const Value& x, Site site = Site::current());
Value log1p(const Value& x, Site site = Site::current());
Value sqrt(const Value& x, Site site = Site::current());
/// 1 / sqrt(x), rounded once.
Value rsqrt(const Value& x, Site site = Site::current());
Value tanh(const Value& x, Site site = Site::current());
Value sin(const Value& x, Site site = Site::current());
Value cos(const Value& x, Site site = Site::current());
Value erf(const Value& x, Site site = Site::current());
/// 2 / sqrt(pi) exp(-x x).
Value erf_derivative(const Value& x, Site site = Site::current());
/// 1 / (1 + exp(-x)).
Value logistic(const Value& x, Site site = Site::current());
/// log(1 + exp(x)).
Value softplus(const Value& x, Site site = Site::current());
/// x itself; no cotangent passes.
Value stop_gradient(const Value& x, Site site = Site::current());

/// Boolean; false beside NaN, except ne.
Value compare(const Value& a, const Value& b, Direction direction, Site site = Site::current());
Value compare(const Value& a, const Literal& b, Direction direction, Site site = Site::current());
Value equal(const Value& a, const Value& b, Site site = Site::current());
Value not_equal(const Value& a, const Value& b, Site site = Site::current());
Value less(const Value& a, const Value& b, Site site = Site::current());
Value less_equal(const Value& a, const Value& b, Site site = Site::current());
Value greater(const Value& a, const Value& b, Site site = Site::current());
Value greater_equal(const Value& a, const Value& b, Site site = Site::current());
Value logical_and(const Value& a, const Value& b, Site site = Site::current());
Value logical_or(const Value& a, const Value& b, Site site = Site::current());
Value logical_not(const Value& x, Site site = Site::current());
/// a where the boolean predicate is true, b elsewhere; the cotangent goes where the value came from.
Value select(const Value& predicate, const Value& a, const Value& b, Site site = Site::current());
Value select(const Value& predicate, const Value& a, const Literal& b, Site site = Site::current());
Value select(const Value& predicate, const Literal& a, const Value& b, Site site = Site::current());

/// [b.., m, k] by [b.., k, n].
Value matmul(const Value& a, const Value& b, Site site = Site::current());
/// The sum over axes, in any order, which go away; over no axes x itself.
Value sum(const Value& x, const Shape& axes, Site site = Site::current());
/// The sum over every axis.
Value sum(const Value& x, Site site = Site::current());
Value softmax(const Value& x, Extent axis, Site site = Site::current());
Value log_softmax(const Value& x, Extent axis, Site site = Site::current());
/// log(sum(exp(x))) along an axis, which goes away.
Value logsumexp(const Value& x, Extent axis, Site site = Site::current());
/// The largest along an axis, which goes away: NaN if any is NaN; a tie's cotangent goes to the first.
Value max_along(const Value& x, Extent axis, Site site = Site::current());
/// Its place, i64: the first NaN's, or else the first of equals.
Value argmax_along(const Value& x, Extent axis, Site site = Site::current());

/// The one value of x everywhere in `shape`.
Value broadcast(const Value& x, const Shape& shape, Site site = Site::current());
/// x repeated along a new axis.
Value broadcast_along(const Value& x, Extent axis, Extent extent, Site site = Site::current());
Value reshape(const Value& x, const Shape& shape, Site site = Site::current());
/// Axis i of the result is axis order[i] of x.
Value permute(const Value& x, const Shape& order, Site site = Site::current());
/// The window [start, start + length) of an axis.
Value narrow(const Value& x, Extent axis, Extent start, Extent length, Site site = Site::current());
/// x at `start` of an axis of `full_extent`, zeros around it.
Value pad(const Value& x, Extent axis, Extent start, Extent full_extent, Site site = Site::current());
/// Windows of an axis: it becomes [count, size], tap k of window w being place w * step + k * dilation.
Value unfold(const Value& x, Extent axis, Extent size, Extent step, Extent dilation, Site site = Site::current());
/// The taps [count, size] of an axis added back into `extent` places of zeros, k ascending.
Value fold(const Value& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent,
           Site site = Site::current());
/// Values one after the other along an axis; one value is returned as it is.
Value concat(const std::vector<Value>& values, Extent axis, Site site = Site::current());
/// Over pointers, as rules and walks hand their operands; even one operand is a node.
Value concat(std::span<const Value* const> operands, Extent axis);

/// Rows of `table` by i64 indices of any shape; an index out of range throws at the run.
Value gather(const Value& table, const Value& indices, Site site = Site::current());
/// Rows added into `extent` rows of zeros, in ascending order.
Value scatter(const Value& rows, const Value& indices, Extent extent, Site site = Site::current());
/// Each number in another element, rounded once; the element it has already records nothing.
Value convert(const Value& x, ElementType element, Site site = Site::current());
/// 0, 1, 2, ... along `axis`: i64 of x's shape, recorded beside x without reading it.
Value iota_like(const Value& x, Extent axis, Site site = Site::current());
/// A constant of x's type, recorded beside x without reading it.
Value full_like(const Value& x, Number value, Site site = Site::current());

}  // namespace topos
