// The StableHLO lines that small recordings lower to.
#pragma once
#include "support/golden.h"
#include "support/program.h"

namespace topos::test {

/// The lines of the body of the module that returns what `record` gives, joined, without their indent.
inline std::string body_of(const std::function<Value(Tape&)>& record, ElementType element = f32,
                           const EmitOptions& options = {}) {
  Tape tape(element);
  const Symbol root = record(tape);
  const auto network = std::move(tape).into_network();
  std::istringstream text(network.entry({root}).lower().emit_stablehlo(options));
  std::string body;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("    ") || line.starts_with("    return")) continue;
    body += line.substr(4) + "\n";
  }
  return body;
}

inline Value input(Tape& tape, const Shape& shape, ElementType element = f32) {
  return tape.input(Tensor::full({element, shape}, 0));
}

template <class F>
std::string of_one(const Shape& shape, F f, ElementType element = f32, const EmitOptions& options = {}) {
  return body_of([&](Tape& tape) { return f(input(tape, shape, element)); }, element, options);
}
template <class F>
std::string of_two(const Shape& a, const Shape& b, F f, ElementType element = f32) {
  return body_of(
      [&](Tape& tape) {
        const auto left = input(tape, a, element);
        const auto right = input(tape, b, element);
        return f(left, right);
      },
      element);
}

}  // namespace topos::test
