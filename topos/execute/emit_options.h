// What an emitted module promises and how it spells compositions.
#pragma once
#include <string>

namespace topos {

/// Choices of `Plan::emit_stablehlo`. None of them reaches a plan's own bits.
struct EmitOptions {
  /// A version of StableHLO, `MAJOR.MINOR.PATCH` from 0.9.0 on, that the module can be serialised for: it then holds
  /// operations of StableHLO alone, and Erf is written in them. Empty promises nothing.
  std::string target = {};
  /// Whether compositions are written as the operation that they are: convolution, reduce_window, batch_norm, ... Else
  /// every node is written by itself.
  bool raise = true;
};

}  // namespace topos
