// A random program from the bytes of a fuzzer or of its corpus, and whether its readings agree.
#pragma once
#include <optional>

#include "support/random_program.h"

namespace topos::test {

/// The first reading that gives other bits than the interpreter: plan, engine, backward posture, saved text.
inline std::optional<std::string> disagreement(const Program& program) {
  const auto& network = program.network;
  const auto differs = [&](const char* reading, Symbol symbol) {
    return std::string(reading) + " disagrees with the interpreter at " + network.node(symbol).text() + "\n" +
           network.describe();
  };
  const auto parameters = network.parameters();
  const auto oracle = network.forward(parameters);
  const auto plan = network.entry(program.roots()).lower();
  auto run = plan.forward(parameters);
  plan.forward_into(run, parameters);
  for (const auto symbol : plan.results())
    if (!same_bits(run.of(symbol), oracle.of(symbol))) return differs("the plan", symbol);
  const auto field = oracle.backward(program.loss);
  const auto posture = network.entry({program.loss}).backward().lower().forward(parameters).backward(program.loss);
  for (const auto& [wrt, gradient] : program.first->pairs()) {
    if (!same_bits(field.of(wrt), oracle.of(gradient))) return differs("the engine", gradient);
    if (!same_bits(posture.of(wrt), oracle.of(gradient))) return differs("the backward posture", gradient);
  }
  const auto loaded = from_text(to_text(network));
  const auto again = loaded.forward(loaded.parameters());
  for (const auto& node : loaded.nodes()) {
    const Symbol original{parameters.family(), node.symbol().index()};
    if (!same_bits(again.of(node.symbol()), oracle.of(original))) return differs("the loaded text", original);
  }
  return std::nullopt;
}

/// The program that the bytes choose: element, order of differentiation, recording.
inline Program fuzzed_program(const std::uint8_t* bytes, std::size_t count) {
  constexpr ElementType elements[] = {f32, f64, bf16};
  Random random(bytes, count);
  const auto element = elements[random.below(3)];
  const int order = random.below(4) == 0 ? 2 : 1;
  const Sample sample{"fuzzed", [&](Tape& tape) { return RandomProgram(tape, random).record(); }};
  return build(sample, element, order);
}
inline std::optional<std::string> disagreement_of(const std::uint8_t* bytes, std::size_t count) {
  return disagreement(fuzzed_program(bytes, count));
}

}  // namespace topos::test
