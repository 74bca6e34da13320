// Looks for a server in the command line, the environment and the source tree.
#include "examples/support/stablehlo_server.h"

#include <fmt/format.h>

#include <cstdlib>

#include "examples/support/child_process.h"
#include "examples/support/names.h"

namespace examples {

std::vector<std::string> stablehlo_server(const std::string& given, const std::filesystem::path& source) {
  if (!given.empty()) return command_words(given);
  if (const char* evaluator = std::getenv("TOPOS_STABLEHLO_EVALUATOR"); evaluator != nullptr && *evaluator != '\0')
    return command_words(std::string(evaluator) + " --resident --engine xla");
  const auto python = source / "build/conformance/venv/bin/python";
  const auto script = source / "tools/serve-stablehlo.py";
  for (const auto& path : {python, script}) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      throw MissingData(
          fmt::format("no {}; run scripts/setup --conformance, or name a server with --server", path.string()));
  }
  return {python.string(), script.string(), "--engine", "xla"};
}

std::vector<std::string> stablehlo_server(const std::string& given) {
  return stablehlo_server(given, TOPOS_EXAMPLES_SOURCE);
}

}  // namespace examples
