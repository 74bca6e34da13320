// Seeded random programs: every reading of one agrees on bits, whatever its types, views and graph.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/fuzzed.h"
#include "support/samples.h"
#include "support/walk.h"

namespace topos::test {
namespace {

class RandomPrograms : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Floats, RandomPrograms, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(RandomPrograms, engine_walk_and_recording_agree) {
  for (std::uint64_t seed = 1; seed <= random_programs; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = build(random_sample(seed), GetParam(), 1);
    const auto run = program.network.forward(program.network.parameters());
    const auto field = run.backward(program.loss);
    for (const auto& [wrt, gradient] : program.first->pairs()) EXPECT_TRUE(bits_agree(field.of(wrt), run.of(gradient)));
    const auto values = walk_by_hand(program.network);
    for (const auto& node : program.network.nodes())
      ASSERT_TRUE(bits_agree(values[node.symbol().index()], run.of(node.symbol()))) << node.text();
    EXPECT_EQ(recorded_again(program.network), program.network.describe());
    if (testing::Test::HasFailure()) FAIL() << program.network.describe();
  }
}

TEST_P(RandomPrograms, second_derivatives_agree) {
  for (std::uint64_t seed = 1; seed <= random_programs / 5; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = build(random_sample(seed), GetParam(), 2);
    const auto run = program.network.forward(program.network.parameters());
    const auto field = run.backward(program.slope);
    for (const auto& [wrt, gradient] : program.second->pairs())
      ASSERT_TRUE(bits_agree(field.of(wrt), run.of(gradient))) << program.network.describe();
  }
}

TEST(RandomPrograms, of_the_fuzzers_seeds_agree_in_every_reading) {
  std::size_t seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TOPOS_SOURCE_DIR "/fuzz/corpus/program")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto difference = disagreement_of(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    EXPECT_FALSE(difference) << entry.path().filename() << ": " << *difference;
    ++seeds;
  }
  EXPECT_GE(seeds, 10u);
}

TEST(RandomPrograms, reach_every_opcode_and_stay_mostly_finite) {
  std::set<std::string_view> seen;
  int finite = 0, number = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const auto program = build(random_sample(seed), f32, 0);
    const auto run = program.network.forward(program.network.parameters());
    for (const auto& node : program.network.nodes()) {
      seen.insert(node.opcode().name());
      if (node.type() == TensorType{f32, {}}) {
        ++number;
        finite += std::isfinite(run.of(node.symbol()).scalar<float>());
      }
    }
  }
  for (const auto name : opcode_names()) EXPECT_TRUE(seen.contains(name)) << name;
  // Programs of NaN alone would agree about anything.
  EXPECT_GT(finite * 2, number);
}

}  // namespace
}  // namespace topos::test
