// A network's text reads back as the same network: nodes, payloads, labels, sites and the bits of a run.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "support/error.h"
#include "support/models.h"
#include "support/random_program.h"
#include "support/round_trip.h"
#include "support/sanitized.h"

namespace topos::test {
namespace {

TEST(Text, of_every_opcode_reads_back) {
  for (const auto& sample : opcode_samples()) {
    SCOPED_TRACE(sample.name);
    expect_round_trip(build(sample, f32, 0).network);
  }
}

TEST(Text, of_every_opcode_with_its_gradient_reads_back) {
  for (const auto& samples : samples_by_opcode()) {
    SCOPED_TRACE(samples.front().name);
    expect_round_trip(build(samples.front(), f64, 2).network);
  }
}

TEST(Text, of_models_with_gradients_of_both_orders_reads_back) {
  for (const auto& sample : model_samples())
    for (const auto element : {f32, f64}) {
      SCOPED_TRACE(sample.name);
      expect_round_trip(build(sample, element, 2).network);
    }
}

TEST(Text, of_random_programs_reads_back) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    expect_round_trip(build(random_sample(seed), seed % 2 == 0 ? f32 : f64, seed % 4 == 0 ? 1 : 0).network);
  }
}

TEST(Text, of_integers_and_of_nothing_reads_back) {
  expect_round_trip(build({"integers", record_integers}, f32, 0).network);
  expect_round_trip(Tape(f64).into_network());
  expect_round_trip(Tape(i64).into_network());
}

/// A network of leaves with these payloads.
Network leaves(const std::vector<Tensor>& payloads) {
  Tape tape;
  for (const auto& payload : payloads) tape.leaf(payload);
  return std::move(tape).into_network();
}
template <class T>
Tensor row(const std::vector<T>& values) {
  return Tensor::from({static_cast<Extent>(values.size())}, values);
}
/// The numbers of a row, as a list and in a payload that is long enough for bytes.
template <class T>
void expect_payloads(std::vector<T> values) {
  std::vector<Tensor> payloads{row(values)};
  for (const T value : values) payloads.push_back(Tensor::full({element_of<T>(), {2}}, value));
  while (values.size() <= 40) values.push_back(values[values.size() / 2]);
  payloads.push_back(row(values));
  expect_round_trip(leaves(payloads));
}

template <class T>
std::vector<T> reals() {
  using Limits = std::numeric_limits<T>;
  return {T{0},
          -T{0},
          Limits::denorm_min(),
          -Limits::min(),
          Limits::max(),
          Limits::lowest(),
          T{1} / 3,
          T(0.1),
          T(1e-5),
          T(123456789),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN(),
          Limits::epsilon()};
}
TEST(Text, of_payloads_reads_back_to_the_bit) {
  expect_payloads(reals<float>());
  expect_payloads(reals<double>());
  using Limits = std::numeric_limits<std::int64_t>;
  expect_payloads<std::int64_t>({Limits::min(), Limits::max(), (std::int64_t{1} << 53) + 1, -1, 0});
  expect_payloads<bool>({true, false});
}

TEST(Text, of_payloads_shows_short_ones_as_decimals) {
  const auto text = to_text(leaves({row<float>({0.5f, -0.0f, std::numeric_limits<float>::quiet_NaN()}),
                                    Tensor::full({i64, {1000, 1000}}, (std::int64_t{1} << 53) + 1), row<double>({}),
                                    row<float>(std::vector<float>(17, 1))}));
  EXPECT_NE(text.find("leaf 0 = [0.5, -0, NaN]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("leaf 1 = all 9007199254740993\n"), std::string::npos) << text;
  EXPECT_NE(text.find("leaf 2 = []\n"), std::string::npos) << text;
  EXPECT_NE(text.find("leaf 3 = bytes\n  0000803f0000803f0000803f0000803f"), std::string::npos) << text;
}

TEST(Text, of_a_nan_has_the_canonical_one) {
  std::vector<float> values(20, std::bit_cast<float>(0xFFC12345u));
  const auto again = round_trip(leaves({row(values)}));
  for (const auto bits : bits32(*again.payload(again.nodes()[0].symbol()))) EXPECT_EQ(bits, 0x7FC00000u);
}

TEST(Text, of_views_and_empty_tensors_reads_back) {
  auto payloads = payload_forms(f32);
  for (const auto& payload : payload_forms(f64)) payloads.push_back(payload);
  payloads.push_back(permute(Random(4).tensor({f32, {7, 9}}, -1, 1), {1, 0}));
  payloads.push_back(Tensor::from<float>({3, 0, 2}, std::vector<float>{}));
  payloads.push_back(Tensor::full({f64, {0}}, 2));
  payloads.push_back(Tensor::full({f32, {1, 1, 1, 1, 1, 1, 1}}, 2).spread());
  expect_round_trip(leaves(payloads));
}

TEST(Text, of_a_huge_constant_takes_no_memory) {
  const TensorType type{f32, {Extent{1} << 40}};
  const auto text = to_text(leaves({Tensor::full(type, 0.5)}));
  EXPECT_LT(text.size(), 400u);
  const auto again = from_text(text);
  EXPECT_EQ(again.nodes()[0].type(), type);
  EXPECT_TRUE(again.payload(again.nodes()[0].symbol())->is_single());
}

TEST(Text, keeps_labels_and_file_names_with_odd_characters) {
  Tape tape;
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  static const std::string file = every.substr(1) + " @ : label";
  tape.leaf(1.0, Site::named(file.c_str(), ~std::uint32_t{0})).label(every);
  tape.leaf(1.0, Site::named("", 7)).label("\" label \"");
  tape.leaf(1.0, Site::named("model.cpp", 0)).label("\\x41\\");
  tape.leaf(1.0, Site::none()).label("");
  const auto network = std::move(tape).into_network();
  const auto again = round_trip(network);
  EXPECT_EQ(again.nodes()[0].label(), every);
  EXPECT_EQ(again.nodes()[0].site().file(), file);
}

TEST(Text, keeps_composites_and_origins) {
  const auto again = round_trip(build(model_samples()[0], f32, 1).network);
  std::size_t composites = 0, origins = 0;
  for (Index i = 0; i < again.size(); ++i) {
    composites += again.spec()->graph.by_composite(i);
    origins += again.nodes()[i].origin() != Symbol{};
  }
  EXPECT_GT(composites, 5u);
  EXPECT_GT(origins, 5u);
  EXPECT_TRUE(order_left_to_compiler(again).empty());
}

TEST(Text, of_one_file_keeps_one_name) {
  const auto one = round_trip(leaves({Tensor(), Tensor()}));
  const auto other = round_trip(leaves({Tensor()}));
  EXPECT_EQ(one.nodes()[0].site().file(), one.nodes()[1].site().file());
  EXPECT_EQ(one.nodes()[0].site().file(), other.nodes()[0].site().file());
}

TEST(Text, leaves_out_what_a_failed_composite_left_behind) {
  Tape tape;
  const auto x = tape.input({1.0, 2.0});
  const auto fail = [&] {
    Composite scope(tape, Site::current());
    const auto shifted = x + 7.25;
    matmul(shifted, x);
  };
  EXPECT_THROW(fail(), Error);
  const auto scaled = x * 2.0;
  const auto later = scaled + 7.25;  // the slot that the failure left, used after a newer one
  later.label("later");
  const auto network = std::move(tape).into_network();
  const auto again = round_trip(network);
  EXPECT_EQ(again.forward(again.parameters()).of(again.labelled("later")).text(), "[9.25, 11.25]");
}

TEST(Text, of_a_hundred_thousand_nodes_is_linear) {
  const int count = TOPOS_TEST_SANITIZED ? 6'000 : 33'000;
  Tape tape;
  auto x = tape.parameter({0.25, 0.5});
  const auto w = x;
  for (int i = 0; i < count; ++i) {
    x = x * w;
    x = x + 0.5;
  }
  const auto network = std::move(tape).into_network();
  ASSERT_GT(network.size(), std::size_t{3} * count);
  const auto text = to_text(network);
  const auto again = from_text(text);
  EXPECT_EQ(again.size(), network.size());
  EXPECT_TRUE(to_text(again) == text);
}

TEST(Text, of_long_operand_lists_reads_back) {
  Tape tape;
  std::vector<Value> parts;
  for (int i = 0; i < 3000; ++i) parts.push_back(tape.leaf({1.0 * i}));
  concat(parts, 0);
  expect_round_trip(std::move(tape).into_network());
}

TEST(Text, of_a_loaded_network_reopens_and_differentiates) {
  auto [network] = Tape::record(f64, [](Tape& tape) {
    const auto w = tape.parameter({1.0, 2.0}).label("w");
    const auto square = w * w;
    sum(square).label("loss");
  });
  auto again = round_trip(network);
  const auto w = again.labelled("w");
  const auto loss = again.labelled("loss");
  auto tape = std::move(again).into_tape();
  const auto gradient = tape.differentiate(loss, {w}).of(w);
  const auto grown = std::move(tape).into_network();
  EXPECT_EQ(grown.forward(grown.parameters()).of(gradient).text(), "[2, 4]");
  EXPECT_THROW(network.node(w), Error) << "another family";
}

/// The first block of the page that begins like a saved network.
std::string example_of_page() {
  std::ifstream file(TOPOS_SOURCE_DIR "/docs/spec_text.md");
  std::ostringstream page;
  page << file.rdbuf();
  const auto text = page.str();
  const auto begin = text.find("topos network, version");
  return text.substr(begin, text.find("```", begin) - begin);
}
TEST(Text, of_the_page_is_what_is_saved) {
  const auto line = [](std::uint32_t number) { return Site::named("model.cpp", number); };
  Tape tape;
  const auto w = tape.parameter({0.5, -0.25}, line(3)).label("w");
  const auto x = tape.input({1, 2}, line(4));
  const auto product = Located(w, line(5)) * x;
  const auto loss = sum(product, line(6)).label("loss");
  tape.differentiate(loss, {w}, line(7));
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(to_text(network), example_of_page());
  expect_round_trip(network);
}

/// Of an element that no table of the library knows: the bytes of f32 under another name.
TEST(Text, of_a_users_element_has_bytes) {
  auto info = f32_info;
  info.name = "mine";
  const ElementType mine(&info);
  const auto numbers = Random(3).tensor({f32, {3}}, -1, 1);
  Tape tape(mine);
  tape.leaf(Tensor::copied({mine, {3}}, numbers.first()));
  tape.leaf(Tensor::single({mine, {2}}, numbers.first()));
  tape.leaf(Tensor::single({mine, {}}, numbers.first()));
  tape.leaf(Tensor::copied({mine, {0}}, numbers.first()));
  const auto text = to_text(std::move(tape).into_network());
  EXPECT_NE(text.find("leaf 0 = bytes\n  "), std::string::npos) << text;
  EXPECT_NE(text.find("leaf 1 = all bytes "), std::string::npos) << text;
  const auto again = from_text(text, {mine});
  EXPECT_EQ(to_text(again), text);
  EXPECT_EQ(std::memcmp(again.payload(again.nodes()[0].symbol())->first(), numbers.first(), 12), 0);
  EXPECT_TRUE(throws([&] { from_text(text); }, {ErrorKind::file, "load", {}, {"line 2: ", "\"mine\""}}));
}

TEST(Text, of_more_axes_than_are_read_is_refused) {
  const Shape ones(std::vector<Extent>(most_axes + 1, 1));
  EXPECT_TRUE(throws([&] { to_text(leaves({Tensor::full({f32, ones}, 1)})); },
                     {ErrorKind::file, "save", {}, {"node 0 has 257 axes"}}));
}

TEST(Labels, find_their_node) {
  Tape tape;
  const auto w = tape.parameter(1.0).label("weights");
  const auto b = tape.parameter(1.0).label("bias");
  tape.leaf(1.0).label("twice");
  tape.leaf(1.0).label("twice");
  const Symbol names[] = {w, b};
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(network.labelled("weights"), names[0]);
  EXPECT_EQ(network.labelled("bias"), names[1]);
  EXPECT_TRUE(throws([&] { network.labelled("weigths"); },
                     {ErrorKind::coverage, "Network::labelled", {}, {"\"weigths\"; close to it: \"weights\""}}));
  EXPECT_TRUE(
      throws([&] { network.labelled("nothing"); }, {ErrorKind::coverage, "Network::labelled", {}, {"no node"}}));
  EXPECT_TRUE(throws([&] { network.labelled(""); }, {ErrorKind::coverage, "Network::labelled"}));
  EXPECT_TRUE(throws([&] { network.labelled("twice"); },
                     {ErrorKind::argument, "Network::labelled", {}, {"2 nodes", "2 and 3"}}));
}

/// A folder of the test's own, removed with everything in it.
struct Folder {
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / ("topos_text_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

TEST(Files, hold_a_network) {
  const Folder folder;
  const auto path = folder.path / "model.topos";
  const auto network = build(model_samples()[0], f32, 1).network;
  save(leaves({Tensor()}), path);
  save(network, path);
  EXPECT_EQ(to_text(load(path)), to_text(network));
  EXPECT_EQ(folder.files(), 1u) << "nothing stays beside it";
}

TEST(Files, that_fail_lose_nothing) {
  const Folder folder;
  const auto network = leaves({Tensor()});
  const auto missing = folder.path / "none" / "model.topos";
  EXPECT_TRUE(throws([&] { save(network, missing); }, {ErrorKind::file, "save", {}, {missing.string()}}));
  EXPECT_TRUE(throws([&] { load(missing); }, {ErrorKind::file, "load", {}, {missing.string()}}));
  EXPECT_TRUE(throws([&] { load(folder.path); }, {ErrorKind::file, "load", {}, {"it is no file"}}));
  // A folder with something in it stands in the way of the rename.
  const auto taken = folder.path / "taken";
  std::filesystem::create_directories(taken / "inside");
  EXPECT_TRUE(throws([&] { save(network, taken); }, {ErrorKind::file, "save", {}, {taken.string()}}));
  EXPECT_EQ(folder.files(), 1u) << "nothing stays beside it";
}

TEST(Files, that_hold_something_else_name_file_and_line) {
  const Folder folder;
  const auto path = folder.path / "model.topos";
  std::ofstream(path) << "topos network, version 1, numerics 1\nelement f99\n";
  EXPECT_TRUE(throws([&] { load(path); }, {ErrorKind::file, "load", {}, {path.string() + ": line 2: ", "\"f99\""}}));
}

}  // namespace
}  // namespace topos::test
