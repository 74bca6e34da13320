// A recording that tests read in many ways: forward, with its gradient, with the gradient of its gradient.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random.h"
#include "topos/topos.h"

namespace topos::test {

/// What a sample records: the floating sources to differentiate by, and the value to look at.
struct Recorded {
  std::vector<Value> wrt;
  Value output;
};

struct Sample {
  std::string name;
  std::function<Recorded(Tape&)> record;
  bool through_f32 = false;  // some of its numbers are f32 whatever the tape's element is
};

/// A sample's network with everything that was asked of it.
struct Program {
  Network network;
  std::vector<Symbol> wrt;
  Symbol output, loss;
  std::optional<Adjoints> first;   // of the loss
  Symbol slope;                    // the weighted sum of the gradients
  std::optional<Adjoints> second;  // of the slope

  /// Loss and, where recorded, gradients of both orders.
  std::vector<Symbol> roots() const {
    std::vector<Symbol> all{loss};
    for (const auto* adjoints : {&first, &second})
      if (*adjoints)
        for (const auto root : (*adjoints)->roots()) all.push_back(root);
    return all;
  }
};

/// sum(weights * x), in the tape's element; predicates and integers count as numbers.
inline Value weighted_sum(Tape& tape, const Value& x, Random& random) {
  const auto number = x.element().is_floating() ? x : convert(x, tape.element());
  const auto weights = tape.leaf(random.tensor(number.type(), 0.5, 1.5));
  const auto product = weights * number;
  const auto total = sum(product);
  return convert(total, tape.element());
}

/// order 0: forward alone; 1: with the gradient; 2: with the gradient of the weighted gradient.
inline Program build(const Sample& sample, ElementType element, int order) {
  Random random(17);
  Tape tape(element);
  const auto recorded = sample.record(tape);
  const auto loss = weighted_sum(tape, recorded.output, random);
  const std::vector<Symbol> wrt(recorded.wrt.begin(), recorded.wrt.end());
  std::optional<Adjoints> first, second;
  Symbol slope;
  if (order >= 1) first = tape.differentiate(loss, wrt);
  if (order >= 2 && !wrt.empty()) {
    std::optional<Value> total;
    for (const auto gradient : first->gradients()) {
      const auto value = tape.resolve(gradient);
      const auto part = weighted_sum(tape, value, random);
      total = total ? *total + part : part;
    }
    slope = total->symbol();
    second = tape.differentiate(slope, wrt);
  }
  const auto output = recorded.output.symbol();
  const auto target = loss.symbol();
  auto network = std::move(tape).into_network();
  verify(network);
  return {std::move(network), wrt, output, target, first, slope, second};
}

inline std::string case_name(const Sample& sample, ElementType element) {
  return sample.name + " over " + std::string(element.name());
}

}  // namespace topos::test
