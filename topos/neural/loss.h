// The losses: how wrong a model's outputs are, as one number.
#pragma once
#include "topos/spec/value.h"

namespace topos {

/// The mean over rows of logsumexp(row) - row[class]: the negative logarithm of the probability that softmax(row) gives
/// to the class.
///
/// For floating logits [batch, classes] and i64 classes [batch], a rank-0 loss. A class out of range throws
/// Error(index) at the run. Rows and classes are chosen by select, so a logit of -inf that is not the class' own
/// contributes nothing; of no rows the loss is 0 with zero gradients. Throws Error(type) for other types or no classes.
///
/// Records Iota [batch, classes]; of it Narrow, Reshape, Gather (not of an empty batch: there is no class to check);
/// BroadcastAlong, Compare EQ, Leaf 0, Select, SumAlong (the logit of the class); LogSumExp, Sub; Sum, Leaf, Div.
Value cross_entropy(const Value& logits, const Value& classes, Site site = Site::current());

/// The same over the rows whose class is not `ignore`, which need not be in range; the others give neither loss nor
/// gradient, whatever their logits, NaN too. The divisor is the number of counted rows; of none the loss is 0 with zero
/// gradients.
///
/// Records first Leaf `ignore`, Compare NE (counted), Leaf 0, Select (class 0 instead), BroadcastAlong, Leaf 0, Select
/// (logits 0 instead); then as above, up to the losses of the rows; Leaf 0, Select (of the counted); Convert i64, Sum,
/// Convert, Leaf 1, Maximum (their number, at least 1); Sum, Div.
Value cross_entropy(const Value& logits, const Value& classes, std::int64_t ignore, Site site = Site::current());

}  // namespace topos
