// The kernel that adds windows back, compiled once for each vector target.
#include <algorithm>

#include "topos/kernel/families.h"
#include "topos/kernel/numbers.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/window.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/add_view.inc"

/// Every place of one outer position: zeros, then tap after tap. A tap reaches a place at most once, so each place adds
/// its taps in ascending k. Totals of bf16 are floats in scratch until the end.
template <class S>
void fold_outer(Call& call, const Offsets& at) {
  using C = numbers::Computed<S>;
  const auto& task = call.task;
  const auto& taps = task.operands[0];
  const auto axis = static_cast<std::size_t>(task.axes[0]);
  const auto row = task.result.strides[axis];
  const auto count = task.result.shape[axis] * row;
  auto* out = static_cast<S*>(call.result) + at.result;
  C* total = nullptr;
  if constexpr (std::same_as<S, C>)
    total = out;
  else
    total = static_cast<C*>(call.scratch);
  std::fill_n(total, count, C{0});
  const auto* from = static_cast<const S*>(call.operands[0]) + at.operand[0];
  for (Extent k = 0; k < taps.shape[axis + 1]; ++k)
    for (Extent w = 0; w < taps.shape[axis]; ++w) {
      auto* to = total + (w * task.step + k * task.dilation) * row;
      add_view(taps, axis + 2, from + w * taps.strides[axis] + k * taps.strides[axis + 1], to);
    }
  if constexpr (!std::same_as<S, C>)
    for (Extent i = 0; i < count; ++i) out[i] = static_cast<S>(total[i]);
}
template <class S>
Extent fold_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  walk(call, static_cast<std::size_t>(task.axes[0]), fold_outer<S>);
  return no_fault;
}
Run fold(const Task& task) {
  if (task.result.element == f32) return fold_all<float>;
  if (task.result.element == f64) return fold_all<double>;
  if (task.result.element == i64) return fold_all<std::int64_t>;
  if (task.result.element == bf16) return fold_all<BFloat16>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(fold);
void find_fold(Prepared& prepared) {
  const auto& result = prepared.task.result;
  const auto axis = static_cast<std::size_t>(prepared.task.axes[0]);
  prepared.run = HWY_DYNAMIC_DISPATCH(fold)(prepared.task);
  if (result.element == bf16)
    prepared.scratch_bytes = static_cast<std::size_t>(result.shape[axis] * result.strides[axis]) * sizeof(float);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
