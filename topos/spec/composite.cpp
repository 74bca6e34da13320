#include "topos/spec/composite.h"

#include <exception>

#include "topos/spec/recorder.h"
#include "topos/spec/tape.h"

namespace topos {

Composite::Composite(const Value& value, const Site& site) : Composite(Recorder::of(value), site) {}
Composite::Composite(Tape& tape, const Site& site) : Composite(tape.recorder(), site) {}

Composite::Composite(Recorder& recorder, const Site& site)
    : recorder_(recorder),
      outer_(recorder.ambient),
      site_(site),
      nodes_(recorder.spec->graph.size()),
      links_(recorder.spec->graph.link_count()),
      parameters_(recorder.spec->slots.parameters.size()),
      inputs_(recorder.spec->slots.inputs.size()),
      exceptions_(std::uncaught_exceptions()) {
  if (outer_ == nullptr) recorder.ambient = &site_;
}

Composite::~Composite() {
  recorder_.ambient = outer_;
  if (std::uncaught_exceptions() == exceptions_) return;
  auto& [graph, slots, working] = *recorder_.spec;
  graph.truncate(nodes_, links_);
  // Constants stay: equal numbers may share them, and nothing lists them.
  slots.parameters.erase(slots.parameters.begin() + static_cast<std::ptrdiff_t>(parameters_), slots.parameters.end());
  slots.inputs.erase(slots.inputs.begin() + static_cast<std::ptrdiff_t>(inputs_), slots.inputs.end());
  slots.parameter_nodes.resize(parameters_);
  slots.input_nodes.resize(inputs_);
}

}  // namespace topos
