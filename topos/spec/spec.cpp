#include "topos/spec/spec.h"

#include <fmt/format.h>

namespace topos {

Index index_in(const Spec& spec, Symbol symbol, std::string_view operation, std::string_view reason) {
  if (symbol.family() != spec.graph.family())
    throw Error(ErrorKind::family, std::string(operation), "the symbol belongs to a different network");
  if (symbol.index() >= spec.graph.size())
    throw Error(ErrorKind::coverage, std::string(operation),
                fmt::format("node {} {}, which has {} nodes", symbol.index(), reason, spec.graph.size()));
  return symbol.index();
}

std::optional<Tensor> payload_of(const Spec& spec, Index i) {
  const auto& graph = spec.graph;
  if (graph.is<op::Leaf>(i)) return spec.slots.constants[graph.slot(i)];
  if (graph.is<op::Parameter>(i)) return spec.slots.parameters[graph.slot(i)];
  if (graph.is<op::Input>(i)) return spec.slots.inputs[graph.slot(i)];
  return std::nullopt;
}

}  // namespace topos
