// The kernels of softmax and its logarithms along one axis, compiled once for each vector target.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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

/// So many rows, of so many numbers together, go through each pass one after the other.
inline constexpr Extent rows_together = 8, rows_together_numbers = 2048;

/// Fewer columns than these are faster row by row.
inline constexpr Extent column_least = 8;

/// What softmax takes off before the exponential: a row of -inf alone gives zeros.
template <class T>
TOPOS_INLINE T soft_shift(T peak) {
  return peak == -infinity<T> ? T{0} : peak;
}
/// The largest number and the logarithm of the sum of exponentials less it: an infinite one or NaN is the result.
template <class T>
TOPOS_INLINE T joined(T peak, T logarithm) {
  return peak - peak == T{0} ? peak + logarithm : peak;
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
#include "topos/kernel/vector_columns.inc"
// (which the next one needs)
#include "topos/kernel/vector_exp.inc"
#endif

#include "topos/kernel/exp_rows.inc"

/// A row on its way. `room` holds its exponentials; `near`: near_quotients is for them.
template <class S, class C>
struct SoftRow {
  const S* x;
  C* room;
  S* out;
  C shift, total;
  bool near;
};
/// The sum of e^(x - shift); where `keep` is, they themselves one after the other in the row's room, else some of them.
template <bool keep, class S, class C>
void sum_exps(Extent n, SoftRow<S, C>& row) {
  constexpr auto at_once = 4 * block_length;
  if (n <= block_length) {
    row.near = exp_values(n, row.x, row.shift, row.room);
    row.total = numbers::stored<S>(sum_block<C>(n, row.room).total());
    return;
  }
  LongSum<C> sum;
  row.near = true;
  for (Extent begin = 0; begin < n; begin += at_once) {
    const auto count = std::min(at_once, n - begin);
    C* to = keep ? row.room + begin : row.room;
    row.near &= exp_values(count, row.x + begin, row.shift, to);
    sum.add(count, to);
  }
  row.total = numbers::stored<S>(sum.total());
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
void finish_softmax(Extent n, const SoftRow<S, C>& row, Extent step) {
  const C* exps = row.room;
  S* out = row.out;
  const C divisor = divisor_of(row.total);
  if (step == 1) {
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
    if constexpr (std::same_as<S, float>)
      if (row.near && divisor <= 0x1p24f) return near_quotients(SumVectors<float>(), n, exps, divisor, out);
#endif
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < n; ++i) out[i] = static_cast<S>(exps[i] / divisor);
  } else {
    for (Extent i = 0; i < n; ++i) out[i * step] = static_cast<S>(exps[i] / divisor);
  }
}
template <class S, class C>
void finish_log_softmax(Extent n, const SoftRow<S, C>& row, Extent step) {
  const S* x = row.x;
  S* out = row.out;
  const C shift = row.shift, normalizer = log_stored<S>(row.total);
  if (step == 1) {
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < n; ++i)
      out[i] = static_cast<S>(numbers::stored<S>(static_cast<C>(x[i]) - shift) - normalizer);
  } else {
    for (Extent i = 0; i < n; ++i)
      out[i * step] = static_cast<S>(numbers::stored<S>(static_cast<C>(x[i]) - shift) - normalizer);
  }
}
/// Some rows, each pass over all of them: none waits for another's largest number or sum.
template <Kind kind, class S, class C>
void soft_together(Extent n, Extent count, SoftRow<S, C>* rows, Extent step) {
  for (Extent r = 0; r < count; ++r) {
    const C peak = loose_peak(n, rows[r].x);
    rows[r].shift = kind == Kind::softmax ? soft_shift(peak) : peak;
  }
  for (Extent r = 0; r < count; ++r) sum_exps<kind == Kind::softmax>(n, rows[r]);
  for (Extent r = 0; r < count; ++r) {
    const auto& row = rows[r];
    if constexpr (kind == Kind::softmax) {
      finish_softmax(n, row, step);
    } else if constexpr (kind == Kind::log_softmax) {
      finish_log_softmax(n, row, step);
    } else {
      const bool finite = row.shift - row.shift == C{0};
      *row.out = static_cast<S>(finite ? row.shift + log_stored<S>(row.total) : peak_of(n, row.x));
    }
  }
}
/// The rows along the last axis but one. Scratch holds a row of operands, where they lie apart, then one of
/// exponentials.
template <class S, Kind kind>
void soft_some_rows(Call& call, const Offsets& at) {
  using C = numbers::Computed<S>;
  const auto& view = call.task.operands[0];
  const auto& result = call.task.result;
  const auto last = view.shape.rank() - 1;
  const auto n = view.shape[last], apart = view.strides[last];
  const Extent step = kind == Kind::logsumexp ? 1 : result.strides[last];
  const Extent count = last == 0 ? 1 : view.shape[last - 1];
  const Extent next = last == 0 ? 0 : view.strides[last - 1], next_result = last == 0 ? 0 : result.strides[last - 1];
  auto* scratch = static_cast<C*>(call.scratch);
  const bool in_place = std::same_as<S, C> && kind == Kind::softmax && step == 1;
  const bool alone = apart != 1 || (kind == Kind::softmax && !in_place);
  const Extent together =
      alone ? 1 : std::clamp<Extent>(rows_together_numbers / std::max<Extent>(n, 1), 1, rows_together);
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<S*>(call.result) + at.result;
  SoftRow<S, C> rows[rows_together];
  for (Extent begin = 0; begin < count; begin += together) {
    const auto here = std::min(together, count - begin);
    for (Extent r = 0; r < here; ++r) {
      auto& row = rows[r];
      row.x = row_without_gaps(n, from + (begin + r) * next, apart, reinterpret_cast<S*>(scratch));
      row.out = out + (begin + r) * next_result;
      row.room = scratch + n;
      if constexpr (std::same_as<S, C>)
        if (in_place) row.room = row.out;
    }
    soft_together<kind>(n, here, rows, step);
  }
}

// --- columns ---------------------------------------------------------------------------------------------------------

/// e^(x - shift) of a tile, its rows `width` apart. False where near_column_quotients is not for them.
template <class S, class C>
bool exp_columns(const Columns& columns, Extent width, const S* x, const C* shift, C* exps) {
  constexpr auto room = 4 * soft_tile;
  alignas(64) C apart[room] = {};
  bool near = true;
  const auto at_once = room / width;
  for (Extent begin = 0; begin < columns.n; begin += at_once) {
    const auto rows = std::min(at_once, columns.n - begin), count = rows * width;
    for (Extent i = 0; i < rows; ++i) {
      const S* from = x + (begin + i) * columns.row;
      C* to = apart + i * width;
      TOPOS_INDEPENDENT
      for (Extent j = 0; j < width; ++j) to[j] = numbers::stored<S>(static_cast<C>(from[j]) - shift[j]);
    }
    C* to = exps + begin * width;
    near &= exp_numbers(count, apart, C{0}, to);
    if constexpr (!std::same_as<S, C>)
      for (Extent j = 0; j < count; ++j) to[j] = numbers::stored<S>(to[j]);
  }
  return near && std::same_as<S, C>;
}
/// The results of a tile from its shifts, its exponentials and their sums.
template <Kind kind, class S, class C>
void finish_columns(const Columns& columns, Extent width, const S* x, const C* shift, const C* exps, const C* sum,
                    S* out) {
  if constexpr (kind == Kind::logsumexp) {
    for (Extent j = 0; j < width; ++j) out[j * columns.result_step] = static_cast<S>(joined(shift[j], sum[j]));
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
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
/// Quotients of a tile at least a vector wide.
inline void divide_columns(const Columns& columns, Extent width, const float* exps, const float* sum, float* out) {
  alignas(64) float inverse[soft_tile] = {};
  for (Extent j = 0; j < width; ++j) inverse[j] = 1.0f / sum[j];
  for (Extent i = 0; i < columns.n; ++i)
    near_column_quotients(SumVectors<float>(), width, exps + i * width, sum, inverse, out + i * columns.result_row);
}
#endif
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
    column_peaks<kind == Kind::logsumexp>(columns.n, width, x, columns.row, shift);
    if constexpr (kind == Kind::softmax)
      for (Extent k = 0; k < width; ++k) shift[k] = soft_shift(shift[k]);
    [[maybe_unused]] const bool near = exp_columns(columns, width, x, shift, exps);
    sum_columns({f32, {columns.n}, {width}}, 0, columns.n, width, exps, sum);
    for (Extent k = 0; k < width; ++k) {
      sum[k] = numbers::stored<S>(sum[k]);
      sum[k] = kind == Kind::softmax ? divisor_of(sum[k]) : log_stored<S>(sum[k]);
    }
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
    if constexpr (kind == Kind::softmax && std::same_as<S, float>)
      if (near && width >= sum_width<float> && columns.n <= 1 << 24) {  // and the result's columns lie side by side
        divide_columns(columns, width, exps, sum, out + j);
        continue;
      }
#endif
    finish_columns<kind>(columns, width, x, shift, exps, sum, out + j * columns.result_step);
  }
}

// --- choice ----------------------------------------------------------------------------------------------------------

template <class S, Kind kind>
Extent soft_rows(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, std::max<std::size_t>(task.operands[0].shape.rank(), 2) - 2, soft_some_rows<S, kind>);
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
