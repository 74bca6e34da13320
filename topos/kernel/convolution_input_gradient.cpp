// What a windowed product gives its image, compiled once for each vector target: products of some channels' taps beside
// the places of a strip, rounded each, then added to where the taps were read, in the order of two folds.
#include "topos/kernel/convolution.h"

#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"

#ifndef TOPOS_KERNEL_CONVOLUTION_INPUT_GRADIENT
#define TOPOS_KERNEL_CONVOLUTION_INPUT_GRADIENT
namespace topos::kernel {

inline constexpr Extent panel_places = 256;  // of a strip: what its products are made of stays in the next cache
inline constexpr Extent group_taps = 18;     // of some channels at a time, about: three tiles

/// What an image's gradient works on, and the pieces of its memory. Padding is no part of it: the image has its zeros.
template <class S>
struct InputGradient {
  using T = numbers::Computed<S>;

  InputGradient(const Task& task, void* memory)
      : c(task, task.result.shape, task.operands[0].shape[1]), pieces(memory) {
    c.cut(panel_places / std::max<Extent>(c.window_columns, 1));
    const auto window_taps = c.rows.size * c.columns.size;
    group = std::clamp<Extent>(group_taps / std::max<Extent>(window_taps, 1), 1, std::max<Extent>(c.channels, 1));
    row = whole_vectors<T>(c.strip_places());
    matrix = pieces.take<T>(c.taps() * c.filters);
    panels = pieces.take<T>(row * c.filters);
    products = pieces.take<T>(group * window_taps * row);
    offsets = pieces.take<Extent>(c.filters);
    guard = whole_vectors<T>(c.columns.span() - 1);
    guarded = guard + whole_vectors<T>(c.width);
    folded = pieces.take<T>(c.columns.size * guarded);
    parts = pieces.take<T>(parts_beside(c.filters) * group * window_taps * row);
    if constexpr (!std::same_as<S, T>) sums = pieces.take<T>(c.channels * c.height * c.width);
  }

  Convolution c;
  Extent group = 1;  // channels worked on at a time
  Extent row = 0;    // of products, whole vectors
  Pieces pieces;
  T* matrix;    // by group of channels, filter and tap
  T* panels;    // the cotangent's, by filter and place
  T* products;  // by tap and place
  Extent* offsets;
  Extent guard = 0, guarded = 0;
  T* folded;  // a row of the image, or one of each tap's products with zeros before and after
  T* parts;
  T* sums = nullptr;
};

}  // namespace topos::kernel
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/convolution_input_gradient.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/convolution_tile.inc"

/// The matrix [f, taps] group by group: rows of the group's taps.
template <class S>
void lay_out_matrix(const InputGradient<S>& w, const View& view, const S* from) {
  using T = numbers::Computed<S>;
  const auto window_taps = w.c.rows.size * w.c.columns.size;
  auto* to = w.matrix;
  for (Extent channel = 0; channel < w.c.channels; channel += w.group) {
    const auto taps = std::min(w.group, w.c.channels - channel) * window_taps;
    const auto* source = from + channel * window_taps * view.strides[1];
    for (Extent filter = 0; filter < w.c.filters; ++filter, to += taps)
      for (Extent tap = 0; tap < taps; ++tap)
        to[tap] = static_cast<T>(source[filter * view.strides[0] + tap * view.strides[1]]);
  }
}

/// The cotangent of a strip, [places, f], turned into panels of places.
template <class S>
void turn_cotangents(const InputGradient<S>& w, const View& view, const S* from, Extent places) {
  using T = numbers::Computed<S>;
  for (Extent place = 0; place < places;) {
    const auto cut = cut_panel<T>(place, places);
    lay_out_columns(cut, w.c.filters, from, view.strides[1], view.strides[0], w.panels + place * w.c.filters);
    place += cut.width;
  }
}

/// At most one chain of the filters: `taps` rows of products.
template <class S, class T>
void chains_of_taps(const InputGradient<S>& w, const T* matrix, Extent taps, Extent places, Extent begin, Extent end,
                    T* out) {
  const auto block = block_of(end - begin);
  for (auto filter = begin; filter < end; filter += block) {
    const auto steps = std::min(block, end - filter);
    for (Extent place = 0; place < places;) {
      const auto cut = cut_panel<T>(place, places);
      const auto full = cut.template full<T>();
      const T* panel = w.panels + place * w.c.filters + filter * full;
      const Neighbours<T> left{matrix + filter * taps, w.offsets, steps};
      if (cut.vectors == 2)
        chain_tiles<2>(taps, left, panel, out + place, w.row, full, filter > begin);
      else
        chain_tiles<1>(taps, left, panel, out + place, w.row, full, filter > begin);
      place += cut.width;
    }
  }
}

/// What the products of one row of taps, of a row of windows one place apart, add up to where they were read, j
/// ascending, added to a row of the image. Zeros stand where a place lacks a tap: they change nothing, for the image's
/// sums begin at +0.
template <class T>
void fold_dense_columns(const InputGradient<T>& w, const T* products, T* row) {
  const Vectors<T> d;
  const auto& columns = w.c.columns;
  for (Extent j = 0; j < columns.size; ++j)
    std::copy_n(products + j * w.row, w.c.window_columns, w.folded + j * w.guarded + w.guard);
  const auto total_at = [&](Extent place) HWY_ATTR {
    const T* from = w.folded + w.guard + place;
    auto total = hn::LoadU(d, from);
    for (Extent j = 1; j < columns.size; ++j) {
      from += w.guarded - columns.dilation;
      total = hn::Add(total, hn::LoadU(d, from));
    }
    return total;
  };
  Extent place = 0;
  for (; place + lanes<T> <= w.c.width; place += lanes<T>)
    hn::StoreU(hn::Add(hn::LoadU(d, row + place), total_at(place)), d, row + place);
  if (place == w.c.width) return;
  // The last vector ends with the row: what was added already takes zeros.
  const auto last = w.c.width - lanes<T>;
  const auto added = hn::FirstN(d, static_cast<std::size_t>(place - last));
  const auto total = hn::IfThenZeroElse(added, total_at(last));
  hn::StoreU(hn::Add(hn::LoadU(d, row + last), total), d, row + last);
}
/// Tap after tap, where windows are further apart.
template <class S, class T>
void fold_sparse_columns(const InputGradient<S>& w, const T* products, T* row) {
  const auto& columns = w.c.columns;
  std::fill_n(w.folded, w.c.width, T{0});
  for (Extent j = 0; j < columns.size; ++j) {
    const T* from = products + j * w.row;
    T* to = w.folded + j * columns.dilation;
    for (Extent x = 0; x < w.c.window_columns; ++x) to[x * columns.step] += numbers::stored<S>(from[x]);
  }
  TOPOS_INDEPENDENT
  for (Extent x = 0; x < w.c.width; ++x) row[x] += numbers::stored<S>(w.folded[x]);
}

/// Some rows of windows, the last one first: so a row of the image takes its taps in ascending order.
template <class S, class T>
void fold_strip(const InputGradient<S>& w, Extent channels, Extent window, Extent windows, T* image) {
  const auto& c = w.c;
  const auto window_taps = c.rows.size * c.columns.size;
  for (Extent channel = 0; channel < channels; ++channel, image += c.height * c.width)
    for (auto y = windows; y-- > 0;)
      for (Extent i = 0; i < c.rows.size; ++i) {
        const T* products = w.products + (channel * window_taps + i * c.columns.size) * w.row + y * c.window_columns;
        auto* row = image + ((window + y) * c.rows.step + i * c.rows.dilation) * c.width;
        if constexpr (std::same_as<S, T>)
          if (c.columns.step == 1 && c.width >= lanes<T>) {
            fold_dense_columns(w, products, row);
            continue;
          }
        fold_sparse_columns<S>(w, products, row);
      }
}

template <class S, class T>
void gradient_of_strip(const InputGradient<S>& w, Extent window, Extent windows, T* image) {
  const auto& c = w.c;
  const auto places = windows * c.window_columns;
  const T* matrix = w.matrix;
  for (Extent channel = 0; channel < c.channels; channel += w.group) {
    const auto channels = std::min(w.group, c.channels - channel);
    const auto taps = channels * c.rows.size * c.columns.size;
    for (Extent filter = 0; filter < c.filters; ++filter)
      w.offsets[filter] = filter * taps * static_cast<Extent>(sizeof(T));
    Counter<T> counter(taps * w.row, w.products, w.parts);
    for (Extent begin = 0; begin < c.filters; begin += window_chain_length) {
      const auto end = std::min(c.filters, begin + window_chain_length);
      chains_of_taps<S, T>(w, matrix, taps, places, begin, end, counter.next());
      counter.push();
    }
    counter.fold();
    fold_strip<S, T>(w, channels, window, windows, image + channel * c.height * c.width);
    matrix += taps * c.filters;
  }
}

template <class S>
Extent input_gradient_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  using T = numbers::Computed<S>;
  const InputGradient<S> w(task, scratch);
  const auto& c = w.c;
  const auto size = c.channels * c.height * c.width;
  const auto& view = task.operands[0];
  auto* out = static_cast<S*>(result);
  const auto* cotangent = static_cast<const S*>(operands[0]);
  std::fill_n(w.folded, c.columns.size * w.guarded, T{0});
  if (c.filters > 0) lay_out_matrix(w, task.operands[1], static_cast<const S*>(operands[1]));
  for (Extent item = 0; item < c.batch; ++item, out += size) {
    T* image = nullptr;
    if constexpr (std::same_as<S, T>)
      image = out;
    else
      image = w.sums;
    std::fill_n(image, size, T{0});
    for (auto y = c.filters == 0 ? 0 : c.strips() * c.strip; y > 0; y -= c.strip) {
      const auto window = y - c.strip, windows = std::min(c.strip, c.window_rows - window);
      const auto first = (item * c.window_rows + window) * c.window_columns;
      turn_cotangents(w, view, cotangent + first * view.strides[0], windows * c.window_columns);
      gradient_of_strip<S, T>(w, window, windows, image);
    }
    if constexpr (!std::same_as<S, T>)
      for (Extent i = 0; i < size; ++i) out[i] = static_cast<S>(image[i]);
  }
  return no_fault;
}

Run window_input_gradient(const Task& task) {
  if (task.result.element == f32) return input_gradient_all<float>;
  if (task.result.element == f64) return input_gradient_all<double>;
  if (task.result.element == bf16) return input_gradient_all<BFloat16>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(window_input_gradient);
void find_window_input_gradient(Prepared& prepared) {
  const auto& task = prepared.task;
  prepared.run = HWY_DYNAMIC_DISPATCH(window_input_gradient)(task);
  if (prepared.run != nullptr && task.result.shape.volume() != 0)
    prepared.scratch_bytes = room_bytes<InputGradient>(task);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
