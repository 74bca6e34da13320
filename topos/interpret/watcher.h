// Looks at each payload of an interpreter run as it appears. Internal.
#pragma once
#include <vector>

#include "topos/spec/spec.h"
#include "topos/spec/watch.h"

namespace topos {

/// Called in node order. Remembers which nodes hold what is watched for; where one does and none of its operands does,
/// it throws.
class Watcher {
 public:
  Watcher(const Spec& spec, Watch watch) : spec_(spec), watch_(watch), holds_(spec.graph.size()) {}

  /// Throws Error(number): the node, the first element, the operands' ranges, the recording site and, for a node of a
  /// derivative, the forward node that it comes from.
  void look(Index i, const Tensor& payload, const std::vector<Tensor>& values);

 private:
  [[noreturn]] void report(Index i, const Tensor& payload, const std::vector<Tensor>& values, Extent element) const;
  /// The first element that is watched for, or -1.
  Extent find(const Tensor& payload) const;
  std::string name(Index i) const;

  const Spec& spec_;
  Watch watch_;
  std::vector<bool> holds_;
};

}  // namespace topos
