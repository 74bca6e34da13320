#include "topos/plan/entry.h"

#include <algorithm>

#include "topos/spec/spec.h"

namespace topos {

BoundEntry Network::entry(const std::vector<Symbol>& roots) const { return bind({roots, {}, false, Numerics::exact}); }
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
