// The spec as text: one line a node. Internal.
#pragma once
#include <string>

#include "topos/spec/spec.h"

namespace topos {

/// One node: `   4  BroadcastAlong 3  axis=0 extent=4 [4, 5]`. A node of another element than the working one shows
/// its whole type.
std::string line_of(const Spec& spec, Index i);
/// Every node, then `tape: 6 nodes, 1 parameter, 1 input` after `noun`.
std::string describe(const Spec& spec, std::string_view noun);

}  // namespace topos
