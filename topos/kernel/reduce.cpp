// The kernels of sums, compiled once for each vector target.
#include <algorithm>

#include "topos/kernel/along.h"
#include "topos/kernel/copy_bytes.h"
#include "topos/kernel/families.h"
#include "topos/kernel/lane_sums.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/reduce.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_REDUCE
#define TOPOS_KERNEL_REDUCE
namespace topos::kernel {

/// Numbers that lie apart are summed through a buffer of whole blocks.
inline constexpr Extent gathered_count = 4 * block_length;

/// How many numbers each result adds.
inline Extent added_count(const Task& task) {
  Extent n = 1;
  const auto& shape = task.operands[0].shape;
  for (auto axis = task.result.shape.rank(); axis < shape.rank(); ++axis) n *= shape[axis];
  return n;
}

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/lane_sums.inc"
// (which the next one needs)
#include "topos/kernel/column_sums.inc"
#if HWY_TARGET <= HWY_AVX3
#include "topos/kernel/run_sums.inc"
#endif

template <class S>
Extent sum_one(const Task&, const void* const* operands, void* result, void*) {
  using T = numbers::Computed<S>;
  *static_cast<S*>(result) = static_cast<S>(numbers::add(T{0}, static_cast<T>(*static_cast<const S*>(operands[0]))));
  return no_fault;
}

// --- rows ------------------------------------------------------------------------------------------------------------

/// The rows along the last kept axis.
template <class S>
void sum_some_rows(Call& call, const Offsets& at) {
  const auto& view = call.task.operands[0];
  const auto kept = call.task.result.shape.rank();
  const auto n = added_count(call.task);
  const Extent rows = kept == 0 ? 1 : view.shape[kept - 1], step = kept == 0 ? 0 : view.strides[kept - 1];
  const Extent result_step = kept == 0 ? 0 : call.task.result.strides[kept - 1];
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<S*>(call.result) + at.result;
  for (Extent r = 0; r < rows; ++r) out[r * result_step] = static_cast<S>(sum_row(n, x + r * step));
}
template <class S>
Extent sum_rows(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, std::max<std::size_t>(task.result.shape.rank(), 1) - 1, sum_some_rows<S>);
  return no_fault;
}

// --- any strides -----------------------------------------------------------------------------------------------------

/// A sum whose numbers lie apart, and the buffer that they fill.
template <class S>
struct GatheredSum {
  LongSum<numbers::Computed<S>>& sum;
  S* buffer;
  Extent held = 0;
};
/// Numbers at `step`.
template <class S>
void gather_numbers(GatheredSum<S>& gathered, Extent n, const S* from, Extent step) {
  for (Extent i = 0; i < n;) {
    if (step == 1 && gathered.held == 0 && n - i >= gathered_count) {
      const auto whole = (n - i) / gathered_count * gathered_count;
      gathered.sum.add(whole, from + i);
      i += whole;
      continue;
    }
    const auto count = std::min(n - i, gathered_count - gathered.held);
    auto* to = gathered.buffer + gathered.held;
    if (step == 1)
      copy_bytes_of_row(to, from + i, static_cast<std::size_t>(count) * sizeof(S));
    else
      for (Extent k = 0; k < count; ++k) to[k] = from[(i + k) * step];
    i += count;
    gathered.held += count;
    if (gathered.held < gathered_count) continue;
    gathered.sum.add(gathered_count, gathered.buffer);
    gathered.held = 0;
  }
}
/// Numbers `begin` to `end` of the axes from `axis` on, row-major.
template <class S>
void gather_axes(GatheredSum<S>& gathered, const View& view, std::size_t axis, const S* from, Extent begin,
                 Extent end) {
  const auto step = view.strides[axis];
  if (axis + 1 == view.shape.rank()) return gather_numbers(gathered, end - begin, from + begin * step, step);
  Extent inner = 1;
  for (auto next = axis + 1; next < view.shape.rank(); ++next) inner *= view.shape[next];
  for (auto i = begin / inner; i * inner < end; ++i)
    gather_axes(gathered, view, axis + 1, from + i * step, std::max<Extent>(begin - i * inner, 0),
                std::min(end - i * inner, inner));
}
/// Numbers `begin` to `end` of the axes from `first` on, row-major, added to a sum of none.
template <class S>
void sum_numbers(LongSum<numbers::Computed<S>>& sum, const View& view, std::size_t first, const S* x, Extent begin,
                 Extent end, S* buffer) {
#if HWY_TARGET <= HWY_AVX3
  if (view.strides[view.shape.rank() - 1] == 1) {
    SumsOfRuns<S, 1> runs(&sum, 0);
    add_axes(runs, view, first, x, begin, end);
    return runs.finish();
  }
#endif
  GatheredSum<S> gathered{sum, buffer};
  gather_axes(gathered, view, first, x, begin, end);
  sum.add(gathered.held, buffer);
}
template <class S>
void sum_apart(Call& call, const Offsets& at) {
  LongSum<numbers::Computed<S>> sum;
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  sum_numbers(sum, call.task.operands[0], call.task.result.shape.rank(), x, 0, added_count(call.task),
              static_cast<S*>(call.scratch));
  static_cast<S*>(call.result)[at.result] = static_cast<S>(sum.total());
}
#if HWY_TARGET <= HWY_AVX3
/// `count` outputs that lie `apart`, and what they add.
template <int count, class S>
void sum_side_by_side(const View& view, std::size_t first, Extent n, const S* x, Extent apart, S* out,
                      Extent out_apart) {
  LongSum<numbers::Computed<S>> sums[count];
  SumsOfRuns<S, count> runs(sums, apart);
  add_axes(runs, view, first, x, 0, n);
  runs.finish();
  for (int i = 0; i < count; ++i) out[i * out_apart] = static_cast<S>(sums[i].total());
}
/// The outputs along the last kept axis, each of runs.
template <class S>
void sum_some_runs(Call& call, const Offsets& at) {
  const auto& view = call.task.operands[0];
  const auto kept = call.task.result.shape.rank();
  const auto n = added_count(call.task);
  const auto outputs = view.shape[kept - 1], step = view.strides[kept - 1];
  const auto result_step = call.task.result.strides[kept - 1];
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<S*>(call.result) + at.result;
  Extent i = 0;
  for (; i + 4 <= outputs; i += 4)
    sum_side_by_side<4>(view, kept, n, x + i * step, step, out + i * result_step, result_step);
  for (; i < outputs; ++i) sum_side_by_side<1>(view, kept, n, x + i * step, step, out + i * result_step, result_step);
}
#endif
template <class S>
Extent sum_any(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  const auto kept = task.result.shape.rank();
#if HWY_TARGET <= HWY_AVX3
  const auto& view = task.operands[0];
  if (kept > 0 && view.strides[view.shape.rank() - 1] == 1)
    walk(call, kept - 1, sum_some_runs<S>);
  else
#endif
    walk(call, kept, sum_apart<S>);
  return no_fault;
}

// --- columns ---------------------------------------------------------------------------------------------------------

/// The columns of the last kept axis.
template <class S>
void sum_some_columns(Call& call, const Offsets& at) {
  using T = numbers::Computed<S>;
  const auto& view = call.task.operands[0];
  const auto kept = call.task.result.shape.rank();
  const auto columns = view.shape[kept - 1], result_step = call.task.result.strides[kept - 1];
  const auto n = added_count(call.task);
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* out = static_cast<S*>(call.result) + at.result;
  auto* sums = static_cast<T*>(call.scratch);
  for (Extent j = 0; j < columns; j += column_tile) {
    const auto width = std::min(column_tile, columns - j);
    sum_columns(view, kept, n, width, x + j, sums);
    for (Extent i = 0; i < width; ++i) out[(j + i) * result_step] = static_cast<S>(sums[i]);
  }
}
template <class S>
Extent sum_by_columns(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank() - 1, sum_some_columns<S>);
  return no_fault;
}

// --- spans of what is added ------------------------------------------------------------------------------------------

/// The lanes of one output after the other.
template <class S>
void lanes_of_row(Call& call, const Offsets& at) {
  using T = numbers::Computed<S>;
  const auto [begin, count] = call.task.span;
  LongSum<T> sum;
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  sum.expect(call.task.operands[0].shape.volume() * static_cast<Extent>(sizeof(S)));
  sum_numbers(sum, call.task.operands[0], call.task.result.shape.rank(), x, begin, begin + count,
              static_cast<S*>(call.scratch));
  sum.lanes().store(static_cast<T*>(call.result) + lane_count * call.place++);
}
/// Those of the columns of the last kept axis, a tile of columns after the other.
template <class S>
void lanes_of_columns(Call& call, const Offsets& at) {
  using T = numbers::Computed<S>;
  const auto& view = call.task.operands[0];
  const auto kept = call.task.result.shape.rank();
  const auto columns = view.shape[kept - 1];
  const auto [begin, count] = call.task.span;
  const auto* x = static_cast<const S*>(call.operands[0]) + at.operand[0];
  auto* lanes = static_cast<T*>(call.result) + lane_count * columns * call.place++;
  Extent offset[block_length];
  for (Extent j = 0; j < columns; j += column_tile) {
    const auto width = std::min(column_tile, columns - j);
    Counter<T> counter(lane_count * width, lanes + lane_count * j, static_cast<T*>(call.scratch));
    for (Extent done = 0; done < count; done += block_length) {
      const auto here = std::min(block_length, count - done);
      row_offsets(view, kept, begin + done, here, offset);
      sum_column_block(here, width, x + j, offset, counter.next());
      counter.push();
    }
    counter.fold();
  }
}
template <class S>
Extent sum_span_of(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  const bool columns = sums_columns(task);
  walk(call, task.result.shape.rank() - columns, columns ? lanes_of_columns<S> : lanes_of_row<S>);
  return no_fault;
}
Run sum_span(const Task& task) {
  const auto element = task.operands[0].element;
  if (element == f32) return sum_span_of<float>;
  if (element == f64) return sum_span_of<double>;
  if (element == i64) return sum_span_of<std::int64_t>;
  if (element == bf16) return sum_span_of<BFloat16>;
  return nullptr;
}

// --- choice ----------------------------------------------------------------------------------------------------------

template <class S>
Run sum_of(const View& view, std::size_t kept) {
  const auto rank = view.shape.rank();
  if (view.shape.volume() == 1) return sum_one<S>;
  if (view.shape.volume() == 0 || rank == kept) return sum_rows<S>;
  if (rank == kept + 1 && view.strides[kept] == 1) return sum_rows<S>;
  if (view.strides[rank - 1] == 1) return sum_any<S>;
  return kept > 0 && view.strides[kept - 1] == 1 ? sum_by_columns<S> : sum_any<S>;
}
Run sum(const Task& task) {
  const auto& view = task.operands[0];
  const auto kept = task.result.shape.rank();
  if (view.element == f32) return sum_of<float>(view, kept);
  if (view.element == f64) return sum_of<double>(view, kept);
  if (view.element == i64) return sum_of<std::int64_t>(view, kept);
  if (view.element == bf16) return sum_of<BFloat16>(view, kept);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {
HWY_EXPORT(sum);
HWY_EXPORT(sum_span);

Run sum_of_span(const Task& prepared_sum) { return HWY_DYNAMIC_DISPATCH(sum_span)(prepared_sum); }

/// Scratch for numbers that are gathered, or for a tile of columns.
void find_sum(Prepared& prepared) {
  auto& task = prepared.task;
  const bool columns = put_columns_last(task);
  prepared.run = HWY_DYNAMIC_DISPATCH(sum)(task);
  const auto size = std::max<Extent>(4, task.operands[0].element.size());
  const auto kept = task.result.shape.rank();
  const auto width = columns ? std::min(column_tile, task.result.shape[kept - 1]) : 0;
  const auto count = std::max(column_scratch(added_count(task), width), gathered_count);
  prepared.scratch_bytes = static_cast<std::size_t>(count * size);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
