#include "topos/spec/network.h"

#include <algorithm>

#include "topos/spec/describe.h"
#include "topos/spec/recorder.h"
#include "topos/spec/tape.h"

namespace topos {

Network::Network(std::shared_ptr<const Spec> spec, Parameters::Nodes parameter_nodes)
    : spec_(std::move(spec)), parameter_nodes_(std::move(parameter_nodes)) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

Parameters Network::parameters() const { return {spec_->graph.family(), parameter_nodes_, spec_->slots.parameters}; }

ElementType Network::element() const { return spec_->working; }
std::size_t Network::size() const { return spec_->graph.size(); }

Node Network::node(Symbol symbol) const {
  return {spec_, index_in(*spec_, symbol, "Network::node", "is not allocated in this network")};
}

std::vector<Node> Network::nodes() const {
  std::vector<Node> nodes;
  nodes.reserve(size());
  for (Index i = 0; i < spec_->graph.size(); ++i) nodes.emplace_back(spec_, i);
  return nodes;
}

std::optional<Tensor> Network::payload(Symbol symbol) const {
  return payload_of(*spec_, index_in(*spec_, symbol, "Network::payload", "is not allocated in this network"));
}

std::string Network::describe() const { return topos::describe(*spec_, "network"); }

Tape Network::into_tape() && {
  // Plans, runs and nodes that still hold the columns keep them as they are: reopening then works on a copy.
  auto spec = spec_.use_count() == 1 ? std::const_pointer_cast<Spec>(std::move(spec_)) : std::make_shared<Spec>(*spec_);
  spec_.reset();
  return Tape(std::make_unique<Recorder>(std::move(spec)));
}

std::vector<Symbol> order_left_to_compiler(const Network& network) {
  const auto& graph = network.spec()->graph;
  std::vector<Symbol> found;
  for (Index i = 0; i < graph.size(); ++i) {
    if (graph.node(i).origin != nowhere) continue;  // a rule's order is the library's
    const auto here = graph.site(i);
    const bool composite = graph.by_composite(i);
    std::vector<Index> beside;
    for (const auto operand : graph.operands(i)) {
      const bool inside = composite && graph.by_composite(operand);  // the composite's own order
      const bool known = std::find(beside.begin(), beside.end(), operand) != beside.end();
      if (graph.is<op::Leaf>(operand) || inside || known || !(graph.site(operand) == here)) continue;
      beside.push_back(operand);
    }
    if (beside.size() > 1) found.emplace_back(graph.family(), i);
  }
  return found;
}

}  // namespace topos
