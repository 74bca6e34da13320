// The recorded program whole: its graph and, beside it, the payloads of its sources. Internal.
#pragma once
#include <memory>
#include <optional>

#include "topos/spec/graph.h"
#include "topos/spec/symbol.h"
#include "topos/tensor/tensor.h"

namespace topos {

/// Payloads by slot, in recording order.
struct Slots {
  std::vector<Tensor> constants;   // leaves; equal numbers of one type share a slot
  std::vector<Tensor> parameters;  // the record-time initials
  std::vector<Tensor> inputs;      // the defaults
  std::vector<Index> parameter_nodes;
  std::vector<Index> input_nodes;
};

/// A network and everything made of it share one of these; only a tape that nobody else shares writes it.
struct Spec {
  Graph graph;
  Slots slots;
  ElementType working;  // the element that a bare number takes
};

using SharedSpec = std::shared_ptr<const Spec>;

/// A symbol's node. Throws Error(family) for another network's symbol and Error(coverage), with `reason`, for one that
/// these nodes do not reach.
Index index_in(const Spec& spec, Symbol symbol, std::string_view operation, std::string_view reason);

/// What a leaf, parameter or input holds; nothing for a computed node.
std::optional<Tensor> payload_of(const Spec& spec, Index i);

}  // namespace topos
