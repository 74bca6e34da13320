// Every way in which a text can be wrong is an error that names the line, the piece and what was expected.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "support/error.h"
#include "support/round_trip.h"

namespace topos::test {
namespace {

const std::string good =
    "topos network, version 1, numerics 1\n"
    "element f32\n"
    "%0 = Parameter slot=0 : f32[2, 2] @ \"model.cpp\":3 label \"w\"\n"
    "%1 = Input slot=0 : f32[1, 2] @ \"model.cpp\":4\n"
    "%2 = MatMul(%1, %0) : f32[1, 2] @ \"model.cpp\":5 composite\n"
    "%3 = BroadcastAlong(%2) axis=0 extent=4 : f32[4, 1, 2] of %0\n"
    "%4 = Leaf slot=0 : f32[4, 1, 2]\n"
    "%5 = Leaf slot=0 : f32[4, 1, 2]\n"
    "%6 = Compare(%4, %3) direction=LT : boolean[4, 1, 2]\n"
    "%7 = Permute(%6) order=[2, 1, 0] : boolean[2, 1, 4]\n"
    "%8 = Convert(%7) element=i64 : i64[2, 1, 4]\n"
    "%9 = Leaf slot=1 : boolean[20]\n"
    "%10 = Leaf slot=2 : i64[1]\n"
    "leaf 0 = all 0.5\n"
    "leaf 1 = bytes\n"
    "  0001000100010001000100010001000100010001\n"
    "leaf 2 = [7]\n"
    "parameter 0 = [1, 2, 3, 4]\n"
    "input 0 = [5, 6]\n"
    "end 11 nodes\n";

/// `good` with its first `from` replaced.
std::string changed(const std::string& from, const std::string& to) {
  auto text = good;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

testing::AssertionResult refused(const std::string& text, const std::vector<std::string>& words) {
  return throws([&] { from_text(text); }, {ErrorKind::file, "load", {}, words});
}
testing::AssertionResult refused(const std::string& from, const std::string& to,
                                 const std::vector<std::string>& words) {
  return refused(changed(from, to), words);
}

TEST(TextErrors, the_text_that_they_change_is_right) {
  EXPECT_EQ(to_text(from_text(good)), good);
  EXPECT_EQ(to_text(from_text(good.substr(0, good.size() - 1))), good) << "without the last line's end";
}

TEST(TextErrors, take_blanks_and_other_spellings_of_numbers) {
  EXPECT_EQ(to_text(from_text(changed("MatMul(%1, %0) :", "  MatMul ( %1 ,%0 )  : "))), good);
  EXPECT_EQ(to_text(from_text(changed("[1, 2, 3, 4]", "[1e0,  2.0,30e-1, 4 ]"))), good);
}

TEST(TextErrors, of_the_header) {
  EXPECT_TRUE(refused("", {"line 1: the text is empty"}));
  EXPECT_TRUE(refused("hello\n", {"line 1: expected topos network, version 1", "found \"hello\""}));
  EXPECT_TRUE(refused("version 1", "version 2", {"line 1: ", "reads version 1", "has version 2"}));
  EXPECT_TRUE(refused("version 1", "version x", {"line 1: expected a version, found \"x, numerics 1\""}));
  EXPECT_TRUE(refused("numerics 1", "numerics 9", {"line 1: ", "numerics 9", "numerics 1", "other bits"}));
  EXPECT_TRUE(
      refused("numerics 1", "numerics 99999999999999999999999", {"line 1: expected a version of the numerics"}));
  EXPECT_TRUE(refused("numerics 1", "numerics 1 and", {"line 1: expected the end of the line, found \"and\""}));
  EXPECT_TRUE(refused("element f32", "element f99", {"line 2: expected the name of an element, found \"f99\""}));
  EXPECT_TRUE(refused("element f32", "elements", {"line 2: expected element", "found \"elements\""}));
  EXPECT_TRUE(refused("topos network, version 1, numerics 1\n", {"line 1: the text stops"}));
}

TEST(TextErrors, of_nodes) {
  EXPECT_TRUE(refused("%2 =", "%3 =", {"line 5: expected node %2, found %3"}));
  EXPECT_TRUE(refused("%2 =", "%x =", {"line 5: expected a node's number, found \"x = MatMul"}));
  EXPECT_TRUE(refused("%2 =", "%2 :", {"line 5: expected = and an opcode, found \": MatMul"}));
  EXPECT_TRUE(refused("MatMul", "Matmul", {"line 5: expected the name of an opcode, found \"Matmul\""}));
  EXPECT_TRUE(refused("MatMul(", "(", {"line 5: expected the name of an opcode, found \"(%1"}));
  EXPECT_TRUE(refused("(%1, %0)", "(%1, %2)", {"line 5: expected an earlier node, found %2"}));
  EXPECT_TRUE(refused("(%1, %0)", "(%1, %99999999999)", {"line 5: expected an operand"}));
  EXPECT_TRUE(refused("(%1, %0)", "(%1, 0)", {"line 5: expected an operand such as %0, found \"0) :"}));
  EXPECT_TRUE(refused("(%1, %0)", "(%1 %0)", {"line 5: expected a comma or the closing parenthesis, found \"%0)"}));
  EXPECT_TRUE(refused("(%1, %0)", "(%1)", {"line 5: MatMul takes 2 operands, found 1"}));
  EXPECT_TRUE(refused("(%1, %0)", "(%1, %0, %0)", {"line 5: MatMul takes 2 operands, found 3"}));
  EXPECT_TRUE(refused("(%1, %0)", "", {"line 5: expected ( and the operands, found \": f32[1, 2]"}));
  EXPECT_TRUE(refused("(%1, %0)", "(%0, %1)", {"line 5: MatMul (C2): ", "inner extents"}));
  EXPECT_TRUE(refused("composite", "composites", {"line 5: expected @", "found \"composites\""}));
  EXPECT_TRUE(refused("of %0", "of %3", {"line 6: expected an earlier node, found %3"}));
}

TEST(TextErrors, of_attributes) {
  EXPECT_TRUE(refused(" axis=0", "", {"line 6: expected the attribute axis=, found \"extent=4 :"}));
  EXPECT_TRUE(refused(" extent=4", "", {"line 6: expected the attribute extent=, found \": f32"}));
  EXPECT_TRUE(refused(" extent=4", " extent=4 stride=1",
                      {"line 6: ", "BroadcastAlong has no further attribute", "\"stride=1"}));
  EXPECT_TRUE(refused("axis=0", "axis=zero", {"line 6: expected a whole number of 64 bits after axis=", "\"zero\""}));
  EXPECT_TRUE(refused("axis=0", "axis=99999999999999999999", {"line 6: expected a whole number of 64 bits"}));
  EXPECT_TRUE(refused("axis=0", "axis=7", {"line 6: BroadcastAlong (C1): axis 7"}));
  EXPECT_TRUE(refused("extent=4", "extent=-4", {"line 6: BroadcastAlong (C2): ", "negative extent"}));
  EXPECT_TRUE(refused("extent=4", "extent=9223372036854775807", {"line 6: ", "larger than memory can be"}));
  EXPECT_TRUE(refused("direction=LT", "direction=lt", {"line 9: expected one of EQ, NE", "found \"lt\""}));
  EXPECT_TRUE(refused("order=[2, 1, 0]", "order=2", {"line 10: expected a list", "found \"2\""}));
  EXPECT_TRUE(refused("order=[2, 1, 0]", "order=[2, 1,", {"line 10: expected a list"}));
  EXPECT_TRUE(refused("order=[2, 1, 0]", "order=[2, [1], 0]", {"line 10: expected a list", "found \"[2, [1]\""}));
  EXPECT_TRUE(refused("order=[2, 1, 0]", "order=[2, 1, 1]", {"line 10: Permute (C3)"}));
  EXPECT_TRUE(refused("element=i64", "element=i65",
                      {"line 11: expected the name of an element after element=, found \"i65\""}));
}

TEST(TextErrors, of_types) {
  EXPECT_TRUE(
      refused("f32[4, 1, 2] of", "f32[4, 2] of",
              {"line 6: expected the type f32[4, 1, 2], which the rule of BroadcastAlong gives, found f32[4, 2]"}));
  EXPECT_TRUE(refused("f32[2, 2]", "f33[2, 2]", {"line 3: expected the name of an element, found \"f33\""}));
  EXPECT_TRUE(refused("f32[2, 2]", "[2, 2]", {"line 3: expected a type such as f32[2, 3], found \"[2, 2]"}));
  EXPECT_TRUE(refused("f32[2, 2]", "f32", {"line 3: expected a list", "found \"@\""}));
  EXPECT_TRUE(refused("f32[2, 2]", "f32[2, -2]", {"line 3: ", "negative extent"}));
  EXPECT_TRUE(refused("f32[2, 2]", "f32[4294967296, 4294967296]", {"line 3: ", "larger than memory can be"}));
  EXPECT_TRUE(refused("f32[2, 2]", "f32[0, 4611686018427387904]", {"line 3: ", "larger than memory can be"}));
  EXPECT_TRUE(refused("boolean[4, 1, 2]", "f32[4, 1, 2]", {"line 9: expected the type boolean[4, 1, 2]"}));
  EXPECT_TRUE(refused("%5 = Leaf slot=0 : f32", "%5 = Leaf slot=0 : f64",
                      {"line 8: expected the type f32[4, 1, 2] of node %4, whose slot this is, found f64[4, 1, 2]"}));
  EXPECT_TRUE(refused("Parameter slot=0 : f32", "Parameter slot=0 : i64",
                      {"line 3: expected a floating type for a parameter, found i64[2, 2]"}));
}

TEST(TextErrors, of_places_and_labels) {
  EXPECT_TRUE(refused("@ \"model.cpp\":3", "@ model.cpp:3", {"line 3: expected a file's name, found \"model.cpp:3"}));
  EXPECT_TRUE(refused("@ \"model.cpp\":3", "@ \"model.cpp\"", {"line 3: expected : and a line's number"}));
  EXPECT_TRUE(refused("\":3", "\":99999999999", {"line 3: expected a line's number, found \"99999999999"}));
  EXPECT_TRUE(refused("model.cpp", "model\\x00.cpp", {"line 3: a file's name has no \\x00"}));
  EXPECT_TRUE(refused("\"w\"", "\"w", {"line 3: a label has no closing quote"}));
  EXPECT_TRUE(refused("\"w\"", "\"\\n\"", {"line 3: expected in a label one of", "found \"\\\\n"}));
  EXPECT_TRUE(refused("\"w\"", "\"\\xG0\"", {"line 3: expected in a label one of"}));
  EXPECT_TRUE(refused("\"w\"", "\"\\x4", {"line 3: expected in a label one of"}));
  EXPECT_TRUE(refused("label \"w\"", "label", {"line 3: expected a label, found the end of the line"}));
}

TEST(TextErrors, of_slots) {
  EXPECT_TRUE(refused("Parameter slot=0", "Parameter", {"line 3: expected slot= and a number, found \": f32"}));
  EXPECT_TRUE(refused("Parameter slot=0", "Parameter slot=1", {"line 3: expected slot=0", "found slot=1"}));
  EXPECT_TRUE(refused("Leaf slot=1", "Leaf slot=2", {"line 12: expected slot=1", "found slot=2"}));
  EXPECT_TRUE(refused("Leaf slot=1", "Input slot=0", {"line 12: expected slot=1", "found slot=0"}));
  EXPECT_TRUE(refused("leaf 2", "leaf 3", {"line 17: no node has leaf slot 3"}));
  EXPECT_TRUE(refused("leaf 2", "leaf 1", {"line 17: the payload of leaf 1 stands here twice"}));
  EXPECT_TRUE(refused("leaf 2 = [7]\n", "", {"leaf 2 of node %10 has no payload above"}));
  EXPECT_TRUE(refused("leaf 2", "leave 2", {"line 17: expected a node, a payload", "found \"leave 2 = [7]\""}));
  EXPECT_TRUE(refused("leaf 2 =", "leaf 2", {"line 17: expected = and a payload"}));
  EXPECT_TRUE(refused("leaf 2 = [7]", "%11 = Iota() element=i64 shape=[3] axis=0 : i64[3]",
                      {"line 17: expected a payload or end"}));
}

TEST(TextErrors, of_payloads) {
  EXPECT_TRUE(refused("all 0.5", "half 0.5", {"line 14: expected all and a number, a list of numbers, or bytes"}));
  EXPECT_TRUE(refused("all 0.5", "all", {"line 14: expected a number of f32, found the end of the line"}));
  EXPECT_TRUE(refused("all 0.5", "all 0.5.5", {"line 14: expected a number of f32, found \"0.5.5\""}));
  EXPECT_TRUE(refused("all 0.5", "all 1e99", {"line 14: expected a number of f32, found \"1e99\""}));
  EXPECT_TRUE(refused("all 0.5", "all nan(7)", {"line 14: expected a number of f32"}));
  EXPECT_TRUE(refused("all 0.5", "all 0x1p3", {"line 14: expected a number of f32"}));
  EXPECT_TRUE(refused("all 0.5", "all 0.5 0.5", {"line 14: expected the end of the line, found \"0.5\""}));
  EXPECT_TRUE(refused("all 0.5", "all bytes 3f", {"line 14: expected 8 hex digits, found \"3f\""}));
  EXPECT_TRUE(refused("[7]", "[7.5]", {"line 17: expected a number of i64, found \"7.5\""}));
  EXPECT_TRUE(refused("[7]", "[9223372036854775808]", {"line 17: expected a number of i64"}));
  EXPECT_TRUE(refused("[7]", "[]", {"line 17: expected 1 numbers for i64[1], found 0"}));
  EXPECT_TRUE(refused("[7]", "[7, 8]", {"line 17: expected 1 numbers for i64[1], found 2"}));
  EXPECT_TRUE(refused("[7]", "[7", {"line 17: expected a comma or the closing bracket, found the end of the line"}));
  EXPECT_TRUE(refused("[7]", "[[7]]", {"line 17: expected a number of i64, found \"[7]]\""}));
  EXPECT_TRUE(refused("  00010001", "  0001", {"line 16: expected 40 hex digits"}));
  EXPECT_TRUE(refused("  00010001", "  0001000100", {"line 16: expected 40 hex digits"}));
  EXPECT_TRUE(refused("  00010001", "  0001000X", {"line 16: expected two hex digits, found \"0X\""}));
  EXPECT_TRUE(refused("  00010001", "  00010002", {"line 16: expected a boolean, 00 or 01, found \"02\""}));
  EXPECT_TRUE(refused("leaf 1 = bytes", "leaf 1 = bytes 00", {"line 15: expected nothing after bytes"}));
  EXPECT_TRUE(refused("boolean[20]", "boolean[2000000000]", {"line 15: boolean[2000000000] has 2000000000 bytes"}));
}

TEST(TextErrors, of_the_end) {
  EXPECT_TRUE(refused("end 11 nodes", "end 1 nodes", {"line 20: expected end 11 nodes", "found 1"}));
  EXPECT_TRUE(refused("end 11 nodes", "end 11 node", {"line 20: expected nodes, found \"node\""}));
  EXPECT_TRUE(refused("end 11 nodes", "end nodes", {"line 20: expected the number of nodes"}));
  EXPECT_TRUE(refused("end 11 nodes\n", "end 11 nodes\nmore\n", {"line 21: nothing stands after end, found \"more\""}));
  EXPECT_TRUE(refused("end 11 nodes\n", "end 11 nodes\n\n", {"line 21: nothing stands after end"}));
  EXPECT_TRUE(refused("end 11 nodes\n", "", {"line 19: the text stops before its line end"}));
}

TEST(TextErrors, of_bytes_that_no_text_has) {
  EXPECT_TRUE(refused("MatMul", "Mat\xC3\xA4Mul", {"line 5: byte 9 is 0xC3, expected printable ASCII"}));
  EXPECT_TRUE(refused("MatMul", std::string("Mat\0Mul", 7), {"line 5: byte 9 is 0x00"}));
  EXPECT_TRUE(refused("MatMul", "\tMatMul", {"line 5: byte 6 is 0x09"}));
  EXPECT_TRUE(refused("element f32\n", "element f32\r\n", {"line 2: the line ends in CR LF, expected LF alone"}));
  EXPECT_TRUE(refused("\n%0", "\n\n%0", {"line 3: expected a node", "found the end of the line"}));
}

TEST(TextErrors, of_absurd_sizes) {
  const std::string brackets(50'000, '[');
  EXPECT_TRUE(refused("[7]", brackets, {"line 17: expected a number of i64, found \"[[[[", "..."}));
  EXPECT_TRUE(refused("order=[2, 1, 0]", "order=" + brackets, {"line 10: expected a list"}));
  EXPECT_TRUE(refused("f32[2, 2]", "f32" + brackets, {"line 3: expected a list"}));
  std::string many = "[1";
  for (int i = 0; i < 300; ++i) many += ", 1";
  EXPECT_TRUE(refused("[2, 2]", many + "]", {"line 3: expected a list of at most 256"}));
  EXPECT_TRUE(
      refused("all 0.5", std::string((std::size_t{1} << 24) + 1, 'x'), {"line 14: the line has 16777226 bytes"}));
  EXPECT_TRUE(refused("\"w\"", "\"" + std::string(100'000, 'w'), {"line 3: a label has no closing quote"}));
}

TEST(TextErrors, of_every_truncation) {
  for (std::size_t size = 0; size + 1 < good.size(); ++size)
    EXPECT_TRUE(throws([&] { from_text(std::string_view(good).substr(0, size)); }, {ErrorKind::file, "load"})) << size;
}

/// Either an error of this kind or a network whose text reads back: what the fuzzer looks for, too.
void expect_error_or_text(const std::string& text) {
  try {
    const auto once = to_text(from_text(text));
    EXPECT_EQ(to_text(from_text(once)), once);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::file) << error.what();
    EXPECT_EQ(error.operation(), "load") << error.what();
  }
}

TEST(TextErrors, of_every_changed_byte) {
  Random random(5);
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto text = good;
    text[at] = static_cast<char>("0123456789[]%=:, \"\\x@"[random.below(21)]);
    expect_error_or_text(text);
    expect_error_or_text(std::string(good).erase(at, 1 + random.below(5)));
  }
}

TEST(TextErrors, of_the_corpus) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TOPOS_SOURCE_DIR "/fuzz/corpus/text")) {
    SCOPED_TRACE(entry.path());
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    expect_error_or_text(text.str());
    ++files;
  }
  EXPECT_GT(files, 8u);
}

}  // namespace
}  // namespace topos::test
