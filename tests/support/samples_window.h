// Samples of the opcodes that take windows apart and add them back.
#pragma once
#include "support/samples_elementwise.h"

namespace topos::test {

struct WindowCase {
  const char* name;
  Shape shape;  // of the whole
  Extent axis, size, step, dilation;
  Form form;
};
inline std::vector<WindowCase> window_cases() {
  return {{"plain", {8}, 0, 3, 2, 1, Form::plain},
          {"that overlap", {2, 7}, 1, 3, 1, 1, Form::plain},
          {"with gaps between", {2, 9}, 1, 2, 4, 1, Form::plain},
          {"that are dilated", {9, 2}, 0, 3, 1, 2, Form::plain},
          {"of strides and dilation", {2, 11, 3}, 1, 3, 3, 2, Form::plain},
          {"of a transpose", {6, 5}, 0, 2, 2, 1, Form::permuted},
          {"of a part", {3, 6}, 1, 3, 1, 1, Form::narrowed},
          {"of one tap", {5, 2}, 0, 1, 2, 3, Form::plain},
          {"as long as the axis", {4}, 0, 4, 1, 1, Form::plain},
          {"of nothing", {0, 5}, 1, 2, 1, 1, Form::plain}};
}

inline std::vector<Sample> samples(op::Unfold) {
  std::vector<Sample> all;
  for (const auto& c : window_cases())
    all.push_back(sample_over(std::string("Unfold windows ") + c.name, {c.shape}, {{-2, 2}}, c.form,
                              [c](Tape&, const std::vector<Value>& in) {
                                const auto windows = unfold(in[0], c.axis, c.size, c.step, c.dilation);
                                return windows * windows;
                              }));
  return all;
}
inline std::vector<Sample> samples(op::Fold) {
  std::vector<Sample> all;
  for (const auto& c : window_cases()) {
    const auto extent = c.shape.at(c.axis);
    auto taps = c.shape;
    taps[static_cast<std::size_t>(c.axis)] = (extent - (c.size - 1) * c.dilation - 1) / c.step + 1;
    taps = taps.with(c.axis + 1, c.size);
    all.push_back(sample_over(std::string("Fold windows ") + c.name, {taps}, {{-2, 2}}, c.form,
                              [c, extent](Tape&, const std::vector<Value>& in) {
                                const auto whole = fold(in[0], c.axis, c.size, c.step, c.dilation, extent);
                                return whole * whole;
                              }));
  }
  return all;
}

}  // namespace topos::test
