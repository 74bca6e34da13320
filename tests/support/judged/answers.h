// What a module's results are for some arguments: ours, the text's, and where any engine's may lie.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "topos/topos.h"

namespace topos::test {

struct Answer {
  Tensor ours, in_text_order;
  Tensor center, radius;  // f64; a radius of 0: equal; infinity: not decided
};

/// One set of arguments and an answer for every result.
struct AnsweredSet {
  std::string name;
  std::vector<Tensor> arguments;
  std::vector<Answer> answers;
};

/// More work than this is not followed number by number: the text's order is ours then, and nothing is decided.
inline constexpr double most_multiply_adds = 4e6;

/// Of the module with compositions raised or not: the recorded set, and the special one where there is one. Throws what
/// the program throws for what it was recorded with, such as a division of integers by zero.
std::vector<AnsweredSet> answered_sets(const Plan& plan, bool raise, bool capped);

/// The first element that lies outside, in words.
std::optional<std::string> outside(const Tensor& x, const Answer& answer);

}  // namespace topos::test
