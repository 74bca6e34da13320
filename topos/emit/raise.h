// Compositions as the StableHLO operations they are: convolution, reduce_window, select_and_scatter, batch_norm.
// Internal.
#pragma once
#include "topos/plan/catalog.h"
#include "topos/spec/graph.h"
#include "topos/stablehlo/writer.h"

namespace topos {

/// What a raise reads and writes.
struct Raising {
  const Graph& graph;
  stablehlo::Writer& writer;
  const Pattern& pattern;
  const std::vector<std::string>& names;  // of every node that has one
  std::string epsilon;                    // of a batch norm, its literal
};

/// Nodes that the raised text reads.
std::vector<Index> reads_of(const Pattern& pattern);

/// Writes the lines. The names of what the pattern gives: its root, then its named nodes.
std::vector<std::string> raise(const Raising& raising);

}  // namespace topos
