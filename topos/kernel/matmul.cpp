// The product kernels, compiled once for each vector target: tiles of accumulators in registers.
//
// Each output is one chain of fused multiply-adds in ascending k, so tiles are cut along m and n only, and along k
// where a chain may go on from what memory holds.
#include <algorithm>
#include <array>
#include <utility>

#include <hwy/cache_control.h>

#include "topos/kernel/counter.h"
#include "topos/kernel/families.h"
#include "topos/kernel/product.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/matmul.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_MATMUL
#define TOPOS_KERNEL_MATMUL
namespace topos::kernel {

inline constexpr Extent few_steps = 64;  // fewer do not repay a tile

struct FoundProduct {
  Run run;
  Extent scratch_bytes;
};

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/product_tiles.inc"
//
#include "topos/kernel/product_layout.inc"
//
#include "topos/kernel/product_blocks.inc"
//
#include "topos/kernel/product_vector.inc"
//
#if HWY_TARGET <= HWY_AVX3
#include "topos/kernel/product_near.inc"
#endif

/// One output after the other, at most one chain of k.
template <class T>
void small_product(const Product<T>& p) {
  for (Extent i = 0; i < p.m; ++i)
    for (Extent j = 0; j < p.n; ++j) {
      T total{0};
      for (Extent step = 0; step < p.k; ++step)
        total = numbers::multiply_add(p.a[i * p.a_row + step * p.a_k], p.b[step * p.b_k + j * p.b_column], total);
      p.out[i * p.out_row + j] = total;
    }
}

/// A row of fewer outputs than a vector has lanes.
template <int columns, class T>
void few_outputs(const Product<T>& p) {
  T total[columns] = {};
  const T* b = p.b;
  for (Extent step = 0; step < p.k; ++step, b += p.b_k)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) total[j] = numbers::multiply_add(p.a[step * p.a_k], b[j * p.b_column], total[j]);
  std::copy_n(total, columns, p.out);
}

/// At most one chain of k.
template <class T>
void one_chain_each(const Product<T>& p, const Cut& cut, T* scratch) {
  if (p.m * p.n * p.k <= few_steps) return small_product(p);
  if (p.m == 1 && p.n == 1) return few_outputs<1>(p);
  if (p.m == 1 && p.n == 2) return few_outputs<2>(p);
  if (p.m == 1 && p.b_k == 1 && p.n >= lanes<T>) return row_by_columns(p.k, p.n, p.a, p.a_k, p.b, p.b_column, p.out);
  if (p.m == 1 && p.b_column == 1 && p.n >= 4 * lanes<T> && p.k >= 16) return row_by_rows(p);
#if HWY_TARGET <= HWY_AVX3
  if (is_near(p)) return near_product(p);
#endif
  for (Extent j = 0; j < p.n; j += cut.breadth) {
    auto part = p;
    part.n = std::min(cut.breadth, p.n - j);
    part.b += j * p.b_column;
    part.out += j;
    chains(part, cut, scratch);
  }
}

/// A column is the transposed row of the transposed operands, in the same memory.
template <class T>
Product<T> turned_if_column(const Product<T>& p) {
  if (p.n != 1 || (p.out_row != 1 && p.m != 1)) return p;
  return {1, p.k, p.m, p.b, 0, p.b_k, p.a, p.a_k, p.a_row, p.out, p.m};
}

template <class T>
Extent chain_scratch(const Product<T>& p, const Cut& cut) {
  return (cut.a_size() + laid_out_panels<T>(cut, p.m, p.n) + 15) / 16 * 16;
}
template <class T>
Extent scratch_numbers(const Product<T>& given) {
  const auto p = turned_if_column(given);
  const auto parts = p.k <= chain_length ? 0 : counter_depth((p.k + chain_length - 1) / chain_length);
  return chain_scratch(p, cut_of(p)) + parts * p.m * p.n;
}

template <class T>
void product(const Product<T>& given, T* scratch) {
  const auto p = turned_if_column(given);
  const auto cut = cut_of(p);
  if (p.k <= chain_length) return one_chain_each(p, cut, scratch);
  auto* rest = scratch + chain_scratch(p, cut);
  const bool in_place = p.out_row == p.n || p.m == 1;
  auto* first = in_place ? p.out : std::exchange(rest, rest + p.m * p.n);
  Counter<T> counter(p.m * p.n, first, rest);
  for (Extent begin = 0; begin < p.k; begin += chain_length) {
    auto block = p;
    block.k = std::min(chain_length, p.k - begin);
    block.a += begin * p.a_k;
    block.b += begin * p.b_k;
    block.out = counter.next();
    block.out_row = p.n;
    one_chain_each(block, cut, scratch);
    counter.push();
  }
  counter.fold();
  if (!in_place)
    for (Extent i = 0; i < p.m; ++i) std::copy_n(first + i * p.n, p.n, p.out + i * p.out_row);
}
/// Integers are exact in any order.
template <>
void product(const Product<std::int64_t>& p, std::int64_t*) {
  using numbers::multiply_add;
  for (Extent i = 0; i < p.m; ++i) {
    auto* out = p.out + i * p.out_row;
    std::fill_n(out, p.n, 0);
    for (Extent step = 0; step < p.k; ++step) {
      const auto left = p.a[i * p.a_row + step * p.a_k];
      const auto* b = p.b + step * p.b_k;
      if (p.b_column == 1)
        for (Extent j = 0; j < p.n; ++j) out[j] = multiply_add(left, b[j], out[j]);
      else
        for (Extent j = 0; j < p.n; ++j) out[j] = multiply_add(left, b[j * p.b_column], out[j]);
    }
  }
}

template <class T>
Product<T> product_of(const Task& task) {
  const auto& [a, b, _] = task.operands;
  const auto rank = a.shape.rank();
  return {a.shape[rank - 2],
          a.shape[rank - 1],
          b.shape[rank - 1],
          nullptr,
          a.strides[rank - 2],
          a.strides[rank - 1],
          nullptr,
          b.strides[rank - 2],
          b.strides[rank - 1],
          nullptr,
          task.result.strides[rank - 2]};
}
/// That of one item of a batch.
template <class T>
TOPOS_INLINE Product<T> product_at(const Call& call, const Offsets& at) {
  auto p = product_of<T>(call.task);
  p.a = static_cast<const T*>(call.operands[0]) + at.operand[0];
  p.b = static_cast<const T*>(call.operands[1]) + at.operand[1];
  p.out = static_cast<T*>(call.result) + at.result;
  return p;
}
template <class T>
void matmul_item(Call& call, const Offsets& at) {
  product(product_at<T>(call, at), static_cast<T*>(call.scratch));
}

/// bf16: operands and result as floats in scratch; matrices keep the order that they have in memory.
Product<float> widened(const Product<BFloat16>& p) {
  const auto place = [](Extent rows, Extent columns, Extent row, Extent column) {
    return row < column ? std::pair<Extent, Extent>{1, rows} : std::pair<Extent, Extent>{columns, 1};
  };
  const auto [a_row, a_k] = place(p.m, p.k, p.a_row, p.a_k);
  const auto [b_k, b_column] = place(p.k, p.n, p.b_k, p.b_column);
  return {p.m, p.k, p.n, nullptr, a_row, a_k, nullptr, b_k, b_column, nullptr, p.n};
}
void widen(Extent rows, Extent columns, const BFloat16* from, Extent row, Extent column, float* to) {
  if (row < column) std::swap(rows, columns), std::swap(row, column);
  const Vectors<float> d;
  const hn::Rebind<hwy::bfloat16_t, Vectors<float>> stored;
  for (Extent i = 0; i < rows; ++i, from += row, to += columns) {
    Extent j = 0;
    if (column == 1)
      for (; j + lanes<float> <= columns; j += lanes<float>)
        hn::StoreU(hn::PromoteTo(d, hn::LoadU(stored, reinterpret_cast<const hwy::bfloat16_t*>(from + j))), d, to + j);
    for (; j < columns; ++j) to[j] = static_cast<float>(from[j * column]);
  }
}
/// A row by contiguous rows, which are widened as they are read. `rest` has room for the parts of a counter.
void row_by_bfloat16_rows(const Product<BFloat16>& p, const float* a, float* out, float* rest) {
  constexpr auto pair = 2 * lanes<float>;
  const auto columns = p.n / pair * pair, last = p.n - pair;
  Counter<float> counter(p.n, out, rest);
  for (Extent begin = 0; begin < p.k; begin += chain_length) {
    const auto k = std::min(chain_length, p.k - begin);
    const auto* b = p.b + begin * p.b_k;
    row_by_pairs(k, a + begin, 1, b, p.b_k, columns, counter.next());
    if (columns < p.n) row_by_pairs(k, a + begin, 1, b + last, p.b_k, pair, counter.next() + last);
    counter.push();
  }
  counter.fold();
}
bool reads_rows(const Product<BFloat16>& p) { return p.m == 1 && p.b_column == 1 && p.n >= 2 * lanes<float>; }

#if HWY_TARGET <= HWY_AVX3
/// The same of contiguous columns.
void row_by_bfloat16_columns(const Product<BFloat16>& p, const float* a, float* out, float* rest) {
  Counter<float> counter(p.n, out, rest);
  for (Extent begin = 0; begin < p.k; begin += chain_length) {
    const auto k = std::min(chain_length, p.k - begin);
    row_by_columns(k, p.n, a + begin, 1, p.b + begin, p.b_column, counter.next());
    counter.push();
  }
  counter.fold();
}
bool reads_columns(const Product<BFloat16>& p) { return p.m == 1 && p.b_k == 1 && p.n >= lanes<float>; }
#else
void row_by_bfloat16_columns(const Product<BFloat16>&, const float*, float*, float*) {}
bool reads_columns(const Product<BFloat16>&) { return false; }
#endif

Extent bfloat16_scratch_numbers(const Product<BFloat16>& given) {
  const auto p = turned_if_column(given);
  if (reads_rows(p) || reads_columns(p))
    return p.k + p.n * (1 + counter_depth((p.k + chain_length - 1) / chain_length));
  return p.m * p.k + p.k * p.n + p.m * p.n + 15 + scratch_numbers(widened(p));
}
void matmul_item_bfloat16(Call& call, const Offsets& at) {
  auto p = product_of<BFloat16>(call.task);
  p.a = static_cast<const BFloat16*>(call.operands[0]) + at.operand[0];
  p.b = static_cast<const BFloat16*>(call.operands[1]) + at.operand[1];
  p = turned_if_column(p);
  if (p.m == 1) p.a_row = p.a_k;
  auto* left = static_cast<float*>(call.scratch);
  auto* out = left + p.m * p.k;
  widen(p.m, p.k, p.a, p.a_row, p.a_k, left);
  if (reads_rows(p)) {
    row_by_bfloat16_rows(p, left, out, out + p.n);
  } else if (reads_columns(p)) {
    row_by_bfloat16_columns(p, left, out, out + p.n);
  } else {
    auto wider = widened(p);
    auto* right = out + p.m * p.n;
    widen(p.k, p.n, p.b, p.b_k, p.b_column, right);
    wider.a = left;
    wider.b = right;
    wider.out = out;
    const auto used = p.m * p.k + p.k * p.n + p.m * p.n;
    product(wider, left + (used + 15) / 16 * 16);
  }
  auto* result = static_cast<BFloat16*>(call.result) + at.result;
  for (Extent i = 0; i < p.m; ++i)
    for (Extent j = 0; j < p.n; ++j) result[i * p.out_row + j] = BFloat16(out[i * p.n + j]);
}
Extent matmul_bfloat16(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank() - 2, matmul_item_bfloat16);
  return no_fault;
}

template <class T>
Extent matmul_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, task.result.shape.rank() - 2, matmul_item<T>);
  return no_fault;
}
#if HWY_TARGET <= HWY_AVX3
template <class T>
void near_item(Call& call, const Offsets& at) {
  near_product(product_at<T>(call, at));
}
/// The same with as little as may be before the first tile.
template <class T>
Extent matmul_near(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  if (const auto rank = task.result.shape.rank(); rank > 2)
    walk(call, rank - 2, near_item<T>);
  else
    near_item<T>(call, {});
  return no_fault;
}
#endif

template <class T>
Extent matmul_one(const Task&, const void* const* operands, void* result, void*) {
  const T a = *static_cast<const T*>(operands[0]);
  const T b = *static_cast<const T*>(operands[1]);
  *static_cast<T*>(result) = numbers::multiply_add(a, b, T{0});
  return no_fault;
}

template <class T>
FoundProduct find(const Task& task) {
  const bool one = task.operands[0].shape.volume() == 1 && task.operands[1].shape.volume() == 1;
  if constexpr (std::same_as<T, std::int64_t>) return {one ? matmul_one<T> : matmul_all<T>, 0};
#if HWY_TARGET <= HWY_AVX3
  else if (!one && is_near(product_of<T>(task)))
    return {matmul_near<T>, 0};
#endif
  else
    return {one ? matmul_one<T> : matmul_all<T>, scratch_numbers(product_of<T>(task)) * Extent{sizeof(T)}};
}
FoundProduct matmul(const Task& task) {
  const auto element = task.result.element;
  if (element == f32) return find<float>(task);
  if (element == f64) return find<double>(task);
  if (element == bf16)
    return {matmul_bfloat16, bfloat16_scratch_numbers(product_of<BFloat16>(task)) * Extent{sizeof(float)}};
  if (element == i64) return find<std::int64_t>(task);
  return {nullptr, 0};
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(matmul);
void find_matmul(Prepared& prepared) {
  if (prepared.task.result.shape.volume() == 0)
    return void(prepared.run = HWY_DYNAMIC_DISPATCH(matmul)(prepared.task).run);
  const auto found = HWY_DYNAMIC_DISPATCH(matmul)(prepared.task);
  prepared.run = found.run;
  prepared.scratch_bytes = static_cast<std::size_t>(found.scratch_bytes);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
