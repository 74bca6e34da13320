// Owns the list of kernel families: each finds its kernel for a task that prepare() brought into form. Internal.
#pragma once
#include "topos/kernel/task.h"

namespace topos::kernel {

// Each sets `run` and `scratch_bytes` and leaves `run` null where it covers no such task. Elementwise kinds: axes of
// extent 1 are gone and neighbours are merged; rank 0 is a single element, and no extent is 0.
void find_elementwise(Prepared& prepared);  // unary and binary
void find_elementary(Prepared& prepared);   // of these the elementary functions
void find_compare(Prepared& prepared);
void find_select(Prepared& prepared);
void find_convert(Prepared& prepared);
void find_chain(Prepared& prepared);
void find_product_chain(Prepared& prepared);  // of these what follows a product
void find_copy(Prepared& prepared);
void find_fill(Prepared& prepared);

/// [batch.., m, k] by [batch.., k, n], no extent of the result 0.
void find_matmul(Prepared& prepared);

/// The operand is [kept.., reduced..], the result [kept..].
void find_sum(Prepared& prepared);

/// For a sum that find_sum() prepared: the kernel that leaves the lanes of `span` for each output, as computed numbers
/// [output.., lane], or [outer output.., tile, lane, column] where sums_columns(); null: there is none.
Run sum_of_span(const Task& prepared_sum);

/// The operand is [kept.., n] and so is the result, which has strides; that of logsumexp is [kept..].
void find_softmax(Prepared& prepared);

/// The operand is [kept.., n], the result [kept..]. max_along and argmax_along.
void find_extreme(Prepared& prepared);

/// The operand is [outer.., count, size, inner..], the result [outer.., extent, inner..] without gaps; `axes` says how
/// many the outer ones are.
void find_fold(Prepared& prepared);

/// The table is [lead.., rows, inner..], its strides along lead 0; the indices are [lead..], the result
/// [lead.., inner..].
void find_gather(Prepared& prepared);

/// The rows are [lead.., inner..], the indices [lead..]; the result is [lead.., rows, inner..], its strides along
/// lead 0.
void find_scatter(Prepared& prepared);

/// As Kind describes them; no extent of the result is 0.
void find_window_product(Prepared& prepared);
void find_window_input_gradient(Prepared& prepared);
void find_window_kernel_gradient(Prepared& prepared);
void find_window_maximum(Prepared& prepared);  // and its gradient

}  // namespace topos::kernel
