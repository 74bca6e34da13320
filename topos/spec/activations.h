// Composites of one number a place: bounds, activations, squares.
#pragma once
#include "topos/spec/value.h"

namespace topos {

// Each keeps x's type and records the nodes that its comment lists, in that order, at the caller's line. It throws
// what they throw and then leaves the tape as it was.

/// max(x, 0), slope 0 at 0: Leaf, Maximum.
Value relu(const Value& x, Site site = Site::current());
/// min(max(x, 0), 6), slope 0 at both ends: Leaf, Maximum, Leaf, Minimum.
Value relu6(const Value& x, Site site = Site::current());
/// min(max(x, low), high), where a number bounds every place: Leaf for a bound that is no value, Maximum; the same and
/// Minimum. At a bound the whole cotangent goes to the bound, and `high` wins over `low`.
Value clamp(const Value& x, const Value& low, const Value& high, Site site = Site::current());
Value clamp(const Value& x, const Value& low, const Literal& high, Site site = Site::current());
Value clamp(const Value& x, const Literal& low, const Value& high, Site site = Site::current());
Value clamp(const Value& x, const Literal& low, const Literal& high, Site site = Site::current());

/// x (1 + erf(x / sqrt(2))) / 2: Leaf 1, Leaf 2, Sqrt, Div, Erf, Add, Mul, Div. (Hendrycks and Gimpel 2016.)
Value gelu(const Value& x, Site site = Site::current());
/// x / 2 (1 + tanh(sqrt(2 / pi) (y + 0.044715 y^3))), y being x within [-10, 10], beyond which the tangent is 1 and its
/// slope 0, so that no cube overflows: Leaf, Maximum, Leaf, Minimum, Mul, Mul, Leaf, Mul, Add, Leaf, Mul, Tanh, Leaf 1,
/// Add, Leaf, Mul, Mul.
Value gelu_tanh(const Value& x, Site site = Site::current());
/// x / (1 + exp(-x)): Logistic, Mul.
Value silu(const Value& x, Site site = Site::current());
/// x above 0, else alpha (exp(x) - 1), of slope alpha at 0; the exponential sees no positive number: Leaf 0, Compare
/// GT, Select, Expm1, Leaf alpha, Mul, Select. (Clevert et al. 2015.)
Value elu(const Value& x, Number alpha = 1, Site site = Site::current());
/// x (min(max(x + 3, 0), 6) / 6), slope 0 at -3 and 1 at 3: Leaf, Add, Leaf, Maximum, Leaf, Minimum, Leaf, Div, Mul.
Value hardswish(const Value& x, Site site = Site::current());
/// 1 / (1 + exp(-x)): Logistic.
Value sigmoid(const Value& x, Site site = Site::current());

/// x x: Mul.
Value square(const Value& x, Site site = Site::current());
/// 1 / x: Leaf, Div.
Value reciprocal(const Value& x, Site site = Site::current());

/// Whether each place is NaN: Compare NE of x with itself.
Value is_nan(const Value& x, Site site = Site::current());
/// Whether each place is neither infinite nor NaN: Abs, Leaf, Compare LT; of an element that holds neither, Compare EQ
/// of x with itself.
Value is_finite(const Value& x, Site site = Site::current());
/// Another name of select: a where the predicate is true, b elsewhere.
Value where(const Value& predicate, const Value& a, const Value& b, Site site = Site::current());
Value where(const Value& predicate, const Value& a, const Literal& b, Site site = Site::current());
Value where(const Value& predicate, const Literal& a, const Value& b, Site site = Site::current());

}  // namespace topos
