// Owns arithmetic on unevaluated sums of two doubles, with fma: the second 53 bits of the elementary functions.
#pragma once

#include "topos/element/fused.h"

namespace topos::elementary::parts {

[[gnu::always_inline]] inline double fma(double a, double b, double c) { return fused_multiply_add(a, b, c); }

/// A value as an unevaluated sum: |low| is at most half an ulp of high.
struct Pair {
  double high;
  double low;
};

/// a + b exactly, |a| >= |b| or a = 0.
[[gnu::always_inline]] inline Pair exact_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

/// a + b exactly.
[[gnu::always_inline]] inline Pair exact_sum_any(double a, double b) {
  const double high = a + b;
  return {high, sum_error(a, b, high)};
}

/// a * b exactly.
[[gnu::always_inline]] inline Pair exact_product(double a, double b) {
  const double high = a * b;
  return {high, fma(a, b, -high)};
}

/// The relative error of the operations on pairs is below 2^-102, that of a sum of opposite signs aside.
[[gnu::always_inline]] inline Pair add(Pair a, Pair b) {
  const Pair high = exact_sum_any(a.high, b.high);
  const Pair low = exact_sum_any(a.low, b.low);
  const Pair sum = exact_sum(high.high, high.low + low.high);
  return exact_sum(sum.high, sum.low + low.low);
}

[[gnu::always_inline]] inline Pair multiply(Pair a, Pair b) {
  const Pair product = exact_product(a.high, b.high);
  return exact_sum(product.high, product.low + fma(a.high, b.low, a.low * b.high));
}

[[gnu::always_inline]] inline Pair divide(Pair a, Pair b) {
  const double first = a.high / b.high;
  const Pair taken = multiply({first, 0.0}, b);
  const Pair remainder = add(a, {-taken.high, -taken.low});
  return exact_sum(first, (remainder.high + remainder.low) / b.high);
}

}  // namespace topos::elementary::parts
