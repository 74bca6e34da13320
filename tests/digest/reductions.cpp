// The rows of the kernels over rows and axes: sums, softmax and its kin, largest numbers and their places.
#include "digest/operands.h"

namespace topos::digest {
namespace {

struct Case {
  Shape shape, axes;
};
/// Blocks of 256 and their merging, lanes of 16, columns, several axes, extents of 0 and 1.
const std::vector<Case>& sums() {
  static const std::vector<Case> all = {
      {{}, {}},           {{1}, {0}},          {{7}, {0}},         {{16}, {0}},       {{255}, {0}},
      {{256}, {0}},       {{257}, {0}},        {{1023}, {0}},      {{5000}, {0}},     {{20011}, {0}},
      {{0}, {0}},         {{3, 0}, {1}},       {{0, 3}, {1}},      {{3, 0}, {0, 1}},  {{5, 300}, {1}},
      {{300, 5}, {0}},    {{600, 70}, {0}},    {{33, 17}, {0, 1}}, {{3, 4, 5}, {1}},  {{3, 40, 5}, {0, 2}},
      {{2, 3, 700}, {2}}, {{700, 2, 3}, {0}},  {{4, 300, 3}, {1}}, {{9, 1, 30}, {1}}, {{2, 3, 4, 5}, {0, 1, 2, 3}},
      {{1100, 40}, {0}},  {{2, 515, 130}, {1}}};
  return all;
}
const std::vector<Case>& lines() {
  static const std::vector<Case> all = {{{1}, {0}},       {{5}, {0}},        {{16}, {0}},       {{17}, {0}},
                                        {{257}, {0}},     {{1000}, {0}},     {{4, 64}, {1}},    {{3, 5000}, {1}},
                                        {{64, 4}, {0}},   {{3, 40, 5}, {1}}, {{2, 3, 33}, {2}}, {{33, 3, 2}, {0}},
                                        {{300, 70}, {0}}, {{0, 5}, {1}},     {{5, 1}, {1}}};
  return all;
}

std::uint64_t reduced(Kind kind, ElementType element, const std::vector<Case>& cases, bool keeps_axis) {
  Hash hash;
  for (const auto& [shape, axes] : cases)
    for (const auto layout : layouts)
      for (const auto contents : {Contents::plain, Contents::edges}) {
        const Operand x(element, shape, 7, contents, layout);
        Shape kept = shape;
        if (!keeps_axis)
          for (std::size_t i = axes.size(); i-- > 0;) kept = kept.without(axes[i]);
        auto task = task_of(kind, {&x}, {kind == Kind::argmax_along ? i64 : element, kept});
        task.axes = axes;
        add_result(hash, task, {&x});
      }
  return hash.value();
}

}  // namespace

void add_reductions(Rows& rows) {
  for (const auto element : {f32, f64, bf16, i64})
    rows.push_back({row_name(element, "kernel sum"), [=] { return reduced(Kind::sum, element, sums(), false); }});
  for (const auto element : {f32, f64, bf16})
    for (const auto kind : {Kind::softmax, Kind::log_softmax, Kind::logsumexp})
      rows.push_back({row_name(element, "kernel ") + std::string(kernel::name_of(kind)),
                      [=] { return reduced(kind, element, lines(), kind != Kind::logsumexp); }});
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto kind : {Kind::max_along, Kind::argmax_along})
      rows.push_back({row_name(element, "kernel ") + std::string(kernel::name_of(kind)),
                      [=] { return reduced(kind, element, lines(), false); }});
}

}  // namespace topos::digest
