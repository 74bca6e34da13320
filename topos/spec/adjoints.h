// A recorded derivative by its names: the target and, for each wrt, its gradient.
#pragma once
#include <utility>
#include <vector>

#include "topos/spec/symbol.h"

namespace topos {

/// What `differentiate` and `vjp` give back. Plain data.
class Adjoints {
 public:
  Adjoints(Symbol target, std::vector<std::pair<Symbol, Symbol>> pairs) : target_(target), pairs_(std::move(pairs)) {}

  Symbol target() const { return target_; }
  /// (wrt, gradient) in the order asked for.
  const std::vector<std::pair<Symbol, Symbol>>& pairs() const { return pairs_; }
  std::vector<Symbol> wrt() const;
  std::vector<Symbol> gradients() const;
  /// The gradient of one wrt. Throws Error(coverage) when it was not asked for.
  Symbol of(Symbol wrt) const;
  /// The target, then the gradients: what an entry of a training step names.
  std::vector<Symbol> roots() const;

 private:
  Symbol target_;
  std::vector<std::pair<Symbol, Symbol>> pairs_;
};

}  // namespace topos
