// Shares are of whole blocks of the definition: two to the power of some level, which the counter of blocks would have
// merged among themselves before it met any other. There are several for each thread, as threads come first for them.
#include "topos/kernel/combine.h"

#include <algorithm>
#include <bit>

#include "topos/kernel/families.h"
#include "topos/kernel/lane_sums.h"
#include "topos/kernel/numbers.h"
#include "topos/kernel/product.h"

namespace topos::kernel {
namespace {

constexpr Extent shares_a_thread = 8;       // at least, where blocks allow: an uneven end costs as little
constexpr Extent most_outputs = 2048;       // which the combining step merges on one thread
constexpr Extent few_rows = 12;             // of a product: as many fill its tiles
constexpr Extent few_outputs_a_thread = 8;  // more are nearly even

Extent quotient_up(Extent a, Extent b) { return (a + b - 1) / b; }

/// Blocks of a share, a power of two.
Extent blocks_of_share(Extent blocks, Extent threads, Extent each = shares_a_thread) {
  const auto most = std::max<Extent>(1, blocks / (each * threads));
  return static_cast<Extent>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

bool uneven(Extent outputs, Extent threads) {
  return outputs < few_outputs_a_thread * threads && outputs % threads != 0;
}

/// Where output `index`, in row-major order, lies.
Extent place_of(const View& view, Extent index) {
  Extent place = 0;
  if (!view.shape.empty()) row_offsets(view, 0, index, 1, &place);
  return place;
}

/// Shares of `size` numbers merge as the counter of blocks merges: neighbours, older + newer, level by level; a last
/// one without a neighbour goes on as it is. The first one becomes the whole.
template <class T>
void merge_shares(Extent shares, Extent size, T* share) {
  for (Extent step = 1; step < shares; step *= 2)
    for (Extent older = 0; older + step < shares; older += 2 * step) {
      T* to = share + older * size;
      const T* newer = to + step * size;
      TOPOS_INDEPENDENT
      for (Extent i = 0; i < size; ++i) to[i] = numbers::add(to[i], newer[i]);
    }
}

Extent shares_of(const Task& task, Extent reduced) { return quotient_up(reduced, task.span.count); }

// --- sums ------------------------------------------------------------------------------------------------------------

Extent added_by(const Task& sum) { return sum.operands[0].shape.volume() / sum.result.shape.volume(); }

template <class S>
void combine_sum(const Task& task, void* left, const void* const*, void* result) {
  using T = numbers::Computed<S>;
  const auto& shape = task.result.shape;
  const auto outputs = shape.volume();
  auto* lane = static_cast<T*>(left);
  merge_shares(shares_of(task, added_by(task)), outputs * lane_count, lane);
  const auto columns = sums_columns(task) ? shape[shape.rank() - 1] : 1;
  for (Extent i = 0; i < outputs;) {
    const auto width = std::min(column_tile, columns - i % columns);
    for (Extent half = lane_count / 2 * width; half >= width; half /= 2) {
      const T* newer = lane + half;
      TOPOS_INDEPENDENT
      for (Extent l = 0; l < half; ++l) lane[l] = numbers::add(lane[l], newer[l]);
    }
    for (Extent j = 0; j < width; ++j, ++i) static_cast<S*>(result)[place_of(task.result, i)] = static_cast<S>(lane[j]);
    lane += lane_count * width;
  }
}

bool cut_sum(Extent threads, Work& work) {
  const auto& sum = work.whole.task;
  const auto outputs = sum.result.shape.volume(), n = added_by(sum);
  if (outputs > most_outputs || blocks_of(n) < 2 * threads) return false;
  const bool columns = sums_columns(sum);
  const auto width = columns ? sum.result.shape[sum.result.shape.rank() - 1] : 1;
  if (!uneven(outputs / width, threads)) return false;
  const auto element = sum.operands[0].element;
  work.combine = element == f32    ? combine_sum<float>
                 : element == f64  ? combine_sum<double>
                 : element == bf16 ? combine_sum<BFloat16>
                                   : combine_sum<std::int64_t>;
  work.combined = sum;
  const auto each = columns ? shares_a_thread / 2 : shares_a_thread;  // columns leave more to merge
  work.combined.span.count = blocks_of_share(blocks_of(n), threads, each) * block_length;
  const auto bytes = static_cast<std::size_t>(outputs * lane_count) * std::max<std::size_t>(4, element.size());
  for (Extent begin = 0; begin < n; begin += work.combined.span.count) {
    Part part;
    part.prepared = work.whole;
    part.prepared.run = sum_of_span(sum);
    part.prepared.task.span = {begin, std::min(work.combined.span.count, n - begin)};
    part.result = work.parts.size() * bytes;
    work.parts.push_back(std::move(part));
  }
  work.left_bytes = work.parts.size() * bytes;
  return true;
}

// --- products --------------------------------------------------------------------------------------------------------

template <class T>
void combine_product(const Task& task, void* left, const void* const*, void* result) {
  const auto outputs = task.result.shape.volume();
  auto* share = static_cast<T*>(left);
  merge_shares(shares_of(task, task.operands[1].shape[0]), outputs, share);
  for (Extent i = 0; i < outputs; ++i) static_cast<T*>(result)[place_of(task.result, i)] = share[i];
}

/// The outputs of one share, computed by themselves.
Task share_of_product(const Task& product, Extent count) {
  auto share = product;
  share.operands[0].shape[1] = share.operands[1].shape[0] = count;
  share.result = contiguous({product.result.element, product.result.shape});
  return share;
}

/// A bf16 share would be rounded.
bool cut_product(Extent threads, Work& work) {
  const auto& product = work.whole.task;
  if (product.result.shape.rank() != 2 || product.result.element == bf16) return false;
  const auto outputs = product.result.shape.volume(), k = product.operands[1].shape[0];
  const auto chains = quotient_up(k, chain_length);
  if (outputs > most_outputs / 2 || chains < 2 * threads || product.result.shape[0] >= few_rows * threads) return false;
  const auto element = product.result.element;
  work.combine = element == f32   ? combine_product<float>
                 : element == f64 ? combine_product<double>
                                  : combine_product<std::int64_t>;
  work.combined = product;
  work.combined.span.count = blocks_of_share(chains, threads) * chain_length;
  const auto bytes = static_cast<std::size_t>(outputs) * element.size();
  const auto offset = [&](const View& view, std::size_t axis, Extent begin) {
    return static_cast<std::size_t>(begin * view.strides[axis]) * element.size();
  };
  for (Extent begin = 0; begin < k; begin += work.combined.span.count) {
    Part part;
    part.prepared = prepare(share_of_product(product, std::min(work.combined.span.count, k - begin)));
    part.operands[0] = offset(product.operands[0], 1, begin);
    part.operands[1] = offset(product.operands[1], 0, begin);
    part.result = work.parts.size() * bytes;
    work.parts.push_back(std::move(part));
  }
  work.left_bytes = work.parts.size() * bytes;
  return true;
}

// --- the largest and its place ---------------------------------------------------------------------------------------

Extent reduced_by(const Task& extreme) { return extreme.operands[0].shape[static_cast<std::size_t>(extreme.axes[0])]; }

template <class S>
void combine_peaks(const Task& task, void* left, const void* const*, void* result) {
  using T = numbers::Computed<S>;
  const auto outputs = task.result.shape.volume(), shares = shares_of(task, reduced_by(task));
  const auto* share = static_cast<const S*>(left);
  for (Extent i = 0; i < outputs; ++i) {
    auto peak = static_cast<T>(share[i]);
    for (Extent s = 1; s < shares; ++s) peak = numbers::maximum(peak, static_cast<T>(share[s * outputs + i]));
    static_cast<S*>(result)[i] = static_cast<S>(peak);
  }
}
/// The first NaN, or else the first of the largest: a share says where it found its own.
template <class S>
void combine_places(const Task& task, void* left, const void* const* operands, void* result) {
  using T = numbers::Computed<S>;
  const auto outputs = task.result.shape.volume(), shares = shares_of(task, reduced_by(task));
  const auto& view = task.operands[0];
  const View kept{view.element, view.shape.without(task.axes[0]), view.strides.without(task.axes[0])};
  const auto step = view.strides.at(task.axes[0]);
  const auto* share = static_cast<const std::int64_t*>(left);
  for (Extent i = 0; i < outputs; ++i) {
    const S* x = static_cast<const S*>(operands[0]) + place_of(kept, i);
    auto place = share[i];
    auto peak = static_cast<T>(x[place * step]);
    for (Extent s = 1; s < shares; ++s) {
      const auto other = s * task.span.count + share[s * outputs + i];
      const auto next = static_cast<T>(x[other * step]);
      if (!(next > peak) && !(next != next && peak == peak)) continue;
      peak = next;
      place = other;
    }
    static_cast<std::int64_t*>(result)[i] = place;
  }
}
template <class S>
Combine combine_extreme(Kind kind) {
  return kind == Kind::max_along ? combine_peaks<S> : combine_places<S>;
}

bool cut_extreme(const Task& task, Extent threads, Work& work) {
  constexpr Extent least_share = 1024;
  const auto outputs = task.result.shape.volume(), n = reduced_by(task);
  if (n < 2 * threads * least_share || !uneven(outputs, threads)) return false;
  const auto element = task.operands[0].element;
  work.combine = element == f32    ? combine_extreme<float>(task.kind)
                 : element == f64  ? combine_extreme<double>(task.kind)
                 : element == bf16 ? combine_extreme<BFloat16>(task.kind)
                                   : combine_extreme<std::int64_t>(task.kind);
  work.combined = task;
  work.combined.span.count = blocks_of_share(quotient_up(n, least_share), threads) * least_share;
  const auto bytes = static_cast<std::size_t>(outputs) * task.result.element.size();
  for (Extent begin = 0; begin < n; begin += work.combined.span.count) {
    auto share = task;
    share.operands[0].shape[static_cast<std::size_t>(task.axes[0])] = std::min(work.combined.span.count, n - begin);
    Part part;
    part.prepared = prepare(share);
    part.operands[0] = static_cast<std::size_t>(begin * task.operands[0].strides.at(task.axes[0])) * element.size();
    part.result = work.parts.size() * bytes;
    work.parts.push_back(std::move(part));
  }
  work.left_bytes = work.parts.size() * bytes;
  return true;
}

}  // namespace

bool cut_along_reduced(const Task& task, Extent threads, Work& work) {
  switch (task.kind) {
    case Kind::sum: return cut_sum(threads, work);
    case Kind::matmul: return cut_product(threads, work);
    case Kind::max_along:
    case Kind::argmax_along: return cut_extreme(task, threads, work);
    default: return false;
  }
}

}  // namespace topos::kernel
