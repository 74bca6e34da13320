// The kernels of elementary functions, compiled once for each vector target.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "topos/kernel/chunks.h"
#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"
#include "topos/kernel/vector_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/elementary.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/elementwise_rows.inc"
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
#include "topos/kernel/vector.inc"
#include "topos/kernel/vector_columns.inc"
#include "topos/kernel/vector_deferred.inc"
#include "topos/kernel/vector_erf.inc"
#include "topos/kernel/vector_exp.inc"
#include "topos/kernel/vector_f32.inc"
#include "topos/kernel/vector_f64.inc"
#include "topos/kernel/vector_log.inc"
#include "topos/kernel/vector_power.inc"
#include "topos/kernel/vector_root.inc"
#include "topos/kernel/vector_rows.inc"
#else
// Without the instruction a fused multiply-add of vectors costs more than the scalar definitions do.
template <class S, Function... F>
Run stepped_of(Function function, bool one) {
  return unary_of<S, F...>(function, one);
}
template <class S>
Run power_of(bool one) {
  return binary_of<S, Function::power>(Function::power, one);
}
#endif

// Not named as in elementwise.cpp: templates of one name in one namespace are one function to the linker.
template <class S>
Run real_elementary(Kind kind, Function f, bool one) {
  using enum Function;
  if (kind == Kind::unary)
    return f == sqrt
               ? unary_of<S, sqrt>(f, one)
               : stepped_of<S, exp, expm1, log, log1p, rsqrt, tanh, sin, cos, erf, erf_derivative, logistic, softplus>(
                     f, one);
  return f == power ? power_of<S>(one) : nullptr;
}
Run elementary(const Task& task) {
  const bool one = task.result.shape.rank() == 0;
  const auto element = task.result.element;
  if (element == f32) return real_elementary<float>(task.kind, task.function, one);
  if (element == f64) return real_elementary<double>(task.kind, task.function, one);
  if (element == bf16) return real_elementary<BFloat16>(task.kind, task.function, one);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(elementary);
void find_elementary(Prepared& prepared) { prepared.run = HWY_DYNAMIC_DISPATCH(elementary)(prepared.task); }

}  // namespace topos::kernel
#endif  // HWY_ONCE
