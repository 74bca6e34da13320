// Numbers, braces and tensors where a payload is wanted.
#include <limits>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

TEST(Literals, take_the_element_of_their_place) {
  EXPECT_EQ(Tensor::of(2, f32).type().text(), "f32[]");
  EXPECT_EQ(Tensor::of({{1, 2.5}, {3, 4}}, f64).text(), "[[1, 2.5], [3, 4]]");
  EXPECT_EQ(Tensor::of({true, false}, boolean).text(), "[true, false]");
  EXPECT_EQ(Tensor::of({1, 0}, boolean).text(), "[true, false]");
  EXPECT_EQ(Tensor::of({true, 3}, f32).text(), "[1, 3]");
  EXPECT_EQ(Tensor::of({{{1}, {2}}}, i64).shape(), (Shape{1, 2, 1}));
  // Rounded once, from the number as written.
  EXPECT_TRUE(bits_agree(Tensor::of(0.1, f32), Tensor::from<float>({}, {0.1f})));
  EXPECT_TRUE(bits_agree(Tensor::of(0x1.0000010000001p0, f32), Tensor::from<float>({}, {0x1.000002p0f})));
}

TEST(Literals, keep_integers_of_64_bits) {
  EXPECT_EQ(Tensor::of(9007199254740993, i64).text(), "9007199254740993");
  EXPECT_EQ(Tensor::of({9007199254740993, -9007199254740993}, i64).text(), "[9007199254740993, -9007199254740993]");
  EXPECT_EQ(Tensor::of(std::numeric_limits<std::int64_t>::min(), i64).text(), "-9223372036854775808");
  EXPECT_EQ(Tensor::of(4.0, i64).text(), "4");
}

TEST(Literals, refuse_what_an_element_does_not_have) {
  EXPECT_TRUE(throws([] { Tensor::of(0.5, i64); }, {ErrorKind::type, "", {}, {"0.5"}}));
  EXPECT_TRUE(throws([] { Tensor::of({1, 0.5}, i64); }, {ErrorKind::type, "", {}, {"0.5"}}));
  EXPECT_TRUE(throws([] { Tensor::of(1e19, i64); }, {ErrorKind::type}));
  EXPECT_TRUE(throws([] { Tensor::of(std::numeric_limits<double>::quiet_NaN(), i64); }, {ErrorKind::type}));
  EXPECT_TRUE(throws([] { Tensor::of(2, boolean); }, {ErrorKind::type, "", {}, {"2"}}));
  EXPECT_TRUE(throws([] { Tensor::of({0.5}, boolean); }, {ErrorKind::type, "", {}, {"0.5"}}));
  EXPECT_TRUE(
      throws([] { Tensor::of(Tensor::full({f64, {2}}, 1), f32); }, {ErrorKind::type, "", {"f64[2]", "f32[2]"}}));
}

TEST(Literals, of_ragged_empty_or_composed_braces_are_errors) {
  EXPECT_TRUE(
      throws([] { Tensor::of({{1, 2}, {3}}, f32); }, {ErrorKind::argument, "Literal", {}, {"ragged", "[1]", "[2]"}}));
  EXPECT_TRUE(throws([] { Tensor::of({1, {2}}, f32); }, {ErrorKind::argument, "Literal", {}, {"ragged"}}));
  EXPECT_TRUE(throws([] { Literal literal(std::initializer_list<Literal>{}); },
                     {ErrorKind::argument, "Literal", {}, {"empty"}}));
  const Literal number(2), braces({1, 2});
  EXPECT_TRUE(throws([&] { Tensor::of({1, number}, f32); }, {ErrorKind::argument, "Literal", {}, {"variables"}}));
  EXPECT_TRUE(throws([&] { Tensor::of({braces, braces}, f32); }, {ErrorKind::argument, "Literal"}));
  const Tensor tensor = Tensor::full({f32, {}}, 1);
  EXPECT_TRUE(throws([&] { Tensor::of({1, tensor}, f32); }, {ErrorKind::argument, "Literal"}));
}

TEST(Literals, may_be_kept_and_used_again) {
  const Literal literal({{1, 2}, {3, 4}});
  const Literal copy = literal;
  EXPECT_EQ(copy.tensor(f32).text(), "[[1, 2], [3, 4]]");
  EXPECT_EQ(literal.tensor(i64).type().text(), "i64[2, 2]");
  EXPECT_EQ(literal.shape(), (Shape{2, 2}));
  EXPECT_TRUE(Literal(3).is_number());
  EXPECT_FALSE(literal.is_number());
}

TEST(Literals, fit_a_type_exactly_but_a_number_spreads) {
  EXPECT_EQ(Literal(3).fitted({f32, {2, 2}}).text(), "[[3, 3], [3, 3]]");
  EXPECT_TRUE(throws([] { Literal({1, 2}).fitted({f32, {3}}); }, {ErrorKind::type, "", {"f32[2]", "f32[3]"}}));
}

}  // namespace
}  // namespace topos::test
