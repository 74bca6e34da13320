#include "topos/emit/target.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "topos/base/error.h"

namespace topos {
namespace {

using Version = std::array<int, 3>;
constexpr Version oldest{0, 9, 0};

/// Three decimal numbers between dots, and nothing else.
std::optional<Version> version_of(std::string_view text) {
  Version version{};
  const auto* at = text.data();
  const auto* const end = at + text.size();
  for (std::size_t k = 0; k < version.size(); ++k) {
    if (k != 0 && (at == end || *at++ != '.')) return std::nullopt;
    if (at == end || *at < '0' || *at > '9') return std::nullopt;  // no sign
    const auto [next, error] = std::from_chars(at, end, version[k]);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return version;
}

}  // namespace

void check_target(std::string_view target) {
  if (target.empty()) return;
  const auto version = version_of(target);
  if (version && *version >= oldest) return;
  throw Error(
      ErrorKind::argument, "Plan::emit_stablehlo",
      fmt::format("the target \"{}\" is {}: name a version of StableHLO as MAJOR.MINOR.PATCH, from 0.9.0 on, or "
                  "leave it empty to promise none",
                  target, version ? "older than what can be promised" : "not a version"));
}

}  // namespace topos
