// Tensors: printing, views, typed access, construction.
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "support/random.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Printing, gives_the_shortest_digits_that_read_back) {
  EXPECT_EQ(Tensor::from<float>({2, 2}, {0.6397f, 0.75025934f, 1.2794f, 1.5005187f}).text(),
            "[[0.6397, 0.75025934], [1.2794, 1.5005187]]");
  EXPECT_EQ(Tensor::from<float>({6}, {1, -12, -0.0f, 0.00001f, 1e20f, 16777216}).text(),
            "[1, -12, -0, 0.00001, 100000000000000000000, 16777216]");
  EXPECT_EQ(Tensor::from<double>({4}, {0.1, std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}).text(),
            "[0.1, NaN, inf, -inf]");
  // The same number in two precisions.
  EXPECT_EQ(Tensor::full({f32, {}}, 0.1).text(), "0.1");
  EXPECT_EQ(convert(Tensor::full({f32, {}}, 0.1), f64).text(), "0.10000000149011612");
  EXPECT_EQ(Tensor::from({2}, std::vector<std::int64_t>{-9223372036854775807 - 1, 7}).text(),
            "[-9223372036854775808, 7]");
  EXPECT_EQ(Tensor::from({2}, std::vector<bool>{true, false}).text(), "[true, false]");
}

TEST(Printing, nests_brackets_by_shape) {
  EXPECT_EQ(Tensor::full({f32, {}}, 2).text(), "2");
  EXPECT_EQ(Tensor::full({f32, {1}}, 2).text(), "[2]");
  EXPECT_EQ(Tensor::full({f32, {1, 2, 1}}, 2).text(), "[[[2], [2]]]");
  EXPECT_EQ(Tensor::full({f32, {0}}, 2).text(), "[]");
  EXPECT_EQ(Tensor::full({f32, {2, 0}}, 2).text(), "[[], []]");
  EXPECT_EQ(Tensor::full({f32, {0, 2}}, 2).text(), "[]");
  const auto x = Tensor::from({2, 3}, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(permute(x, {1, 0}).text(), "[[1, 4], [2, 5], [3, 6]]");
  std::ostringstream out;
  out << narrow(x, 1, 1, 2);
  EXPECT_EQ(out.str(), "[[2, 3], [5, 6]]");
}

TEST(Views, share_the_buffer_and_read_in_row_major_order) {
  const auto x = Random(1).tensor({f32, {3, 4}}, -1, 1);
  const auto turned = permute(x, {1, 0});
  EXPECT_EQ(turned.first(), x.first());
  EXPECT_FALSE(turned.is_contiguous());
  const auto numbers = x.values<float>();
  const auto columns = turned.values<float>();
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(columns[i * 3 + j], numbers[j * 4 + i]);
  EXPECT_TRUE(bits_agree(permute(turned, {1, 0}), x));
  EXPECT_TRUE(permute(turned, {1, 0}).is_contiguous());
  const auto window = narrow(x, 0, 1, 2);
  EXPECT_EQ(window.first(), static_cast<const float*>(x.first()) + 4);
  EXPECT_EQ(window.values<float>()[0], numbers[4]);
  const auto spread = broadcast_along(narrow(x, 1, 2, 1), 1, 5);
  EXPECT_EQ(spread.shape(), (Shape{3, 5, 1}));
  EXPECT_EQ(spread.values<float>()[6], numbers[6]);
  EXPECT_TRUE(bits_agree(turned.dense(), turned));
  EXPECT_TRUE(turned.dense().is_contiguous());
}

TEST(Views, keep_their_numbers_alive) {
  const auto values = [] {
    const auto x = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
    return permute(x, {1, 0}).values<float>();
  }();
  EXPECT_EQ(values.to_vector(), (std::vector<float>{1, 3, 2, 4}));
  const auto copy = values;
  EXPECT_EQ(copy.to_vector(), values.to_vector());
  const auto one = Tensor::full({f32, {}}, 5).values<float>();
  const auto moved = one;
  EXPECT_EQ(moved.to_vector(), std::vector<float>{5});
}

TEST(Views, of_a_single_value_hold_no_buffer) {
  const auto constant = Tensor::full({f64, {1000, 1000, 1000}}, 2);
  EXPECT_TRUE(constant.is_single());
  EXPECT_TRUE(permute(narrow(constant, 0, 3, 4), {2, 1, 0}).is_single());
  EXPECT_EQ(constant.strides(), (Shape{0, 0, 0}));
  EXPECT_TRUE((constant + 1.0).is_single());
}

TEST(Access, demands_element_and_rank) {
  const auto x = Tensor::from<float>({2}, {1, 2});
  EXPECT_EQ(x.values<float>().to_vector(), (std::vector<float>{1, 2}));
  EXPECT_TRUE(throws([&] { x.values<double>(); }, {ErrorKind::type, "Tensor::values", {"f32[2]", "f64"}}));
  EXPECT_TRUE(throws([&] { x.scalar<float>(); }, {ErrorKind::type, "Tensor::scalar", {"f32[2]"}}));
  EXPECT_TRUE(throws([&] { x.item(); }, {ErrorKind::type, "Tensor::item", {"f32[2]"}}));
  const auto one = Tensor::full({i64, {}}, 7);
  EXPECT_EQ(one.scalar<std::int64_t>(), 7);
  EXPECT_EQ(one.item(), 7.0);
  EXPECT_TRUE(throws([&] { one.scalar<double>(); }, {ErrorKind::type, "Tensor::scalar", {"i64[]", "f64"}}));
  EXPECT_EQ(Tensor::full({boolean, {}}, true).scalar<bool>(), true);
  EXPECT_EQ(Tensor::full({boolean, {}}, true).item(), 1.0);
  EXPECT_EQ(Tensor().type().text(), "f32[]");
}

TEST(Construction, counts_and_converts) {
  EXPECT_EQ(Tensor::from({2}, std::vector{1, 2}).type().text(), "i64[2]");
  EXPECT_EQ(Tensor::from({2}, std::vector{1, 2}, f32).type().text(), "f32[2]");
  EXPECT_EQ(Tensor::from({2}, std::vector{0.1, 2.0}, f32).text(), "[0.1, 2]");
  EXPECT_EQ(Tensor::from({2, 0}, std::vector<float>{}).text(), "[[], []]");
  EXPECT_TRUE(throws([] { Tensor::from({2, 2}, std::vector{1.0, 2.0}); },
                     {ErrorKind::type, "Tensor::from", {"f64[2, 2]"}, {"2", "4"}}));
  EXPECT_TRUE(throws([] { Tensor::from({-1, -2}, std::vector{1.0, 2.0}); }, {ErrorKind::type, "Tensor::from"}));
  EXPECT_TRUE(throws([] { Tensor::full({i64, {2}}, 0.5); }, {ErrorKind::type, "Tensor::full", {"i64[2]"}}));
  EXPECT_EQ(Tensor::iota(i64, {2, 3}, 1).text(), "[[0, 1, 2], [0, 1, 2]]");
  EXPECT_EQ(Tensor::iota(i64, {2, 3}, 0).text(), "[[0, 0, 0], [1, 1, 1]]");
  EXPECT_TRUE(throws([] { Tensor::iota(f32, {2}, 0); }, {ErrorKind::type, "Iota"}));
}

TEST(Arithmetic, checks_with_the_words_of_recording) {
  const auto a = Tensor::full({f32, {2, 3}}, 1), b = Tensor::full({f32, {4, 5}}, 1);
  EXPECT_TRUE(
      throws([&] { matmul(a, b); }, {ErrorKind::type,
                                     "MatMul (C2)",
                                     {"f32[2, 3]", "f32[4, 5]"},
                                     {"cannot multiply f32[2, 3] by f32[4, 5]: inner extents 3 and 4 differ"}}));
  EXPECT_TRUE(throws([&] { a + b; }, {ErrorKind::type, "Add", {"f32[2, 3]", "f32[4, 5]"}}));
  EXPECT_TRUE(throws([&] { a + Tensor::full({f32, {}}, 1); }, {ErrorKind::type, "Add", {"f32[2, 3]", "f32[]"}}));
  EXPECT_EQ((1.0 - a * 2).text(), "[[-1, -1, -1], [-1, -1, -1]]");
  EXPECT_EQ(maximum(a, 3).text(), "[[3, 3, 3], [3, 3, 3]]");
}

TEST(SameBits, tells_zeros_apart_and_nans_not) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(same_bits(Tensor::from<float>({2}, {nan, 1}), Tensor::from<float>({2}, {-nan, 1})));
  EXPECT_FALSE(same_bits(Tensor::from<float>({1}, {0.0f}), Tensor::from<float>({1}, {-0.0f})));
  EXPECT_FALSE(same_bits(Tensor::from<float>({1}, {nan}), Tensor::from<float>({1}, {1})));
  EXPECT_FALSE(same_bits(Tensor::full({f32, {2}}, 1), Tensor::full({f64, {2}}, 1)));
  EXPECT_FALSE(same_bits(Tensor::full({f32, {2}}, 1), Tensor::full({f32, {2, 1}}, 1)));
  EXPECT_TRUE(same_bits(Tensor::full({f32, {2}}, 1), Tensor::from<float>({2}, {1, 1})));
  EXPECT_TRUE(same_bits(Tensor::full({f32, {0}}, 1), Tensor::full({f32, {0}}, 2)));
}

TEST(Movement, works_beyond_four_axes) {
  const auto x = Random(2).tensor({f32, {2, 3, 1, 2, 2}}, -1, 1);
  const auto turned = permute(x, {4, 2, 0, 3, 1});
  EXPECT_EQ(turned.shape(), (Shape{2, 1, 2, 2, 3}));
  EXPECT_TRUE(bits_agree(permute(turned, {2, 4, 1, 3, 0}), x));
  EXPECT_TRUE(bits_agree(reshape(reshape(turned, {24}), turned.shape()), turned));
  const auto total = sum(turned, {0, 3});
  EXPECT_TRUE(bits_agree(total, sum(turned.dense(), {0, 3})));
  EXPECT_EQ(narrow(turned, 4, 1, 1).shape(), (Shape{2, 1, 2, 2, 1}));
}

}  // namespace
}  // namespace topos::test
