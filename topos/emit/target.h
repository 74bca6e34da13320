// The version of StableHLO that a module promises to be serialisable for. Internal.
#pragma once
#include <string_view>

namespace topos {

/// Throws Error(argument) unless `target` is empty, which promises nothing, or a version MAJOR.MINOR.PATCH from 0.9.0
/// on.
void check_target(std::string_view target);

}  // namespace topos
