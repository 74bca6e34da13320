// What a windowed product gives its kernel, compiled once for each vector target: a product over all places, whose
// tiles have taps as rows and read the same strips as the product itself.
#include "topos/kernel/convolution.h"

#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"

#ifndef TOPOS_KERNEL_CONVOLUTION_KERNEL_GRADIENT
#define TOPOS_KERNEL_CONVOLUTION_KERNEL_GRADIENT
namespace topos::kernel {

inline constexpr Extent cotangent_places = 384;  // of a strip: a panel of the cotangent stays in the nearest cache

/// What a kernel's gradient works on, and the pieces of its memory.
template <class S>
struct KernelGradient {
  using T = numbers::Computed<S>;

  KernelGradient(const Task& task, void* memory)
      : c(task, task.operands[0].shape, task.result.shape[1]), layout(shape(c)), pieces(memory) {
    const auto size = c.taps() * c.filters;
    panels = pieces.take<T>(c.strip_places() * whole_vectors<T>(c.filters));
    strip = pieces.take<T>(c.channels * layout.channel);
    offsets = pieces.take<Extent>(c.taps());
    parts = pieces.take<T>(parts_beside(c.places()) * size);
    if constexpr (!std::same_as<S, T>) sums = pieces.take<T>(size);
  }
  static StripLayout shape(Convolution& c) {
    const StripLayout one(c, 1);
    const auto row = std::max<Extent>(c.channels * one.row * static_cast<Extent>(sizeof(T)) * c.rows.step, 1);
    const auto most = cotangent_places / std::max<Extent>(c.window_columns, 1);
    c.cut(std::min(most, strip_bytes / row + 1 - c.rows.span() / c.rows.step));
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
#define HWY_TARGET_INCLUDE "topos/kernel/convolution_kernel_gradient.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/convolution_tile.inc"

/// Chains of every output over the places `begin` up to `end` of a strip.
template <class S, class T>
void chains_of_places(const KernelGradient<S>& w, Extent begin, Extent end, Extent places, T* out, bool go_on) {
  const auto& c = w.c;
  const Apart<T> left{w.strip, w.offsets, begin, end, c.window_columns, c.rows.step * w.layout.row};
  for (Extent column = 0; column < c.filters;) {
    const auto cut = cut_panel<T>(column, c.filters);
    const T* panel = w.panels + column * places + begin * cut.template full<T>();
    if (cut.vectors == 2)
      chain_tiles<2>(c.taps(), left, panel, out + column, c.filters, cut.width, go_on);
    else
      chain_tiles<1>(c.taps(), left, panel, out + column, c.filters, cut.width, go_on);
    column += cut.width;
  }
}

template <class S>
void lay_out_cotangents(const KernelGradient<S>& w, const View& view, const S* from, Extent places) {
  using T = numbers::Computed<S>;
  for (Extent column = 0; column < w.c.filters;) {
    const auto cut = cut_panel<T>(column, w.c.filters);
    lay_out_columns(cut, places, from, view.strides[0], view.strides[1], w.panels + column * places);
    column += cut.width;
  }
}

/// The sums over all places, which are cut into chains wherever strips end.
template <class S, class T>
void kernel_gradient(const KernelGradient<S>& w, const Task& task, const void* const* operands, T* out) {
  const auto& c = w.c;
  const auto& [image_view, cotangent_view, _] = task.operands;
  const auto* image = static_cast<const S*>(operands[0]);
  const auto* cotangent = static_cast<const S*>(operands[1]);
  Counter<T> counter(c.taps() * c.filters, out, w.parts);
  Extent in_chain = 0;
  for (Extent item = 0; item < c.batch; ++item, image += image_view.strides[0])
    for (Extent y = 0; y < c.window_rows; y += c.strip) {
      const auto windows = std::min(c.strip, c.window_rows - y), places = windows * c.window_columns;
      fill_strip(c, w.layout, image_view, image, y, windows, w.strip);
      lay_out_cotangents(w, cotangent_view, cotangent, places);
      cotangent += places * cotangent_view.strides[0];
      for (Extent begin = 0; begin < places;) {
        const auto end = std::min(places, begin + window_chain_length - in_chain);
        chains_of_places<S, T>(w, begin, end, places, counter.next(), in_chain > 0);
        in_chain += end - begin;
        begin = end;
        if (in_chain < window_chain_length) continue;
        counter.push();
        in_chain = 0;
      }
    }
  if (in_chain > 0) counter.push();
  counter.fold();
}

template <class S>
Extent kernel_gradient_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  using T = numbers::Computed<S>;
  const KernelGradient<S> w(task, scratch);
  const auto& c = w.c;
  const auto size = c.taps() * c.filters;
  auto* out = static_cast<S*>(result);
  if (c.places() == 0) {
    std::fill_n(out, size, static_cast<S>(T{0}));
    return no_fault;
  }
  fill_offsets(c, w.layout, sizeof(T), w.offsets);
  if constexpr (std::same_as<S, T>) {
    kernel_gradient<S, T>(w, task, operands, out);
  } else {
    kernel_gradient<S, T>(w, task, operands, w.sums);
    for (Extent i = 0; i < size; ++i) out[i] = static_cast<S>(w.sums[i]);
  }
  return no_fault;
}

Run window_kernel_gradient(const Task& task) {
  if (task.result.element == f32) return kernel_gradient_all<float>;
  if (task.result.element == f64) return kernel_gradient_all<double>;
  if (task.result.element == bf16) return kernel_gradient_all<BFloat16>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(window_kernel_gradient);
void find_window_kernel_gradient(Prepared& prepared) {
  const auto& task = prepared.task;
  prepared.run = HWY_DYNAMIC_DISPATCH(window_kernel_gradient)(task);
  if (prepared.run != nullptr && task.result.shape.volume() != 0)
    prepared.scratch_bytes = room_bytes<KernelGradient>(task);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
