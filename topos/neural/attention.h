// Scaled dot-product attention, of one head or of many, and the mask that hides the future from it.
#pragma once
#include "topos/spec/value.h"

namespace topos {

/// softmax(query key^T scale + mask) value: each row of the result is a mean of the rows of `value`.
///
/// For query [t, d], key [s, d], value [s, e], mask [t, s] and a rank-0 scale, all of one element, records Permute,
/// MatMul, Broadcast, Mul, Add, LogSoftmax, Exp, MatMul: [t, e]. A row whose mask is -inf throughout is NaN. Throws
/// Error(type) for other types. (Vaswani et al. 2017.)
Value scaled_dot_product(const Value& query, const Value& key, const Value& value, const Value& mask,
                         const Value& scale, Site site = Site::current());

/// softmax(query key^T scale, masked) value over any equal leading axes: for query [.., t, d], key [.., s, d] and value
/// [.., s, e] of one floating element, [.., t, e]. A boolean mask keeps the scores where it is true; a mask of the
/// element is added, -inf hiding a score. Its shape broadcasts to [.., t, s]. A row that sees nothing gives 0, and no
/// gradient.
///
/// Records Permute (the last two axes of key swapped), MatMul, Leaf, Mul; what `broadcast_to` needs for the mask, then
/// Leaf -inf, Select or Add; Softmax, MatMul. Throws Error(type) for other types. (Vaswani et al. 2017.)
Value attention(const Value& query, const Value& key, const Value& value, const Value& mask, Number scale,
                Site site = Site::current());
/// The same where every row sees everything.
Value attention(const Value& query, const Value& key, const Value& value, Number scale, Site site = Site::current());

/// [extent, extent]: 0 where the column is not after the row, `fill` above the diagonal. Throws Error(argument) for a
/// negative extent and Error(type) for an element that is not floating.
Tensor causal_mask(Extent extent, double fill, ElementType element = f32);

}  // namespace topos
