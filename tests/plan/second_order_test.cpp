// Gradients of gradients of windows: by the plan the interpreter's bits, by the engine the recorded numbers, and a
// module for each.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/emitted.h"
#include "support/samples_windows.h"

namespace topos::test {
namespace {

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
