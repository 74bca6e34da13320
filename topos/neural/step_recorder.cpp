#include "topos/neural/step_recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/neural/misuse.h"

namespace topos::neural {

StepRecorder::StepRecorder(std::string_view facade, Tape& tape, const Adjoints& adjoints, const Value& rate,
                           const Site& site)
    : rate_(tape.resolve(rate)) {
  if (rate.shape().rank() != 0 || rate.element().kind() != ElementClass::floating)
    refuse_type(facade, fmt::format("the learning rate {} is not a floating scalar", rate.type().text()),
                {rate.type().text()}, site);
  for (const auto& [wrt, gradient] : adjoints.pairs()) {
    const auto node = tape.node(wrt);
    if (node.name() != "Parameter")
      refuse_argument(facade,
                      fmt::format("node {} is a {}, and only a parameter can be trained: differentiate with respect to "
                                  "parameters alone",
                                  wrt.index(), node.name()),
                      site);
    const auto value = tape.resolve(wrt);
    const bool again = std::any_of(slots_.begin(), slots_.end(),
                                   [&](const Slot& slot) { return slot.parameter.symbol() == value.symbol(); });
    if (again) refuse_argument(facade, fmt::format("the gradient of node {} is given twice", wrt.index()), site);
    slots_.push_back({value, tape.resolve(gradient)});
  }
}

Value Spread::like(const Value& x) {
  auto found = std::find_if(converted_.begin(), converted_.end(),
                            [&](const Value& value) { return value.element() == x.element(); });
  if (found == converted_.end()) found = converted_.insert(found, convert(scalar_, x.element()));
  return x.shape().rank() == 0 ? *found : broadcast(*found, x.shape());
}

}  // namespace topos::neural
