// The kernels of one and two operands, compiled once for each vector target.
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

// Function templates, not lambdas: only a function takes on this target's instructions.

template <class T, Function F>
void unary_values(Extent n, T* out, const T* x) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::apply<F>(x[i]);
}
template <class T, Function F>
void unary_row(Call& call, const Offsets& at) {
  row_of(call, at, unary_values<T, F>);
}
template <class T, Function F>
Extent unary_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  rows(call, unary_row<T, F>);
  return no_fault;
}
template <class T, Function F>
Extent unary_one(const Task&, const void* const* operands, void* result, void*) {
  *static_cast<T*>(result) = numbers::apply<F>(*static_cast<const T*>(operands[0]));
  return no_fault;
}

template <class T, Function F>
void binary_values(Extent n, T* out, const T* a, const T* b) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::apply<F>(a[i], b[i]);
}
template <class T, Function F>
void binary_left_value(Extent n, T* out, T a, const T* b) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::apply<F>(a, b[i]);
}
template <class T, Function F>
void binary_right_value(Extent n, T* out, const T* a, T b) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::apply<F>(a[i], b);
}
template <class T, Function F>
void binary_row(Call& call, const Offsets& at) {
  const auto* a = static_cast<const T*>(call.operands[0]) + at.operand[0];
  const auto* b = static_cast<const T*>(call.operands[1]) + at.operand[1];
  auto* out = static_cast<T*>(call.result) + at.result;
  const bool closed = call.result_step == 1;
  if (closed && call.step[0] == 0 && call.step[1] == 1)
    binary_left_value<T, F>(call.n, out, *a, b);
  else if (closed && call.step[0] == 1 && call.step[1] == 0)
    binary_right_value<T, F>(call.n, out, a, *b);
  else
    row_of(call, at, binary_values<T, F>);
}
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

template <class T, Function F>
inline constexpr bool may_refuse = F == Function::divide && std::integral<T>;

template <class T, Function F>
Extent binary_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  if constexpr (may_refuse<T, F>)
    rows(call, divide_row);
  else
    rows(call, binary_row<T, F>);
  return call.fault;
}
template <class T, Function F>
Extent binary_one(const Task&, const void* const* operands, void* result, void*) {
  const T a = *static_cast<const T*>(operands[0]);
  const T b = *static_cast<const T*>(operands[1]);
  if constexpr (may_refuse<T, F>)
    if (b == 0) return 0;
  *static_cast<T*>(result) = numbers::apply<F>(a, b);
  return no_fault;
}

template <class T, Function... F>
Run unary_of(Function function, bool one) {
  Run run = nullptr;
  ((function == F ? void(run = one ? unary_one<T, F> : unary_all<T, F>) : void()), ...);
  return run;
}
template <class T, Function... F>
Run binary_of(Function function, bool one) {
  Run run = nullptr;
  ((function == F ? void(run = one ? binary_one<T, F> : binary_all<T, F>) : void()), ...);
  return run;
}

template <class T>
Run real(Kind kind, Function f, bool one) {
  using enum Function;
  if (kind == Kind::unary) return unary_of<T, negate, exp, log, sqrt, tanh>(f, one);
  return binary_of<T, add, subtract, multiply, divide, maximum>(f, one);
}
Run integer(Kind kind, Function f, bool one) {
  using enum Function;
  if (kind == Kind::unary) return unary_of<std::int64_t, negate>(f, one);
  return binary_of<std::int64_t, add, subtract, multiply, divide, maximum>(f, one);
}
Run truth(Kind kind, Function f, bool one) {
  using enum Function;
  if (kind == Kind::unary) return unary_of<bool, logical_not>(f, one);
  return binary_of<bool, logical_and, logical_or>(f, one);
}
Run elementwise(const Task& task) {
  const bool one = task.result.shape.rank() == 0;
  const auto element = task.result.element;
  if (element == f32) return real<float>(task.kind, task.function, one);
  if (element == f64) return real<double>(task.kind, task.function, one);
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
void find_elementwise(Prepared& prepared) { prepared.run = HWY_DYNAMIC_DISPATCH(elementwise)(prepared.task); }

}  // namespace topos::kernel
#endif  // HWY_ONCE
