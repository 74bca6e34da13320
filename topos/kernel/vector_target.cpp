#include "topos/kernel/vector_target.h"

#include <cstdint>

#include "topos/kernel/targets.h"

#include <hwy/highway.h>

namespace topos::kernel {
namespace {

constexpr std::int64_t compiled = HWY_TARGETS;
constexpr bool single = (compiled & (compiled - 1)) == 0;  // chosen by the compiler: nothing to ask, nothing to change

std::vector<std::string_view> names_of(std::int64_t targets) {
  std::vector<std::string_view> names;
  for (; targets != 0; targets &= targets - 1)
    names.emplace_back(hwy::TargetName(targets & -targets));  // lower: better
  return names;
}
/// Those that may be used now. The target that needs nothing special is one of them, whatever Highway calls its own.
std::int64_t usable() {
  if constexpr (single)
    return compiled;
  else
    return hwy::SupportedTargets() & compiled;
}
std::int64_t in_use() {
  const auto targets = usable();
  return targets != 0 ? targets & -targets : std::int64_t{HWY_STATIC_TARGET};
}
/// A mask of 0 stands for every target of the machine.
void set(std::int64_t mask) {
  if constexpr (!single) {
    hwy::SetSupportedTargetsForTest(mask);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

/// What this machine has, whatever is in use.
std::int64_t available() {
  if constexpr (single) return compiled;
  const auto now = in_use();
  set(0);
  const auto all = usable() | HWY_STATIC_TARGET;
  if ((all & -all) != now) set(now);
  return all;
}

}  // namespace

std::vector<std::string_view> compiled_targets() { return names_of(compiled); }
std::vector<std::string_view> available_targets() { return names_of(available()); }
std::string_view target_in_use() { return hwy::TargetName(in_use()); }

bool target_fuses() {
  [[maybe_unused]] constexpr std::int64_t without =
      HWY_SSSE3 | HWY_SSE4 | HWY_SCALAR | HWY_EMU128 | HWY_WASM | HWY_WASM_EMU256;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return true;
#else
  return (in_use() & without) == 0;
#endif
}

bool use_target(std::string_view name) {
  if (name.empty()) return set(0), true;
  for (auto targets = available(); targets != 0; targets &= targets - 1) {
    const auto target = targets & -targets;
    if (hwy::TargetName(target) != name) continue;
    set(target);
    return true;
  }
  return false;
}

}  // namespace topos::kernel
