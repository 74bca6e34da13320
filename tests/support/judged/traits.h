// What a plan's module is made of, and which of its results an evaluator's bits can be foretold of.
#pragma once
#include <string>
#include <vector>

#include "topos/topos.h"

namespace topos::test {

struct ResultTraits {
  bool ordered = false;                    // our bits may differ from those of the text's own order
  std::vector<std::string> unpredictable;  // operations whose bits in the reference interpreter are its own
};

struct ModuleTraits {
  std::vector<std::string> opcodes, elements, raised;  // each once
  double multiply_adds = 0;                            // of sums, products and windows, an estimate
  std::vector<ResultTraits> results;
};

ModuleTraits traits_of(const Plan& plan, const EmitOptions& options);

/// `window_product`, `reduce_window_gradient`.
std::string snake_name(PatternKind kind);

}  // namespace topos::test
