#include "topos/plan/entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/spec/spec.h"

namespace topos {

BoundEntry Network::entry(const std::vector<Symbol>& roots) const { return bind({roots}); }
BoundEntry Network::bind(Entry entry) const { return {spec_, parameter_nodes_, std::move(entry)}; }

BoundEntry& BoundEntry::observe(const std::vector<Symbol>& symbols) {
  entry_.observed.insert(entry_.observed.end(), symbols.begin(), symbols.end());
  return *this;
}

BoundEntry& BoundEntry::backward() {
  entry_.backward = true;
  return *this;
}

BoundEntry& BoundEntry::numerics(Numerics numerics) {
  entry_.numerics = numerics;
  return *this;
}

void BoundEntry::check(const Replacement& replacement, std::size_t earlier) const {
  static constexpr std::string_view operation = "BoundEntry::replaces";
  const auto refuse = [&](const std::string& text, std::vector<std::string> types = {}) {
    const auto kind = types.empty() ? ErrorKind::argument : ErrorKind::type;
    throw Error(kind, std::string(operation), text, std::move(types));
  };
  const auto& graph = spec_->graph;
  const auto source = index_in(*spec_, replacement.source, operation, "is not allocated in this network");
  const auto value = index_in(*spec_, replacement.value, operation, "is not allocated in this network");
  if (!graph.is<op::Parameter>(source) && !graph.is<op::Input>(source))
    refuse(fmt::format("node {} is a {}: only a parameter or an input can be replaced", source,
                       name_of(graph.op(source))));
  const auto declares = [&](const std::vector<Symbol>& list) {
    return std::find(list.begin(), list.end(), replacement.value) != list.end();
  };
  if (!declares(entry_.roots) && !declares(entry_.observed))
    refuse(
        fmt::format("node {}, which would replace node {}, is not declared: name it among the roots, or observe it "
                    "before",
                    value, source));
  const auto& from = graph.type(source);
  const auto& to = graph.type(value);
  if (!(from == to))
    refuse(fmt::format("node {} is {} and would be replaced by node {}, {}", source, from.text(), value, to.text()),
           {from.text(), to.text()});
  for (std::size_t k = 0; k < earlier; ++k) {
    const auto& other = entry_.replaced[k];
    if (other.source == replacement.source)
      refuse(fmt::format("node {} is replaced already, by node {}: a source is replaced once", source,
                         other.value.index()));
    if (other.value == replacement.value)
      refuse(fmt::format("node {} replaces node {} already: a value replaces one source", value, other.source.index()));
  }
}

BoundEntry& BoundEntry::replaces(Symbol source, Symbol value) {
  const Replacement replacement{source, value};
  check(replacement, entry_.replaced.size());
  entry_.replaced.push_back(replacement);
  return *this;
}

BoundEntry& BoundEntry::replaces(const std::vector<Replacement>& replacements) {
  for (const auto& [source, value] : replacements) replaces(source, value);
  return *this;
}

void BoundEntry::check_steady(Symbol source) const {
  static constexpr std::string_view operation = "BoundEntry::steady";
  const auto& graph = spec_->graph;
  const auto i = index_in(*spec_, source, operation, "is not allocated in this network");
  if (!graph.is<op::Parameter>(i) && !graph.is<op::Input>(i))
    throw Error(
        ErrorKind::argument, std::string(operation),
        fmt::format("node {} is a {}: only a parameter or an input is given in each run", i, name_of(graph.op(i))), {},
        graph.site(i));
}

BoundEntry& BoundEntry::steady(const std::vector<Symbol>& sources) {
  for (const auto source : sources) check_steady(source);
  entry_.steady.insert(entry_.steady.end(), sources.begin(), sources.end());
  return *this;
}

std::vector<Symbol> BoundEntry::results() const {
  std::vector<Symbol> symbols;
  for (const auto* list : {&entry_.roots, &entry_.observed})
    for (const auto symbol : *list) {
      index_in(*spec_, symbol, "Network::entry", "is not allocated in this network");
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) symbols.push_back(symbol);
    }
  return symbols;
}

}  // namespace topos
