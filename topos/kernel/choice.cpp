// The kernels that compare and select, compiled once for each vector target.
#include "topos/kernel/chunks.h"
#include "topos/kernel/families.h"
#include "topos/kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/choice.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {

#include "topos/kernel/each_row.inc"

template <class T, Direction D>
void compare_values(Extent n, bool* out, const T* a, const T* b) {
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) out[i] = numbers::holds<D>(a[i], b[i]);
}
template <class S, Direction D>
void compare_row(Call& call, const Offsets& at) {
  row_of<S>(call, at, compare_values<numbers::Computed<S>, D>);
}
template <class T, Direction D>
Extent compare_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  each_row<compare_row<T, D>>(call);
  return no_fault;
}
template <class T, Direction D>
Extent compare_one(const Task&, const void* const* operands, void* result, void*) {
  const auto a = static_cast<numbers::Computed<T>>(*static_cast<const T*>(operands[0]));
  const auto b = static_cast<numbers::Computed<T>>(*static_cast<const T*>(operands[1]));
  *static_cast<bool*>(result) = numbers::holds<D>(a, b);
  return no_fault;
}

template <class T, Direction... D>
Run compare_of(Direction direction, bool one) {
  Run run = nullptr;
  ((direction == D ? void(run = one ? compare_one<T, D> : compare_all<T, D>) : void()), ...);
  return run;
}
template <class T>
Run ordered(Direction direction, bool one) {
  using enum Direction;
  return compare_of<T, eq, ne, lt, le, gt, ge>(direction, one);
}
Run compare(const Task& task) {
  const bool one = task.result.shape.rank() == 0;
  const auto element = task.operands[0].element;
  if (element == f32) return ordered<float>(task.direction, one);
  if (element == f64) return ordered<double>(task.direction, one);
  if (element == bf16) return ordered<BFloat16>(task.direction, one);
  if (element == i64) return ordered<std::int64_t>(task.direction, one);
  if (element == boolean) return compare_of<bool, Direction::eq, Direction::ne>(task.direction, one);
  return nullptr;
}

// A selection moves bytes: T is any number of the element's size.

template <class T>
void select_values(Extent n, T* out, const bool* predicate, const T* a, const T* b) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(predicate);  // of truth values there is no vector code
  TOPOS_INDEPENDENT
  for (Extent i = 0; i < n; ++i) {
    const T mask = static_cast<T>(-static_cast<T>(first[i]));
    out[i] = static_cast<T>((a[i] & mask) | (b[i] & static_cast<T>(~mask)));
  }
}
template <class T>
void select_row(Call& call, const Offsets& at) {
  row_of<T>(call, at, select_values<T>);
}
template <class T>
Extent select_all(const Task& task, const void* const* operands, void* result, void* scratch) {
  Call call(task, operands, result, scratch);
  each_row<select_row<T>>(call);
  return no_fault;
}
template <class T>
Extent select_one(const Task&, const void* const* operands, void* result, void*) {
  const bool first = *static_cast<const bool*>(operands[0]);
  *static_cast<T*>(result) = *static_cast<const T*>(operands[first ? 1 : 2]);
  return no_fault;
}
Run select(const Task& task) {
  const bool one = task.result.shape.rank() == 0;
  switch (task.result.element.size()) {
    case 1: return one ? select_one<std::uint8_t> : select_all<std::uint8_t>;
    case 2: return one ? select_one<std::uint16_t> : select_all<std::uint16_t>;
    case 4: return one ? select_one<std::uint32_t> : select_all<std::uint32_t>;
    case 8: return one ? select_one<std::uint64_t> : select_all<std::uint64_t>;
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(compare);
HWY_EXPORT(select);
void find_compare(Prepared& prepared) { prepared.run = HWY_DYNAMIC_DISPATCH(compare)(prepared.task); }
void find_select(Prepared& prepared) { prepared.run = HWY_DYNAMIC_DISPATCH(select)(prepared.task); }

}  // namespace topos::kernel
#endif  // HWY_ONCE
