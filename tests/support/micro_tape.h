// A recording of one opcode and what its derivative appends to it, in one line each.
#pragma once
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "support/program.h"

namespace topos::test {

/// `recorded` and `appended` are compact texts of nodes; `gradients` where the derivative ends, a number a parameter.
struct MicroTape {
  const char* name;
  std::function<std::pair<std::vector<Value>, Value>(Tape&)> record;
  std::string recorded, appended;
  std::vector<Index> gradients;
};

inline Value parameter(Tape& tape, const Shape& shape) { return tape.parameter(Tensor::full({f32, shape}, 0.5)); }

/// `4 BroadcastAlong 3 axis=0 extent=4 [4, 5]`, nodes separated by `; `.
inline std::string compact(const std::vector<Node>& nodes, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < nodes.size(); ++i) {
    std::vector<Index> operands;
    for (const auto operand : nodes[i].operands()) operands.push_back(operand.index());
    text += fmt::format("{}{} {}", i == from ? "" : "; ", i, nodes[i].name());
    if (!operands.empty()) text += fmt::format(" {}", fmt::join(operands, ","));
    if (const auto attributes = nodes[i].opcode().attributes(); !attributes.empty()) text += " " + attributes;
    text += " " + nodes[i].shape().text();
  }
  return text;
}

inline void expect_micro_tape(const MicroTape& wanted) {
  SCOPED_TRACE(wanted.name);
  Tape tape;
  const auto [parameters, result] = wanted.record(tape);
  const auto loss = result.shape().rank() == 0 ? result : sum(result);
  const auto size = tape.size();
  EXPECT_EQ(compact(tape.nodes(), 0), wanted.recorded);
  const auto adjoints = tape.differentiate(loss, {parameters.begin(), parameters.end()});
  EXPECT_EQ(compact(tape.nodes(), size), wanted.appended);
  std::vector<Index> gradients;
  for (const auto gradient : adjoints.gradients()) gradients.push_back(gradient.index());
  EXPECT_EQ(gradients, wanted.gradients);
}

/// An opcode of one operand of `shape`.
template <class F>
MicroTape one(const char* name, Shape shape, F f, std::string recorded, std::string appended, Index gradient) {
  return {name,
          [=](Tape& tape) {
            const auto a = parameter(tape, shape);
            return std::pair(std::vector{a}, f(a));
          },
          std::move(recorded),
          std::move(appended),
          {gradient}};
}
/// An opcode of two.
template <class F>
MicroTape two(const char* name, Shape a_shape, Shape b_shape, F f, std::string recorded, std::string appended,
              std::vector<Index> gradients) {
  return {name,
          [=](Tape& tape) {
            const auto a = parameter(tape, a_shape);
            const auto b = parameter(tape, b_shape);
            return std::pair(std::vector{a, b}, f(a, b));
          },
          std::move(recorded), std::move(appended), std::move(gradients)};
}

}  // namespace topos::test
