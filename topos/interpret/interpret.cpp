#include "topos/interpret/interpret.h"

#include <fmt/format.h>

#include "topos/base/float_environment.h"
#include "topos/interpret/run_state.h"
#include "topos/interpret/watcher.h"
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

namespace {

/// The last feed of an input, or none.
const Feed* feed_of(Feeds feeds, Index node) {
  const Feed* last = nullptr;
  for (const auto& feed : feeds)
    if (feed.input.index() == node) last = &feed;
  return last;
}

/// One node's payload from those before it.
Tensor payload_at(const Spec& spec, Index i, const Parameters& parameters, Feeds feeds,
                  const std::vector<Tensor>& values, std::vector<const Tensor*>& room, std::string_view operation) {
  const auto& graph = spec.graph;
  if (graph.is<op::Leaf>(i)) return spec.slots.constants[graph.slot(i)];
  if (graph.is<op::Parameter>(i)) return parameters.payloads()[graph.slot(i)];
  if (graph.is<op::Input>(i)) {
    const auto* feed = feed_of(feeds, i);
    return feed != nullptr ? fed_payload(spec, i, *feed, operation) : spec.slots.inputs[graph.slot(i)];
  }
  room.clear();
  for (const auto operand : graph.operands(i)) room.push_back(&values[operand]);
  try {
    return express<Tensor>(graph.op(i), room);
  } catch (const Error& error) {  // an index out of range, for one: name the node that read it
    throw Error(error.kind(), error.operation(), fmt::format("node {}: {}", i, error.text()), error.types(),
                graph.site(i));
  }
}

}  // namespace

std::vector<Tensor> interpret(const Spec& spec, const Parameters& parameters, Feeds feeds,
                              const Interpretation& interpretation) {
  const FloatEnvironment exact;
  const auto& [wanted, watch, every_slot, operation] = interpretation;
  check_parameters(spec, parameters, spec.slots.parameters.size(), every_slot, operation);
  for (const auto& feed : feeds) {
    const auto node = fed_node(spec, spec.graph.size(), feed, operation);
    // The feeds that the run reads are checked where it reads them, the others here.
    const bool read = feed_of(feeds, node) == &feed && (wanted == nullptr || (*wanted)[node]);
    if (!read) fed_payload(spec, node, feed, operation);
  }
  std::optional<Watcher> watcher;
  if (watch) watcher.emplace(spec, *watch);
  std::vector<Tensor> values;
  values.reserve(spec.graph.size());
  std::vector<const Tensor*> room;
  for (Index i = 0; i < spec.graph.size(); ++i) {
    if (wanted != nullptr && (i >= wanted->size() || !(*wanted)[i])) {
      values.emplace_back();
      continue;
    }
    values.push_back(payload_at(spec, i, parameters, feeds, values, room, operation));
    if (watcher) watcher->look(i, values.back(), values);
  }
  return values;
}

namespace {

Run run_of(const SharedSpec& spec, const Parameters::Nodes& parameter_nodes, std::vector<Tensor> payloads) {
  auto* state = new RunState;
  Run run(state);
  state->spec = spec;
  state->parameter_nodes = parameter_nodes;
  state->size = spec->graph.size();
  state->backward = true;
  state->payloads = std::move(payloads);
  return run;
}

}  // namespace

Run Network::forward(const Parameters& parameters, Feeds feeds) const {
  return run_of(spec_, parameter_nodes_,
                topos::interpret(*spec_, parameters, feeds, {nullptr, std::nullopt, true, "Network::forward"}));
}
Run Network::forward(const Parameters& parameters, FeedList feeds) const {
  return forward(parameters, Feeds(feeds.begin(), feeds.size()));
}
Run Network::forward(const Parameters& parameters, Feeds feeds, Watch watch) const {
  return run_of(spec_, parameter_nodes_,
                topos::interpret(*spec_, parameters, feeds, {nullptr, watch, true, "Network::forward"}));
}
Run Network::forward(const Parameters& parameters, FeedList feeds, Watch watch) const {
  return forward(parameters, Feeds(feeds.begin(), feeds.size()), watch);
}

}  // namespace topos
