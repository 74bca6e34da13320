// temporary
#pragma once
#include <cmath>
namespace topos::elementary {
#define P(T, s)                                                                                          \
  [[gnu::always_inline]] inline T expm1(T x) { return __builtin_expm1##s(x); }                           \
  [[gnu::always_inline]] inline T log1p(T x) { return __builtin_log1p##s(x); }                           \
  [[gnu::always_inline]] inline T rsqrt(T x) { return T(1 / std::sqrt(double(x))); }                     \
  [[gnu::always_inline]] inline T sin(T x) { return __builtin_sin##s(x); }                               \
  [[gnu::always_inline]] inline T cos(T x) { return __builtin_cos##s(x); }                               \
  [[gnu::always_inline]] inline T erf(T x) { return __builtin_erf##s(x); }                               \
  [[gnu::always_inline]] inline T erf_derivative(T x) {                                                  \
    return T(1.1283791670955126 * std::exp(-double(x) * double(x)));                                     \
  }                                                                                                      \
  [[gnu::always_inline]] inline T logistic(T x) { return T(1 / (1 + std::exp(-double(x)))); }            \
  [[gnu::always_inline]] inline T softplus(T x) {                                                        \
    return x > 0 ? T(double(x) + std::log1p(std::exp(-double(x)))) : T(std::log1p(std::exp(double(x)))); \
  }                                                                                                      \
  [[gnu::always_inline]] inline T power(T x, T y) { return __builtin_pow##s(x, y); }
P(float, f)
P(double, )
#undef P
}  // namespace topos::elementary
