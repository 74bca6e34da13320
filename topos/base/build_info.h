// Owns the line that says which build of the library this is.
#pragma once
#include <string>

namespace topos {

/// Version, version of the numerics, compiler, the vector targets that the kernels are compiled for, the one in use,
/// and whether it multiplies and adds with one rounding by an instruction or by an exact emulation. kernel/ defines it,
/// which knows the targets.
std::string build_info();

}  // namespace topos
