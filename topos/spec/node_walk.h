// The definitions behind Opcode::express and Opcode::vjp, for every algebra. Internal but for custom.h.
#pragma once
#include "topos/spec/node.h"
#include "topos/spec/spec.h"

namespace topos {

template <class V>
V Opcode::express(std::span<const V* const> operands) const {
  return topos::express<V>(spec_->graph.op(node_), operands);
}

template <class V>
std::vector<std::optional<V>> Opcode::vjp(std::span<const V* const> operands, const V& output,
                                          const V& cotangent) const {
  auto pulled = pull_back<V>(spec_->graph.op(node_), operands, output, cotangent);
  std::vector<std::optional<V>> cotangents;
  for (std::size_t i = 0; i < pulled.size(); ++i) cotangents.push_back(std::move(pulled[i]));
  return cotangents;
}

}  // namespace topos
