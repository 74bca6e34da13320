// Pair: what a window has for its height and its width.
#pragma once
#include "topos/base/types.h"

namespace topos {

/// Two numbers, of the rows and of the columns; one number stands for both.
struct Pair {
  constexpr Pair(Extent both) : rows(both), columns(both) {}
  constexpr Pair(Extent rows, Extent columns) : rows(rows), columns(columns) {}

  friend constexpr bool operator==(const Pair&, const Pair&) = default;

  Extent rows;
  Extent columns;
};

}  // namespace topos
