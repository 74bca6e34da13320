#include "topos/interpret/interpret.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/interpret/run_state.h"
#include "topos/spec/network.h"

namespace topos {

void check_parameters(const Spec& spec, const Parameters& parameters, std::size_t slots, bool exact,
                      std::string_view operation) {
  if (parameters.family() != spec.graph.family())
    throw Error(ErrorKind::family, std::string(operation), "the parameters belong to a different network");
  if (exact ? parameters.size() != slots : parameters.size() < slots)
    throw Error(ErrorKind::coverage, std::string(operation),
                fmt::format("the parameters have {} slots, not {}: carry the state over with Parameters::carried",
                            parameters.size(), slots));
}

Index fed_node(const Spec& spec, Index size, const Feed& feed, std::string_view operation) {
  if (feed.input.family() != spec.graph.family())
    throw Error(ErrorKind::family, std::string(operation), "a fed symbol belongs to a different network");
  const auto node = feed.input.index();
  if (node >= size)
    throw Error(ErrorKind::coverage, std::string(operation),
                fmt::format("fed node {} is outside of the {} nodes", node, size));
  if (!spec.graph.is<op::Input>(node))
    throw Error(ErrorKind::feed, std::string(operation),
                fmt::format("node {} is a {}: only inputs can be fed", node, name_of(spec.graph.op(node))),
                {spec.graph.type(node).text()}, spec.graph.site(node));
  return node;
}

Tensor fed_payload(const Spec& spec, Index node, const Feed& feed, std::string_view operation) {
  try {
    return feed.value.fitted(spec.graph.type(node));
  } catch (const Error& error) {
    const auto label = spec.graph.label(node);
    throw Error(ErrorKind::feed, std::string(operation),
                fmt::format("input {}{}{}: {}", node, label.empty() ? "" : " ", label, error.text()), error.types(),
                spec.graph.site(node));
  }
}

std::vector<Tensor> interpret(const Spec& spec, const Parameters& parameters, Feeds feeds,
                              const std::vector<bool>* wanted, std::string_view operation) {
  const auto& graph = spec.graph;
  const auto& slots = spec.slots;
  check_parameters(spec, parameters, slots.parameters.size(), true, operation);
  std::vector<Tensor> values(graph.size());
  std::vector<Index> fed;
  for (const auto& feed : feeds) {
    fed.push_back(fed_node(spec, graph.size(), feed, operation));
    values[fed.back()] = fed_payload(spec, fed.back(), feed, operation);
  }
  const auto is_fed = [&](Index i) { return std::find(fed.begin(), fed.end(), i) != fed.end(); };
  std::vector<const Tensor*> in;
  for (Index i = 0; i < graph.size(); ++i) {
    if (wanted != nullptr && !(*wanted)[i]) continue;
    const auto& op = graph.op(i);
    if (std::holds_alternative<op::Leaf>(op)) {
      values[i] = slots.constants[graph.slot(i)];
    } else if (std::holds_alternative<op::Parameter>(op)) {
      values[i] = parameters.payloads()[graph.slot(i)];
    } else if (std::holds_alternative<op::Input>(op)) {
      if (!is_fed(i)) values[i] = slots.inputs[graph.slot(i)];
    } else {
      in.clear();
      for (const auto operand : graph.operands(i)) in.push_back(&values[operand]);
      try {
        values[i] = express<Tensor>(op, in);
      } catch (const Error& error) {  // an index out of range, for one: name the node that read it
        throw Error(error.kind(), error.operation(), fmt::format("node {}: {}", i, error.text()), error.types(),
                    graph.site(i));
      }
    }
  }
  return values;
}

Run Network::forward(const Parameters& parameters, Feeds feeds) const {
  auto* state = new RunState;
  Run run(state);
  state->spec = spec_;
  state->parameter_nodes = parameter_nodes_;
  state->size = spec_->graph.size();
  state->backward = true;
  state->payloads = interpret(*spec_, parameters, feeds, nullptr, "Network::forward");
  return run;
}
Run Network::forward(const Parameters& parameters, FeedList feeds) const {
  return forward(parameters, Feeds(feeds.begin(), feeds.size()));
}

}  // namespace topos
