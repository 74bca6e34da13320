// The numbers that a module is judged with.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "topos/topos.h"

namespace topos::test {

/// One tensor for every argument of the module.
struct ArgumentSet {
  std::string name;
  std::vector<Tensor> tensors;
};

/// What the program was recorded with, but seeded numbers where all of a tensor's are the same: tests feed zeros.
/// Indices stay in the range of the smallest table.
ArgumentSet recorded_arguments(const Plan& plan);
/// The same without the seeded indices, for a program that does not take them.
ArgumentSet plainly_recorded_arguments(const Plan& plan);
/// Zeros, infinities, NaN, ends of ranges, ties: all pairs of them in tensors that are large enough. For a plan of
/// elementwise operations and movement alone that has a floating argument.
std::optional<ArgumentSet> special_arguments(const Plan& plan);

/// The numbers of which special arguments are made, in an element of floats.
std::vector<double> special_numbers(ElementType element);

}  // namespace topos::test
