// The interpreter: every node in order, by the readable reference. Internal.
#pragma once
#include "topos/interpret/run.h"
#include "topos/spec/spec.h"
#include "topos/spec/watch.h"

namespace topos {

/// What a run of `spec` checks before it begins. `exact`: one payload for every slot, else at least `slots`.
void check_parameters(const Spec& spec, const Parameters& parameters, std::size_t slots, bool exact,
                      std::string_view operation);
/// A feed's node. Throws Error(family), Error(coverage) or, when it is no input, Error(feed).
Index fed_node(const Spec& spec, Index size, const Feed& feed, std::string_view operation);
/// A feed's payload as the input declares it. Throws Error(feed) naming both types.
Tensor fed_payload(const Spec& spec, Index node, const Feed& feed, std::string_view operation);

/// What an interpreter run looks at besides the spec.
struct Interpretation {
  const std::vector<bool>* wanted = nullptr;  // the nodes to run; all of them without it
  std::optional<Watch> watch;
  bool every_slot = true;  // whether the parameters must have no slot more than the spec
  std::string_view operation;
};

/// Runs the wanted nodes and gives every payload in node order.
std::vector<Tensor> interpret(const Spec& spec, const Parameters& parameters, Feeds feeds,
                              const Interpretation& interpretation);

}  // namespace topos
