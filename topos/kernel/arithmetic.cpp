// Arithmetic in registers, compiled once for each vector target: some vectors at a time go through all instructions.
#include "topos/kernel/arithmetic.h"

#include <cstring>

#include "topos/kernel/numbers.h"
#include "topos/kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/kernel/arithmetic.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// As numbers::maximum: NaN if any is NaN, +0 above -0.
template <class V>
HWY_INLINE V larger_of(V a, V b) {
  const V ordered = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::IfThenElse(hn::Gt(a, b), a, b));
  return hn::IfThenElse(hn::IsNaN(a), a, ordered);
}
template <class V>
HWY_INLINE V smaller_of(V a, V b) {
  const V ordered = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::IfThenElse(hn::Lt(a, b), a, b));
  return hn::IfThenElse(hn::IsNaN(a), a, ordered);
}

template <Action action, class V>
HWY_INLINE V combined(V total, V number) {
  if constexpr (action == Action::add) return hn::Add(total, number);
  if constexpr (action == Action::subtract) return hn::Sub(total, number);
  if constexpr (action == Action::subtract_from) return hn::Sub(number, total);
  if constexpr (action == Action::multiply) return hn::Mul(total, number);
  if constexpr (action == Action::divide) return hn::Div(total, number);
  if constexpr (action == Action::divide_into) return hn::Div(number, total);
  if constexpr (action == Action::maximum) return larger_of(total, number);
  if constexpr (action == Action::minimum) return smaller_of(total, number);
}
template <Action action, class V>
HWY_INLINE V changed(V total) {
  if constexpr (action == Action::negate) return hn::Neg(total);
  if constexpr (action == Action::absolute) return hn::Abs(total);
  if constexpr (action == Action::twice) return hn::Add(total, total);
  if constexpr (action == Action::square) return hn::Mul(total, total);
}

template <class D, int vectors>
HWY_INLINE void load(D d, const hn::TFromD<D>* at, hn::Vec<D> (&total)[vectors]) {
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) total[v] = hn::LoadU(d, at + v * static_cast<Extent>(hn::MaxLanes(d)));
}
template <class D, int vectors>
HWY_INLINE void store(D d, const hn::Vec<D> (&total)[vectors], hn::TFromD<D>* at) {
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) hn::StoreU(total[v], d, at + v * static_cast<Extent>(hn::MaxLanes(d)));
}
template <Action action, class D, int vectors>
HWY_INLINE void with_numbers(D d, const hn::TFromD<D>* at, hn::Vec<D> (&total)[vectors]) {
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v)
    total[v] = combined<action>(total[v], hn::LoadU(d, at + v * static_cast<Extent>(hn::MaxLanes(d))));
}
template <Action action, class D, int vectors>
HWY_INLINE void by_itself(D, hn::Vec<D> (&total)[vectors]) {
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) total[v] = changed<action>(total[v]);
}

/// As many whole groups of vectors as there are from `begin` on; gives where they end. `last` is the last instruction.
template <int vectors, class D>
HWY_NOINLINE Extent do_groups(D d, const Placed* first, const Placed* last, Extent begin, Extent n) {
  using T = hn::TFromD<D>;
  constexpr auto width = static_cast<Extent>(hn::MaxLanes(D()));
  for (; begin + vectors * width <= n; begin += vectors * width) {
    const auto place = [begin](const Placed& placed) { return static_cast<T*>(placed.at) + (begin & placed.moves); };
    hn::Vec<D> total[vectors];
    load(d, place(*first), total);
    for (const auto* i = first + 1; i != last; ++i) {
      T* const at = place(*i);
      switch (i->action) {
        case Action::load: load(d, at, total); break;
        case Action::store: store(d, total, at); break;
        case Action::add: with_numbers<Action::add>(d, at, total); break;
        case Action::subtract: with_numbers<Action::subtract>(d, at, total); break;
        case Action::subtract_from: with_numbers<Action::subtract_from>(d, at, total); break;
        case Action::multiply: with_numbers<Action::multiply>(d, at, total); break;
        case Action::divide: with_numbers<Action::divide>(d, at, total); break;
        case Action::divide_into: with_numbers<Action::divide_into>(d, at, total); break;
        case Action::maximum: with_numbers<Action::maximum>(d, at, total); break;
        case Action::minimum: with_numbers<Action::minimum>(d, at, total); break;
        case Action::negate: by_itself<Action::negate>(d, total); break;
        case Action::absolute: by_itself<Action::absolute>(d, total); break;
        case Action::twice: by_itself<Action::twice>(d, total); break;
        case Action::square: by_itself<Action::square>(d, total); break;
      }
    }
    store(d, total, place(*last));
  }
  return begin;
}
template <class T>
void do_arithmetic(const Placed* first, const Placed* last, Extent n) {
  const hn::ScalableTag<T> d;
  --last;
  constexpr auto room = static_cast<int>(repeated_bytes / sizeof(T) / hn::MaxLanes(hn::ScalableTag<T>()));
  constexpr int most = room < 12 ? room : 12;  // registers
  const auto groups = do_groups<most>(d, first, last, 0, n);
  const auto vectors = do_groups<1>(d, first, last, groups, n);
  do_groups<1>(hn::CappedTag<T, 1>(), first, last, vectors, n);
}

Arithmetic find_arithmetic(ElementType element) {
  if (element == f32) return do_arithmetic<float>;
#if HWY_HAVE_FLOAT64
  if (element == f64) return do_arithmetic<double>;
#endif
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace topos::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernel {

HWY_EXPORT(find_arithmetic);
Arithmetic arithmetic_of(ElementType element) { return HWY_DYNAMIC_DISPATCH(find_arithmetic)(element); }

void repeat(const void* number, std::size_t size, void* to) {
  std::uint64_t both = 0;  // or one of 8 bytes
  std::memcpy(&both, number, size);
  if (size == 4) both |= both << 32;
  auto* words = static_cast<std::uint64_t*>(to);
  for (std::size_t i = 0; i < repeated_bytes / sizeof both; ++i) words[i] = both;
}

}  // namespace topos::kernel
#endif  // HWY_ONCE
