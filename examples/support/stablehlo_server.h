// Finding the command of a resident process that compiles StableHLO.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace examples {

/// The words of the command `given`; where it is empty, those of $TOPOS_STABLEHLO_EVALUATOR and
/// `--resident --engine xla`; where that is not set, tools/serve-stablehlo.py below `source`, run by the Python that
/// `scripts/setup --conformance` installs there. Throws MissingData where neither is there, and std::invalid_argument
/// for a command that cannot be split into words.
std::vector<std::string> stablehlo_server(const std::string& given, const std::filesystem::path& source);
/// The same below the source tree that this was built from.
std::vector<std::string> stablehlo_server(const std::string& given);

}  // namespace examples
