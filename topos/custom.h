// What user algebras need on top: the opcodes, the fallbacks, and a walk of a network over any algebra.
#pragma once
#include "topos/spec/node_walk.h"
#include "topos/tensor/user_element.h"
#include "topos/topos.h"

namespace topos {

/// Reads a network over an algebra: `lift(symbol, payload)` makes a payload of V from the tensor of a leaf, parameter
/// or input (parameters as given, inputs at their defaults) or of a count. Gives every node's payload in node order.
/// Throws Error(argument), naming the node's place, for a function that the algebra lacks.
template <class V, class Lift>
std::vector<V> walk(const Network& network, const Parameters& parameters, Lift&& lift) {
  std::vector<V> values;
  values.reserve(network.size());
  std::vector<const V*> in;
  for (const auto& node : network.nodes()) {
    const auto operands = node.operands();
    if (node.is_source()) {
      const bool parameter = node.opcode().name() == op::Parameter::name;
      values.push_back(lift(node.symbol(), parameter ? parameters.of(node.symbol()) : *network.payload(node.symbol())));
    } else if (operands.empty()) {
      values.push_back(lift(node.symbol(), node.opcode().template express<Tensor>(std::vector<const Tensor*>{})));
    } else {
      in.clear();
      for (const auto operand : operands) in.push_back(&values[operand.index()]);
      try {
        values.push_back(node.opcode().template express<V>(in));
      } catch (const Error& error) {
        if (!error.operation().empty()) throw;
        throw Error(error.kind(), std::string(node.name()), error.text(), {node.type().text()}, node.site());
      }
    }
  }
  return values;
}

}  // namespace topos
