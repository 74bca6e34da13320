#include "topos/base/build_info.h"

#include <fmt/format.h>

#include "topos/element/elementary_f64.h"
#include "topos/kernel/vector_target.h"

#ifndef TOPOS_VERSION
#define TOPOS_VERSION "without a version"
#endif

namespace topos {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "an unknown compiler";
#endif
}

}  // namespace

std::string build_info() {
  return fmt::format("topos {}, numerics {}; {}; vector targets {}, {} in use; fused multiply-add {}", TOPOS_VERSION,
                     elementary::numerics_version, compiler(), fmt::join(kernel::compiled_targets(), " "),
                     kernel::target_in_use(), kernel::target_fuses() ? "by instruction" : "emulated exactly");
}

}  // namespace topos
