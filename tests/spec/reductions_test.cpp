// Means, deviations, norms and extremes: nodes, values, slopes at the edges, kept axes, misuse.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"
#include "support/sequence.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

TEST(Reductions, record_their_nodes) {
  const auto of = [](const ValueFunction& f) { return sequence_of({{f32, {2, 3, 4}}}, f); };
  EXPECT_EQ(of([](const In& in) { return mean(in[0]); }), "Sum, Leaf, Div");
  EXPECT_EQ(of([](const In& in) { return mean(in[0], {2, 0}); }), "SumAlong axes=[0, 2], Leaf, Div");
  EXPECT_EQ(of([](const In& in) { return mean(in[0], {-1}, keepdims); }),
            "SumAlong axis=2, Leaf, Div, Reshape shape=[2, 3, 1]");
  EXPECT_EQ(of([](const In& in) { return variance(in[0]); }),
            "Sum, Leaf, Div, Broadcast shape=[2, 3, 4], Sub, Mul, Sum, Leaf, Div");
  EXPECT_EQ(of([](const In& in) { return variance(in[0], {2, 0}); }),
            "SumAlong axes=[0, 2], Leaf, Div, BroadcastAlong axis=0 extent=2, BroadcastAlong axis=2 extent=4, Sub, "
            "Mul, SumAlong axes=[0, 2], Leaf, Div");
  EXPECT_EQ(of([](const In& in) { return standard_deviation(in[0], {1}); }),
            "SumAlong axis=1, Leaf, Div, BroadcastAlong axis=1 extent=3, Sub, Mul, SumAlong axis=1, Leaf, Div, Leaf, "
            "Compare direction=EQ, Leaf, Select, Sqrt, Select");
  EXPECT_EQ(of([](const In& in) { return norm(in[0], {1}, 1); }), "Abs, SumAlong axis=1");
  EXPECT_EQ(of([](const In& in) { return norm(in[0], {1}); }),
            "Mul, SumAlong axis=1, Leaf, Compare direction=EQ, Leaf, Select, Sqrt, Select");
  EXPECT_EQ(of([](const In& in) { return norm(in[0], {0, 1}, infinity); }), "Abs, MaxAlong axis=1, MaxAlong axis=0");
  EXPECT_EQ(of([](const In& in) { return clip_by_norm(in[0], 1); }),
            "Mul, Sum, Sqrt, Leaf, Maximum, Leaf, Div, Broadcast shape=[2, 3, 4], Mul");
  EXPECT_EQ(of([](const In& in) { return max(in[0], {0, 2}); }), "MaxAlong axis=2, MaxAlong axis=0");
  EXPECT_EQ(of([](const In& in) { return max(in[0], {}); }), "");
  EXPECT_EQ(of([](const In& in) { return min(in[0], {1}, keepdims); }),
            "Neg, MaxAlong axis=1, Neg, Reshape shape=[2, 1, 4]");
  EXPECT_EQ(of([](const In& in) { return argmin_along(in[0], 1); }), "Neg, ArgMaxAlong axis=1");
  EXPECT_EQ(of([](const In& in) { return sum(in[0], {1}, keepdims); }), "SumAlong axis=1, Reshape shape=[2, 1, 4]");
  EXPECT_EQ(of([](const In& in) { return logsumexp(in[0], -1, keepdims); }),
            "LogSumExp axis=2, Reshape shape=[2, 3, 1]");
  EXPECT_EQ(sequence_of({{i64, {2}}}, [](const In& in) { return min_along(in[0], 0); }),
            "Leaf, Sub, MaxAlong axis=0, Leaf, Sub");
}

TEST(Reductions, of_bf16_divide_in_f32) {
  const auto of = [](const ValueFunction& f) { return sequence_of({{bf16, {4}}}, f); };
  EXPECT_EQ(of([](const In& in) { return mean(in[0]); }), "Convert element=f32, Sum, Leaf, Div, Convert element=bf16");
  EXPECT_EQ(of([](const In& in) { return variance(in[0]); }),
            "Convert element=f32, Sum, Leaf, Div, Broadcast shape=[4], Sub, Mul, Sum, Leaf, Div, Convert element=bf16");
  // 300 is no bf16 number: a mean that divided by 304 would be below 1.
  EXPECT_EQ(value_of([](const In& in) { return mean(in[0]); }, {Tensor::full({bf16, {301}}, 1)}).item(), 1.0);
  // A mean of numbers that differ by one step: the deviation survives.
  const auto x = Tensor::from({2}, std::vector<double>{256, 258}, bf16);
  EXPECT_EQ(value_of([](const In& in) { return variance(in[0]); }, {x}).item(), 1.0);
}

class Reductions : public testing::TestWithParam<ElementType> {
 protected:
  Tensor make(std::initializer_list<double> values, const Shape& shape) const {
    return reshape(row(values, GetParam()), shape);
  }
  Tensor scalar(double x) const { return Tensor::full({GetParam(), {}}, x); }
  void expect(const ValueFunction& f, const Tensor& x, const Tensor& value, const Tensor& slope) {
    const auto got = value_of(f, {x});
    EXPECT_TRUE(bits_agree(got, value));
    EXPECT_TRUE(bits_agree(cotangents_of(f, {x}, full_like(got, 1))[0], slope));
  }
};
INSTANTIATE_TEST_SUITE_P(Floats, Reductions, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Reductions, variance_is_of_deviations) {
  const auto x = make({1, 2, 3, 6, 4, 4, 4, 4}, {2, 4});
  expect([](const In& in) { return variance(in[0], {1}); }, x, make({3.5, 0}, {2}),
         make({-1, -0.5, 0, 1.5, 0, 0, 0, 0}, {2, 4}));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return unbiased_variance(in[0]); }, {make({1, 5}, {2})}), scalar(8)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return standard_deviation(in[0], {0}); }, {make({1, 5}, {2})}),
                         scalar(2)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return variance(in[0], {}); }, {x}), full_like(x, 0)));
}

TEST_P(Reductions, of_nothing_and_of_one_number) {
  const auto none = Tensor::full({GetParam(), {0}}, 0);
  const auto one = make({5}, {1});
  for (const auto& f : std::vector<ValueFunction>{[](const In& in) { return mean(in[0]); },
                                                  [](const In& in) { return variance(in[0]); },
                                                  [](const In& in) { return unbiased_variance(in[0]); },
                                                  [](const In& in) { return standard_deviation(in[0]); }}) {
    EXPECT_TRUE(bits_agree(value_of(f, {none}), scalar(nan)));
    EXPECT_EQ(cotangents_of(f, {none}, scalar(1))[0].type(), none.type());
  }
  expect([](const In& in) { return variance(in[0]); }, one, scalar(0), make({0}, {1}));
  expect([](const In& in) { return standard_deviation(in[0]); }, one, scalar(0), make({0}, {1}));
  expect([](const In& in) { return unbiased_variance(in[0]); }, one, scalar(nan), make({nan}, {1}));
  expect([](const In& in) { return unbiased_standard_deviation(in[0]); }, one, scalar(nan), make({nan}, {1}));
}

TEST_P(Reductions, norms_are_flat_at_the_zero_vector) {
  const auto x = make({1, -1, 1, 1, 0, 0, -0.0, 0, nan, 1, 0, 0}, {3, 4});
  const auto order = [](double p) { return [p](const In& in) { return norm(in[0], {1}, p); }; };
  expect(order(1), x, make({4, 0, nan}, {3}), make({1, -1, 1, 1, 0, 0, 0, 0, nan, 1, 0, 0}, {3, 4}));
  expect(order(2), x, make({2, 0, nan}, {3}), make({0.5, -0.5, 0.5, 0.5, 0, 0, 0, 0, nan, nan, nan, nan}, {3, 4}));
  expect(order(infinity), x, make({1, 0, nan}, {3}), make({1, 0, 0, 0, 0, 0, 0, 0, nan, 0, 0, 0}, {3, 4}));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return norm(in[0]); }, {make({2, 4, 4}, {3})}), scalar(6)));
  EXPECT_EQ(value_of([](const In& in) { return norm(in[0], {-1}, 2, keepdims); }, {x}).shape(), (Shape{3, 1}));
}

TEST_P(Reductions, clip_by_norm_is_the_identity_inside) {
  const auto clip = [](const In& in) { return clip_by_norm(in[0], 5); };
  expect(clip, make({0, 0, 0}, {3}), make({0, 0, 0}, {3}), make({1, 1, 1}, {3}));
  expect(clip, make({1, -0.5}, {2}), make({1, -0.5}, {2}), make({1, 1}, {2}));
  expect(clip, make({3, 4}, {2}), make({3, 4}, {2}), make({1, 1}, {2}));  // on the ball
  // Outside: the slope across the ray alone, (limit / n) (1 - x sum(x) / n^2).
  EXPECT_TRUE(bits_agree(value_of(clip, {make({30, 40}, {2})}), make({3, 4}, {2})));
  const auto g = convert(cotangents_of(clip, {make({30, 40}, {2})}, make({1, 1}, {2}))[0], f64);
  const double tolerance = GetParam() == bf16 ? 4e-3 : 1e-7;
  EXPECT_NEAR(g.values<double>()[0], 0.1 * (1 - 30 * 70 / 2500.0), tolerance);
  EXPECT_NEAR(g.values<double>()[1], 0.1 * (1 - 40 * 70 / 2500.0), tolerance);
}

TEST_P(Reductions, extremes_over_several_axes_take_the_first_in_row_major_order) {
  const auto x = make({1, 7, 7, 3, 7, 0, 0, 2}, {2, 2, 2});
  expect([](const In& in) { return max(in[0]); }, x, scalar(7), make({0, 1, 0, 0, 0, 0, 0, 0}, {2, 2, 2}));
  expect([](const In& in) { return min(in[0]); }, x, scalar(0), make({0, 0, 0, 0, 0, 1, 0, 0}, {2, 2, 2}));
  expect([](const In& in) { return max(in[0], {0, 2}); }, x, make({7, 7}, {2}),
         make({0, 1, 1, 0, 0, 0, 0, 0}, {2, 2, 2}));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return max(in[0], {}); }, {x}), x));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return min(in[0], {}); }, {x}), x));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return max(in[0]); }, {scalar(3.5)}), scalar(3.5)));
}

TEST_P(Reductions, the_smallest_keeps_zeros_and_nan_apart) {
  const auto smallest = [](const In& in) { return min_along(in[0], 1); };
  const auto place = [](const In& in) { return argmin_along(in[0], 1); };
  const auto x = make({0.0, -0.0, 1, -0.0, 0.0, 1, 2, nan, nan, 3, -infinity, infinity}, {4, 3});
  EXPECT_TRUE(bits_agree(value_of(smallest, {x}), make({-0.0, -0.0, nan, -infinity}, {4})));
  EXPECT_EQ(value_of(place, {x}).text(), "[0, 0, 1, 1]");
  EXPECT_TRUE(bits_agree(cotangents_of(smallest, {make({1, 1, 2, 3, 2, 2}, {2, 3})}, make({1, 2}, {2}))[0],
                         make({1, 0, 0, 0, 2, 0}, {2, 3})));
}

TEST(Reductions, of_integers_reach_the_smallest_number) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  const auto x = Tensor::from({2, 3}, std::vector<std::int64_t>{0, lowest, lowest + 1, highest, highest, -1});
  const auto smallest = value_of([](const In& in) { return min_along(in[0], 1); }, {x});
  EXPECT_EQ(smallest.values<std::int64_t>()[0], lowest);
  EXPECT_EQ(smallest.values<std::int64_t>()[1], -1);
  EXPECT_EQ(value_of([](const In& in) { return argmin_along(in[0], 1); }, {x}).text(), "[1, 2]");
  EXPECT_EQ(value_of([](const In& in) { return min(in[0]); }, {x}).scalar<std::int64_t>(), lowest);
  EXPECT_EQ(value_of([](const In& in) { return max(in[0], {0, 1}); }, {x}).scalar<std::int64_t>(), highest);
}

TEST_P(Reductions, keep_their_axes_with_extent_one) {
  const auto x = make({1, 2, 3, 4, 5, 6}, {2, 3});
  using Kept = std::pair<ValueFunction, ValueFunction>;
  for (const auto& [kept, gone] : std::vector<Kept>{
           {[](const In& in) { return sum(in[0], {0}, keepdims); }, [](const In& in) { return sum(in[0], {0}); }},
           {[](const In& in) { return mean(in[0], {0}, keepdims); }, [](const In& in) { return mean(in[0], {0}); }},
           {[](const In& in) { return variance(in[0], {0}, keepdims); },
            [](const In& in) { return variance(in[0], {0}); }},
           {[](const In& in) { return unbiased_variance(in[0], {0}, keepdims); },
            [](const In& in) { return unbiased_variance(in[0], {0}); }},
           {[](const In& in) { return standard_deviation(in[0], {-2}, keepdims); },
            [](const In& in) { return standard_deviation(in[0], {-2}); }},
           {[](const In& in) { return norm(in[0], {0}, 2, keepdims); },
            [](const In& in) { return norm(in[0], {0}, 2); }},
           {[](const In& in) { return max(in[0], {0}, keepdims); }, [](const In& in) { return max(in[0], {0}); }},
           {[](const In& in) { return min(in[0], {0}, keepdims); }, [](const In& in) { return min(in[0], {0}); }},
           {[](const In& in) { return logsumexp(in[0], 0, keepdims); },
            [](const In& in) { return logsumexp(in[0], 0); }}})
    EXPECT_TRUE(bits_agree(value_of(kept, {x}), reshape(value_of(gone, {x}), {1, 3})));
  EXPECT_EQ(value_of([](const In& in) { return sum(in[0], {0, 1}, keepdims); }, {x}).shape(), (Shape{1, 1}));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return sum(in[0], {}, keepdims); }, {x}), x));
}

TEST(Reductions, refuse_what_has_no_meaning) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {2, 0}}, 0));
  const auto scalar = tape.input(1.0);
  const auto size = tape.size();
  const auto outside = [](const char* name, const char* type, int line) {
    return Misuse{ErrorKind::type, name, {type}, {"axis", "outside", type}, static_cast<std::uint32_t>(line)};
  };
  EXPECT_TRUE(throws([&] { max(scalar, {1}); }, outside("max", "f32[]", __LINE__)));
  EXPECT_TRUE(throws([&] { mean(x, {2}); }, outside("mean", "f32[2, 0]", __LINE__)));
  EXPECT_TRUE(throws([&] { variance(x, {-3}); }, outside("variance", "f32[2, 0]", __LINE__)));
  EXPECT_TRUE(throws([&] { norm(scalar, {0}, 1); }, outside("norm", "f32[]", __LINE__)));
  EXPECT_TRUE(throws([&] { min_along(scalar, 0); }, outside("min", "f32[]", __LINE__)));
  EXPECT_TRUE(throws([&] { argmin_along(scalar, 0); }, outside("argmin_along", "f32[]", __LINE__)));
  EXPECT_TRUE(throws([&] { sum(scalar, {0}, keepdims); }, {ErrorKind::type, "Sum", {}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { max(x, {0, -2}); }, {ErrorKind::type, "max", {"f32[2, 0]"}, {"twice"}, __LINE__}));
  EXPECT_TRUE(throws([&] { max(x); }, {ErrorKind::type, "MaxAlong", {"f32[2, 0]"}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { min(x, {1}); }, {ErrorKind::type, "MaxAlong", {"f32[2, 0]"}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { norm(x, {0}, 3); }, {ErrorKind::argument, "norm", {}, {"order 3"}, __LINE__}));
  for (const double limit : {0.0, -1.0, infinity, nan})
    EXPECT_TRUE(throws([&] { clip_by_norm(x, limit); }, {ErrorKind::argument, "clip_by_norm", {}, {}, __LINE__}));
  EXPECT_EQ(tape.size(), size);
}

}  // namespace
}  // namespace topos::test
