// Tests of pools: the nodes they record, values and gradients against direct loops, ties, NaN, padding, divisors.
#include "topos/neural/pooling.h"

#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"
#include "support/golden.h"
#include "support/windows.h"

namespace topos::test {
namespace {

TEST(MaxPool, records_one_maximum_a_lane) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {1, 2, 4, 4}}, 0));
  max_pool(x, 2, 2);
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Input [1, 2, 4, 4]
1 Unfold 0 axis=2 size=2 step=2 dilation=1 [1, 2, 2, 2, 4]
2 Unfold 1 axis=4 size=2 step=2 dilation=1 [1, 2, 2, 2, 2, 2]
3 Permute 2 order=[0, 1, 2, 4, 3, 5] [1, 2, 2, 2, 2, 2]
4 Reshape 3 shape=[1, 2, 2, 2, 4] [1, 2, 2, 2, 4]
5 Narrow 4 axis=4 start=0 len=1 [1, 2, 2, 2, 1]
6 Narrow 4 axis=4 start=1 len=1 [1, 2, 2, 2, 1]
7 Maximum 6, 5 [1, 2, 2, 2, 1]
8 Narrow 4 axis=4 start=2 len=1 [1, 2, 2, 2, 1]
9 Maximum 8, 7 [1, 2, 2, 2, 1]
10 Narrow 4 axis=4 start=3 len=1 [1, 2, 2, 2, 1]
11 Maximum 10, 9 [1, 2, 2, 2, 1]
12 Reshape 11 shape=[1, 2, 2, 2] [1, 2, 2, 2]
tape: 13 nodes, 0 parameters, 1 input)"));
}

struct PoolCase {
  Pair size, stride, padding;
};
std::vector<PoolCase> pool_cases() {
  return {{1, 1, 0}, {2, 2, 0}, {2, 1, 0}, {3, 2, 1}, {{2, 3}, {3, 1}, {1, 0}}, {{1, 4}, {2, 3}, {0, 2}}, {3, 4, 2}};
}

/// Each output (n, c, y, x) with the places of its window that lie in the image, in row-major order.
template <class Each>
void each_window(const Shape& image, const Shape& output, Pair size, Pair stride, Pair low, Each&& each) {
  for (Extent n = 0; n < output[0]; ++n)
    for (Extent c = 0; c < output[1]; ++c)
      for (Extent y = 0; y < output[2]; ++y)
        for (Extent x = 0; x < output[3]; ++x) {
          std::vector<Place> places;
          for (Extent p = 0; p < size.rows; ++p)
            for (Extent q = 0; q < size.columns; ++q) {
              const auto i = y * stride.rows + p - low.rows, j = x * stride.columns + q - low.columns;
              if (i >= 0 && i < image[2] && j >= 0 && j < image[3]) places.push_back({n, c, i, j});
            }
          each(Place{n, c, y, x}, places);
        }
}
Shape pooled_shape(const Shape& image, Pair size, Pair stride, Pair low, Pair high) {
  return {image[0], image[1], (image[2] + low.rows + high.rows - size.rows) / stride.rows + 1,
          (image[3] + low.columns + high.columns - size.columns) / stride.columns + 1};
}

TEST(MaxPool, is_the_direct_loop_with_its_gradient_at_the_earliest) {
  Random random(11);
  for (const auto& [size, stride, padding] : pool_cases()) {
    SCOPED_TRACE(size.rows * 100 + size.columns);
    const auto x = whole(random, {2, 2, 6, 7});  // of seven numbers: ties everywhere
    Grid image(x), output(pooled_shape(x.shape(), size, stride, padding, padding)), gradient(x.shape());
    const auto g = whole(random, output.shape);
    Grid cotangent(g);
    each_window(image.shape, output.shape, size, stride, padding, [&](const Place& out, const auto& places) {
      auto best = places[0];
      for (const auto& place : places)
        if (at(image, place) > at(image, best)) best = place;
      at(output, out) = at(image, best);
      at(gradient, best) += at(cotangent, out);
    });
    const auto got =
        pulled({x}, g, [&](const std::vector<Value>& in) { return max_pool(in[0], size, stride, padding); });
    EXPECT_TRUE(bits_agree(got.value, output.tensor(f32)));
    EXPECT_TRUE(bits_agree(got.gradients[0], gradient.tensor(f32)));
  }
}

TEST(MaxPool, is_the_same_by_every_reading_in_every_element) {
  Random random(12);
  for (const auto element : {f32, f64, bf16})
    for (const auto& [size, stride, padding] : pool_cases()) {
      const ValueFunction f = [&](const std::vector<Value>& in) { return max_pool(in[0], size, stride, padding); };
      const auto x = random.tensor({element, {1, 2, 5, 6}}, -1, 1);
      cotangents_of(f, {x}, random.tensor(value_of(f, {x}).type(), -1, 1));
    }
}

TEST(MaxPool, of_integers_is_padded_by_the_least) {
  const auto x = Tensor::from<std::int64_t>({1, 1, 2, 2}, {-5, -7, -6, -8});
  const auto y = value_of([](const std::vector<Value>& in) { return max_pool(in[0], 2, 1, 1); }, {x});
  EXPECT_EQ(y.text(), "[[[[-5, -5, -7], [-5, -5, -7], [-6, -6, -8]]]]");
}

TEST(AveragePool, records_a_sum_and_a_division) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {1, 2, 4, 4}}, 0));
  average_pool(x, {2, 3}, {2, 1}, {{0, 1}, {0, 1}, true});
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Input [1, 2, 4, 4]
1 Pad 0 axis=3 start=1 full_extent=6 [1, 2, 4, 6]
2 Unfold 1 axis=2 size=2 step=2 dilation=1 [1, 2, 2, 2, 6]
3 Unfold 2 axis=4 size=3 step=1 dilation=1 [1, 2, 2, 2, 4, 3]
4 SumAlong 3 axes=[3, 5] [1, 2, 2, 4]
5 Leaf [1, 2, 2, 4]
6 Div 4, 5 [1, 2, 2, 4]
tape: 7 nodes, 0 parameters, 1 input)"));
}

TEST(AveragePool, divides_by_what_it_counts) {
  Random random(13);
  for (const auto& [size, stride, padding] : pool_cases())
    for (const bool counted : {true, false}) {
      SCOPED_TRACE(size.rows * 100 + size.columns);
      const auto x = whole(random, {2, 2, 6, 7}, f64);
      const Pair low = padding, high(padding.columns < size.rows ? padding.columns : padding.rows, 0);
      Grid image(x), output(pooled_shape(x.shape(), size, stride, low, high)), gradient(x.shape());
      const auto g = whole(random, output.shape, f64);
      Grid cotangent(g);
      each_window(image.shape, output.shape, size, stride, low, [&](const Place& out, const auto& places) {
        const auto divisor = counted ? static_cast<double>(size.rows * size.columns) : double(places.size());
        double total = 0;
        for (const auto& place : places) total += at(image, place);
        at(output, out) = total / divisor;
        for (const auto& place : places) at(gradient, place) += at(cotangent, out) / divisor;
      });
      const AveragePoolOptions options{low, high, counted};
      const auto got =
          pulled({x}, g, [&](const std::vector<Value>& in) { return average_pool(in[0], size, stride, options); });
      EXPECT_TRUE(bits_agree(got.value, output.tensor(f64)));
      const auto slope = numbers_of(got.gradients[0]);
      for (std::size_t i = 0; i < slope.size(); ++i) EXPECT_NEAR(slope[i], gradient.values[i], 1e-14);
    }
}

TEST(AveragePool, of_b_float16_rounds_once) {
  // 9 numbers of 1 + 2^-7: in bf16 the running sum would lose what the division brings back.
  const auto x = Tensor::full({bf16, {1, 1, 3, 3}}, 1.0078125);
  const ValueFunction f = [](const std::vector<Value>& in) { return average_pool(in[0], 3, 1); };
  EXPECT_TRUE(bits_agree(value_of(f, {x}), Tensor::full({bf16, {1, 1, 1, 1}}, 1.0078125)));
  const auto third = Tensor::from({1, 1, 1, 3}, {1.0, 1.0, 2.0}, bf16);
  EXPECT_TRUE(bits_agree(value_of([](const std::vector<Value>& in) { return average_pool(in[0], {1, 3}, 1); }, {third}),
                         convert(Tensor::full({f32, {1, 1, 1, 1}}, 4.0F / 3.0F), bf16)));
}

TEST(Pools, refuse_what_does_not_fit) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {1, 1, 4, 4}}, 0));
  const auto row = tape.input(Tensor::full({f32, {4, 4}}, 0));
  const auto count = tape.input(Tensor::full({i64, {1, 1, 4, 4}}, 0));
  const auto size = tape.size();
  const auto line = static_cast<std::uint32_t>(__LINE__) + 1;
  EXPECT_TRUE(
      throws([&] { max_pool(row, 2, 2); }, {ErrorKind::type, "max_pool", {"f32[4, 4]"}, {"[b, c, h, w]"}, line}));
  EXPECT_TRUE(throws([&] { max_pool(x, 5, 1); }, {ErrorKind::type, "max_pool", {"f32[1, 1, 4, 4]"}, {"does not fit"}}));
  EXPECT_TRUE(throws([&] { max_pool(x, {0, 1}, 1); }, {ErrorKind::argument, "max_pool", {}, {"size 0"}}));
  EXPECT_TRUE(throws([&] { max_pool(x, 2, {1, 0}); }, {ErrorKind::argument, "max_pool", {}, {"stride 0"}}));
  EXPECT_TRUE(throws([&] { max_pool(x, 2, 1, 2); }, {ErrorKind::argument, "max_pool", {}, {"nothing but padding"}}));
  EXPECT_TRUE(
      throws([&] { average_pool(x, 2, 1, {-1, 0, true}); }, {ErrorKind::argument, "average_pool", {}, {"padding -1"}}));
  EXPECT_TRUE(throws([&] { average_pool(x, 2, 1, {0, {0, 2}, true}); },
                     {ErrorKind::argument, "average_pool", {}, {"nothing but padding"}}));
  EXPECT_TRUE(throws([&] { average_pool(count, 2, 1); }, {ErrorKind::type, "average_pool", {"i64[1, 1, 4, 4]"}}));
  EXPECT_EQ(tape.size(), size);
}

}  // namespace
}  // namespace topos::test
