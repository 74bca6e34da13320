// Shapes, element types and the type rules.
#include <limits>

#include <gtest/gtest.h>

#include "topos/topos.h"
#include "topos/type/rules.h"

namespace topos::test {
namespace {

TEST(Shapes, print_and_count) {
  EXPECT_EQ(Shape{}.text(), "[]");
  EXPECT_EQ((Shape{2, 3}).text(), "[2, 3]");
  EXPECT_EQ(Shape{}.volume(), 1);
  EXPECT_EQ((Shape{2, 3, 0}).volume(), 0);
  EXPECT_EQ((Shape{2, 3, 4, 5, 6}).volume(), 720);
  EXPECT_EQ(row_major_strides({2, 3, 4}), (Shape{12, 4, 1}));
  EXPECT_EQ((TensorType{i64, {2, 3}}).text(), "i64[2, 3]");
  EXPECT_EQ((TensorType{f32, {2, 3}}).bytes(), 24u);
}

TEST(Shapes, of_any_rank_copy_move_and_change) {
  for (std::size_t rank = 0; rank < 9; ++rank) {
    auto shape = Shape::counting(rank);
    ASSERT_EQ(shape.rank(), rank);
    const auto copy = shape;
    EXPECT_EQ(copy, shape);
    EXPECT_EQ(hash_of(copy), hash_of(shape));
    auto moved = std::move(shape);
    EXPECT_EQ(moved, copy);
    shape = moved;
    EXPECT_EQ(shape, copy);
    shape = Shape{7};
    shape = copy;
    EXPECT_EQ(shape, copy);
    for (std::size_t axis = 0; axis <= rank; ++axis) {
      const auto with = copy.with(static_cast<Extent>(axis), 42);
      ASSERT_EQ(with.rank(), rank + 1);
      EXPECT_EQ(with[axis], 42);
      EXPECT_EQ(with.without(static_cast<Extent>(axis)), copy);
    }
    EXPECT_EQ(copy.contains(static_cast<Extent>(rank)), false);
    EXPECT_EQ(Shape::zeros(rank).volume(), rank == 0 ? 1 : 0);
  }
  EXPECT_FALSE((Shape{1, 2}) == (Shape{1, 2, 3}));
  EXPECT_FALSE((Shape{1, 2, 3, 4, 5}) == (Shape{1, 2, 3, 4, 6}));
}

TEST(Elements, know_their_names_and_classes) {
  EXPECT_EQ(f32.name(), "f32");
  EXPECT_EQ(boolean.stablehlo(), "i1");
  EXPECT_EQ(f64.size(), 8u);
  EXPECT_EQ(boolean.size(), 1u);
  EXPECT_TRUE(f32.is_floating());
  EXPECT_FALSE(i64.is_floating());
  EXPECT_EQ(i64.kind(), ElementClass::integer);
  EXPECT_FALSE(f32 == f64);
}

/// The label of the constraint that a rule breaks; empty if none.
template <class F>
std::string broken(F&& rule) {
  try {
    rule();
  } catch (const TypeFault& fault) {
    EXPECT_FALSE(fault.text.empty());
    EXPECT_FALSE(fault.label.empty());
    return std::string(fault.label);
  }
  return {};
}

TEST(Rules, infer_the_result) {
  const TensorType a{f32, {2, 3}}, b{f32, {3, 4}}, n{i64, {5}}, flags{boolean, {2, 3}};
  EXPECT_EQ(matmul(a, b).text(), "f32[2, 4]");
  EXPECT_EQ(sum(a, {0}).text(), "f32[3]");
  EXPECT_EQ(sum(a).text(), "f32[]");
  EXPECT_EQ(compare(a, a, Direction::lt).text(), "boolean[2, 3]");
  EXPECT_EQ(select(flags, a, a).text(), "f32[2, 3]");
  EXPECT_EQ(gather(a, n).text(), "f32[5, 3]");
  EXPECT_EQ(gather(a, TensorType{i64, {4, 2}}).text(), "f32[4, 2, 3]");
  EXPECT_EQ(scatter(TensorType{f32, {5, 7}}, n, 9).text(), "f32[9, 7]");
  EXPECT_EQ(convert(a, i64).text(), "i64[2, 3]");
  EXPECT_EQ(logsumexp(a, 1).text(), "f32[2]");
  EXPECT_EQ(broadcast_along(a, 1, 7).text(), "f32[2, 7, 3]");
  EXPECT_EQ(pad(a, 1, 1, 9).text(), "f32[2, 9]");
  EXPECT_EQ(iota_type(i64, {2}, 0).text(), "i64[2]");
  EXPECT_EQ(matmul(TensorType{i64, {2, 3}}, TensorType{i64, {3, 2}}).text(), "i64[2, 2]");
}

TEST(Rules, accept_zero_extents_everywhere_but_a_maximum) {
  const TensorType none{f32, {0, 3}};
  EXPECT_EQ(none + none, none);
  EXPECT_EQ(matmul(TensorType{f32, {2, 0}}, none).text(), "f32[2, 3]");
  EXPECT_EQ(sum(none, {0}).text(), "f32[3]");
  EXPECT_EQ(reshape(none, {3, 0, 5}).text(), "f32[3, 0, 5]");
  EXPECT_EQ(narrow(TensorType{f32, {3}}, 0, 3, 0).text(), "f32[0]");
  EXPECT_EQ(softmax(none, 1), none);
  EXPECT_EQ(broken([&] { softmax(none, 0); }), "C3");
  EXPECT_EQ(broken([&] { logsumexp(none, 0); }), "C3");
}

TEST(Rules, refuse_sizes_that_no_memory_has) {
  constexpr auto largest = std::numeric_limits<Extent>::max();
  const TensorType one{f32, {1}};
  EXPECT_NE(broken([&] { broadcast(one, {largest, 2}); }), "");
  EXPECT_NE(broken([&] { broadcast(one, {largest}); }), "");
  EXPECT_NE(broken([&] { broadcast(one, {-1}); }), "");
  EXPECT_NE(broken([&] { pad(one, 0, 0, largest); }), "");
  EXPECT_NE(broken([&] { broadcast_along(one, 0, largest / 2); }), "");
}

}  // namespace
}  // namespace topos::test
