#include "plain/functions.h"

#include <math.h>

namespace plain {
namespace {

inline float log1p_of(float x) { return ::log1pf(x); }
inline double log1p_of(double x) { return ::log1p(x); }
inline float exp_of(float x) { return ::expf(x); }
inline double exp_of(double x) { return ::exp(x); }

}  // namespace

#define PLAIN(name, f32, f64)                                                    \
  void name(std::size_t n, const float* __restrict x, float* __restrict out) {   \
    for (std::size_t i = 0; i < n; ++i) out[i] = f32;                            \
  }                                                                              \
  void name(std::size_t n, const double* __restrict x, double* __restrict out) { \
    for (std::size_t i = 0; i < n; ++i) out[i] = f64;                            \
  }

PLAIN(exp, expf(x[i]), ::exp(x[i]))
PLAIN(expm1, expm1f(x[i]), ::expm1(x[i]))
PLAIN(log, logf(x[i]), ::log(x[i]))
PLAIN(log1p, log1pf(x[i]), ::log1p(x[i]))
PLAIN(sqrt, sqrtf(x[i]), ::sqrt(x[i]))
PLAIN(rsqrt, 1.0f / sqrtf(x[i]), 1.0 / ::sqrt(x[i]))
PLAIN(tanh, tanhf(x[i]), ::tanh(x[i]))
PLAIN(sin, sinf(x[i]), ::sin(x[i]))
PLAIN(cos, cosf(x[i]), ::cos(x[i]))
PLAIN(erf, erff(x[i]), ::erf(x[i]))
PLAIN(logistic, 1.0f / (1.0f + exp_of(-x[i])), 1.0 / (1.0 + exp_of(-x[i])))
PLAIN(softplus, (x[i] > 0 ? x[i] : 0) + log1p_of(exp_of(-fabsf(x[i]))),
      (x[i] > 0 ? x[i] : 0) + log1p_of(exp_of(-::fabs(x[i]))))

void power(std::size_t n, const float* __restrict x, const float* __restrict y, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = powf(x[i], y[i]);
}
void power(std::size_t n, const double* __restrict x, const double* __restrict y, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = ::pow(x[i], y[i]);
}

}  // namespace plain
