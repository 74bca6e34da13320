// The rows of the kernels that fold windows and those that gather and scatter rows.
#include "digest/operands.h"

namespace topos::digest {
namespace {

/// Taps of windows on `axis`: [.., windows, size, ..], folded into an extent.
struct Fold {
  Shape taps;
  Extent axis, step, dilation;
};
std::uint64_t fold(ElementType element) {
  const Fold folds[] = {{{5, 3}, 0, 1, 1},       {{5, 3}, 0, 2, 1},       {{4, 3}, 0, 1, 2},
                        {{300, 2}, 0, 2, 1},     {{3, 6, 4}, 1, 2, 1},    {{6, 4, 7}, 0, 3, 1},
                        {{2, 5, 3, 9}, 1, 1, 1}, {{3, 1, 1, 4}, 1, 1, 1}, {{2, 4, 3, 2, 5}, 1, 2, 2},
                        {{0, 3}, 0, 1, 1}};
  Hash hash;
  for (const auto& [taps, axis, step, dilation] : folds)
    for (const auto layout : layouts)
      for (const auto contents : {Contents::plain, Contents::edges}) {
        const Operand x(element, taps, 3, contents, layout);
        const auto windows = taps.at(axis), size = taps.at(axis + 1);
        auto shape = taps.without(axis + 1);
        shape[static_cast<std::size_t>(axis)] = windows == 0 ? 4 : (windows - 1) * step + (size - 1) * dilation + 1;
        auto task = task_of(Kind::fold, {&x}, {element, shape});
        task.axes = {axis, axis + 1};
        task.step = step;
        task.dilation = dilation;
        add_result(hash, task, {&x});
      }
  return hash.value();
}

struct Indexed {
  Extent rows;
  Shape lead, inner;
};
const std::vector<Indexed>& indexed() {
  static const std::vector<Indexed> all = {{5, {}, {}},     {5, {}, {3}},       {9, {4}, {}},     {27, {40}, {10}},
                                           {7, {3, 5}, {}}, {50, {2, 9}, {17}}, {3, {6}, {2, 5}}, {4, {0}, {3}},
                                           {4, {5}, {0}},   {65, {200}, {33}}};
  return all;
}
Shape joined(const Shape& a, const Shape& b) {
  std::vector<Extent> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}
/// `beyond`: some indices are out of range, and the kernel names the first.
std::uint64_t by_index(Kind kind, ElementType element, bool beyond) {
  Hash hash;
  std::uint64_t turn = 0;
  for (const auto& [rows, lead, inner] : indexed())
    for (const auto layout : layouts) {
      const auto other = layouts[(static_cast<std::size_t>(layout) + turn++) % std::size(layouts)];
      const auto table = joined({rows}, inner), taken = joined(lead, inner);
      const bool gathers = kind == Kind::gather;
      const Operand x(element, gathers ? table : taken, 5, Contents::edges, layout);
      const auto indices = Operand::indices(lead, 6, beyond ? rows + 1 : rows, other);
      add_result(hash, task_of(kind, {&x, &indices}, {element, gathers ? taken : table}), {&x, &indices});
    }
  return hash.value();
}

}  // namespace

void add_windows(Rows& rows) {
  for (const auto element : {f32, f64, bf16, i64})
    rows.push_back({row_name(element, "kernel fold"), [=] { return fold(element); }});
  for (const auto kind : {Kind::gather, Kind::scatter})
    for (const auto element : {f32, f64, bf16, i64})
      for (const bool beyond : {false, true})
        rows.push_back({row_name(element, "kernel ") + std::string(kernel::name_of(kind)) +
                            (beyond ? " with indices beyond the end" : ""),
                        [=] { return by_index(kind, element, beyond); }});
}

}  // namespace topos::digest
