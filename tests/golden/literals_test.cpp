// Numbers in emitted text: only spellings that StableHLO's parser takes, each of which reads back as it was.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <regex>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/lowering.h"

namespace topos::test {
namespace {

/// What stands between every `dense<` and its `>`.
std::vector<std::string> literals_of(const std::string& module) {
  std::vector<std::string> literals;
  for (auto at = module.find("dense<"); at != std::string::npos; at = module.find("dense<", at)) {
    at += 6;
    literals.push_back(module.substr(at, module.find('>', at) - at));
  }
  return literals;
}

std::vector<std::string> numbers_of(const std::string& literal) {
  std::vector<std::string> numbers;
  static const std::regex separators("[\\[\\], ]+");
  for (std::sregex_token_iterator at(literal.begin(), literal.end(), separators, -1), end; at != end; ++at)
    if (at->length() != 0) numbers.push_back(*at);
  return numbers;
}

/// A decimal has digits, a point and digits; bit patterns are whole.
const std::regex& spelling(ElementType element) {
  static const std::string decimal = "-?[0-9]+\\.[0-9]+(e-?[0-9]+)?";
  static const std::regex wide(decimal + "|0x[0-9A-F]{16}"), single(decimal + "|0x[0-9A-F]{8}"),
      narrow(decimal + "|0x[0-9A-F]{4}"), integer("-?[0-9]+"), truth("true|false");
  if (element == f64) return wide;
  if (element == f32) return single;
  if (element == bf16) return narrow;
  return element == i64 ? integer : truth;
}

std::vector<double> hard_numbers(ElementType element) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> numbers{1,        0,         -0.0, 1e10, -1e10, 1e-7,      1e22, 123456789, 1e16,     9999999,
                              infinity, -infinity, 0.1,  1e-4, 1e-5,  -2.5e-300, 0.5,  1.0 / 3,   0x1p-126, 0x1p-133};
  if (element == f64) {
    for (const double extreme : {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                                 std::numeric_limits<double>::denorm_min(), 1e300, 0x1.fffffffffffffp-1023})
      numbers.push_back(extreme);
  } else {
    for (const float extreme : {std::numeric_limits<float>::max(), std::numeric_limits<float>::min(),
                                std::numeric_limits<float>::denorm_min(), 0x1.fffffcp-127F})
      numbers.push_back(extreme);
  }
  numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  return numbers;
}

Tensor vector_of(const std::vector<double>& numbers, ElementType element) {
  return Tensor::from({static_cast<Extent>(numbers.size())}, numbers, element);
}

std::string module_of(const Tensor& constant) {
  auto [network, leaf] = Tape::record(f32, [&](Tape& tape) { return tape.leaf(constant); });
  return network.entry({leaf}).lower().emit_stablehlo();
}

/// The number that a spelling stands for, as StableHLO's parser reads it: decimals through f64.
Tensor read_back(const std::string& number, ElementType element) {
  if (!number.starts_with("0x")) return Tensor::from({}, {std::strtod(number.c_str(), nullptr)}, element);
  const auto bits = std::strtoull(number.c_str(), nullptr, 16);
  std::byte value[16] = {};
  std::memcpy(value, &bits, element.size());  // little-endian, as every target of ours is
  return Tensor::single({element, {}}, value);
}

TEST(Literals, of_floats_have_a_point_and_read_back) {
  for (const auto element : {f32, f64, bf16}) {
    const auto numbers = hard_numbers(element);
    const auto constant = vector_of(numbers, element);
    const auto literals = literals_of(module_of(constant));
    ASSERT_EQ(literals.size(), 1u);
    const auto written = numbers_of(literals[0]);
    ASSERT_EQ(written.size(), numbers.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
      EXPECT_TRUE(std::regex_match(written[i], spelling(element))) << written[i];
      const auto one = reshape(narrow(constant, 0, static_cast<Extent>(i), 1), {});
      EXPECT_TRUE(bits_agree(read_back(written[i], element), one)) << written[i];
      EXPECT_EQ(literals_of(module_of(one)), std::vector<std::string>{written[i]});  // alone as in a list
    }
  }
}

TEST(Literals, of_integers_and_booleans_are_plain) {
  const auto integers = Tensor::from<std::int64_t>(
      {4}, {0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(literals_of(module_of(integers)),
            std::vector<std::string>{"[0, -1, -9223372036854775808, 9223372036854775807]"});
  EXPECT_EQ(literals_of(module_of(Tensor::from<bool>({2}, {false, true}))), std::vector<std::string>{"[false, true]"});
}

TEST(Literals, of_many_numbers_are_hex_bytes_but_for_booleans) {
  std::vector<double> numbers;
  for (int i = 0; i < 257; ++i) numbers.push_back(i % 7 - 2);
  for (const auto element : {f32, f64, bf16, i64}) {
    const auto literals = literals_of(module_of(vector_of(numbers, element)));
    ASSERT_EQ(literals.size(), 1u);
    const auto digits = std::to_string(2 * element.size() * numbers.size());
    EXPECT_TRUE(std::regex_match(literals[0], std::regex("\"0x[0-9A-F]+\""))) << literals[0];
    EXPECT_EQ(std::to_string(literals[0].size() - 4), digits);
  }
  // The first number's bytes, the least significant first: -2 is 0xC0000000.
  EXPECT_TRUE(literals_of(module_of(vector_of(numbers, f32)))[0].starts_with("\"0x000000C0"));
  // A byte of booleans would be taken for eight of them, or for all: they are written out.
  const auto truths = literals_of(module_of(vector_of(numbers, boolean)))[0];
  EXPECT_EQ(numbers_of(truths).size(), numbers.size());
  for (const auto& number : numbers_of(truths)) EXPECT_TRUE(std::regex_match(number, spelling(boolean))) << number;
}

TEST(Literals, of_whole_models_are_in_the_grammar) {
  for (const auto& options : {EmitOptions{}, EmitOptions{.target = "1.0.0"}, EmitOptions{.raise = false}}) {
    for (const auto element : {f32, f64, bf16}) {
      auto [network, root] = Tape::record(element, [](Tape& tape) {
        auto x = tape.parameter(Tensor::full({tape.element(), {4, 6}}, 1e-7));
        for (const auto factor : {1e10, 1e-7, 1e22}) x = x * factor;
        x = erf(x);
        x = erf_derivative(x);
        x = gelu(x);
        x = softplus(x);
        x = softmax(x, 1);
        x = log_softmax(x, 0);
        x = logsumexp(x, 1);
        x = power(x, 1e-300);
        return max_along(x, 0);
      });
      const auto literals = literals_of(network.entry({root}).lower().emit_stablehlo(options));
      EXPECT_GT(literals.size(), 10u);
      for (const auto& literal : literals)
        EXPECT_TRUE(std::regex_match(literal, spelling(element)) || std::regex_match(literal, spelling(f32)))
            << literal;
    }
  }
}

}  // namespace
}  // namespace topos::test
