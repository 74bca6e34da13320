// The kernel of windowed products, compiled once for each vector target: the rows of an image that some windows read
// are laid out in the nearest caches, where a tile finds each tap's numbers for neighbouring windows side by side.
#include "topos/kernel/convolution.h"

#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"

#ifndef TOPOS_KERNEL_CONVOLUTION
#define TOPOS_KERNEL_CONVOLUTION
namespace topos::kernel {

/// What a windowed product works on, and the pieces of its memory.
template <class S>
struct WindowProduct {
  using T = numbers::Computed<S>;

  WindowProduct(const Task& task, void* memory)
      : c(task, task.operands[0].shape, task.result.shape[1]), layout(shape(c)), pieces(memory) {
    panels = pieces.take<T>(c.taps() * whole_vectors<T>(c.filters));
    strip = pieces.take<T>(c.channels * layout.channel);
    offsets = pieces.take<Extent>(c.taps());
    parts = pieces.take<T>(parts_beside(c.taps()) * c.strip_places() * c.filters);
    if constexpr (!std::same_as<S, T>) sums = pieces.take<T>(c.strip_places() * c.filters);
  }
  static StripLayout shape(Convolution& c) {
    const StripLayout one(c, 1);
    const auto row = c.channels * one.row * static_cast<Extent>(sizeof(T)) * c.rows.step;
    c.cut(strip_bytes / std::max<Extent>(row, 1) + 1 - c.rows.span() / c.rows.step);
    return StripLayout(c, c.strip);
  }

  Convolution c;
  StripLayout layout;
  Pieces pieces;
  T* panels;
  T* strip;
  Extent* offsets;
  T* parts;
  T* sums = nullptr;
};

}  // namespace topos::kernel
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/convolution.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/convolution_tile.inc"

/// At most one chain of the taps of `windows` rows of windows, into rows of filters.
template <class S, class T>
void chains_of_strip(const WindowProduct<S>& w, Extent windows, Extent begin, Extent end, T* out) {
  const auto& c = w.c;
  const auto image_row = c.rows.step * w.layout.row;
  const auto block = block_of(end - begin);
  for (auto tap = begin; tap < end; tap += block) {
    const auto steps = std::min(block, end - tap);
    for (Extent column = 0; column < c.filters;) {
      const auto cut = cut_panel<T>(column, c.filters);
      const T* panel = w.panels + column * c.taps() + tap * cut.template full<T>();
      for (Extent y = 0; y < windows; ++y) {
        const Neighbours<T> left{w.strip + y * image_row, w.offsets + tap, steps};
        T* to = out + y * c.window_columns * c.filters + column;
        if (cut.vectors == 2)
          chain_tiles<2>(c.window_columns, left, panel, to, c.filters, cut.width, tap > begin);
        else
          chain_tiles<1>(c.window_columns, left, panel, to, c.filters, cut.width, tap > begin);
      }
      column += cut.width;
    }
  }
}

template <class S, class T>
void product_of_strip(const WindowProduct<S>& w, Extent windows, T* out) {
  const auto taps = w.c.taps();
  Counter<T> counter(windows * w.c.window_columns * w.c.filters, out, w.parts);
  for (Extent begin = 0; begin < taps; begin += window_chain_length) {
    chains_of_strip<S, T>(w, windows, begin, std::min(taps, begin + window_chain_length), counter.next());
    counter.push();
  }
  counter.fold();
}

template <class S>
void lay_out_panels(const WindowProduct<S>& w, const View& matrix, const S* from) {
  using T = numbers::Computed<S>;
  const auto taps = w.c.taps();
  for (Extent column = 0; column < w.c.filters;) {
    const auto cut = cut_panel<T>(column, w.c.filters);
    lay_out_columns(cut, taps, from, matrix.strides[0], matrix.strides[1], w.panels + column * taps);
    column += cut.width;
  }
}

template <class S>
Extent window_product_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  using T = numbers::Computed<S>;
  const WindowProduct<S> w(task, scratch);
  const auto& c = w.c;
  auto* out = static_cast<S*>(result);
  if (c.taps() == 0) {
    std::fill_n(out, c.places() * c.filters, static_cast<S>(T{0}));
    return no_fault;
  }
  lay_out_panels(w, task.operands[1], static_cast<const S*>(operands[1]));
  fill_offsets(c, w.layout, sizeof(T), w.offsets);
  const auto* image = static_cast<const S*>(operands[0]);
  const auto& view = task.operands[0];
  for (Extent item = 0; item < c.batch; ++item, image += view.strides[0])
    for (Extent y = 0; y < c.window_rows; y += c.strip) {
      const auto windows = std::min(c.strip, c.window_rows - y);
      const auto count = windows * c.window_columns * c.filters;
      fill_strip(c, w.layout, view, image, y, windows, w.strip);
      if constexpr (std::same_as<S, T>) {
        product_of_strip<S, T>(w, windows, out);
      } else {
        product_of_strip<S, T>(w, windows, w.sums);
        for (Extent i = 0; i < count; ++i) out[i] = static_cast<S>(w.sums[i]);
      }
      out += count;
    }
  return no_fault;
}

Run window_product(const Task& task) {
  if (task.result.element == f32) return window_product_all<float>;
  if (task.result.element == f64) return window_product_all<double>;
  if (task.result.element == bf16) return window_product_all<BFloat16>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(window_product);
void find_window_product(Prepared& prepared) {
  const auto& task = prepared.task;
  prepared.run = HWY_DYNAMIC_DISPATCH(window_product)(task);
  if (prepared.run != nullptr && task.result.shape.volume() != 0)
    prepared.scratch_bytes = room_bytes<WindowProduct>(task);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
