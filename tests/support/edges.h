// One opcode at one point, by every reading: algebra of tensors, interpreter, plan; engine scan, recorded gradient.
#pragma once
#include "support/bits.h"
#include "support/specials.h"
#include "support/walk.h"

namespace topos::test {

using ValueFunction = std::function<Value(const std::vector<Value>&)>;

/// A vector of `element`.
inline Tensor row(std::initializer_list<double> values, ElementType element = f32) {
  return Tensor::from({static_cast<Extent>(values.size())}, values, element);
}

/// f's value, which the interpreter, a plan and the algebra of tensors agree about.
inline Tensor value_of(const ValueFunction& f, const std::vector<Tensor>& in) {
  Tape tape;
  std::vector<Value> values;
  for (const auto& payload : in) values.push_back(tape.input(payload));
  const Symbol out = f(values);
  const auto network = std::move(tape).into_network();
  verify(network);
  const auto parameters = network.parameters();
  const auto result = network.forward(parameters).of(out);
  EXPECT_TRUE(bits_agree(network.entry({out}).lower().forward(parameters).of(out), result)) << "the plan";
  EXPECT_TRUE(bits_agree(walk_by_hand(network)[out.index()], result)) << "the algebra of tensors";
  return result;
}

/// What flows into each floating operand when `cotangent` flows into f's value: by the engine, which the recorded
/// gradient and the backward posture of a plan must match.
inline std::vector<Tensor> cotangents_of(const ValueFunction& f, const std::vector<Tensor>& in,
                                         const Tensor& cotangent) {
  Tape tape(cotangent.element());
  std::vector<Value> values;
  std::vector<Symbol> wrt;
  for (const auto& payload : in) {
    values.push_back(tape.input(payload));
    if (payload.element().is_floating()) wrt.push_back(values.back());
  }
  const auto out = f(values);
  const auto weights = tape.leaf(cotangent);
  const auto product = out * weights;
  const auto total = sum(product);
  const Symbol loss = total;
  const auto adjoints = tape.differentiate(loss, wrt);
  const auto network = std::move(tape).into_network();
  verify(network);
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto field = run.backward(loss);
  const auto plan = network.entry(adjoints.roots()).lower().forward(parameters);
  const auto posture = network.entry({loss}).backward().lower().forward(parameters).backward(loss);
  std::vector<Tensor> result;
  for (const auto& [source, gradient] : adjoints.pairs()) {
    result.push_back(field.of(source));
    EXPECT_TRUE(bits_agree(run.of(gradient), result.back())) << "the recorded gradient";
    EXPECT_TRUE(bits_agree(plan.of(gradient), result.back())) << "the plan";
    EXPECT_TRUE(bits_agree(posture.of(source), result.back())) << "the backward posture";
  }
  return result;
}

/// The derivative of the sum of f's cotangents, as above, by each operand and then by the cotangent itself: by the
/// recorded gradient, which engine, plan and backward posture must match.
inline std::vector<Tensor> second_cotangents_of(const ValueFunction& f, const std::vector<Tensor>& in,
                                                const Tensor& cotangent) {
  Tape tape(cotangent.element());
  std::vector<Value> values;
  std::vector<Symbol> wrt, all;
  for (const auto& payload : in) {
    values.push_back(tape.input(payload));
    if (payload.element().is_floating()) wrt.push_back(values.back());
  }
  const auto weights = tape.input(cotangent);
  const auto out = f(values);
  const auto product = out * weights;
  const auto loss = sum(product);
  all = wrt;
  all.push_back(weights);
  const auto first = tape.differentiate(loss, wrt);
  std::optional<Value> slope;
  for (const auto gradient : first.gradients()) {
    const auto total = sum(tape.resolve(gradient));
    slope = slope ? *slope + total : total;
  }
  const auto second = tape.differentiate(*slope, all);
  const Symbol target = *slope;
  const auto network = std::move(tape).into_network();
  verify(network);
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto field = run.backward(target);
  const auto plan = network.entry(second.roots()).lower().forward(parameters);
  const auto posture = network.entry({target}).backward().lower().forward(parameters).backward(target);
  std::vector<Tensor> result;
  for (const auto& [source, gradient] : second.pairs()) {
    result.push_back(run.of(gradient));
    EXPECT_TRUE(bits_agree(field.of(source), result.back())) << "the engine";
    EXPECT_TRUE(bits_agree(plan.of(gradient), result.back())) << "the plan";
    EXPECT_TRUE(bits_agree(posture.of(source), result.back())) << "the backward posture";
  }
  return result;
}

}  // namespace topos::test
