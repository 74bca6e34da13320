#include "support/emitted.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/judged/answers.h"
#include "support/judged/case_file.h"
#include "support/judged/traits.h"
#include "topos/custom.h"
#include "topos/stablehlo/writer.h"

namespace topos::test {
namespace {

std::string name_of_test() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return test == nullptr ? "" : fmt::format("{}.{}", test->test_suite_name(), test->name());
}

std::string payload_of(const AnsweredSet& set) {
  std::string payload;
  for (const auto& argument : set.arguments) append_tensor(argument, payload);
  for (const auto& answer : set.answers)
    for (const auto* tensor : {&answer.ours, &answer.in_text_order, &answer.center, &answer.radius})
      append_tensor(*tensor, payload);
  return payload;
}

std::string description(const Plan& plan, const EmitOptions& options, const About& about, const std::string& twin,
                        const ModuleTraits& traits, const std::vector<AnsweredSet>& sets, bool capped) {
  std::vector<std::string> names, arguments, results;
  for (const auto& set : sets) names.push_back(set.name);
  for (const auto symbol : plan.arguments()) arguments.push_back(stablehlo::type_text(plan.node(symbol).type()));
  const auto symbols = plan.results();
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const auto node = plan.node(symbols[k]);
    const auto& result = traits.results[k];
    results.push_back(fmt::format("{{\"node\": {}, \"type\": {}, \"ordered\": {}, \"unpredictable\": {}}}",
                                  json_text(fmt::format("{} {}", symbols[k].index(), node.name())),
                                  json_text(stablehlo::type_text(node.type())), result.ordered,
                                  json_list(capped ? std::vector<std::string>{"size"} : result.unpredictable)));
  }
  const auto test = name_of_test();
  auto text = fmt::format(
      "{{\"test\": {}, \"kind\": {}, \"title\": {}, \"target\": {}, \"raised\": {}, \"twin\": {}, \"opcodes\": {}, "
      "\"elements\": {}, \"multiply_adds\": {:.0f}, \"capped\": {}, \"sets\": {}, \"arguments\": {}, \"results\": "
      "[{}]}}",
      json_text(test), json_text(about.kind), json_text(about.title.empty() ? test : about.title),
      json_text(options.target), json_list(traits.raised), twin.empty() ? "null" : json_text(twin),
      json_list(traits.opcodes), json_list(traits.elements), traits.multiply_adds, capped, json_list(names),
      json_list(arguments), fmt::join(results, ", "));
  text.resize((text.size() + 7) / 8 * 8, ' ');  // what follows stays aligned
  return text;
}

/// Gives the name of the module in the folder.
std::string record(const std::string& folder, const Plan& plan, const std::string& text, const EmitOptions& options,
                   const About& about, const std::string& twin) {
  const auto name = content_name(text);
  const auto path = folder + "/" + name;
  if (std::filesystem::exists(path + ".case")) return name;
  const auto traits = traits_of(plan, options);
  const bool capped = traits.multiply_adds > most_multiply_adds;
  const auto sets = answered_sets(plan, options.raise, capped);
  auto bytes = frame_of(description(plan, options, about, twin, traits, sets, capped));
  for (const auto& set : sets) bytes += frame_of(payload_of(set));
  write_whole(path + ".mlir", text);
  write_whole(path + ".case", bytes);
  return name;
}

bool holds_erf(const Plan& plan) {
  for (const auto& node : plan.nodes())
    if (node.opcode().name() == op::Erf::name) return true;
  return false;
}

/// A further emission of a plan that was emitted, under a title that says how it differs.
std::string record_twin(const std::string& folder, const Plan& plan, const EmitOptions& options, const About& about,
                        const std::string& how) {
  const auto title = (about.title.empty() ? name_of_test() : about.title) + how;
  return record(folder, plan, plan.emit_stablehlo(options), options, {about.kind, title}, "");
}

}  // namespace

std::optional<std::string> modules_folder() {
  const char* folder = std::getenv("TOPOS_MODULES");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  std::filesystem::create_directories(folder);
  return folder;
}

void write_whole(const std::string& path, std::string_view bytes) {
  const auto temporary = fmt::format("{}.{}", path, ::getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out) throw Error(ErrorKind::file, "emitted", "cannot write " + temporary + ": is TOPOS_MODULES a folder?");
  }
  std::filesystem::rename(temporary, path);
}

std::string emitted(const Plan& plan, const EmitOptions& options, const About& about) {
  auto text = plan.emit_stablehlo(options);
  const auto folder = modules_folder();
  if (!folder) return text;
  std::string twin;
  if (options.raise && !traits_of(plan, options).raised.empty())
    twin = record_twin(*folder, plan, {options.target, false}, about, ", unraised");
  record(*folder, plan, text, options, about, twin);
  if (options.target.empty() && holds_erf(plan))
    record_twin(*folder, plan, {"1.0.0", options.raise}, about, ", for StableHLO 1.0.0");
  return text;
}

}  // namespace topos::test
