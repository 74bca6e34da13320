// A node's permanent name: the family of its network and its number.
#pragma once
#include <compare>
#include <functional>

#include "topos/base/types.h"

namespace topos {

/// Outlives every tape and network; any carrier of the same family answers to it. Two symbols are equal only if both
/// parts are.
class Symbol {
 public:
  /// Names nothing.
  constexpr Symbol() = default;
  constexpr Symbol(std::uint64_t family, Index index) : family_(family), index_(index) {}

  /// The number that `describe` prints.
  constexpr Index index() const { return index_; }
  /// What a tape, its network and everything made of them share.
  constexpr std::uint64_t family() const { return family_; }

  friend constexpr auto operator<=>(const Symbol&, const Symbol&) = default;

 private:
  std::uint64_t family_ = 0;
  Index index_ = nowhere;
};

}  // namespace topos

template <>
struct std::hash<topos::Symbol> {
  std::size_t operator()(const topos::Symbol& symbol) const noexcept {
    return std::hash<std::uint64_t>()(symbol.family() * 0x9E3779B97F4A7C15u + symbol.index());
  }
};
