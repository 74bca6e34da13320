// Owns which vector target the kernels run on: the compiled ones, those this machine has, the one in use.
#pragma once
#include <string_view>
#include <vector>

namespace topos::kernel {

/// The vector targets that the kernels are compiled for, the best first: "AVX2", "SCALAR".
std::vector<std::string_view> compiled_targets();
/// Of these, the ones that this machine has; never empty.
std::vector<std::string_view> available_targets();
std::string_view target_in_use();
/// Whether that target multiplies and adds with one rounding by an instruction; else that is emulated, exactly.
bool target_fuses();

/// From now on prepare() finds kernels of this target: for tests, which compare targets. An empty name gives the best
/// one back. False, and nothing changes, where it is not available. Not while other threads prepare or run.
bool use_target(std::string_view name);

}  // namespace topos::kernel
