#include "plain/chains.h"

#include <math.h>

namespace plain {

void descend(std::size_t n, const float* parameter, const float* rate, const float* gradient, float* __restrict out) {
  const float step = *rate;
  for (std::size_t i = 0; i < n; ++i) out[i] = parameter[i] - step * gradient[i];
}
void tanh_rule(std::size_t n, const float* y, const float* g, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = g[i] * (1.0f - y[i] * y[i]);
}
void hardswish(std::size_t n, const float* x, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shifted = x[i] + 3.0f;
    const float above = shifted > 0.0f ? shifted : 0.0f;
    out[i] = x[i] * (above < 6.0f ? above : 6.0f) / 6.0f;
  }
}
void bias_tanh(std::size_t rows, std::size_t columns, const float* x, const float* bias, float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) out[r * columns + c] = tanhf(x[r * columns + c] + bias[c]);
}

}  // namespace plain
