#include "topos/spec/adjoints.h"

#include <fmt/format.h>

#include "topos/base/error.h"

namespace topos {

std::vector<Symbol> Adjoints::wrt() const {
  std::vector<Symbol> symbols;
  for (const auto& [wrt, gradient] : pairs_) symbols.push_back(wrt);
  return symbols;
}

std::vector<Symbol> Adjoints::gradients() const {
  std::vector<Symbol> symbols;
  for (const auto& [wrt, gradient] : pairs_) symbols.push_back(gradient);
  return symbols;
}

Symbol Adjoints::of(Symbol wrt) const {
  for (const auto& [asked, gradient] : pairs_)
    if (asked == wrt) return gradient;
  throw Error(ErrorKind::coverage, "Adjoints::of",
              fmt::format("the gradient of node {} was not requested: name it in differentiate", wrt.index()));
}

std::vector<Symbol> Adjoints::roots() const {
  std::vector<Symbol> symbols{target_};
  for (const auto& [wrt, gradient] : pairs_) symbols.push_back(gradient);
  return symbols;
}

}  // namespace topos
