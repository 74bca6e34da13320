// What a run keeps: payloads and who may read them. Internal; executors fill it.
#pragma once
#include <atomic>

#include "topos/interpret/run.h"
#include "topos/spec/spec.h"

namespace topos {

/// Counted, and given back to the pool that made it: a plan's runs recycle theirs.
struct RunState {
  std::atomic<std::uint32_t> holders{1};
  RunStatePool* home = nullptr;
  SharedSpec spec;
  Parameters::Nodes parameter_nodes;
  /// Null: every node is kept, in node order. Otherwise the kept nodes, payloads in their order.
  std::shared_ptr<const std::vector<Index>> nodes;
  /// Node to its place in `nodes`, where backward may ask for many; null otherwise.
  std::shared_ptr<const std::vector<Index>> positions;
  std::size_t readable = 0;  // of `nodes`, the first so many may be read; the others serve backward
  Index size = 0;            // nodes that the run covers
  bool backward = false;
  std::vector<Tensor> payloads;

  const Tensor* find(Index node) const;
};

}  // namespace topos
