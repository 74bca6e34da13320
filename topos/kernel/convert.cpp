// The kernels between elements, compiled once for each vector target.
#include "topos/kernel/chunks.h"
#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/convert.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/each_row.inc"

template <class From, class To>
void convert_values(Extent n, To* out, const From* x) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::converted<To>(x[i]);
}
template <class From, class To>
void convert_row(Call& call, const Offsets& at) {
  row_of<void>(call, at, convert_values<From, To>);  // a conversion computes with what is stored
}
template <class From, class To>
Extent convert_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  each_row<convert_row<From, To>>(call);
  return no_fault;
}
template <class From, class To>
Extent convert_one(const Task&, const void* const* operands, void* result, void*) {
  *static_cast<To*>(result) = numbers::converted<To>(*static_cast<const From*>(operands[0]));
  return no_fault;
}

template <class From, class To>
Run convert_to(bool one) {
  return one ? convert_one<From, To> : convert_all<From, To>;
}
template <class From>
Run convert_from(ElementType to, bool one) {
  if (to == f32) return convert_to<From, float>(one);
  if (to == f64) return convert_to<From, double>(one);
  if (to == bf16) return convert_to<From, BFloat16>(one);
  if (to == i64) return convert_to<From, std::int64_t>(one);
  if (to == boolean) return convert_to<From, bool>(one);
  return nullptr;
}
Run convert(const Task& task) {
  const bool one = task.result.shape.rank() == 0;
  const auto from = task.operands[0].element;
  const auto to = task.result.element;
  if (from == f32) return convert_from<float>(to, one);
  if (from == f64) return convert_from<double>(to, one);
  if (from == bf16) return convert_from<BFloat16>(to, one);
  if (from == i64) return convert_from<std::int64_t>(to, one);
  if (from == boolean) return convert_from<bool>(to, one);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(convert);
/// An element as itself is a copy: its bits stay, a NaN's too.
void find_convert(Prepared& prepared) {
  const auto& task = prepared.task;
  if (task.operands[0].element == task.result.element)
    find_copy(prepared);
  else
    prepared.run = HWY_DYNAMIC_DISPATCH(convert)(task);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
