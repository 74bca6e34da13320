// Gradients of gradients of windows: by the plan the interpreter's bits, by the engine the recorded numbers, and a
// module for each.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/emitted.h"
#include "support/program.h"

namespace topos::test {
namespace {

std::vector<Sample> window_samples() {
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

TEST(SecondOrder, of_windows_is_the_same_by_plan_and_interpreter_and_has_a_module) {
  for (const auto element : {f32, f64, bf16})
    for (const auto& sample : window_samples()) {
      SCOPED_TRACE(case_name(sample, element));
      const auto program = build(sample, element, 2);
      const auto parameters = program.network.parameters();
      const auto plan = program.network.entry(program.roots()).lower();
      const auto got = plan.forward(parameters);
      const auto run = program.network.forward(parameters);
      for (const auto root : program.roots())
        EXPECT_TRUE(bits_agree(got.of(root), run.of(root))) << "node " << root.index();
      const auto field = run.backward(program.slope);
      for (const auto& [source, gradient] : program.second->pairs())
        EXPECT_TRUE(bits_agree(run.of(gradient), field.of(source)));
      EXPECT_NE(emitted(plan).find("return"), std::string::npos);
    }
}

}  // namespace
}  // namespace topos::test
