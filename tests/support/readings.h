// Owns the claim that a plan's results have the interpreter's bits.
#pragma once
#include <string>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "topos/topos.h"

namespace topos::test {

/// Two runs of a plan, the second into the first, beside the interpreter, from the network's initial parameters.
inline void expect_interpreter(const Network& network, const Plan& plan, const std::string& what = {}) {
  const auto parameters = network.parameters();
  const auto oracle = network.forward(parameters);
  auto run = plan.forward(parameters);
  for (int again = 0; again < 2; ++again) {
    for (const auto symbol : plan.results())
      ASSERT_TRUE(bits_agree(run.of(symbol), oracle.of(symbol))) << what << '\n' << plan.program();
    plan.forward_into(run, parameters);
  }
}

}  // namespace topos::test
