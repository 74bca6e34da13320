// The rows of the matrix product: small and blocked shapes, long chains, batches, strides on both operands.
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

}  // namespace

void add_products(Rows& rows) {
  for (const auto element : {f32, f64, bf16, i64}) {
    rows.push_back({row_name(element, "kernel matmul"), [=] { return product(element, Contents::plain); }});
    rows.push_back({row_name(element, "kernel matmul of edges"), [=] { return product(element, Contents::edges); }});
  }
}

}  // namespace topos::digest
