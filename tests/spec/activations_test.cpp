// Bounds and activations: what they record, their values and slopes at the edges.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"
#include "support/sequence.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;
const TensorType vector{f32, {3}};

TEST(Activations, record_their_nodes) {
  const auto of = [](const ValueFunction& f) { return sequence_of({vector, vector, vector}, f); };
  EXPECT_EQ(of([](const In& in) { return relu(in[0]); }), "Leaf, Maximum");
  EXPECT_EQ(of([](const In& in) { return relu6(in[0]); }), "Leaf, Maximum, Leaf, Minimum");
  EXPECT_EQ(of([](const In& in) { return clamp(in[0], in[1], in[2]); }), "Maximum, Minimum");
  EXPECT_EQ(of([](const In& in) { return clamp(in[0], in[1], 2); }), "Maximum, Leaf, Minimum");
  EXPECT_EQ(of([](const In& in) { return clamp(in[0], 1, in[2]); }), "Leaf, Maximum, Minimum");
  EXPECT_EQ(of([](const In& in) { return clamp(in[0], 1, 2); }), "Leaf, Maximum, Leaf, Minimum");
  EXPECT_EQ(of([](const In& in) { return gelu(in[0]); }), "Leaf, Leaf, Sqrt, Div, Erf, Add, Mul, Div");
  EXPECT_EQ(of([](const In& in) { return gelu_tanh(in[0]); }),
            "Leaf, Maximum, Leaf, Minimum, Mul, Mul, Leaf, Mul, Add, Leaf, Mul, Tanh, Leaf, Add, Leaf, Mul, Mul");
  EXPECT_EQ(of([](const In& in) { return silu(in[0]); }), "Logistic, Mul");
  EXPECT_EQ(of([](const In& in) { return elu(in[0], 0.5); }),
            "Leaf, Compare direction=GT, Select, Expm1, Leaf, Mul, Select");
  EXPECT_EQ(of([](const In& in) { return hardswish(in[0]); }),
            "Leaf, Add, Leaf, Maximum, Leaf, Minimum, Leaf, Div, Mul");
  EXPECT_EQ(of([](const In& in) { return sigmoid(in[0]); }), "Logistic");
  EXPECT_EQ(of([](const In& in) { return square(in[0]); }), "Mul");
  EXPECT_EQ(of([](const In& in) { return reciprocal(in[0]); }), "Leaf, Div");
  EXPECT_EQ(of([](const In& in) { return is_nan(in[0]); }), "Compare direction=NE");
  EXPECT_EQ(of([](const In& in) { return is_finite(in[0]); }), "Abs, Leaf, Compare direction=LT");
}

class Activations : public testing::TestWithParam<ElementType> {
 protected:
  Tensor make(std::initializer_list<double> values) const { return row(values, GetParam()); }
  void expect(const ValueFunction& f, const Tensor& x, const Tensor& value, const Tensor& slope) {
    EXPECT_TRUE(bits_agree(value_of(f, {x}), value));
    EXPECT_TRUE(bits_agree(cotangents_of(f, {x}, full_like(x, 1))[0], slope));
  }
};
INSTANTIATE_TEST_SUITE_P(Floats, Activations, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Activations, bounds_take_the_cotangent_of_a_tie) {
  expect([](const In& in) { return relu6(in[0]); }, make({-1, 0, 0.5, 6, 7, nan}), make({0, 0, 0.5, 6, 6, nan}),
         make({0, 0, 1, 0, 0, 0}));
  const auto by_values = [](const In& in) { return clamp(in[0], in[1], in[2]); };
  const std::vector<Tensor> in{make({-3, 1, 5, 2, 4, 9}), make({1, 1, 1, 1, 3, 6}), make({4, 4, 4, 2, 3, 5})};
  EXPECT_TRUE(bits_agree(value_of(by_values, in), make({1, 1, 4, 2, 3, 5})));
  const auto g = cotangents_of(by_values, in, make({1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(bits_agree(g[0], make({0, 0, 0, 0, 0, 0})));
  EXPECT_TRUE(bits_agree(g[1], make({1, 2, 0, 0, 0, 0})));
  EXPECT_TRUE(bits_agree(g[2], make({0, 0, 3, 4, 5, 6})));
  // Bounds may be tensors.
  const auto by_tensors = [this](const In& x) { return clamp(x[0], make({0, 1}), make({2, 3})); };
  EXPECT_TRUE(bits_agree(value_of(by_tensors, {make({-1, 4})}), make({0, 3})));
}

TEST_P(Activations, hardswish_is_exact_outside_of_its_bend) {
  expect([](const In& in) { return hardswish(in[0]); }, make({-4, -3, 0, 3, 4, 1e30}),
         make({-0.0, -0.0, 0, 3, 4, 1e30}), make({0, 0, 0.5, 1, 1, 1}));
}

TEST_P(Activations, elu_sees_no_exponential_of_a_large_number) {
  expect([](const In& in) { return elu(in[0]); }, make({1e5, 1, 0, -infinity, nan}), make({1e5, 1, 0, -1, nan}),
         make({1, 1, 1, 0, nan}));
  expect([](const In& in) { return elu(in[0], 0.5); }, make({2, 0, -infinity}), make({2, 0, -0.5}), make({1, 0.5, 0}));
}

TEST_P(Activations, saturate_without_nan) {
  expect([](const In& in) { return gelu_tanh(in[0]); }, make({1e30, -1e30, 0}), make({1e30, -0.0, 0}),
         make({1, 0, 0.5}));
  expect([](const In& in) { return gelu(in[0]); }, make({1e15, -1e15, 0}), make({1e15, -0.0, 0}), make({1, 0, 0.5}));
  expect([](const In& in) { return sigmoid(in[0]); }, make({0, infinity, -infinity}), make({0.5, 1, 0}),
         make({0.25, 0, 0}));
  expect([](const In& in) { return silu(in[0]); }, make({0, 1e4}), make({0, 1e4}), make({0.5, 1}));
}

TEST_P(Activations, squares_and_reciprocals) {
  expect([](const In& in) { return square(in[0]); }, make({3, -0.5, 0}), make({9, 0.25, 0}), make({6, -1, 0}));
  expect([](const In& in) { return reciprocal(in[0]); }, make({4, -0.5}), make({0.25, -2}), make({-0.0625, -4}));
}

TEST_P(Activations, tell_numbers_from_the_rest) {
  const auto x = make({1, infinity, -infinity, nan, -0.0});
  const auto nans = value_of([](const In& in) { return is_nan(in[0]); }, {x});
  const auto finite = value_of([](const In& in) { return is_finite(in[0]); }, {x});
  EXPECT_EQ(nans.text(), "[false, false, false, true, false]");
  EXPECT_EQ(finite.text(), "[true, false, false, false, true]");
}

TEST(Activations, are_near_their_formulas) {
  for (const double x : {-3.5, -1.0, -0.125, 0.25, 1.0, 2.75}) {
    const auto at = [x](const ValueFunction& f) { return value_of(f, {row({x}, f64)}).values<double>()[0]; };
    const auto cube = 0.044715 * x * x * x;
    EXPECT_NEAR(at([](const In& in) { return gelu(in[0]); }), x / 2 * (1 + std::erf(x / std::sqrt(2.0))), 1e-14);
    EXPECT_NEAR(at([](const In& in) { return gelu_tanh(in[0]); }),
                x / 2 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + cube))), 1e-14);
    EXPECT_NEAR(at([](const In& in) { return silu(in[0]); }), x / (1 + std::exp(-x)), 1e-14);
    EXPECT_NEAR(at([](const In& in) { return elu(in[0], 0.5); }), x > 0 ? x : 0.5 * std::expm1(x), 1e-15);
    EXPECT_NEAR(at([](const In& in) { return hardswish(in[0]); }), x * std::min(std::max(x + 3, 0.0), 6.0) / 6, 1e-15);
  }
}

TEST(Activations, of_integers_where_they_make_sense) {
  const auto n = row({-3, 2, 9}, i64);
  EXPECT_EQ(value_of([](const In& in) { return clamp(in[0], 0, 5); }, {n}).text(), "[0, 2, 5]");
  EXPECT_EQ(value_of([](const In& in) { return square(in[0]); }, {n}).text(), "[9, 4, 81]");
  EXPECT_EQ(value_of([](const In& in) { return is_finite(in[0]); }, {n}).text(), "[true, true, true]");
  EXPECT_EQ(value_of([](const In& in) { return is_nan(in[0]); }, {n}).text(), "[false, false, false]");
}

TEST(Activations, where_is_select) {
  const auto test = Tensor::from({2}, std::vector<bool>{true, false});
  EXPECT_TRUE(bits_agree(
      value_of([](const In& in) { return where(in[0], in[1], in[2]); }, {test, row({1, nan}), row({nan, 4})}),
      row({1, 4})));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return where(in[0], in[1], 7); }, {test, row({1, 2})}), row({1, 7})));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return where(in[0], 7, in[1]); }, {test, row({1, 2})}), row({7, 2})));
}

TEST(Activations, name_their_line_and_leave_no_half) {
  Tape tape;
  const auto x = tape.input({1, 2}, f32);
  const auto y = tape.input({1, 2, 3}, f32);
  const auto test = tape.input({true, false}, boolean);
  const auto n = tape.input({1, 2}, i64);
  const auto size = tape.size();
  EXPECT_TRUE(throws([&] { clamp(x, 0, y); }, {ErrorKind::type, "Minimum", {"f32[2]", "f32[3]"}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { clamp(x, y, 0); }, {ErrorKind::type, "Maximum", {"f32[2]", "f32[3]"}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { gelu(n); }, {ErrorKind::type, "Sqrt", {"i64[2]"}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { elu(n, 0.5); }, {ErrorKind::type, "", {}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { hardswish(test); }, {ErrorKind::type, "", {}, {}, __LINE__}));
  EXPECT_TRUE(throws([&] { square(test); }, {ErrorKind::type, "Mul", {}, {}, __LINE__}));
  EXPECT_EQ(tape.size(), size);
  const auto active = hardswish(x);
  const auto line = __LINE__ - 1;
  for (Index i = static_cast<Index>(size); i <= active.symbol().index(); ++i)
    EXPECT_EQ(tape.node({x.symbol().family(), i}).site().line(), static_cast<std::uint32_t>(line));
}

}  // namespace
}  // namespace topos::test
