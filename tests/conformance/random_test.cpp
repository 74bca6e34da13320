// Programs that nobody wrote: seeded ones, and those that the fuzzers' corpora hold.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/emission.h"
#include "support/files.h"
#include "support/fuzzed.h"
#include "support/sanitized.h"

namespace topos::test {
namespace {

TEST(Random, seeded_programs_of_both_orders) {
  constexpr ElementType elements[] = {f32, f64, bf16, f32};
  const std::uint64_t count = TOPOS_TEST_SANITIZED ? 40 : 200;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const auto sample = random_sample(9000 + seed);
    const auto element = elements[seed % 4];
    const int order = seed % 5 == 4 ? 2 : 1;
    emit_program(build(sample, element, order), "random", case_name(sample, element));
  }
}

std::vector<std::filesystem::path> corpus(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(std::string(TOPOS_SOURCE_DIR) + "/fuzz/corpus/" + name))
    files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Fuzzed, programs_of_the_corpus) {
  std::size_t emitted_programs = 0;
  for (const auto& file : corpus("program")) {
    if (emitted_programs == 24) break;
    const auto bytes = bytes_of(file);
    const auto program = fuzzed_program(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    emit_program(program, "fuzzed", "program " + file.filename().string());
    ++emitted_programs;
  }
  EXPECT_GE(emitted_programs, 8u);
}

/// Networks read from text: all that each of them computes last.
TEST(Fuzzed, texts_of_the_corpus) {
  std::size_t loaded = 0;
  for (const auto& file : corpus("text")) {
    std::optional<Network> network;
    try {
      network = from_text(bytes_of(file));
    } catch (const Error&) {
      continue;  // most of them are there to be refused
    }
    if (network->empty() || network->size() > 10000) continue;
    std::vector<bool> read(network->size());
    for (const auto& node : network->nodes())
      for (const auto operand : node.operands()) read[operand.index()] = true;
    std::vector<Symbol> last;
    for (const auto& node : network->nodes())
      if (!read[node.symbol().index()] && !node.is_source()) last.push_back(node.symbol());
    if (last.empty()) continue;
    EXPECT_TRUE(agrees_with_itself(network->entry(last).lower(), {"fuzzed", "text " + file.filename().string()}));
    ++loaded;
  }
  EXPECT_GE(loaded, 3u);
}

}  // namespace
}  // namespace topos::test
