// The readable reference: what each operation means on rows of numbers, in plain loops.
//
// These definitions are the bits of the library. They are written for reading; reference.cpp compiles them once for
// each vector target, which changes no bit. Everything here is inlined into its caller, so that it is compiled for the
// caller's target.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include "topos/base/types.h"
#include "topos/element/element.h"
#include "topos/element/elementary.h"

#define TOPOS_REFERENCE [[gnu::always_inline]] inline

namespace topos::loops {

// --- numbers ---------------------------------------------------------------------------------------------------------

/// Integers wrap: their arithmetic is that of unsigned numbers.
template <class T>
using Arithmetic = std::conditional_t<std::same_as<T, std::int64_t>, std::uint64_t, T>;

template <class T>
TOPOS_REFERENCE T add(T a, T b) {
  return static_cast<T>(static_cast<Arithmetic<T>>(a) + static_cast<Arithmetic<T>>(b));
}
template <class T>
TOPOS_REFERENCE T subtract(T a, T b) {
  return static_cast<T>(static_cast<Arithmetic<T>>(a) - static_cast<Arithmetic<T>>(b));
}
template <class T>
TOPOS_REFERENCE T multiply(T a, T b) {
  return static_cast<T>(static_cast<Arithmetic<T>>(a) * static_cast<Arithmetic<T>>(b));
}
/// Integers truncate toward zero; the caller has refused a divisor of zero. The smallest number by -1 wraps.
template <class T>
TOPOS_REFERENCE T divide(T a, T b) {
  if constexpr (std::integral<T>)
    return b == -1 ? subtract(T{0}, a) : a / b;
  else
    return a / b;
}
template <class T>
TOPOS_REFERENCE T negate(T a) {
  if constexpr (std::integral<T>)
    return subtract(T{0}, a);
  else
    return -a;
}
/// IEEE 754-2019 maximum: NaN if any is NaN, +0 above -0.
template <class T>
TOPOS_REFERENCE T maximum(T a, T b) {
  if constexpr (std::integral<T>) {
    return a < b ? b : a;
  } else {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return __builtin_signbit(a) ? b : a;
    return a < b ? b : a;
  }
}
/// a * b + c, rounded once.
template <class T>
TOPOS_REFERENCE T multiply_add(T a, T b, T c) {
  if constexpr (std::same_as<T, float>)
    return __builtin_fmaf(a, b, c);
  else if constexpr (std::same_as<T, double>)
    return __builtin_fma(a, b, c);
  else
    return add(multiply(a, b), c);
}

template <Function F, class T>
TOPOS_REFERENCE T apply(T x) {
  if constexpr (F == Function::negate)
    return negate(x);
  else if constexpr (F == Function::exp)
    return elementary::exp(x);
  else if constexpr (F == Function::log)
    return elementary::log(x);
  else if constexpr (F == Function::sqrt)
    return elementary::sqrt(x);
  else if constexpr (F == Function::tanh)
    return elementary::tanh(x);
  else
    return !x;
}
template <Function F, class T>
TOPOS_REFERENCE T apply(T a, T b) {
  if constexpr (F == Function::add)
    return add(a, b);
  else if constexpr (F == Function::subtract)
    return subtract(a, b);
  else if constexpr (F == Function::multiply)
    return multiply(a, b);
  else if constexpr (F == Function::divide)
    return divide(a, b);
  else if constexpr (F == Function::maximum)
    return maximum(a, b);
  else if constexpr (F == Function::logical_and)
    return a && b;
  else
    return a || b;
}

template <class T>
TOPOS_REFERENCE bool holds(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::eq: return a == b;
    case Direction::ne: return a != b;
    case Direction::lt: return a < b;
    case Direction::le: return a <= b;
    case Direction::gt: return a > b;
    case Direction::ge: return a >= b;
  }
  return false;
}

// --- elementwise -----------------------------------------------------------------------------------------------------

template <Function F, class T>
TOPOS_REFERENCE void unary(Extent n, const T* x, T* out) {
  for (Extent i = 0; i < n; ++i) out[i] = apply<F>(x[i]);
}
template <Function F, class T>
TOPOS_REFERENCE void binary(Extent n, const T* a, Extent a_step, const T* b, Extent b_step, T* out) {
  for (Extent i = 0; i < n; ++i) out[i] = apply<F>(a[i * a_step], b[i * b_step]);
}
template <class T>
TOPOS_REFERENCE void compare(Extent n, Direction direction, const T* a, Extent a_step, const T* b, Extent b_step,
                             bool* out) {
  for (Extent i = 0; i < n; ++i) out[i] = holds(direction, a[i * a_step], b[i * b_step]);
}

// --- sums ------------------------------------------------------------------------------------------------------------

/// A binary counter of partial results: two of equal level merge, older + newer; leftovers fold from the top, older +
/// newer. `Part` is whatever one block gives; `merge(older, newer)` leaves the sum in newer.
template <class Part, class Merge>
class Counter {
 public:
  explicit Counter(Merge merge) : merge_(merge) {}
  TOPOS_REFERENCE void push(Part part) {
    for (auto blocks = count_; blocks & 1; blocks >>= 1) {
      merge_(parts_.back(), part);
      parts_.pop_back();
    }
    parts_.push_back(std::move(part));
    ++count_;
  }
  TOPOS_REFERENCE Part fold() {
    Part total = std::move(parts_.back());
    parts_.pop_back();
    for (; !parts_.empty(); parts_.pop_back()) merge_(parts_.back(), total);
    return total;
  }

 private:
  Merge merge_;
  std::vector<Part> parts_;
  std::uint64_t count_ = 0;
};

template <class T>
struct Lanes {
  T lane[16] = {};
};

/// S16/256: element i adds to lane i mod 16 of block i div 256; each lane starts at +0 and adds in ascending order.
template <class T>
TOPOS_REFERENCE Lanes<T> sum_block(Extent n, const T* x) {
  Lanes<T> block;
  Extent i = 0;
  for (; i + 16 <= n; i += 16)
    for (Extent l = 0; l < 16; ++l) block.lane[l] = add(block.lane[l], x[i + l]);
  for (Extent l = 0; i + l < n; ++l) block.lane[l] = add(block.lane[l], x[i + l]);
  return block;
}
/// The lanes merge l and l+8, l+4, l+2, l+1.
template <class T>
TOPOS_REFERENCE T sum_lanes(Lanes<T> total) {
  for (Extent half = 8; half > 0; half /= 2)
    for (Extent l = 0; l < half; ++l) total.lane[l] = add(total.lane[l], total.lane[l + half]);
  return total.lane[0];
}
template <class T>
TOPOS_REFERENCE T sum_row(Extent n, const T* x) {
  if (n <= 256) return sum_lanes(sum_block(n, x));
  const auto merge = [](const Lanes<T>& older, Lanes<T>& newer) {
    for (Extent l = 0; l < 16; ++l) newer.lane[l] = add(older.lane[l], newer.lane[l]);
  };
  Counter<Lanes<T>, decltype(merge)> counter(merge);
  for (Extent begin = 0; begin < n; begin += 256) counter.push(sum_block(std::min<Extent>(256, n - begin), x + begin));
  return sum_lanes(counter.fold());
}
template <class T>
TOPOS_REFERENCE void sum(Extent rows, Extent n, const T* x, T* out) {
  for (Extent r = 0; r < rows; ++r) out[r] = sum_row(n, x + r * n);
}

// --- products --------------------------------------------------------------------------------------------------------

/// One row of a product over k in [begin, end): each output is a chain from +0 of fused multiply-adds, k ascending.
template <class T>
TOPOS_REFERENCE void chain_row(Extent begin, Extent end, Extent n, const T* a, const T* b, T* out) {
  for (Extent j = 0; j < n; ++j) out[j] = T{0};
  for (Extent k = begin; k < end; ++k)
    for (Extent j = 0; j < n; ++j) out[j] = multiply_add(a[k], b[k * n + j], out[j]);
}
/// [m, k] by [k, n]. k is cut into blocks of 2048, each its own chain, merged by the binary counter.
template <class T>
TOPOS_REFERENCE void matmul(Extent m, Extent k, Extent n, const T* a, const T* b, T* out) {
  constexpr Extent block = 2048;
  const auto merge = [](const std::vector<T>& older, std::vector<T>& newer) {
    for (std::size_t j = 0; j < newer.size(); ++j) newer[j] = add(older[j], newer[j]);
  };
  for (Extent i = 0; i < m; ++i) {
    if (k <= block) {
      chain_row(0, k, n, a + i * k, b, out + i * n);
      continue;
    }
    Counter<std::vector<T>, decltype(merge)> counter(merge);
    for (Extent begin = 0; begin < k; begin += block) {
      std::vector<T> part(static_cast<std::size_t>(n));
      chain_row(begin, std::min(begin + block, k), n, a + i * k, b, part.data());
      counter.push(std::move(part));
    }
    const auto total = counter.fold();
    std::copy(total.begin(), total.end(), out + i * n);
  }
}

// --- softmax and its logarithms --------------------------------------------------------------------------------------

template <class T>
TOPOS_REFERENCE T peak_of(Extent n, const T* x) {
  T peak = x[0];
  for (Extent i = 1; i < n; ++i) peak = maximum(peak, x[i]);
  return peak;
}
template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

/// exp(x - m) / sum, m the maximum; a lane of -inf alone gives zeros.
template <class T>
TOPOS_REFERENCE void softmax_row(Extent n, const T* x, T* out) {
  const T peak = peak_of(n, x);
  const T shift = peak == -infinity<T> ? T{0} : peak;
  for (Extent i = 0; i < n; ++i) out[i] = elementary::exp(x[i] - shift);
  const T total = sum_row(n, out);
  const T divisor = total == T{0} ? T{1} : total;
  for (Extent i = 0; i < n; ++i) out[i] = out[i] / divisor;
}
/// s = x - m; s - log(sum(exp(s))). A lane of -inf alone, or with +inf, is NaN: as the emitted text computes.
template <class T>
TOPOS_REFERENCE void log_softmax_row(Extent n, const T* x, T* out) {
  const T peak = peak_of(n, x);
  for (Extent i = 0; i < n; ++i) out[i] = elementary::exp(x[i] - peak);
  const T normalizer = elementary::log(sum_row(n, out));
  for (Extent i = 0; i < n; ++i) out[i] = (x[i] - peak) - normalizer;
}
/// shift + log(sum(exp(x - shift))), the shift the maximum, or 0 where that is infinite.
template <class T>
TOPOS_REFERENCE T logsumexp_row(Extent n, const T* x, T* scratch) {
  const T peak = peak_of(n, x);
  const T shift = (peak == infinity<T> || peak == -infinity<T>) ? T{0} : peak;
  for (Extent i = 0; i < n; ++i) scratch[i] = elementary::exp(x[i] - shift);
  return shift + elementary::log(sum_row(n, scratch));
}

// --- rows by index ---------------------------------------------------------------------------------------------------

/// Adds row i into row indices[i], i ascending.
template <class T>
TOPOS_REFERENCE void scatter(Extent count, Extent width, const std::int64_t* indices, const T* rows, T* table) {
  for (Extent i = 0; i < count; ++i)
    for (Extent j = 0; j < width; ++j) {
      auto& place = table[indices[i] * width + j];
      place = add(place, rows[i * width + j]);
    }
}

// --- conversions -----------------------------------------------------------------------------------------------------

/// Toward zero, saturating, NaN gives 0.
TOPOS_REFERENCE std::int64_t to_integer(double x) {
  if (!(x == x)) return 0;
  if (x < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  if (x >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(x);
}
template <class T>
TOPOS_REFERENCE T from_real(double x) {
  if constexpr (std::same_as<T, bool>)
    return x != 0;  // NaN is true
  else if constexpr (std::same_as<T, std::int64_t>)
    return to_integer(x);
  else
    return static_cast<T>(x);
}
template <class T>
TOPOS_REFERENCE T from_integer(std::int64_t x) {
  if constexpr (std::same_as<T, bool>)
    return x != 0;
  else
    return static_cast<T>(x);
}

}  // namespace topos::loops
