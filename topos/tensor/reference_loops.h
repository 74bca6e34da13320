// The readable reference: what each operation means on rows of numbers, in plain loops.
//
// These definitions are the bits of the library. They are written for reading; reference.cpp compiles them once for
// each vector target, which changes no bit. Everything here is inlined into its caller, so that it is compiled for the
// caller's target.
#pragma once
#include <algorithm>
#include <vector>

#include "topos/base/types.h"
#include "topos/tensor/reference.h"
#include "topos/tensor/reference_numbers.h"

namespace topos::loops {

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

/// Sixteen partial sums of numbers of kind T.
template <class T>
struct Lanes {
  Accumulator<T> lane[16];
};

/// S16/256: element i adds to lane i mod 16 of block i div 256; each lane starts at +0 and adds in ascending order.
template <class T>
TOPOS_REFERENCE Lanes<T> sum_block(Extent n, const T* x) {
  using A = Accumulator<T>;
  Lanes<T> block;
  for (auto& lane : block.lane) lane = number<A>(0);
  Extent i = 0;
  for (; i + 16 <= n; i += 16)
    for (Extent l = 0; l < 16; ++l) block.lane[l] = add(block.lane[l], static_cast<A>(x[i + l]));
  for (Extent l = 0; i + l < n; ++l) block.lane[l] = add(block.lane[l], static_cast<A>(x[i + l]));
  return block;
}
/// The lanes merge l and l+8, l+4, l+2, l+1.
template <class T>
TOPOS_REFERENCE T sum_lanes(Lanes<T> total) {
  for (Extent half = 8; half > 0; half /= 2)
    for (Extent l = 0; l < half; ++l) total.lane[l] = add(total.lane[l], total.lane[l + half]);
  return static_cast<T>(total.lane[0]);
}
template <class T>
TOPOS_REFERENCE T sum_row(Extent n, const T* x) {
  if (n <= 256) return sum_lanes<T>(sum_block(n, x));
  const auto merge = [](const Lanes<T>& older, Lanes<T>& newer) {
    for (Extent l = 0; l < 16; ++l) newer.lane[l] = add(older.lane[l], newer.lane[l]);
  };
  Counter<Lanes<T>, decltype(merge)> counter(merge);
  for (Extent begin = 0; begin < n; begin += 256) counter.push(sum_block(std::min<Extent>(256, n - begin), x + begin));
  return sum_lanes<T>(counter.fold());
}
template <class T>
TOPOS_REFERENCE void sum(Extent rows, Extent n, const T* x, T* out) {
  for (Extent r = 0; r < rows; ++r) out[r] = sum_row(n, x + r * n);
}

// --- products --------------------------------------------------------------------------------------------------------

/// One row of a product over k in [begin, end): each output is a chain from +0 of fused multiply-adds, k ascending.
template <class T>
TOPOS_REFERENCE void chain_row(Extent begin, Extent end, Extent n, const T* a, const T* b, Accumulator<T>* out) {
  using A = Accumulator<T>;
  for (Extent j = 0; j < n; ++j) out[j] = number<A>(0);
  for (Extent k = begin; k < end; ++k)
    for (Extent j = 0; j < n; ++j) out[j] = multiply_add(static_cast<A>(a[k]), static_cast<A>(b[k * n + j]), out[j]);
}
/// [m, k] by [k, n]. k is cut into blocks of 2048, each its own chain, merged by the binary counter.
template <class T>
TOPOS_REFERENCE void matmul(Extent m, Extent k, Extent n, const T* a, const T* b, T* out) {
  using Row = std::vector<Accumulator<T>>;
  constexpr Extent block = 2048;
  const auto merge = [](const Row& older, Row& newer) {
    for (std::size_t j = 0; j < newer.size(); ++j) newer[j] = add(older[j], newer[j]);
  };
  Row total(static_cast<std::size_t>(n));
  for (Extent i = 0; i < m; ++i) {
    if (k <= block) {
      chain_row(0, k, n, a + i * k, b, total.data());
    } else {
      Counter<Row, decltype(merge)> counter(merge);
      for (Extent begin = 0; begin < k; begin += block) {
        Row part(static_cast<std::size_t>(n));
        chain_row(begin, std::min(begin + block, k), n, a + i * k, b, part.data());
        counter.push(std::move(part));
      }
      total = counter.fold();
    }
    for (Extent j = 0; j < n; ++j) out[i * n + j] = static_cast<T>(total[static_cast<std::size_t>(j)]);
  }
}

// --- along an axis ---------------------------------------------------------------------------------------------------

template <class T>
TOPOS_REFERENCE T peak_of(Extent n, const T* x) {
  T peak = x[0];
  for (Extent i = 1; i < n; ++i) peak = maximum(peak, x[i]);
  return peak;
}
/// The place of the first NaN, or else of the first of the largest.
template <class T>
TOPOS_REFERENCE std::int64_t place_of_peak(Extent n, const T* x) {
  Extent place = 0;
  for (Extent i = 1; i < n && !is_nan(x[place]); ++i)
    if (is_nan(x[i]) || less(x[place], x[i])) place = i;
  return place;
}
template <class T>
TOPOS_REFERENCE bool is_infinite(T x, double infinity) {
  return to_real(x) == infinity;
}
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// exp(x - m) / sum, m the maximum; a lane of -inf alone gives zeros.
template <class T>
TOPOS_REFERENCE void softmax_row(Extent n, const T* x, T* out) {
  const T peak = peak_of(n, x);
  const T shift = is_infinite(peak, -infinity) ? number<T>(0) : peak;
  for (Extent i = 0; i < n; ++i) out[i] = apply<Function::exp>(subtract(x[i], shift));
  const T total = sum_row(n, out);
  const T divisor = equal(total, number<T>(0)) ? number<T>(1) : total;
  for (Extent i = 0; i < n; ++i) out[i] = divide(out[i], divisor);
}
/// s = x - m; s - log(sum(exp(s))). A lane of -inf alone, or with +inf, is NaN: as the emitted text computes.
template <class T>
TOPOS_REFERENCE void log_softmax_row(Extent n, const T* x, T* out) {
  const T peak = peak_of(n, x);
  for (Extent i = 0; i < n; ++i) out[i] = apply<Function::exp>(subtract(x[i], peak));
  const T normalizer = apply<Function::log>(sum_row(n, out));
  for (Extent i = 0; i < n; ++i) out[i] = subtract(subtract(x[i], peak), normalizer);
}
/// shift + log(sum(exp(x - shift))), the shift the maximum, or 0 where that is infinite.
template <class T>
TOPOS_REFERENCE T logsumexp_row(Extent n, const T* x, T* scratch) {
  const T peak = peak_of(n, x);
  const T shift = is_infinite(peak, infinity) || is_infinite(peak, -infinity) ? number<T>(0) : peak;
  for (Extent i = 0; i < n; ++i) scratch[i] = apply<Function::exp>(subtract(x[i], shift));
  return add(shift, apply<Function::log>(sum_row(n, scratch)));
}

// --- windows ---------------------------------------------------------------------------------------------------------

/// Each position of [outer, extent, inner] starts at +0 and adds its taps [outer, count, size, inner], k ascending: tap
/// (w, k) belongs to position w * step + k * dilation.
template <class T>
TOPOS_REFERENCE void fold(const FoldShape& f, const T* taps, T* out) {
  using A = Accumulator<T>;
  for (Extent o = 0; o < f.outer; ++o)
    for (Extent p = 0; p < f.extent; ++p)
      for (Extent j = 0; j < f.inner; ++j) {
        A total = number<A>(0);
        for (Extent k = 0; k < f.size; ++k) {
          const Extent offset = p - k * f.dilation;
          if (offset < 0 || offset % f.step != 0 || offset / f.step >= f.count) continue;
          total = add(total, static_cast<A>(taps[((o * f.count + offset / f.step) * f.size + k) * f.inner + j]));
        }
        out[(o * f.extent + p) * f.inner + j] = static_cast<T>(total);
      }
}

// --- rows by index ---------------------------------------------------------------------------------------------------

/// Row r of the table starts at +0 and adds the rows whose index is r, in ascending order.
template <class T>
TOPOS_REFERENCE void scatter(Extent count, Extent width, Extent extent, const std::int64_t* indices, const T* rows,
                             T* table) {
  using A = Accumulator<T>;
  std::vector<A> total(static_cast<std::size_t>(extent * width), number<A>(0));
  for (Extent i = 0; i < count; ++i)
    for (Extent j = 0; j < width; ++j) {
      auto& place = total[static_cast<std::size_t>(indices[i] * width + j)];
      place = add(place, static_cast<A>(rows[i * width + j]));
    }
  for (std::size_t i = 0; i < total.size(); ++i) table[i] = static_cast<T>(total[i]);
}

}  // namespace topos::loops
