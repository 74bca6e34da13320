// The kernels of arithmetic and logic, compiled once for each vector target.
#include "topos/kernel/chunks.h"
#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/elementwise.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/elementwise_rows.inc"

/// A row of integer divisions; from the first divisor of zero on nothing is computed.
void divide_row(Call& call, const Offsets& at) {
  if (call.fault != no_fault) return;
  const auto* divisors = static_cast<const std::int64_t*>(call.operands[1]) + at.operand[1];
  for (Extent i = 0; i < call.n; ++i)
    if (divisors[i * call.step[1]] == 0) {
      call.fault = call.place + i;
      return;
    }
  call.place += call.n;
  binary_row<std::int64_t, Function::divide>(call, at);
}
Extent divide_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  rows(call, divide_row);
  return call.fault;
}
Extent divide_one(const Task& task, const void* const* operands, void* result, void* scratch) {
  if (*static_cast<const std::int64_t*>(operands[1]) == 0) return 0;
  return binary_one<std::int64_t, Function::divide>(task, operands, result, scratch);
}

template <class S>
Run real_arithmetic(Kind kind, Function f, bool one) {
  using enum Function;
  if (kind == Kind::unary) return unary_of<S, negate, absolute, sign>(f, one);
  return binary_of<S, add, subtract, multiply, divide, maximum, minimum>(f, one);
}
Run integer(Kind kind, Function f, bool one) {
  using enum Function;
  if (kind == Kind::unary) return unary_of<std::int64_t, negate, absolute, sign>(f, one);
  if (f == divide) return one ? divide_one : divide_all;
  return binary_of<std::int64_t, add, subtract, multiply, maximum, minimum>(f, one);
}
Run truth(Kind kind, Function f, bool one) {
  using enum Function;
  if (kind == Kind::unary) return unary_of<bool, logical_not>(f, one);
  return binary_of<bool, logical_and, logical_or>(f, one);
}
Run elementwise(const Task& task) {
  const bool one = task.result.shape.rank() == 0;
  const auto element = task.result.element;
  if (element == f32) return real_arithmetic<float>(task.kind, task.function, one);
  if (element == f64) return real_arithmetic<double>(task.kind, task.function, one);
  if (element == bf16) return real_arithmetic<BFloat16>(task.kind, task.function, one);
  if (element == i64) return integer(task.kind, task.function, one);
  if (element == boolean) return truth(task.kind, task.function, one);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(elementwise);
void find_elementwise(Prepared& prepared) {
  prepared.run = HWY_DYNAMIC_DISPATCH(elementwise)(prepared.task);
  if (prepared.run == nullptr) find_elementary(prepared);
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
