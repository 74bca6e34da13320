// The contraction of two tensors by labels of their axes.
#pragma once
#include <string_view>

#include "topos/spec/value.h"

namespace topos {

/// The sum over every label that the result lacks, of the products of the places that share their labels:
/// `einsum("bij,bjk->bik", a, b)` is a product of matrices in a batch. A label is a letter and stands for one axis;
/// blanks are ignored. Without "->" the result has the labels of one operand alone, in alphabetical order.
///
/// Records, where there is something to do: for a, then for b, Sum over labels that stand in neither the other operand
/// nor the result, Permute, Reshape; MatMul over [shared.., of a, summed] and [shared.., summed, of b]; Reshape,
/// Permute to the order of the result. Without summed labels the matrices' inner extent is 1.
///
/// Throws Error(argument) for a spelling that is none, a label twice in one term, or one of the result that no operand
/// has; Error(type) for operands of another rank than their terms, or of different extents at one label.
Value einsum(std::string_view labels, const Value& a, const Value& b, Site site = Site::current());

}  // namespace topos
