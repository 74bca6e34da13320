// The kernels of window maxima and of their gradient, compiled once for each vector target.
#include <algorithm>

#include "topos/kernel/families.h"
#include "topos/kernel/numbers.h"
#include "topos/kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/pool.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

/// Maxima do not depend on the order in which they are taken: a row of windows grows tap by tap.
template <class S>
Extent window_maximum_all(const Task& task, const void* const* operands, void* result, void*) {
  using T = numbers::Computed<S>;
  const auto& image = task.operands[0];
  const auto& shape = task.result.shape;
  const auto step = task.columns.step * image.strides[3], n = shape[3];
  auto* out = static_cast<S*>(result);
  for (Extent item = 0; item < shape[0]; ++item)
    for (Extent channel = 0; channel < shape[1]; ++channel)
      for (Extent y = 0; y < shape[2]; ++y, out += n) {
        const auto* row = static_cast<const S*>(operands[0]) + item * image.strides[0] + channel * image.strides[1] +
                          y * task.rows.step * image.strides[2];
        for (Extent x = 0; x < n; ++x) out[x] = row[x * step];
        for (Extent i = 0; i < task.rows.size; ++i)
          for (Extent j = i == 0 ? 1 : 0; j < task.columns.size; ++j) {
            const auto* from = row + i * image.strides[2] + j * image.strides[3];
            TOPOS_INDEPENDENT
            for (Extent x = 0; x < n; ++x)
              out[x] = static_cast<S>(numbers::maximum(static_cast<T>(from[x * step]), static_cast<T>(out[x])));
          }
      }
  return no_fault;
}

/// Places of a window are counted in integers of the number's size, so that their loop becomes vector code.
template <class T>
using Winner = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// What routing works with: how far each place of a window is from its first one in rows without gaps, a row of windows
/// with what each has seen so far, the rows of a window's height, and the image's sums.
template <class T>
struct Routing {
  const Extent* apart;
  T* running;
  Winner<T>* winner;
  T* folded;
  T* sums;
};

/// Where in its window each running maximum of a row of windows was last exceeded: a tie and a NaN stay with the place
/// before.
template <class S, class T>
void route_row(const Task& task, const S* row, Extent n, const Routing<T>& routing) {
  const auto& strides = task.operands[0].strides;
  const auto step = task.columns.step * strides[3];
  T* running = routing.running;
  Winner<T>* winner = routing.winner;
  for (Extent x = 0; x < n; ++x) {
    running[x] = static_cast<T>(row[x * step]);
    winner[x] = 0;
  }
  for (Extent i = 0, place = 0; i < task.rows.size; ++i)
    for (Extent j = 0; j < task.columns.size; ++j, ++place) {
      if (place == 0) continue;
      const S* from = row + i * strides[2] + j * strides[3];
      const auto here = static_cast<Winner<T>>(place);
      TOPOS_INDEPENDENT
      for (Extent x = 0; x < n; ++x) {
        const T next = static_cast<T>(from[x * step]), before = running[x];
        winner[x] = next > before ? here : winner[x];
        running[x] = numbers::maximum(next, before);
      }
    }
}

/// One channel of one image: two folds, columns before rows, windows from the last one, so that each place takes its
/// taps in ascending order.
template <class S, class T>
void route_channel(const Task& task, const S* image, const S* cotangent, const Routing<T>& routing) {
  const auto& along = task.operands[1];
  const auto width = task.result.shape[3], rows = task.rows.size;
  const auto step = task.columns.step, n = along.shape[3], next = along.strides[3];
  // Where windows share no row, the sums are what is folded, which is never -0.
  const bool alone = std::same_as<S, T> && task.rows.step >= rows;
  std::fill_n(routing.sums, task.result.shape[2] * width, T{0});
  for (auto y = along.shape[2]; y-- > 0;) {
    route_row(task, image + y * task.rows.step * task.operands[0].strides[2], n, routing);
    T* to = routing.sums + y * task.rows.step * width;
    T* folded = alone ? to : routing.folded;
    if (!alone) std::fill_n(folded, rows * width, T{0});
    const S* from = cotangent + y * along.strides[2];
    for (auto x = n; x-- > 0;) {
      auto& total = folded[x * step + routing.apart[routing.winner[x]]];
      total = numbers::add(total, static_cast<T>(from[x * next]));
    }
    if (alone) continue;
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < rows * width; ++i) to[i] = numbers::add(to[i], numbers::stored<S>(folded[i]));
  }
}
template <class S>
Extent window_maximum_gradient_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  using T = numbers::Computed<S>;
  const auto& shape = task.result.shape;
  const auto size = shape[2] * shape[3];
  const auto& [image, cotangent, _] = task.operands;
  auto* out = static_cast<S*>(result);
  auto* apart = static_cast<Extent*>(scratch);
  for (Extent i = 0, place = 0; i < task.rows.size; ++i)
    for (Extent j = 0; j < task.columns.size; ++j) apart[place++] = i * shape[3] + j;
  auto* running = reinterpret_cast<T*>(apart + task.rows.size * task.columns.size);
  auto* winner = reinterpret_cast<Winner<T>*>(running + cotangent.shape[3]);
  auto* folded = reinterpret_cast<T*>(winner + cotangent.shape[3]);
  for (Extent item = 0; item < shape[0]; ++item)
    for (Extent channel = 0; channel < shape[1]; ++channel, out += size) {
      T* sums = nullptr;
      if constexpr (std::same_as<S, T>)
        sums = out;
      else
        sums = folded + task.rows.size * shape[3];
      route_channel(task, static_cast<const S*>(operands[0]) + item * image.strides[0] + channel * image.strides[1],
                    static_cast<const S*>(operands[1]) + item * cotangent.strides[0] + channel * cotangent.strides[1],
                    Routing<T>{apart, running, winner, folded, sums});
      if constexpr (!std::same_as<S, T>)
        for (Extent i = 0; i < size; ++i) out[i] = static_cast<S>(sums[i]);
    }
  return no_fault;
}

template <class S>
Run pool_run(Kind kind) {
  return kind == Kind::window_maximum ? window_maximum_all<S> : window_maximum_gradient_all<S>;
}
Run window_maximum(const Task& task) {
  if (task.result.element == f32) return pool_run<float>(task.kind);
  if (task.result.element == f64) return pool_run<double>(task.kind);
  if (task.result.element == bf16) return pool_run<BFloat16>(task.kind);
  if (task.result.element == i64) return pool_run<std::int64_t>(task.kind);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(window_maximum);
void find_window_maximum(Prepared& prepared) {
  const auto& task = prepared.task;
  prepared.run = HWY_DYNAMIC_DISPATCH(window_maximum)(task);
  if (task.kind == Kind::window_maximum) return;
  const auto width = task.result.shape[3];
  const bool widened = task.result.element == bf16;
  const auto size = widened ? sizeof(float) : task.result.element.size();
  const auto sums = widened ? task.result.shape[2] * width : 0;
  const auto windows = 2 * task.operands[1].shape[3];
  prepared.scratch_bytes = static_cast<std::size_t>(windows + task.rows.size * width + sums) * size +
                           static_cast<std::size_t>(task.rows.size * task.columns.size) * sizeof(Extent);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
