// What every test of conformance does with a plan: emits it, and holds our own readings to the oracle's bounds.
#pragma once
#include <algorithm>

#include <gtest/gtest.h>

#include "support/emitted.h"
#include "support/judged/answers.h"
#include "support/judged/traits.h"
#include "support/program.h"
#include "topos/stablehlo/writer.h"

namespace topos::test {

/// Emits the plan. The text must end a line and declare the plan's results, and our results, like those in the text's
/// own order, must lie where any engine's may: the bounds hold for us at least.
inline testing::AssertionResult agrees_with_itself(const Plan& plan, const About& about) {
  const auto fault = [&](const std::string& what) {
    return testing::AssertionFailure() << about.title << ": " << what;
  };
  const auto text = emitted(plan, {}, about);
  if (!text.ends_with("  }\n}\n")) return fault("the module does not end");
  std::string returned;
  for (const auto symbol : plan.results())
    returned += (returned.empty() ? "" : ", ") + stablehlo::type_text(plan.node(symbol).type());
  if (text.find("-> (" + returned + ") {\n") == std::string::npos) return fault("the module does not give " + returned);
  const auto traits = traits_of(plan, {});
  for (const auto& set : answered_sets(plan, true, traits.multiply_adds > most_multiply_adds))
    for (std::size_t k = 0; k < set.answers.size(); ++k) {
      const auto& answer = set.answers[k];
      const auto place = " of result " + std::to_string(k) + " for the " + set.name + " arguments: ";
      if (const auto where = outside(answer.ours, answer)) return fault("our own number" + place + *where);
      if (const auto where = outside(answer.in_text_order, answer)) return fault("the text's number" + place + *where);
      if (!traits.results[k].ordered && !same_bits(answer.ours, answer.in_text_order))
        return fault("our bits and the text's differ" + place + answer.ours.text());
    }
  return testing::AssertionSuccess();
}

/// A sample's value alone, or its gradients alone: without the sum that makes a loss of the value.
inline void emit_sample(const Sample& sample, ElementType element, const std::string& kind, int order) {
  const auto program = build(sample, element, order);
  const auto title = case_name(sample, element);
  if (order == 0) {
    EXPECT_TRUE(agrees_with_itself(program.network.entry({program.output}).lower(), {kind, title}));
    return;
  }
  const auto& adjoints = order == 1 ? program.first : program.second;
  if (!adjoints || adjoints->gradients().empty()) return;
  const std::string which = order == 1 ? ", gradients" : ", gradients of second order";
  EXPECT_TRUE(agrees_with_itself(program.network.entry(adjoints->gradients()).lower(), {kind, title + which}));
}

/// Everything that a program of that order computes: the loss and the gradients.
inline void emit_program(const Program& program, const std::string& kind, const std::string& title) {
  EXPECT_TRUE(agrees_with_itself(program.network.entry(program.roots()).lower(), {kind, title}));
}

}  // namespace topos::test
