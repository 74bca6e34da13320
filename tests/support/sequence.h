// What a composite records, as one line: opcodes in order with their attributes and operands.
#pragma once
#include <string>

#include "topos/topos.h"

namespace topos::test {

/// `Leaf, SumAlong axis=1, Div`: the nodes behind the first `from` of a tape.
inline std::string sequence_from(const Tape& tape, std::size_t from) {
  std::string text;
  const auto nodes = tape.nodes();
  for (std::size_t i = from; i < nodes.size(); ++i) {
    text += (i == from ? "" : ", ") + std::string(nodes[i].name());
    if (const auto attributes = nodes[i].opcode().attributes(); !attributes.empty()) text += " " + attributes;
  }
  return text;
}

/// What `record` appends over inputs of these types; every node carries the line of the composite's call.
template <class F>
std::string sequence_of(const std::vector<TensorType>& types, F record) {
  Tape tape;
  std::vector<Value> in;
  for (const auto& type : types) in.push_back(tape.input(Tensor::full(type, 0)));
  record(in);
  const auto text = sequence_from(tape, types.size());
  EXPECT_TRUE(order_left_to_compiler(std::move(tape).into_network()).empty()) << text;
  return text;
}

}  // namespace topos::test
