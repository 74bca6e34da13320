// A source and the value that takes its place: what the next run starts from.
#pragma once
#include "topos/spec/symbol.h"

namespace topos {

/// `auto [source, value] = replacement`.
struct Replacement {
  Symbol source;  ///< a parameter or an input
  Symbol value;   ///< of the same type

  friend bool operator==(const Replacement&, const Replacement&) = default;
};

}  // namespace topos
