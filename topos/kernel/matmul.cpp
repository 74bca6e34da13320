// The product kernels, compiled once for each vector target: tiles of accumulators in registers.
//
// Each output is one chain of fused multiply-adds in ascending k, so tiles are cut along m and n only, and along k
// where a chain may go on from what memory holds.
#include <algorithm>

#include "topos/kernel/counter.h"
#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/matmul.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TOPOS_KERNEL_PRODUCT
#define TOPOS_KERNEL_PRODUCT
namespace topos::kernel {

inline constexpr Extent chain_length = 2048;  // of k: part of the definition
inline constexpr Extent panel_bytes = 24 << 10;
inline constexpr Extent few_rows = 64;   // more rows repay laying a panel of b out for the nearest cache
inline constexpr Extent few_steps = 64;  // fewer do not repay a tile

/// out[i, j] = sum of a[i, k] b[k, j], i < m, j < n, with a stride an axis; out has rows of n.
template <class T>
struct Product {
  Extent m, k, n;
  const T* a;
  Extent a_row, a_k;
  const T* b;
  Extent b_k, b_column;
  T* out;
};

}  // namespace topos::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Vectors = hn::ScalableTag<T>;
template <class T>
inline constexpr Extent lanes = static_cast<Extent>(hn::MaxLanes(Vectors<T>()));

/// a * b + c, rounded once on every target: Highway's own rounds twice where the target lacks the instruction.
template <class D, class V>
HWY_INLINE V fused(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  using T = hn::TFromD<D>;
  alignas(64) T left[lanes<T>], right[lanes<T>], sum[lanes<T>];
  hn::Store(a, d, left);
  hn::Store(b, d, right);
  hn::Store(c, d, sum);
  for (Extent i = 0; i < lanes<T>; ++i) sum[i] = numbers::multiply_add(left[i], right[i], sum[i]);
  return hn::Load(d, sum);
#endif
}

/// A tile of the result. `go_on`: its chains go on from what `out` holds. Rows of b are read as whole vectors.
template <int rows, int vectors, class T>
HWY_NOINLINE void tile(Extent k, const T* HWY_RESTRICT a, Extent a_row, Extent a_k, const T* HWY_RESTRICT b, Extent b_k,
                       T* HWY_RESTRICT out, Extent out_row, bool go_on) {
  const Vectors<T> d;
  using V = hn::Vec<Vectors<T>>;
  V total[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
      total[r][v] = go_on ? hn::LoadU(d, out + r * out_row + v * lanes<T>) : hn::Zero(d);
  for (Extent step = 0; step < k; ++step, a += a_k, b += b_k) {
    V right[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * lanes<T>);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      asm volatile("" ::: "memory");  // no read of a moves up: every register is taken, one more would spill
      const V left = hn::Set(d, a[r * a_row]);
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) total[r][v] = fused(d, left, right[v], total[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) hn::StoreU(total[r][v], d, out + r * out_row + v * lanes<T>);
}

/// Some columns of a product and some of its k: `b` has whole vectors in each row.
template <class T>
struct Panel {
  Extent m, k, width;
  const T* a;
  Extent a_row, a_k;
  const T* b;
  Extent b_k;
  T* out;
  Extent out_row;
  bool go_on;
};

/// The tile at row i; one that is not as wide as its vectors computes beside the result.
template <int rows, int vectors, class T>
void place_tile(const Panel<T>& p, Extent i) {
  const T* a = p.a + i * p.a_row;
  T* out = p.out + i * p.out_row;
  constexpr Extent width = vectors * lanes<T>;
  if (p.width == width) return tile<rows, vectors>(p.k, a, p.a_row, p.a_k, p.b, p.b_k, out, p.out_row, p.go_on);
  alignas(64) T beside[rows * width];
  if (p.go_on)
    for (int r = 0; r < rows; ++r) std::copy_n(out + r * p.out_row, p.width, beside + r * width);
  tile<rows, vectors>(p.k, a, p.a_row, p.a_k, p.b, p.b_k, beside, width, p.go_on);
  for (int r = 0; r < rows; ++r) std::copy_n(beside + r * width, p.width, out + r * p.out_row);
}
template <int rows, int vectors, class T>
void place_tiles(const Panel<T>& p, Extent i) {
  for (; i + rows <= p.m; i += rows) place_tile<rows, vectors>(p, i);
  if constexpr (rows > 1) place_tiles<rows / 2, vectors>(p, i);
}

#if HWY_TARGET == HWY_SCALAR
template <class T>
inline constexpr Extent side = 1;
template <class T>
HWY_INLINE void turn(const T* from, Extent, T* to, Extent) {
  *to = *from;
}
#else
template <class T>
inline constexpr Extent side = 16 / sizeof(T);
/// A square of 16 bytes a side: its columns, `column` apart, become rows, `row` apart.
template <class T>
HWY_INLINE void turn(const T* from, Extent column, T* to, Extent row) {
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  const auto first = hn::LoadU(d, from), second = hn::LoadU(d, from + column);
  if constexpr (side<T> == 2) {
    hn::StoreU(hn::InterleaveLower(first, second), d, to);
    hn::StoreU(hn::InterleaveUpper(d, first, second), d, to + row);
  } else {
    const auto third = hn::LoadU(d, from + 2 * column), fourth = hn::LoadU(d, from + 3 * column);
    const auto odd_low = hn::InterleaveLower(first, third), odd_high = hn::InterleaveUpper(d, first, third);
    const auto even_low = hn::InterleaveLower(second, fourth), even_high = hn::InterleaveUpper(d, second, fourth);
    hn::StoreU(hn::InterleaveLower(odd_low, even_low), d, to);
    hn::StoreU(hn::InterleaveUpper(d, odd_low, even_low), d, to + row);
    hn::StoreU(hn::InterleaveLower(odd_high, even_high), d, to + 2 * row);
    hn::StoreU(hn::InterleaveUpper(d, odd_high, even_high), d, to + 3 * row);
  }
}
#endif

/// b[0..k, 0..width] in rows of `stride`, where b's columns are contiguous.
template <class T>
void turn_panel(Extent k, Extent width, const T* b, Extent b_column, T* to, Extent stride) {
  Extent j = 0;
  for (; j + side<T> <= width; j += side<T>) {
    const T* from = b + j * b_column;
    Extent step = 0;
    for (; step + side<T> <= k; step += side<T>) turn(from + step, b_column, to + step * stride + j, stride);
    for (; step < k; ++step)
      for (Extent l = 0; l < side<T>; ++l) to[step * stride + j + l] = from[l * b_column + step];
  }
  for (; j < width; ++j)
    for (Extent step = 0; step < k; ++step) to[step * stride + j] = b[j * b_column + step];
}

/// Lays columns of b out in rows of `stride`, filled up with zeros.
template <class T>
void lay_out_panel(Extent k, Extent width, const T* b, Extent b_k, Extent b_column, T* to, Extent stride) {
  if (b_column == 1) {
    for (Extent step = 0; step < k; ++step) std::copy_n(b + step * b_k, width, to + step * stride);
  } else if (b_k == 1) {
    turn_panel(k, width, b, b_column, to, stride);
  } else {
    for (Extent step = 0; step < k; ++step)
      for (Extent j = 0; j < width; ++j) to[step * stride + j] = b[step * b_k + j * b_column];
  }
  if (width < stride)
    for (Extent step = 0; step < k; ++step) std::fill_n(to + step * stride + width, stride - width, T{0});
}

/// Columns from j on in panels of `vectors` vectors, and what remains in narrower ones. At most one chain of k.
template <int tall, int vectors, class T>
void panels(const Product<T>& p, Extent j, T* scratch) {
  constexpr Extent full = vectors * lanes<T>;
  constexpr Extent depth = panel_bytes / static_cast<Extent>(sizeof(T)) / full;
  for (; p.n - j > full - lanes<T>; j += full) {
    const auto width = std::min(full, p.n - j);
    const bool lay_out = p.b_column != 1 || width < full || p.m > few_rows;
    for (Extent begin = 0; begin < p.k; begin += depth) {
      const auto k = std::min(depth, p.k - begin);
      const T* b = p.b + begin * p.b_k + j * p.b_column;
      if (lay_out) lay_out_panel(k, width, b, p.b_k, p.b_column, scratch, full);
      const Panel<T> panel{
          p.m,       k,   width,    p.a + begin * p.a_k, p.a_row, p.a_k, lay_out ? scratch : b, lay_out ? full : p.b_k,
          p.out + j, p.n, begin > 0};
      place_tiles<tall, vectors>(panel, 0);
    }
  }
  if constexpr (vectors > 1) panels<tall, vectors == 3 ? 2 : vectors / 2>(p, j, scratch);
}

/// At most one chain of k. The tile's shape follows the product's, so that enough chains run at once.
template <class T>
void chains(const Product<T>& p, T* scratch) {
  if (p.m < 4)
    panels<1, 8>(p, 0, scratch);
  else if (p.n <= lanes<T>)
    panels<8, 1>(p, 0, scratch);
  else
    panels<4, 3>(p, 0, scratch);
}

/// One output after the other, at most one chain of k.
template <class T>
void small_product(const Product<T>& p) {
  for (Extent i = 0; i < p.m; ++i)
    for (Extent j = 0; j < p.n; ++j) {
      T total{0};
      for (Extent step = 0; step < p.k; ++step)
        total = numbers::multiply_add(p.a[i * p.a_row + step * p.a_k], p.b[step * p.b_k + j * p.b_column], total);
      p.out[i * p.n + j] = total;
    }
}

template <class T>
void product(Product<T> p, T* scratch) {
  if (p.m * p.n * p.k <= few_steps) return small_product(p);
  if (p.n == 1) {  // a column is the transposed row of the transposed operands, in the same memory
    std::swap(p.m, p.n);
    std::swap(p.a, p.b);
    const auto a_row = p.a_row;
    p.a_row = 0;
    p.b_column = a_row;
    std::swap(p.a_k, p.b_k);
  }
  if (p.k <= chain_length) {
    chains(p, scratch);
  } else {
    Counter<T> counter(p.m * p.n, p.out, scratch + panel_bytes / static_cast<Extent>(sizeof(T)));
    for (Extent begin = 0; begin < p.k; begin += chain_length) {
      auto block = p;
      block.k = std::min(chain_length, p.k - begin);
      block.a += begin * p.a_k;
      block.b += begin * p.b_k;
      block.out = counter.next();
      chains(block, scratch);
      counter.push();
    }
    counter.fold();
  }
}
/// Integers are exact in any order.
template <>
void product(Product<std::int64_t> p, std::int64_t*) {
  using numbers::multiply_add;
  for (Extent i = 0; i < p.m; ++i) {
    auto* out = p.out + i * p.n;
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
void matmul_item(Call& call, const Offsets& at) {
  const auto& [a, b, _] = call.task.operands;
  const auto rank = a.shape.rank();
  const Product<T> p{a.shape[rank - 2],
                     a.shape[rank - 1],
                     b.shape[rank - 1],
                     static_cast<const T*>(call.operands[0]) + at.operand[0],
                     a.strides[rank - 2],
                     a.strides[rank - 1],
                     static_cast<const T*>(call.operands[1]) + at.operand[1],
                     b.strides[rank - 2],
                     b.strides[rank - 1],
                     static_cast<T*>(call.result) + at.result};
  product(p, static_cast<T*>(call.scratch));
}
/// A matrix as floats, row by row.
void widen(Extent rows, Extent columns, const BFloat16* from, Extent row, Extent column, float* to) {
  for (Extent i = 0; i < rows; ++i)
    for (Extent j = 0; j < columns; ++j) *to++ = static_cast<float>(from[i * row + j * column]);
}
/// bf16: both operands and the result as floats in scratch, rounded once.
void matmul_item_bfloat16(Call& call, const Offsets& at) {
  const auto& [a, b, _] = call.task.operands;
  const auto rank = a.shape.rank();
  const auto m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1];
  auto* left = static_cast<float*>(call.scratch);
  auto* right = left + m * k;
  auto* out = right + k * n;
  widen(m, k, static_cast<const BFloat16*>(call.operands[0]) + at.operand[0], a.strides[rank - 2], a.strides[rank - 1],
        left);
  widen(k, n, static_cast<const BFloat16*>(call.operands[1]) + at.operand[1], b.strides[rank - 2], b.strides[rank - 1],
        right);
  product(Product<float>{m, k, n, left, k, 1, right, n, 1, out}, out + m * n);
  auto* result = static_cast<BFloat16*>(call.result) + at.result;
  for (Extent i = 0; i < m * n; ++i) result[i] = BFloat16(out[i]);
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
template <class T>
Extent matmul_one(const Task&, const void* const* operands, void* result, void*) {
  const T a = *static_cast<const T*>(operands[0]);
  const T b = *static_cast<const T*>(operands[1]);
  *static_cast<T*>(result) = numbers::multiply_add(a, b, T{0});
  return no_fault;
}

Run matmul(const Task& task) {
  const bool one = task.operands[0].shape.volume() == 1 && task.operands[1].shape.volume() == 1;
  const auto element = task.result.element;
  if (element == f32) return one ? matmul_one<float> : matmul_all<float>;
  if (element == f64) return one ? matmul_one<double> : matmul_all<double>;
  if (element == bf16) return matmul_bfloat16;
  if (element == i64) return one ? matmul_one<std::int64_t> : matmul_all<std::int64_t>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(matmul);
void find_matmul(Prepared& prepared) {
  const auto& task = prepared.task;
  const auto rank = task.result.shape.rank();
  const auto m = task.result.shape[rank - 2], n = task.result.shape[rank - 1];
  const auto k = task.operands[0].shape[rank - 1];
  const auto parts = counter_depth((k + chain_length - 1) / chain_length) - 1;
  prepared.run = HWY_DYNAMIC_DISPATCH(matmul)(task);
  if (!task.result.element.is_floating()) return;
  const bool widened = task.result.element == bf16;
  const auto size = widened ? sizeof(float) : task.result.element.size();
  const auto copies = widened ? m * k + k * n + m * n : 0;
  prepared.scratch_bytes =
      static_cast<std::size_t>(panel_bytes) + static_cast<std::size_t>(parts * m * n + copies) * size;
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
