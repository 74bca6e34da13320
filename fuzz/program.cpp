// Random programs: the input chooses what is recorded; every reading of it must give the interpreter's bits.
#include <cstdio>
#include <cstdlib>

#include "support/program.h"
#include "support/random_program.h"

namespace {

using namespace topos;

[[noreturn]] void disagree(const char* reading, const Network& network, Symbol symbol) {
  std::fprintf(stderr, "%s disagrees with the interpreter at node %u\n%s", reading,
               static_cast<unsigned>(symbol.index()), network.describe().c_str());
  std::abort();
}

/// Forward, gradient and, for short programs, its gradient: interpreter against plan, engine against recording.
void compare(const test::Program& program) {
  const auto& network = program.network;
  const auto parameters = network.parameters();
  const auto oracle = network.forward(parameters);
  const auto plan = network.entry(program.roots()).lower();
  auto run = plan.forward(parameters);
  plan.forward_into(run, parameters);
  for (const auto symbol : plan.results())
    if (!same_bits(run.of(symbol), oracle.of(symbol))) disagree("the plan", network, symbol);
  const auto field = oracle.backward(program.loss);
  const auto posture = network.entry({program.loss}).backward().lower().forward(parameters).backward(program.loss);
  for (const auto& [wrt, gradient] : program.first->pairs()) {
    if (!same_bits(field.of(wrt), oracle.of(gradient))) disagree("the engine", network, gradient);
    if (!same_bits(posture.of(wrt), oracle.of(gradient))) disagree("the backward posture", network, gradient);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  constexpr ElementType elements[] = {f32, f64, bf16};
  test::Random random(bytes, count);
  const auto element = elements[random.below(3)];
  const int order = random.below(4) == 0 ? 2 : 1;
  const test::Sample sample{"fuzzed", [&](Tape& tape) { return test::RandomProgram(tape, random).record(); }};
  compare(test::build(sample, element, order));
  return 0;
}
