// The operations' pages show what is emitted: the StableHLO of each elementwise, elementary, extreme and window
// section.
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "support/lowering.h"

namespace topos::test {
namespace {

/// Numbers of values and arguments taken out: a page's node stands behind others.
std::string without_numbers(const std::string& text) {
  return std::regex_replace(text, std::regex("%(v|arg)[0-9]+"), "%v");
}

/// Section to the text of its StableHLO block.
std::map<std::string, std::string> blocks_of(const std::string& page) {
  std::ifstream file(std::string(TOPOS_SOURCE_DIR) + "/docs/ops/" + page + ".md");
  EXPECT_TRUE(file.is_open()) << page;
  std::map<std::string, std::string> blocks;
  std::string section;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    if (line == "```") inside = false;
    if (inside) blocks[section] += line + "\n";
    if (line == "```mlir") inside = true;
  }
  return blocks;
}

void expect_page(const std::string& page, const std::map<std::string, std::string>& emitted) {
  const auto blocks = blocks_of(page);
  EXPECT_EQ(blocks.size(), emitted.size()) << page;
  for (const auto& [section, body] : emitted) {
    const auto block = blocks.find(section);
    ASSERT_NE(block, blocks.end()) << page << " has no " << section;
    EXPECT_EQ(without_numbers(block->second), without_numbers(body)) << section;
  }
}

template <class F>
std::string one(F f) {
  return of_one({2, 3}, f);
}
template <class F>
std::string two(F f) {
  return of_two({2, 3}, {2, 3}, f);
}

TEST(Pages, of_arithmetic_show_what_is_emitted) {
  using V = const Value&;
  expect_page("elementwise", {{"Add", two([](V a, V b) { return a + b; })},
                              {"Sub", two([](V a, V b) { return a - b; })},
                              {"Mul", two([](V a, V b) { return a * b; })},
                              {"Div", two([](V a, V b) { return a / b; })},
                              {"Maximum", two([](V a, V b) { return maximum(a, b); })},
                              {"Minimum", two([](V a, V b) { return minimum(a, b); })},
                              {"Neg", one([](V x) { return -x; })},
                              {"Abs", one([](V x) { return abs(x); })},
                              {"Sign", one([](V x) { return sign(x); })}});
}

TEST(Pages, of_elementary_functions_show_what_is_emitted) {
  using V = const Value&;
  expect_page("elementary", {{"Exp", one([](V x) { return exp(x); })},
                             {"Expm1", one([](V x) { return expm1(x); })},
                             {"Log", one([](V x) { return log(x); })},
                             {"Log1p", one([](V x) { return log1p(x); })},
                             {"Sqrt", one([](V x) { return sqrt(x); })},
                             {"Rsqrt", one([](V x) { return rsqrt(x); })},
                             {"Tanh", one([](V x) { return tanh(x); })},
                             {"Sin", one([](V x) { return sin(x); })},
                             {"Cos", one([](V x) { return cos(x); })},
                             {"Erf", one([](V x) { return erf(x); }) +
                                         of_one({2, 3}, [](V x) { return erf(x); }, f32, {.target = "1.0.0"})},
                             {"ErfDerivative", one([](V x) { return erf_derivative(x); })},
                             {"Logistic", one([](V x) { return logistic(x); })},
                             {"Softplus", one([](V x) { return softplus(x); })},
                             {"Power", two([](V a, V b) { return power(a, b); })}});
}

TEST(Pages, of_extremes_and_windows_show_what_is_emitted) {
  using V = const Value&;
  expect_page("extreme", {{"MaxAlong", one([](V x) { return max_along(x, 1); })},
                          {"ArgMaxAlong", one([](V x) { return argmax_along(x, 1); })}});
  expect_page("window", {{"Unfold", of_one({7}, [](V x) { return unfold(x, 0, 2, 2, 1); })},
                         {"Fold", of_one({3, 2}, [](V x) { return fold(x, 0, 2, 2, 1, 7); })}});
}

}  // namespace
}  // namespace topos::test
