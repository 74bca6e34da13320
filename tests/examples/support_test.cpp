// Tests of the examples' support code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

#include "examples/support/chart.h"
#include "examples/support/command_line.h"
#include "examples/support/names.h"
#include "examples/support/progress.h"

namespace examples {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

int widest(const std::string& text) {
  int width = 0;
  for (const auto& line : lines_of(text)) width = std::max(width, text_width(line));
  return width;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ChartStyle style_of(bool ascii, bool log_y = false) {
  ChartStyle style;
  style.ascii = ascii;
  style.log_y = log_y;
  return style;
}

// The awkward series: none is special to the user, each is special to the arithmetic.
std::vector<std::vector<double>> awkward_series() {
  std::vector<double> falling(20000);
  for (std::size_t i = 0; i < falling.size(); ++i) falling[i] = 3.3 * std::exp(-static_cast<double>(i) / 4000);
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  return {{},
          {1},
          {0, 0},
          {-0.0},
          {7, 7, 7},
          falling,
          {not_a_number, not_a_number},
          {infinite, -infinite},
          {1, not_a_number, 2, infinite, 3},
          {huge, -huge},
          {1e300, -1e300},
          {0, tiny},
          {1e16, 1e16 + 2},
          {-1.5e-200, 1e-200},
          {1e-12, 1e12},
          {-5, 5},
          {123456.789, 123456.790}};
}

TEST(chart, stays_within_eighty_columns) {
  const std::string long_text(200, 'x');
  for (const bool ascii : {false, true}) {
    for (const bool log_y : {false, true}) {
      for (const auto& values : awkward_series()) {
        Chart chart(long_text, style_of(ascii, log_y));
        chart.add(long_text, values).add("second", values).add("third", {1, 2}).rule(2.45, long_text);
        chart.axes(long_text, long_text).x_range(-1.23456789e-100, 1.23456789e+100);
        EXPECT_LE(widest(chart.text()), 80) << chart.text();
        EXPECT_LE(widest(Chart("alone", style_of(ascii, log_y)).add("it", values).text()), 80);
      }
    }
  }
}

TEST(chart, has_title_legend_axes_and_fifteen_rows) {
  const auto text = Chart("loss of a run", style_of(false))
                        .add("minibatch", {3, 2, 1})
                        .rule(2.45, "bigram limit")
                        .axes("step", "loss")
                        .text();
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 20U);
  EXPECT_EQ(lines[0], std::string(33, ' ') + "loss of a run");
  EXPECT_TRUE(contains(lines[1], "\u2500\u2500 minibatch"));
  EXPECT_TRUE(contains(lines[1], "\u2500\u2500 bigram limit"));
  EXPECT_EQ(lines[2], "loss");
  EXPECT_TRUE(contains(lines[18], "\u2514\u2500"));
  EXPECT_TRUE(contains(lines[19], "step"));
  EXPECT_EQ(lines[19].back(), '2');
}

TEST(chart, draws_ascii_alone_where_asked) {
  auto text = Chart("t", style_of(true)).add("a", {1, 2, 3}).add("b", {3, 2, 1}).rule(2, "r").text();
  text += heat_map(1, 3, {1, 2, not_a_number}, {}, {}, style_of(true));
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; }));
}

TEST(chart, a_constant_series_is_one_level_line) {
  const auto lines = lines_of(Chart("t", style_of(true)).add("a", {2, 2, 2}).text());
  const auto drawn =
      std::count_if(lines.begin() + 2, lines.end(), [](const auto& line) { return contains(line, "*"); });
  EXPECT_EQ(drawn, 1);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                          [](const auto& line) { return contains(line, "2.0 +" + std::string(70, '*')); }));
}

TEST(chart, a_rising_series_ends_at_the_top_right) {
  const auto lines = lines_of(Chart("t", style_of(true)).add("a", {0, 1}).text());
  EXPECT_EQ(text_width(lines[2]), 80);
  EXPECT_EQ(lines[2].back(), '*');
  EXPECT_EQ(lines[16][10], '*');
}

TEST(chart, values_that_are_not_finite_are_gaps) {
  const auto all_missing = Chart("t", style_of(true)).add("a", {not_a_number, infinite}).text();
  EXPECT_TRUE(contains(all_missing, "(no data)"));
  const auto text = Chart("t", style_of(true)).add("a", {2, 2, not_a_number, not_a_number, 2, 2}).text();
  EXPECT_TRUE(contains(text, "* "));
}

TEST(chart, a_long_series_is_drawn_by_its_means) {
  std::vector<double> alternating(70000);
  for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = i % 2 == 0 ? 1.0 : 3.0;
  EXPECT_TRUE(contains(Chart("t", style_of(true)).add("a", alternating).text(), "2.0 +" + std::string(70, '*')));
}

TEST(chart, a_log_axis_leaves_out_what_is_not_positive) {
  const auto text = Chart("t", style_of(true, true)).add("a", {0, -1, 0.001, 1, 1000}).text();
  for (const auto* label : {" 0.001 +", " 1 +", " 1000 +"}) EXPECT_TRUE(contains(text, label)) << label << '\n' << text;
}

TEST(heat_map, fits_the_page_and_labels_rows_and_columns) {
  std::vector<std::string> letters;
  for (std::int64_t i = 0; i < vocabulary; ++i) letters.emplace_back(1, letter(i));
  std::vector<double> values(27 * 27);
  std::iota(values.begin(), values.end(), 0.0);
  values[5] = not_a_number;
  for (const bool ascii : {false, true}) {
    const auto text = heat_map(27, 27, values, letters, letters, style_of(ascii));
    EXPECT_LE(widest(text), 80);
    EXPECT_EQ(lines_of(text).size(), 29U);
    EXPECT_EQ(lines_of(text)[0].substr(0, 9), "  . a b c");
    EXPECT_TRUE(contains(text, "??"));
  }
  EXPECT_LE(widest(heat_map(2, 1000, std::vector<double>(2000, 1.0), {std::string(99, 'x'), "y"})), 80);
  EXPECT_EQ(heat_map(0, 0, {}), "");
  EXPECT_THROW(heat_map(2, 2, {1, 2, 3}), std::invalid_argument);
  EXPECT_THROW(heat_map(-1, 2, {}), std::invalid_argument);
  EXPECT_THROW(heat_map(1, 2, {1, 2}, {"a", "b"}), std::invalid_argument);
}

TEST(locale, the_first_variable_that_is_set_decides) {
  setenv("LC_ALL", "", 1);
  setenv("LC_CTYPE", "C.UTF-8", 1);
  setenv("LANG", "C", 1);
  EXPECT_TRUE(utf8_locale());
  setenv("LC_ALL", "POSIX", 1);
  EXPECT_FALSE(utf8_locale());
  unsetenv("LC_ALL");
  unsetenv("LC_CTYPE");
  setenv("LANG", "en_GB.utf8", 1);
  EXPECT_TRUE(utf8_locale());
}

TEST(progress, the_line_says_share_rate_and_time_left) {
  EXPECT_EQ(progress_line(250, 1000, 2.5, 10.0), " 25%  step 250/1000  loss 2.5  25 steps/s  00:30 left");
  EXPECT_EQ(progress_line(1, 8000, 2.5, 2.0), "  0%  step 1/8000  loss 2.5  0.50 steps/s  4:26:38 left");
  EXPECT_TRUE(contains(progress_line(0, 10, not_a_number, 0.0), "--:-- left"));
  EXPECT_LE(progress_line(INT64_MAX, INT64_MAX, -1e-300, 1e-300).size(), 79U);
}

// A file in the test's own directory, removed at the end.
class File {
 public:
  explicit File(const std::string& text)
      : path_(testing::TempDir() + "topos_names_" + testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string reason_to_refuse(const std::string& text) {
  const File file(text);
  try {
    load_names(file.path());
  } catch (const MissingData& error) {
    return std::string("missing: ") + error.what();
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).substr(file.path().string().size());
  }
  return "";
}

TEST(names, the_whole_file_gives_the_known_counts) {
  std::filesystem::path path;
  try {
    path = default_names_path();
  } catch (const MissingData& error) {
    GTEST_SKIP() << error.what();
  }
  const auto names = load_names(path);
  EXPECT_EQ(names.size(), 32033U);
  for (const std::int64_t context : {1, 3}) {
    const auto samples = contexts(names, context);
    EXPECT_EQ(samples.size(), 228146);
    EXPECT_EQ(samples.contexts.size(), static_cast<std::size_t>(228146 * context));
  }
  const auto parts = split(names, 1);
  EXPECT_EQ(parts.held_out.size(), 3203U);
  EXPECT_EQ(parts.training.size(), 28830U);
  EXPECT_EQ(parts.training[0], "tykel");
}

TEST(names, bad_lines_are_reported_with_their_number) {
  EXPECT_EQ(reason_to_refuse("emma\nOlivia\n"), ":2: 'O' in column 1, expected a name of the letters a to z");
  EXPECT_EQ(reason_to_refuse("emma\r\n\r\nava"), ":2: empty line, expected a name");
  EXPECT_EQ(reason_to_refuse("zo\xc3\xab"), ":1: byte 0xc3 in column 3, expected a name of the letters a to z");
  EXPECT_EQ(reason_to_refuse(""), ": the file holds no names");
  EXPECT_EQ(reason_to_refuse("emma\r\nava"), "");
}

TEST(names, carriage_returns_are_no_part_of_a_name) {
  const File file("emma\r\nava\r\n");
  EXPECT_EQ(load_names(file.path()), (std::vector<std::string>{"emma", "ava"}));
}

TEST(names, missing_data_says_where_it_was_looked_for_and_the_cure) {
  const std::vector<std::filesystem::path> places{"/nowhere/one", "/nowhere/two"};
  try {
    find_data("names.txt", {}, places);
    FAIL();
  } catch (const MissingData& error) {
    for (const auto* part : {"/nowhere/one/names.txt", "/nowhere/two/names.txt", "--data PATH"}) {
      EXPECT_TRUE(contains(error.what(), part)) << error.what();
    }
  }
  EXPECT_THROW(default_names_path("/nowhere/names.txt"), MissingData);
  EXPECT_THROW(load_names("/nowhere/names.txt"), MissingData);
  EXPECT_THROW(load_names(testing::TempDir()), MissingData);
}

TEST(names, the_cache_is_the_last_place) {
  setenv("XDG_CACHE_HOME", "/cache", 1);
  setenv("HOME", "/somebody", 1);
  EXPECT_EQ(data_directories().back(), "/cache/topos");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(data_directories().back(), "/somebody/.cache/topos");
}

TEST(names, samples_are_the_windows_of_each_padded_name) {
  const auto samples = contexts({"ab", "z"}, 2);
  EXPECT_EQ(samples.contexts, (std::vector<std::int64_t>{0, 0, 0, 1, 1, 2, 0, 0, 0, 26}));
  EXPECT_EQ(samples.targets, (std::vector<std::int64_t>{1, 2, 0, 26, 0}));
  EXPECT_THROW(contexts({"ab"}, 0), std::invalid_argument);
  EXPECT_THROW(contexts({"a b"}, 1), std::invalid_argument);
}

TEST(names, shuffled_samples_keep_their_targets) {
  const auto mixed = shuffled(contexts({"abc", "def"}, 1), 9);
  ASSERT_EQ(mixed.size(), 8);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto last = mixed.contexts[i];
    const bool ends = last == 3 || last == 6;
    if (last == 0) continue;
    EXPECT_EQ(mixed.targets[i], ends ? 0 : last + 1);
  }
}

TEST(names, batches_wrap_before_the_end) {
  const auto samples = contexts({"abcdefghi"}, 1);
  EXPECT_EQ(batch(samples, 1, 4).contexts, (std::vector<std::int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(batch(samples, 2, 4).contexts, (std::vector<std::int64_t>{2, 3, 4, 5}));
  EXPECT_EQ(batch(samples, 3, 10).targets, samples.targets);
  EXPECT_THROW(batch(samples, 0, 11), std::invalid_argument);
}

TEST(names, tokens_and_letters_are_inverse) {
  for (std::int64_t i = 0; i < vocabulary; ++i) EXPECT_EQ(token(letter(i)), i);
  EXPECT_THROW(letter(27), std::invalid_argument);
  EXPECT_THROW(token('A'), std::invalid_argument);
}

TEST(shuffle, is_the_same_on_every_machine) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  auto mixed = items;
  shuffle(mixed, 1);
  const std::vector<int> first(mixed.begin(), mixed.begin() + 10);
  EXPECT_EQ(first, (std::vector<int>{22, 96, 24, 79, 63, 57, 97, 32, 30, 39}));
  std::sort(mixed.begin(), mixed.end());
  EXPECT_EQ(mixed, items);
  std::vector<int> none;
  shuffle(none, 1);
  EXPECT_TRUE(none.empty());
}

TEST(splitmix, seed_seven_gives_the_known_bits) {
  Splitmix stream(7);
  EXPECT_EQ(stream.next(), 0x63cbe1e459320dd7U);
  EXPECT_EQ(stream.next(), 0x044c3cd7f43c661cU);
  EXPECT_EQ(stream.next(), 0xe6984080bab12a02U);
  EXPECT_EQ(stream.next(), 0x953aeb70673e29cbU);
}

TEST(pick, walks_the_cumulative_distribution) {
  const std::vector<float> chances{0.25F, 0.5F, 0.25F};
  const auto picked = [&](double unit) { return pick(std::span<const float>(chances), unit); };
  EXPECT_EQ(picked(0.0), 0);
  EXPECT_EQ(picked(0.25), 1);
  EXPECT_EQ(picked(0.74), 1);
  EXPECT_EQ(picked(0.999), 2);
}

TEST(split, holds_out_a_tenth) {
  EXPECT_EQ(split(std::vector<std::string>(25, "a"), 1).held_out.size(), 2U);
  EXPECT_EQ(split({"a", "b"}, 1).held_out.size(), 1U);
  EXPECT_EQ(split({"a"}, 1).held_out.size(), 0U);
}

struct Outcome {
  int code;
  std::string output;
  std::string errors;
};

Outcome outcome_of(std::vector<std::string> arguments, const std::function<int()>& body) {
  arguments.insert(arguments.begin(), "/somewhere/example");
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int steps = 0;
  const int code = run(
      static_cast<int>(pointers.size()), pointers.data(), "An example.",
      [&](CLI::App& app) { app.add_option("--steps", steps, "number of steps"); }, body);
  auto output = testing::internal::GetCapturedStdout();
  return {code, std::move(output), testing::internal::GetCapturedStderr()};
}

TEST(command_line, help_is_printed_and_gives_0) {
  const auto outcome = outcome_of({"--help"}, [] { return 5; });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.output, "An example.") && contains(outcome.output, "--steps"));
  EXPECT_EQ(outcome.errors, "");
}

TEST(command_line, the_body_decides_the_code) {
  EXPECT_EQ(outcome_of({"--steps", "3"}, [] { return 5; }).code, 5);
  EXPECT_EQ(outcome_of({}, [] { return 0; }).code, 0);
}

TEST(command_line, what_cannot_be_used_gives_2_and_one_line) {
  const std::vector<std::vector<std::string>> command_lines{
      {"--unknown"}, {"--steps"}, {"--steps", "many"}, {"stray"}, {"stray\nlines"}};
  for (const auto& arguments : command_lines) {
    const auto outcome = outcome_of(arguments, [] { return 5; });
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(lines_of(outcome.errors).size(), 1U) << outcome.errors;
    EXPECT_EQ(outcome.errors.find("example: "), 0U);
    EXPECT_TRUE(contains(outcome.errors, "try example --help")) << outcome.errors;
  }
}

TEST(command_line, missing_data_gives_2_and_the_cure) {
  const auto outcome = outcome_of({}, [] { return static_cast<int>(load_names("/nowhere").size()); });
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.errors, "--data PATH"));
}

TEST(command_line, another_exception_gives_1_and_its_message) {
  const auto outcome = outcome_of({}, []() -> int { throw std::runtime_error("the loss\nis not finite"); });
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors, "example: the loss is not finite\n");
}

}  // namespace
}  // namespace examples
