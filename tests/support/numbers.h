// Owns how tests see a tensor's numbers as doubles, and the spacing of an element's numbers.
#pragma once
#include <vector>

#include "topos/tensor/algebra.h"

namespace topos::test {

inline std::vector<double> numbers_of(const Tensor& x) { return convert(x, f64).values<double>().to_vector(); }

/// The distance from 1 to the next number.
inline double unit_of(ElementType element) { return element == f64 ? 0x1p-52 : element == f32 ? 0x1p-23 : 0x1p-7; }

}  // namespace topos::test
