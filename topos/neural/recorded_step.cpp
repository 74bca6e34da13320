#include "topos/neural/recorded_step.h"

namespace topos {

std::vector<Symbol> RecordedStep::roots() const {
  std::vector<Symbol> symbols{target_};
  for (const auto& [source, value] : replacements_) symbols.push_back(value);
  return symbols;
}

Parameters RecordedStep::apply(const Run& run, const Parameters& parameters) const {
  std::vector<std::pair<Symbol, Tensor>> replaced;
  replaced.reserve(replacements_.size());
  for (const auto& [source, value] : replacements_) replaced.emplace_back(source, run.of(value));
  return parameters.with(replaced);
}

}  // namespace topos
