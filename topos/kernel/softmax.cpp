// The kernels of softmax and its logarithms along one axis, compiled once for each vector target.
#include <algorithm>
#include <cmath>

#include "topos/kernel/along.h"
#include "topos/kernel/families.h"
#include "topos/kernel/lane_sums.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/vector_tables.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/softmax.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_SOFTMAX
#define TOPOS_KERNEL_SOFTMAX
namespace topos::kernel {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

/// Columns that are taken at a time: their exponentials stay in a near cache where they can.
inline constexpr Extent soft_tile = 128;

/// Fewer columns than these are faster row by row.
inline constexpr Extent column_least = 8;

/// What is taken off before the exponential: softmax of -inf alone gives zeros, logsumexp of any infinity itself.
template <Kind kind, class T>
TOPOS_INLINE T shift_of(T peak) {
  const bool below = peak == -infinity<T>, above = peak == infinity<T>;
  if constexpr (kind == Kind::softmax) return below ? T{0} : peak;
  if constexpr (kind == Kind::logsumexp) return below || above ? T{0} : peak;
  return peak;
}

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/lane_sums.inc"
#include "topos/kernel/peaks.inc"
// (each needs the ones before it)
#include "topos/kernel/column_sums.inc"
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
#include "topos/kernel/vector.inc"
// (which the next one needs)
#include "topos/kernel/vector_exp.inc"
#endif

/// Numbers whose exponentials are computed at a time.
template <class T>
inline constexpr Extent exp_width = std::max<Extent>(lane_count, 2 * sum_width<T>);

// S is the element that is stored: each step is rounded to it, while sums accumulate in what it is computed in.

#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
/// e^x of two vectors.
template <class T, class V>
TOPOS_INLINE void exp_two(V& a, V& b) {
  using D = SumVectors<T>;
  if constexpr (std::same_as<T, float>) {
    const Two<Lane<D>> x(a, b);
    const auto attempt = exp_attempt(x);
    if (all_of(attempt.good)) [[likely]] {
      a = attempt.value.a.v;
      b = attempt.value.b.v;
      return;
    }
  }
  a = vector_exp(D(), a);
  b = vector_exp(D(), b);
}
/// e^(x - shift) of as many numbers as make whole lanes and two vectors.
template <class T>
TOPOS_INLINE void exp_step(const T* x, T shift, T* out, Lanes<T>& lanes) {
  constexpr auto size = sum_width<T>;
  const SumVectors<T> d;
  const auto off = hn::Set(d, shift);
#pragma GCC unroll 8
  for (Extent v = 0; v < exp_width<T> / size; v += 2) {
    auto a = hn::Sub(hn::LoadU(d, x + v * size), off), b = hn::Sub(hn::LoadU(d, x + (v + 1) * size), off);
    exp_two<T>(a, b);
    hn::StoreU(a, d, out + v * size);
    hn::StoreU(b, d, out + (v + 1) * size);
    auto& first = lanes.part[v % sum_vectors<T>];
    first = hn::Add(first, a);
    auto& second = lanes.part[(v + 1) % sum_vectors<T>];
    second = hn::Add(second, b);
  }
}
template <class T>
Lanes<T> exp_vectors(Extent n, const T* x, T shift, T* out) {
  constexpr auto step = exp_width<T>;
  Lanes<T> lanes;
  lanes.clear();
  Extent i = 0;
  for (; i + step <= n; i += step) exp_step(x + i, shift, out + i, lanes);
  if (i == n) return lanes;
  alignas(64) T rest[step];
  for (Extent l = 0; l < step; ++l) rest[l] = i + l < n ? x[i + l] : shift;
  auto unused = lanes;
  exp_step(rest, shift, rest, unused);
  for (Extent l = 0; i + l < n; ++l) out[i + l] = rest[l];
  for (Extent l = 0; i + l < n; l += lane_count) lanes.add_some(rest + l, std::min(n - i - l, lane_count));
  return lanes;
}
#endif
/// e^(x - shift) of at most one block, and the lanes of its sum.
template <class S, class C>
Lanes<C> exp_block(Extent n, const S* x, C shift, C* out) {
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
  if constexpr (std::same_as<S, C>) return exp_vectors(n, x, shift, out);
#endif
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i)
    out[i] = numbers::stored<S>(elementary::exp(numbers::stored<S>(static_cast<C>(x[i]) - shift)));
  return sum_block<C>(n, out);
}
/// Their sum; they themselves, where `keep` is, one after the other at `out`, else block upon block.
template <bool keep, class S, class C>
C sum_of_exps(Extent n, const S* x, C shift, C* out) {
  auto lanes = exp_block(std::min(n, block_length), x, shift, out);
  if (n <= block_length) return numbers::stored<S>(lanes.total());
  LongSum<C> sum;
  sum.push(lanes, 0);
  for (Extent begin = block_length; begin < n; begin += block_length) {
    const auto count = std::min(block_length, n - begin);
    C* to = keep ? out + begin : out;
    sum.push(exp_block(count, x + begin, shift, to), 0);
  }
  return numbers::stored<S>(sum.total());
}
template <class S, class C>
C log_stored(C x) {
  return numbers::stored<S>(elementary::log(x));
}
template <class C>
C divisor_of(C total) {
  return total == C{0} ? C{1} : total;
}

// --- rows ------------------------------------------------------------------------------------------------------------

template <class S, class C>
void softmax_row(Extent n, const S* x, C* exps, S* out, Extent step) {
  const C divisor = divisor_of(sum_of_exps<true>(n, x, shift_of<Kind::softmax>(peak_of(n, x)), exps));
  if (step == 1) {
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < n; ++i) out[i] = static_cast<S>(exps[i] / divisor);
  } else {
    for (Extent i = 0; i < n; ++i) out[i * step] = static_cast<S>(exps[i] / divisor);
  }
}
template <class S, class C>
void log_softmax_row(Extent n, const S* x, C* exps, S* out, Extent step) {
  const C peak = peak_of(n, x), normalizer = log_stored<S>(sum_of_exps<false>(n, x, peak, exps));
  if (step == 1) {
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < n; ++i)
      out[i] = static_cast<S>(numbers::stored<S>(static_cast<C>(x[i]) - peak) - normalizer);
  } else {
    for (Extent i = 0; i < n; ++i)
      out[i * step] = static_cast<S>(numbers::stored<S>(static_cast<C>(x[i]) - peak) - normalizer);
  }
}

/// Scratch holds a row of operands, where they lie apart, then one of exponentials.
template <class S, Kind kind>
void soft_row(Call& call, const Offsets& at) {
  using C = numbers::Computed<S>;
  const auto& view = call.task.operands[0];
  const auto last = view.shape.rank() - 1;
  const auto n = view.shape[last];
  auto* scratch = static_cast<C*>(call.scratch);
  auto* out = static_cast<S*>(call.result) + at.result;
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  const auto* x = row_without_gaps(n, from, view.strides[last], reinterpret_cast<S*>(scratch));
  C* exps = scratch + n;
  if constexpr (kind == Kind::logsumexp) {
    const C shift = shift_of<kind>(peak_of(n, x));
    *out = static_cast<S>(shift + log_stored<S>(sum_of_exps<false>(n, x, shift, exps)));
  } else {
    const auto step = call.task.result.strides[last];
    if constexpr (kind == Kind::log_softmax) return log_softmax_row(n, x, exps, out, step);
    if constexpr (std::same_as<S, C>)
      if (step == 1) exps = out;
    softmax_row(n, x, exps, out, step);
  }
}

// --- columns ---------------------------------------------------------------------------------------------------------

/// e^(x - shift) of a tile, its rows `width` apart.
template <class S, class C>
void exp_columns(const Columns& columns, Extent width, const S* x, const C* shift, C* exps) {
  for (Extent i = 0; i < columns.n; ++i) {
    const S* from = x + i * columns.row;
    C* to = exps + i * width;
    TOPOS_INDEPENDENT
    for (Extent j = 0; j < width; ++j) to[j] = numbers::stored<S>(static_cast<C>(from[j]) - shift[j]);
    exp_block(width, to, C{0}, to);
    if constexpr (!std::same_as<S, C>)
      for (Extent j = 0; j < width; ++j) to[j] = numbers::stored<S>(to[j]);
  }
}
/// The results of a tile from its shifts, its exponentials and their sums.
template <Kind kind, class S, class C>
void finish_columns(const Columns& columns, Extent width, const S* x, const C* shift, const C* exps, const C* sum,
                    S* out) {
  if constexpr (kind == Kind::logsumexp) {
    for (Extent j = 0; j < width; ++j) out[j * columns.result_step] = static_cast<S>(shift[j] + sum[j]);
  } else {
    for (Extent i = 0; i < columns.n; ++i) {
      const S* from = x + i * columns.row;
      const C* e = exps + i * width;
      S* to = out + i * columns.result_row;
      TOPOS_INDEPENDENT
      for (Extent j = 0; j < width; ++j)
        if constexpr (kind == Kind::softmax)
          to[j] = static_cast<S>(e[j] / sum[j]);
        else
          to[j] = static_cast<S>(numbers::stored<S>(static_cast<C>(from[j]) - shift[j]) - sum[j]);
    }
  }
}
/// Scratch holds the exponentials of a tile, then their sums and what these need.
template <class S, Kind kind>
void soft_columns(Call& call, const Offsets& at) {
  using C = numbers::Computed<S>;
  const Columns columns(call);
  auto* exps = static_cast<C*>(call.scratch);
  auto* sum = exps + columns.n * soft_tile;
  alignas(64) C shift[soft_tile];
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<S*>(call.result) + at.result;
  for (Extent j = 0; j < columns.count; j += soft_tile) {
    const auto width = std::min(soft_tile, columns.count - j);
    const auto* x = from + j;
    column_peaks(columns.n, width, x, columns.row, shift);
    for (Extent k = 0; k < width; ++k) shift[k] = shift_of<kind>(shift[k]);
    exp_columns(columns, width, x, shift, exps);
    sum_columns({f32, {columns.n}, {width}}, 0, columns.n, width, exps, sum);
    for (Extent k = 0; k < width; ++k) {
      sum[k] = numbers::stored<S>(sum[k]);
      sum[k] = kind == Kind::softmax ? divisor_of(sum[k]) : log_stored<S>(sum[k]);
    }
    finish_columns<kind>(columns, width, x, shift, exps, sum, out + j * columns.result_step);
  }
}

// --- choice ----------------------------------------------------------------------------------------------------------

template <class S, Kind kind>
Extent soft_rows(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.operands[0].shape.rank() - 1, soft_row<S, kind>);
  return no_fault;
}
template <class S, Kind kind>
Extent soft_by_columns(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.operands[0].shape.rank() - 2, soft_columns<S, kind>);
  return no_fault;
}
template <class S>
Run soft_of(Kind kind, bool columns) {
  using enum Kind;
  if (kind == softmax) return columns ? soft_by_columns<S, softmax> : soft_rows<S, softmax>;
  if (kind == log_softmax) return columns ? soft_by_columns<S, log_softmax> : soft_rows<S, log_softmax>;
  return columns ? soft_by_columns<S, logsumexp> : soft_rows<S, logsumexp>;
}
Run soft(const Task& task, bool columns) {
  if (task.result.element == f32) return soft_of<float>(task.kind, columns);
  if (task.result.element == f64) return soft_of<double>(task.kind, columns);
  if (task.result.element == bf16) return soft_of<BFloat16>(task.kind, columns);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(soft);
void find_softmax(Prepared& prepared) {
  auto& task = prepared.task;
  const auto& view = task.operands[0];
  const bool columns = put_columns_last(task) && view.shape[view.shape.rank() - 2] >= column_least;
  prepared.run = HWY_DYNAMIC_DISPATCH(soft)(task, columns);
  const auto n = view.shape.empty() ? 1 : view.shape[view.shape.rank() - 1];
  const auto count = columns ? n * soft_tile + column_scratch(n, soft_tile) : 2 * n;
  prepared.scratch_bytes = static_cast<std::size_t>(count * std::max<Extent>(4, view.element.size()));
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
