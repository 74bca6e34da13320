// Lines of docs/conventions.md about lanes and axes: extremes, softmax and its kin, means, norms.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

const ValueFunction largest = [](const In& in) { return max_along(in[0], 1); };
const ValueFunction place_of = [](const In& in) { return argmax_along(in[0], 1); };
const ValueFunction soft = [](const In& in) { return softmax(in[0], 1); };
const ValueFunction wide = [](const In& in) { return logsumexp(in[0], 1); };

class Lanes : public testing::TestWithParam<ElementType> {
 protected:
  Tensor make(std::initializer_list<double> values) const { return row(values, GetParam()); }
  Tensor make(std::initializer_list<double> values, const Shape& shape) const { return reshape(make(values), shape); }
  Tensor scalar(double x) const { return Tensor::full({GetParam(), {}}, x); }
};
INSTANTIATE_TEST_SUITE_P(Floats, Lanes, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Lanes, a_maximum_is_nan_where_one_is_and_at_the_first) {
  const auto x = make({1, nan, 3, nan, -infinity, -infinity, -0.0, 0.0, 0.0, -0.0, 2, 2}, {6, 2});
  EXPECT_TRUE(bits_agree(value_of(largest, {x}), make({nan, nan, -infinity, 0.0, 0.0, 2})));
  EXPECT_EQ(value_of(place_of, {x}).text(), "[1, 1, 0, 0, 0, 0]");
  const auto lane = make({nan, infinity, nan, 7}, {1, 4});
  EXPECT_TRUE(bits_agree(value_of(largest, {lane}), make({nan})));
  EXPECT_EQ(value_of(place_of, {lane}).text(), "[0]");
}

TEST_P(Lanes, a_tied_maximum_belongs_to_the_first) {
  const auto x = make({2, 2, 1, 0, 5, 5, -0.0, 0.0, 0.0, nan, 1, nan}, {4, 3});
  const auto g = cotangents_of(largest, {x}, make({1, 2, infinity, nan}));
  EXPECT_TRUE(bits_agree(g[0], make({1, 0, 0, 0, 2, 0, infinity, 0, 0, nan, 0, 0}, {4, 3})));
  const auto second = second_cotangents_of(largest, {make({2, 2, 3, 1}, {2, 2})}, make({3, 4}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0, 0, 0}, {2, 2})));
  EXPECT_TRUE(bits_agree(second[1], make({1, 1})));
  // By the place nothing passes.
  const auto by_place = [](const In& in) { return convert(argmax_along(in[0], 1), GetParam()); };
  EXPECT_TRUE(bits_agree(cotangents_of(by_place, {x}, make({1, 1, 1, 1}))[0], full_like(x, 0)));
}

TEST_P(Lanes, softmax_goes_back_through_its_output) {
  // out x (g - sum(g x out)): halves and quarters are exact.
  const auto x = make({0, 0, 0, 0}, {2, 2});
  const auto g = cotangents_of(soft, {x}, make({1, 3, 2, 2}, {2, 2}));
  EXPECT_TRUE(bits_agree(g[0], make({-0.5, 0.5, 0, 0}, {2, 2})));
  // A lane of +inf is NaN forward and backward; one of -inf alone is flat in both orders.
  const auto odd = make({infinity, 0, -infinity, -infinity}, {2, 2});
  const auto lanes = cotangents_of(soft, {odd}, make({1, 3, 2, 5}, {2, 2}));
  EXPECT_TRUE(bits_agree(lanes[0], make({nan, nan, 0, 0}, {2, 2})));
  const auto second = second_cotangents_of(soft, {make({-infinity, -infinity}, {1, 2})}, make({1, 3}, {1, 2}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0}, {1, 2})));
  EXPECT_TRUE(bits_agree(second[1], make({0, 0}, {1, 2})));
}

TEST_P(Lanes, logsumexp_goes_back_through_softmax) {
  const auto x = make({3, 3, -infinity, -infinity, 0, -infinity}, {3, 2});
  const auto g = cotangents_of(wide, {x}, make({4, 5, 6}));
  EXPECT_TRUE(bits_agree(g[0], make({2, 2, 0, 0, 6, 0}, {3, 2})));
  const auto second = second_cotangents_of(wide, {x}, make({4, 5, 6}));
  EXPECT_TRUE(bits_agree(second[0], make({0, 0, 0, 0, 0, 0}, {3, 2})));
  EXPECT_TRUE(bits_agree(second[1], make({1, 0, 1})));
  const auto infinite = cotangents_of(wide, {make({infinity, 0}, {1, 2})}, make({1}));
  EXPECT_TRUE(bits_agree(infinite[0], make({nan, nan}, {1, 2})));
}

TEST_P(Lanes, means_divide_by_their_number_and_unbiased_by_one_less) {
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return variance(in[0]); }, {make({1, 5})}), scalar(4)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return unbiased_variance(in[0]); }, {make({1, 5})}), scalar(8)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return unbiased_variance(in[0]); }, {make({5})}), scalar(nan)));
  // Two passes: the square of the mean would drown the variance, in f32 and bf16.
  const auto far = GetParam() == bf16 ? make({254, 256}) : make({40000, 40002});
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return variance(in[0]); }, {far}), scalar(1)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return mean(in[0]); }, {Tensor::full({GetParam(), {0}}, 1)}),
                         scalar(nan)));
}

TEST_P(Lanes, constant_data_has_a_flat_deviation_in_both_orders) {
  const ValueFunction deviation = [](const In& in) { return standard_deviation(in[0]); };
  for (const auto& x : {make({3}), make({3, 3, 3, 3}), make({0, 0})}) {
    EXPECT_TRUE(bits_agree(value_of(deviation, {x}), scalar(0)));
    EXPECT_TRUE(bits_agree(cotangents_of(deviation, {x}, scalar(2))[0], full_like(x, 0)));
    const auto second = second_cotangents_of(deviation, {x}, scalar(2));
    EXPECT_TRUE(bits_agree(second[0], full_like(x, 0)));
    EXPECT_TRUE(bits_agree(second[1], scalar(0)));
  }
}

TEST_P(Lanes, the_zero_vector_has_flat_norms_in_both_orders) {
  const auto x = make({0.0, -0.0, 0.0});
  for (const double order : {1.0, 2.0, infinity}) {
    SCOPED_TRACE(order);
    const ValueFunction length = [order](const In& in) { return norm(in[0], {0}, order); };
    EXPECT_TRUE(bits_agree(value_of(length, {x}), scalar(0)));
    EXPECT_TRUE(bits_agree(cotangents_of(length, {x}, scalar(2))[0], make({0, 0, 0})));
    const auto second = second_cotangents_of(length, {x}, scalar(2));
    EXPECT_TRUE(bits_agree(second[0], make({0, 0, 0})));
    EXPECT_TRUE(bits_agree(second[1], scalar(0)));
  }
}

TEST_P(Lanes, clip_by_norm_inside_the_ball_is_the_identity_in_both_orders) {
  const ValueFunction clip = [](const In& in) { return clip_by_norm(in[0], 2); };
  for (const auto& x : {make({0, 0}), make({1, -0.5}), make({0, 2})}) {
    EXPECT_TRUE(bits_agree(value_of(clip, {x}), x));
    EXPECT_TRUE(bits_agree(cotangents_of(clip, {x}, make({3, 5}))[0], make({3, 5})));
    const auto second = second_cotangents_of(clip, {x}, make({3, 5}));
    EXPECT_TRUE(bits_agree(second[0], make({0, 0})));
    EXPECT_TRUE(bits_agree(second[1], make({1, 1})));
  }
}

TEST_P(Lanes, kinks_of_composites_belong_to_the_constant_in_both_orders) {
  struct Kink {
    ValueFunction f;
    double at, slope, curve;
  };
  for (const auto& [f, at, slope, curve] :
       std::vector<Kink>{{[](const In& in) { return relu(in[0]); }, 0, 0, 0},
                         {[](const In& in) { return relu6(in[0]); }, 0, 0, 0},
                         {[](const In& in) { return relu6(in[0]); }, 6, 0, 0},
                         {[](const In& in) { return clamp(in[0], -1, 1); }, -1, 0, 0},
                         {[](const In& in) { return clamp(in[0], -1, 1); }, 1, 0, 0},
                         {[](const In& in) { return hardswish(in[0]); }, 3, 1, 0},
                         {[](const In& in) { return hardswish(in[0]); }, -3, 0, 0}}) {
    SCOPED_TRACE(at);
    EXPECT_TRUE(bits_agree(cotangents_of(f, {make({at})}, make({2}))[0], make({2 * slope})));
    const auto second = second_cotangents_of(f, {make({at})}, make({2}));
    EXPECT_TRUE(bits_agree(second[0], make({curve})));
    EXPECT_TRUE(bits_agree(second[1], make({slope})));
  }
}

TEST_P(Lanes, gates_of_minus_infinity_are_nan) {
  for (const auto& f : std::vector<Value (*)(const Value&, Site)>{hardswish, gelu, silu})
    EXPECT_TRUE(bits_agree(value_of([f](const In& in) { return f(in[0], Site::current()); }, {make({-infinity})}),
                           make({nan})));
}

TEST_P(Lanes, reductions_over_no_axes_are_of_each_number) {
  const auto x = make({1, -0.0, nan, infinity});
  for (const auto& f : std::vector<ValueFunction>{
           [](const In& in) { return max(in[0], {}); }, [](const In& in) { return min(in[0], {}); },
           [](const In& in) { return sum(in[0], {}); }, [](const In& in) { return mean(in[0], {}); }}) {
    EXPECT_TRUE(bits_agree(value_of(f, {x}), x));
    EXPECT_TRUE(bits_agree(cotangents_of(f, {x}, make({1, 2, 3, 4}))[0], make({1, 2, 3, 4})));
  }
}

TEST_P(Lanes, the_smallest_of_zeros_is_minus_zero_and_its_place_the_first_of_equals) {
  const auto x = make({0.0, -0.0, -0.0, 0.0, 1, 1, nan, -1}, {4, 2});
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return min_along(in[0], 1); }, {x}), make({-0.0, -0.0, 1, nan})));
  EXPECT_EQ(value_of([](const In& in) { return argmin_along(in[0], 1); }, {x}).text(), "[0, 0, 0, 0]");
}

TEST_P(Lanes, ties_over_several_axes_belong_to_the_first_in_row_major_order) {
  const auto x = make({1, 4, 4, 0, 4, 0}, {3, 2});
  EXPECT_TRUE(bits_agree(cotangents_of([](const In& in) { return max(in[0]); }, {x}, scalar(3))[0],
                         make({0, 3, 0, 0, 0, 0}, {3, 2})));
  EXPECT_TRUE(bits_agree(cotangents_of([](const In& in) { return min(in[0]); }, {x}, scalar(3))[0],
                         make({0, 0, 0, 3, 0, 0}, {3, 2})));
}

TEST_P(Lanes, elu_has_the_slope_of_its_exponential_at_zero) {
  const auto f = [](const In& in) { return elu(in[0], 0.5); };
  EXPECT_TRUE(bits_agree(cotangents_of(f, {make({0.0, -0.0, 1e4})}, make({1, 1, 1}))[0], make({0.5, 0.5, 1})));
  EXPECT_TRUE(bits_agree(second_cotangents_of(f, {make({0.0, 1e4})}, make({2, 2}))[0], make({1, 0})));
}

TEST_P(Lanes, cross_entropy_without_a_row_or_a_class) {
  const auto classes = Tensor::from({2}, std::vector<std::int64_t>{1, -1});
  const ValueFunction loss = [](const In& in) { return cross_entropy(in[0], in[1], -1); };
  // A class of logit -inf counts as absent; an ignored row is excluded by select, whatever it holds.
  const auto logits = make({0, 0, -infinity, nan, infinity, 1}, {2, 3});
  const auto one = make({0, 0}, {1, 2});
  EXPECT_TRUE(bits_agree(value_of(loss, {logits, classes}), value_of(loss, {one, narrow(classes, 0, 0, 1)})));
  EXPECT_TRUE(bits_agree(cotangents_of(loss, {logits, classes}, scalar(1))[0], make({0.5, -0.5, 0, 0, 0, 0}, {2, 3})));
  // No counted row is 0 with zero gradients, and so are no rows.
  const auto none = Tensor::from({2}, std::vector<std::int64_t>{-1, -1});
  EXPECT_TRUE(bits_agree(value_of(loss, {logits, none}), scalar(0)));
  EXPECT_TRUE(bits_agree(cotangents_of(loss, {logits, none}, scalar(1))[0], Tensor::full({GetParam(), {2, 3}}, 0)));
  EXPECT_TRUE(
      bits_agree(value_of(loss, {Tensor::full({GetParam(), {0, 3}}, 0), Tensor::full({i64, {0}}, 0)}), scalar(0)));
}

TEST_P(Lanes, empty_axes_have_sums_and_products_and_no_maximum) {
  const auto none = Tensor::full({GetParam(), {2, 0}}, 1);
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return sum(in[0], {1}); }, {none}), make({0, 0})));
  EXPECT_TRUE(bits_agree(cotangents_of([](const In& in) { return sum(in[0], {1}); }, {none}, make({1, 1}))[0], none));
  Tape tape(GetParam());
  const auto x = tape.input(none);
  const auto size = tape.size();
  for (const auto& f :
       std::vector<ValueFunction>{largest, place_of, soft, wide, [](const In& in) { return log_softmax(in[0], 1); }})
    EXPECT_TRUE(throws([&] { f({x}); }, {ErrorKind::type, "", {none.type().text()}, {"empty along axis 1"}}));
  EXPECT_EQ(tape.size(), size);
  // Beside the axis there may be nothing.
  EXPECT_EQ(value_of([](const In& in) { return max_along(in[0], 0); }, {none}).shape(), (Shape{0}));
}

}  // namespace
}  // namespace topos::test
