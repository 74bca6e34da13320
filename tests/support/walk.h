// The spec read from outside by its public nodes: evaluation, recording again and the reverse scan, all by hand.
#pragma once
#include <charconv>

#include "support/program.h"

namespace topos::test {

/// Every node's payload by `node.opcode().express<Tensor>`, sources at their record-time payloads.
inline std::vector<Tensor> walk_by_hand(const Network& network) {
  std::vector<Tensor> values;
  for (const auto& node : network.nodes()) {
    if (node.is_source()) {
      values.push_back(*network.payload(node.symbol()));
      continue;
    }
    std::vector<const Tensor*> in;
    for (const auto operand : node.operands()) in.push_back(&values[operand.index()]);
    values.push_back(node.opcode().express<Tensor>(in));
  }
  return values;
}

/// The text that `tape.describe` gives after every node was expressed over the values of a fresh tape.
inline std::string recorded_again(const Network& network) {
  Tape tape(network.element());
  std::vector<Value> values;
  for (const auto& node : network.nodes()) {
    const auto opcode = node.opcode();
    if (node.is_source()) {
      const auto payload = *network.payload(node.symbol());
      values.push_back(opcode.name() == "Leaf"        ? tape.leaf(payload)
                       : opcode.name() == "Parameter" ? tape.parameter(payload)
                                                      : tape.input(payload));
    } else if (opcode.name() == "Iota") {  // a count has no operand to find its tape by
      const auto text = opcode.attributes();
      Extent axis = -1;
      std::from_chars(text.data() + 5, text.data() + text.size(), axis);
      values.push_back(tape.iota(node.shape(), axis));
    } else {
      std::vector<const Value*> in;
      for (const auto operand : node.operands()) in.push_back(&values[operand.index()]);
      values.push_back(opcode.express<Value>(in));
    }
  }
  const auto again = std::move(tape).into_network();
  verify(again);
  return again.describe();
}

/// The reverse scan by `node.opcode().vjp<Tensor>`: for every node up to the target its cotangent, or nothing.
inline std::vector<std::optional<Tensor>> scan_by_hand(const Network& network, const std::vector<Tensor>& values,
                                                       Symbol target) {
  const auto nodes = network.nodes();
  std::vector<std::optional<Tensor>> cotangents(nodes.size());
  cotangents[target.index()] = full_like(values[target.index()], 1.0);
  for (Index i = target.index() + 1; i-- > 0;) {
    const auto operands = nodes[i].operands();
    if (!cotangents[i] || operands.empty()) continue;
    std::vector<const Tensor*> in;
    for (const auto operand : operands) in.push_back(&values[operand.index()]);
    const auto contributions = nodes[i].opcode().vjp<Tensor>(in, values[i], *cotangents[i]);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (!contributions[k]) continue;
      auto& total = cotangents[operands[k].index()];
      if (!total) total = full_like(*in[k], 0.0);
      total = *total + *contributions[k];
    }
  }
  return cotangents;
}

}  // namespace topos::test
