// The invariants of a recorded program, checked: what everything that reads a graph relies on.
#pragma once
#include "topos/spec/network.h"

namespace topos {

/// Checks every node, payload slot and label of the network: operands stand before their node and are as many as the
/// opcode takes, the opcode's rule gives the recorded type, payloads have their node's type. A network that was
/// recorded or loaded always passes. Linear in nodes. Throws Error(argument) that names the node and what is wrong.
void verify(const Network& network);

/// The same for a program that may still grow; nodes before `first` are taken as checked.
void verify(const Spec& spec, Index first = 0);

}  // namespace topos
