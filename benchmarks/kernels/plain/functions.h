// Plain loops over a function of the C library, compiled with -Ofast for this processor: the compiler calls glibc's
// vector library where it has the function.
#pragma once
#include <cstddef>

namespace plain {

void exp(std::size_t n, const float* x, float* out);
void expm1(std::size_t n, const float* x, float* out);
void log(std::size_t n, const float* x, float* out);
void log1p(std::size_t n, const float* x, float* out);
void sqrt(std::size_t n, const float* x, float* out);
void rsqrt(std::size_t n, const float* x, float* out);
void tanh(std::size_t n, const float* x, float* out);
void sin(std::size_t n, const float* x, float* out);
void cos(std::size_t n, const float* x, float* out);
void erf(std::size_t n, const float* x, float* out);
void logistic(std::size_t n, const float* x, float* out);
void softplus(std::size_t n, const float* x, float* out);
void power(std::size_t n, const float* x, const float* y, float* out);

void exp(std::size_t n, const double* x, double* out);
void expm1(std::size_t n, const double* x, double* out);
void log(std::size_t n, const double* x, double* out);
void log1p(std::size_t n, const double* x, double* out);
void sqrt(std::size_t n, const double* x, double* out);
void rsqrt(std::size_t n, const double* x, double* out);
void tanh(std::size_t n, const double* x, double* out);
void sin(std::size_t n, const double* x, double* out);
void cos(std::size_t n, const double* x, double* out);
void erf(std::size_t n, const double* x, double* out);
void logistic(std::size_t n, const double* x, double* out);
void softplus(std::size_t n, const double* x, double* out);
void power(std::size_t n, const double* x, const double* y, double* out);

}  // namespace plain
