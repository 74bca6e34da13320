// Chains of elementwise steps as one plain loop each, compiled with -Ofast for this processor.
#pragma once
#include <cstddef>

namespace plain {

/// parameter - rate * gradient.
void descend(std::size_t n, const float* parameter, const float* rate, const float* gradient, float* out);
/// What tanh(x) = y passes back of g: g * (1 - y * y).
void tanh_rule(std::size_t n, const float* y, const float* g, float* out);
/// x * min(max(x + 3, 0), 6) / 6.
void hardswish(std::size_t n, const float* x, float* out);
/// tanh(x + bias), a bias a column.
void bias_tanh(std::size_t rows, std::size_t columns, const float* x, const float* bias, float* out);

}  // namespace plain
