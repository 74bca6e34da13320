// Emission as every test does it: the module's text, and for the outside judges a file of it with our own answers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topos/topos.h"

namespace topos::test {

/// What a module is, for reports. An empty title is the test's name.
struct About {
  std::string kind = "test";  // sample, composite, model, training, example, random, fuzzed or scale
  std::string title = {};
};

/// The text of `plan.emit_stablehlo(options)`. Where the environment names a folder in TOPOS_MODULES, the module goes
/// there too, with arguments, our results for them and where those of another engine may lie; so does, of a plan that
/// raises compositions, the same without, and of one with an error function, the same for StableHLO 1.0.0. A module
/// that is there already is not written again. Errors of emission pass through.
std::string emitted(const Plan& plan, const EmitOptions& options = {}, const About& about = {});

/// The folder that modules go to, or nothing. Made if it is missing.
std::optional<std::string> modules_folder();

/// Writes `bytes` under a name of the folder, at once and whole, whoever else writes it.
void write_whole(const std::string& path, std::string_view bytes);

}  // namespace topos::test
