// Samples of what windows are for: convolutions, pools and batch norms.
#pragma once
#include "support/program.h"

namespace topos::test {

inline std::vector<Sample> window_samples() {
  std::vector<Sample> all;
  const auto add = [&](std::string name, std::vector<Shape> shapes, std::function<Value(const std::vector<Value>&)> f) {
    all.push_back({std::move(name), [=](Tape& tape) {
                     Random random(61);
                     std::vector<Value> values;
                     for (const auto& shape : shapes)
                       values.push_back(tape.parameter(random.tensor({tape.element(), shape}, -1, 1)));
                     return Recorded{values, f(values)};
                   }});
  };
  for (const ConvolutionOptions& options : {ConvolutionOptions{}, ConvolutionOptions{{2, 1}, {1, 0}, {1, 2}, 1},
                                            ConvolutionOptions{{3, 2}, {0, 1}, 1, 2}}) {
    const auto groups = options.groups;
    add("conv2d", {{2, 2, 6, 5}, {2, 2 / groups, 2, 2}, {2}},
        [=](const std::vector<Value>& in) { return conv2d(in[0], in[1], in[2], options); });
    add("conv2d_transposed", {{2, 2, 3, 3}, {2, 2 / groups, 2, 2}, {2}}, [=](const std::vector<Value>& in) {
      return conv2d_transposed(in[0], in[1], in[2], {options.stride, options.padding, options.dilation, groups});
    });
  }
  add("conv1d", {{2, 2, 7}, {3, 2, 3}},
      [](const std::vector<Value>& in) { return conv1d(in[0], in[1], {2, 1, 1, 1}); });
  add("max_pool", {{1, 2, 5, 5}}, [](const std::vector<Value>& in) {
    const auto squares = in[0] * in[0];
    return max_pool(squares, {2, 3}, {1, 2}, {1, 0});
  });
  add("average_pool", {{1, 2, 5, 5}}, [](const std::vector<Value>& in) {
    const auto squares = in[0] * in[0];
    return average_pool(squares, 3, 2, {1, 1, false});
  });
  all.push_back({"BatchNorm", [](Tape& tape) {
                   Random random(62);
                   const BatchNorm norm(tape, {1.5, 0.5}, {0, 1}, 0.25);
                   const auto x = tape.parameter(random.tensor({tape.element(), {2, 2, 2, 3}}, -1, 1));
                   const auto y = norm(x);
                   return Recorded{{x, tape.resolve(norm.scale()), tape.resolve(norm.shift())}, y};
                 }});
  return all;
}

}  // namespace topos::test
