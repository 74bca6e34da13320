// Tests of cross entropy: its nodes, its value and gradient against a plain computation, its edges, what it refuses.
#include "topos/neural/loss.h"
#include "support/specials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "tests/support/bits.h"
#include "tests/support/error.h"
#include "tests/support/golden.h"
#include "tests/support/random.h"
#include "topos/topos.h"

namespace topos {
namespace {

using test::bits_agree;
using test::infinity;
using test::Misuse;
using test::throws;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Graded {
  Tensor loss;
  Tensor gradient;
};

/// The loss and its gradient by the interpreter, both ways to the gradient compared.
Graded graded(const Tensor& logits, const std::vector<std::int64_t>& classes,
              std::optional<std::int64_t> ignore = std::nullopt) {
  Tape tape(logits.element());
  const auto x = tape.parameter(logits);
  const auto y = tape.input(Tensor::from({static_cast<Extent>(classes.size())}, classes));
  const auto loss = ignore ? cross_entropy(x, y, *ignore) : cross_entropy(x, y);
  const auto adjoints = tape.differentiate(loss, {x});
  const auto network = std::move(tape).into_network();
  EXPECT_TRUE(order_left_to_compiler(network).empty());
  const auto run = network.forward(network.parameters());
  const auto engine = run.backward(loss).of(x);
  EXPECT_TRUE(bits_agree(engine, run.of(adjoints.of(x))));
  return {run.of(loss), engine};
}

Tensor matrix(Extent rows, Extent columns, std::vector<double> values, ElementType element = f64) {
  return Tensor::from({rows, columns}, values, element);
}

bool all_zero(const Tensor& x) { return same_bits(x, Tensor::full(x.type(), 0)); }

TEST(cross_entropy, records_its_nodes) {
  Tape tape;
  const auto x = tape.parameter(Tensor::full({f32, {4, 3}}, 0));
  const auto y = tape.input({0, 1, 2, 0}, i64);
  cross_entropy(x, y);
  EXPECT_TRUE(test::same_tokens(tape.describe(), R"(
0 Parameter [4, 3]
1 Input i64[4]
2 Iota axis=1 i64[4, 3]
3 Narrow 2 axis=0 start=0 len=1 i64[1, 3]
4 Reshape 3 shape=[3] i64[3]
5 Gather 4, 1 i64[4]
6 BroadcastAlong 5 axis=1 extent=3 i64[4, 3]
7 Compare 6, 2 direction=EQ boolean[4, 3]
8 Leaf [4, 3]
9 Select 7, 0, 8 [4, 3]
10 SumAlong 9 axis=1 [4]
11 LogSumExp 0 axis=1 [4]
12 Sub 11, 10 [4]
13 Sum 12 []
14 Leaf []
15 Div 13, 14 []
tape: 16 nodes, 1 parameter, 1 input)"));
}

TEST(cross_entropy, records_its_nodes_with_a_class_to_ignore) {
  Tape tape;
  const auto x = tape.parameter(Tensor::full({f32, {4, 3}}, 0));
  const auto y = tape.input({0, 1, 2, 0}, i64);
  const std::uint32_t line = __LINE__ + 1;
  const auto loss = cross_entropy(x, y, -1);
  EXPECT_TRUE(test::same_tokens(tape.describe(), R"(
0 Parameter [4, 3]
1 Input i64[4]
2 Leaf i64[4]
3 Compare 1, 2 direction=NE boolean[4]
4 Leaf i64[4]
5 Select 3, 1, 4 i64[4]
6 BroadcastAlong 3 axis=1 extent=3 boolean[4, 3]
7 Leaf [4, 3]
8 Select 6, 0, 7 [4, 3]
9 Iota axis=1 i64[4, 3]
10 Narrow 9 axis=0 start=0 len=1 i64[1, 3]
11 Reshape 10 shape=[3] i64[3]
12 Gather 11, 5 i64[4]
13 BroadcastAlong 12 axis=1 extent=3 i64[4, 3]
14 Compare 13, 9 direction=EQ boolean[4, 3]
15 Leaf [4, 3]
16 Select 14, 8, 15 [4, 3]
17 SumAlong 16 axis=1 [4]
18 LogSumExp 8 axis=1 [4]
19 Sub 18, 17 [4]
20 Leaf [4]
21 Select 3, 19, 20 [4]
22 Convert 3 element=i64 i64[4]
23 Sum 22 i64[]
24 Convert 23 element=f32 []
25 Leaf []
26 Maximum 24, 25 []
27 Sum 21 []
28 Div 27, 26 []
tape: 29 nodes, 1 parameter, 1 input)"));
  for (Index i = 2; i <= loss.symbol().index(); ++i)
    EXPECT_EQ(tape.node(Symbol(loss.symbol().family(), i)).site().line(), line);
}

TEST(cross_entropy, agrees_with_a_plain_softmax) {
  test::Random random(2);
  for (const auto element : {f64, f32}) {
    const Extent rows = 37;
    const Extent columns = 27;
    const auto logits = random.tensor({element, {rows, columns}}, -4, 4);
    auto classes = random.indices({rows}, columns).values<std::int64_t>().to_vector();
    for (const bool padded : {false, true}) {
      if (padded) classes[3] = classes[20] = -7;
      const auto [loss, gradient] = padded ? graded(logits, classes, -7) : graded(logits, classes);
      const auto x = convert(logits, f64);
      const auto wide = x.values<double>();
      const auto got = convert(gradient, f64);
      const auto slopes = got.values<double>();
      // The gradient has a few roundings of numbers up to 1 / rows; the loss as many of numbers up to 10.
      const double unit = element == f32 ? 0x1p-24 : 0x1p-53;
      double total = 0;
      const double counted = padded ? rows - 2 : rows;
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        const auto first = row * static_cast<std::size_t>(columns);
        double mass = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) mass += std::exp(wide[first + i]);
        const bool ignored = classes[row] < 0;
        if (!ignored) total += std::log(mass) - wide[first + static_cast<std::size_t>(classes[row])];
        for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) {
          const double own = static_cast<std::int64_t>(i) == classes[row] ? 1 : 0;
          const double slope = ignored ? 0 : (std::exp(wide[first + i]) / mass - own) / counted;
          EXPECT_NEAR(slopes[first + i], slope, 8 * unit / counted) << row << " " << i;
        }
      }
      EXPECT_NEAR(loss.item(), total / counted, 40 * unit);
    }
  }
}

TEST(cross_entropy, is_stable_for_large_logits) {
  const auto [loss, gradient] = graded(matrix(2, 3, {1000, 0, -1000, -1e30, 1e30, 0}), {1, 1});
  EXPECT_EQ(loss.item(), 500.0);
  EXPECT_EQ(gradient.text(), "[[0.5, -0.5, 0], [0, 0, 0]]");
}

TEST(cross_entropy, a_class_of_no_probability_counts_as_absent) {
  const auto with = graded(matrix(2, 3, {0.3, -0.7, -infinity, 1.5, 0.25, -infinity}), {0, 1});
  const auto without = graded(matrix(2, 2, {0.3, -0.7, 1.5, 0.25}), {0, 1});
  EXPECT_TRUE(bits_agree(with.loss, without.loss));
  EXPECT_TRUE(bits_agree(narrow(with.gradient, 1, 0, 2), without.gradient));
  EXPECT_TRUE(all_zero(narrow(with.gradient, 1, 2, 1)));
}

TEST(cross_entropy, the_class_itself_without_probability_costs_everything) {
  const auto [loss, gradient] = graded(matrix(1, 2, {-infinity, 0}), {0});
  EXPECT_EQ(loss.item(), infinity);
  EXPECT_EQ(gradient.text(), "[[-1, 1]]");
}

TEST(cross_entropy, of_no_rows_is_zero_with_zero_gradients) {
  for (const auto ignore : {std::optional<std::int64_t>(), std::optional<std::int64_t>(-1)}) {
    const auto [loss, gradient] = graded(Tensor::full({f32, {0, 5}}, 0), {}, ignore);
    EXPECT_TRUE(bits_agree(loss, Tensor::of(0, f32)));
    EXPECT_EQ(gradient.type(), (TensorType{f32, {0, 5}}));
  }
}

TEST(cross_entropy, of_ignored_rows_alone_is_zero_with_zero_gradients) {
  const auto [loss, gradient] = graded(matrix(2, 2, {1, 2, not_a_number, infinity}), {-1, -1}, -1);
  EXPECT_TRUE(bits_agree(loss, Tensor::of(0, f64)));
  EXPECT_TRUE(all_zero(gradient));
}

TEST(cross_entropy, an_ignored_row_changes_nothing_whatever_it_holds) {
  const auto alone = graded(matrix(2, 3, {0.3, -0.7, 0.1, 1.5, 0.25, -2}), {0, 1});
  for (const double odd : {0.0, infinity, -infinity, not_a_number, 1e308}) {
    for (const std::int64_t ignore : {-100, 2, 3}) {
      const auto padded = graded(matrix(3, 3, {0.3, -0.7, 0.1, 1.5, 0.25, -2, odd, odd, odd}), {0, 1, ignore}, ignore);
      EXPECT_TRUE(bits_agree(padded.loss, alone.loss)) << odd;
      EXPECT_TRUE(bits_agree(narrow(padded.gradient, 0, 0, 2), alone.gradient)) << odd;
      EXPECT_TRUE(all_zero(narrow(padded.gradient, 0, 2, 1))) << odd;
    }
  }
}

TEST(cross_entropy, a_counted_nan_stays_visible) {
  const auto [loss, gradient] = graded(matrix(2, 2, {1, 2, not_a_number, 0}), {0, 1}, -1);
  EXPECT_TRUE(std::isnan(loss.item()));
  EXPECT_TRUE(std::isnan(gradient.values<double>()[2]));
  EXPECT_FALSE(std::isnan(gradient.values<double>()[0]));
}

TEST(cross_entropy, a_class_out_of_range_throws_at_the_run) {
  const auto logits = Tensor::full({f32, {2, 3}}, 0);
  for (const std::int64_t wrong : {3, -1, 1000}) {
    EXPECT_TRUE(throws([&] { graded(logits, {0, wrong}); },
                       Misuse{ErrorKind::index, "Gather", {}, {std::to_string(wrong), "3"}}));
    EXPECT_TRUE(throws([&] { graded(logits, {0, wrong}, -2); }, Misuse{ErrorKind::index}));
  }
  EXPECT_NO_THROW(graded(logits, {0, -1}, -1));
}

TEST(cross_entropy, is_differentiable_twice) {
  Tape tape(f64);
  const auto x = tape.parameter(matrix(2, 3, {0.3, -0.7, 0.1, 1.5, 0.25, -2}));
  const auto y = tape.input({2, 0}, i64);
  const auto loss = cross_entropy(x, y);
  const auto first = tape.differentiate(loss, {x});
  const auto gradient = tape.resolve(first.of(x));
  const auto square = sum(gradient * gradient);
  const auto second = tape.differentiate(square, {x});
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  EXPECT_TRUE(bits_agree(run.of(second.of(x)), run.backward(square).of(x)));
  const auto slopes = run.of(second.of(x)).values<double>();
  const double step = 1e-6;
  for (std::size_t i = 0; i < 6; ++i) {
    auto values = parameters.of(x).values<double>().to_vector();
    values[i] += step;
    const auto above = network.forward(parameters.with({{x, matrix(2, 3, values)}})).of(square).item();
    values[i] -= 2 * step;
    const auto below = network.forward(parameters.with({{x, matrix(2, 3, values)}})).of(square).item();
    EXPECT_NEAR(slopes[i], (above - below) / (2 * step), 1e-9);  // rounding over the step, and its square
  }
}

TEST(cross_entropy, refuses_types_that_do_not_fit) {
  Tape tape;
  const auto input = [&](const Shape& shape, ElementType element) {
    return tape.input(Tensor::full({element, shape}, 0));
  };
  const auto logits = input({4, 3}, f32);
  const auto classes = input({4}, i64);
  const auto refused = [&](const Value& x, const Value& y) {
    const auto size = tape.size();
    const Misuse wanted{ErrorKind::type, "cross_entropy", {x.type().text(), y.type().text()}};
    const auto plain = throws([&] { cross_entropy(x, y); }, wanted);
    const auto padded = throws([&] { cross_entropy(x, y, -1); }, wanted);
    EXPECT_EQ(tape.size(), size);
    return plain ? padded : plain;
  };
  EXPECT_TRUE(refused(logits, input({4}, f32)));
  EXPECT_TRUE(refused(logits, input({5}, i64)));
  EXPECT_TRUE(refused(logits, input({4, 3}, i64)));
  EXPECT_TRUE(refused(input({4}, f32), classes));
  EXPECT_TRUE(refused(input({4, 3}, i64), classes));
  EXPECT_TRUE(refused(input({4, 0}, f32), classes));
  Tape other;
  EXPECT_TRUE(
      throws([&] { cross_entropy(logits, other.input(Tensor::full({i64, {4}}, 0))); }, Misuse{ErrorKind::family}));
}

}  // namespace
}  // namespace topos
