// The rows of the matrix product: small and blocked shapes, long chains, batches, strides on both operands.
#include <cmath>
#include <limits>

#include "digest/operands.h"

namespace topos::digest {
namespace {

struct Case {
  Shape a, b;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {{1, 1}, {1, 1}},        {{3, 4}, {4, 5}},        {{1, 33}, {33, 17}},      {{17, 33}, {33, 1}},
      {{7, 64}, {64, 50}},     {{32, 30}, {30, 100}},   {{65, 40}, {40, 67}},     {{2, 2048}, {2048, 9}},
      {{3, 4200}, {4200, 18}}, {{1, 7000}, {7000, 33}}, {{1, 6500}, {6500, 1}},   {{0, 4}, {4, 5}},
      {{3, 0}, {0, 5}},        {{3, 4}, {4, 0}},        {{2, 3, 20}, {2, 20, 9}}, {{2, 2, 5, 6}, {2, 2, 6, 7}}};
  return all;
}

std::uint64_t product(ElementType element, Contents contents) {
  Hash hash;
  for (const auto& [left, right] : cases())
    for (const auto a_layout : layouts)
      for (const auto b_layout : layouts) {
        const Operand a(element, left, 1, contents, a_layout), b(element, right, 2, contents, b_layout);
        Shape shape = left;
        shape[shape.rank() - 1] = right[right.rank() - 1];
        add_result(hash, task_of(Kind::matmul, {&a, &b}, {element, shape}), {&a, &b});
      }
  return hash.value();
}

/// Products and addends whose sums are subnormal, or lose all but a hair of the product: where rounding twice shows.
template <class T>
std::uint64_t fused(ElementType element) {
  constexpr Extent count = 20'000;
  constexpr int fraction = std::numeric_limits<T>::digits - 1,
                lowest = std::numeric_limits<T>::min_exponent - 1 - fraction;
  std::uint64_t state = 11;
  const auto factor = [&](int exponent) {
    const double hair = std::ldexp(1.0, -fraction), any = unit(state);
    const double choices[] = {1.0, 1.0 + hair, 1.0 - hair, 1.5 + any / 2};
    return static_cast<T>(std::ldexp(choices[next(state) % 4], exponent) * (next(state) % 2 == 0 ? 1 : -1));
  };
  Operand a(element, {count, 1, 2}, 1, Contents::plain), b(element, {count, 2, 1}, 1, Contents::plain);
  auto *left = static_cast<T*>(a.first()), *right = static_cast<T*>(b.first());
  for (Extent i = 0; i < count; ++i) {
    const int exponent = lowest - 4 + static_cast<int>(next(state) % static_cast<unsigned>(fraction + 8));
    left[2 * i] = std::ldexp(static_cast<T>(next(state) >> (40 + next(state) % 24)), lowest);  // the addend, exact
    right[2 * i] = 1;
    left[2 * i + 1] = factor(exponent / 2);
    right[2 * i + 1] = factor(exponent - exponent / 2);
  }
  Hash hash;
  add_result(hash, task_of(Kind::matmul, {&a, &b}, {element, {count, 1, 1}}), {&a, &b});
  return hash.value();
}

}  // namespace

void add_products(Rows& rows) {
  rows.push_back({row_name(f32, "kernel matmul near subnormals"), [] { return fused<float>(f32); }});
  rows.push_back({row_name(f64, "kernel matmul near subnormals"), [] { return fused<double>(f64); }});
  for (const auto element : {f32, f64, bf16, i64}) {
    rows.push_back({row_name(element, "kernel matmul"), [=] { return product(element, Contents::plain); }});
    rows.push_back({row_name(element, "kernel matmul of edges"), [=] { return product(element, Contents::edges); }});
  }
}

}  // namespace topos::digest
