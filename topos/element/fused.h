// Owns the fused multiply-add of floats and doubles: a * b + c, rounded once, on every target.
#pragma once

#include "topos/element/elementary_parts.h"

namespace topos::elementary {

[[gnu::always_inline]] inline double fused_multiply_add(double a, double b, double c) {
#if defined(__wasm__)  // whose C library adds a zero to the rounded product, which may be a zero of the other sign
  if (c == 0.0 && a != 0.0 && b != 0.0) return a * b;
#endif
  return __builtin_fma(a, b, c);
}

/// The same without the instruction and the C library. The product is exact in double; the sum is rounded to odd, its
/// last bit set where anything was lost, and so keeps what a second rounding, to subnormal floats too, needs to know.
[[gnu::always_inline]] inline float emulated_multiply_add(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double sum = product + static_cast<double>(c);
  const double error = parts::sum_error(product, static_cast<double>(c), sum);
  const std::uint64_t beyond = (parts::bits(error) ^ parts::bits(sum)) >> 63;  // the sum was rounded away from zero
  const double odd = parts::from_bits((parts::bits(sum) - beyond) | 1);
  return static_cast<float>(parts::magnitude_of(error) > 0.0 ? odd : sum);  // of infinities and NaN the error is NaN
}

[[gnu::always_inline]] inline float fused_multiply_add(float a, float b, float c) {
#if defined(__wasm__)  // whose C library rounds twice where the result is subnormal
  return emulated_multiply_add(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

}  // namespace topos::elementary
