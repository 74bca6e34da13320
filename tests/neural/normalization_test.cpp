// Tests of batch normalisation: its nodes, its values and statistics, images, bf16, and what it refuses.
#include "topos/neural/normalization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/edges.h"
#include "support/error.h"
#include "support/golden.h"
#include "support/windows.h"

namespace topos::test {
namespace {

TEST(BatchNorm, records_eighteen_nodes_and_eleven_with_given_statistics) {
  Tape tape;
  const BatchNorm norm(tape, {1, 1}, {0, 0}, 0.5);
  const auto x = tape.input(Tensor::full({f32, {4, 2}}, 0));
  const auto [output, mean, variance] = norm.express(x);
  norm.express_with(x, mean, variance);
  EXPECT_TRUE(same_tokens(tape.describe(), R"(
0 Parameter [2]
1 Parameter [2]
2 Leaf []
3 Input [4, 2]
4 SumAlong 3 axis=0 [2]
5 Leaf [2]
6 Div 4, 5 [2]
7 BroadcastAlong 6 axis=0 extent=4 [4, 2]
8 Sub 3, 7 [4, 2]
9 Mul 8, 8 [4, 2]
10 SumAlong 9 axis=0 [2]
11 Leaf [2]
12 Div 10, 11 [2]
13 Broadcast 2 shape=[2] [2]
14 Add 12, 13 [2]
15 Sqrt 14 [2]
16 BroadcastAlong 15 axis=0 extent=4 [4, 2]
17 Div 8, 16 [4, 2]
18 BroadcastAlong 0 axis=0 extent=4 [4, 2]
19 Mul 17, 18 [4, 2]
20 BroadcastAlong 1 axis=0 extent=4 [4, 2]
21 Add 19, 20 [4, 2]
22 BroadcastAlong 6 axis=0 extent=4 [4, 2]
23 Sub 3, 22 [4, 2]
24 Broadcast 2 shape=[2] [2]
25 Add 12, 24 [2]
26 Sqrt 25 [2]
27 BroadcastAlong 26 axis=0 extent=4 [4, 2]
28 Div 23, 27 [4, 2]
29 BroadcastAlong 0 axis=0 extent=4 [4, 2]
30 Mul 28, 29 [4, 2]
31 BroadcastAlong 1 axis=0 extent=4 [4, 2]
32 Add 30, 31 [4, 2]
tape: 33 nodes, 2 parameters, 1 input)"));
}

/// x through a BatchNorm of three features, [output, mean, variance] by interpreter and plan.
std::vector<Tensor> normalize(const Tensor& x, ElementType element) {
  Tape tape(element);
  const BatchNorm norm(tape, {1.5, 0.5, 2}, {0, 1, -1}, 0.25);
  const auto input = tape.input(x);
  const auto [output, mean, variance] = norm.express(input);
  const std::vector<Symbol> roots{output, mean, variance};
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  const auto plan = network.entry(roots).lower().forward(network.parameters());
  std::vector<Tensor> results;
  for (const auto root : roots) {
    results.push_back(run.of(root));
    EXPECT_TRUE(bits_agree(plan.of(root), results.back()));
  }
  return results;
}

TEST(BatchNorm, normalises_by_the_biased_variance) {
  Random random(21);
  const auto x = random.tensor({f64, {5, 3}}, -2, 3);
  const auto results = normalize(x, f64);
  const auto numbers = numbers_of(x), output = numbers_of(results[0]);
  const double scale[] = {1.5, 0.5, 2}, shift[] = {0, 1, -1};
  for (std::size_t f = 0; f < 3; ++f) {
    double mean = 0, variance = 0;
    for (std::size_t row = 0; row < 5; ++row) mean += numbers[row * 3 + f] / 5;
    for (std::size_t row = 0; row < 5; ++row) variance += std::pow(numbers[row * 3 + f] - mean, 2) / 5;
    EXPECT_NEAR(numbers_of(results[1])[f], mean, 1e-15);
    EXPECT_NEAR(numbers_of(results[2])[f], variance, 1e-14);
    for (std::size_t row = 0; row < 5; ++row)
      EXPECT_NEAR(output[row * 3 + f], (numbers[row * 3 + f] - mean) / std::sqrt(variance + 0.25) * scale[f] + shift[f],
                  1e-14);
  }
}

TEST(BatchNorm, of_an_image_is_that_of_its_places) {
  Random random(22);
  const auto image = random.tensor({f32, {2, 3, 4, 5}}, -2, 3);
  const auto rows = reshape(permute(image, {0, 2, 3, 1}), {40, 3});
  const auto of_image = normalize(image, f32), of_rows = normalize(rows, f32);
  EXPECT_TRUE(bits_agree(reshape(permute(of_image[0], {0, 2, 3, 1}), {40, 3}), of_rows[0]));
  EXPECT_TRUE(bits_agree(of_image[1], of_rows[1]));
  EXPECT_TRUE(bits_agree(of_image[2], of_rows[2]));
}

TEST(BatchNorm, of_b_float16_is_computed_in_f32) {
  Random random(23);
  const auto x = random.tensor({bf16, {6, 3}}, -2, 3);
  const auto narrow = normalize(x, bf16), wide = normalize(convert(x, f32), f32);
  EXPECT_TRUE(bits_agree(narrow[0], convert(wide[0], bf16)));
  EXPECT_TRUE(bits_agree(narrow[1], wide[1]));
  EXPECT_TRUE(bits_agree(narrow[2], wide[2]));
}

TEST(BatchNorm, with_its_own_statistics_gives_the_same) {
  Random random(24);
  Tape tape;
  const BatchNorm norm(tape, {1.5, 0.5}, {0, 1}, 1e-5);
  const auto x = tape.input(random.tensor({f32, {4, 2, 3, 3}}, -2, 2));
  const auto [output, mean, variance] = norm.express(x);
  const auto again = norm.express_with(x, mean, variance);
  const Symbol first = output, second = again;
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_TRUE(bits_agree(run.of(first), run.of(second)));
}

TEST(BatchNorm, has_the_gradient_of_its_formula) {
  Random random(25);
  const auto payload = random.tensor({f64, {5, 2}}, -1, 1), weights = random.tensor({f64, {5, 2}}, -1, 1);
  Tape tape(f64);
  const BatchNorm norm(tape, {1.5, 0.5}, {0, 1}, 0.25);
  const auto x = tape.parameter(payload);
  const auto [output, mean, variance] = norm.express(x);
  const auto weighted = output * tape.leaf(weights);
  const auto loss = sum(weighted);
  const auto adjoints = tape.differentiate(loss, {x, norm.scale(), norm.shift()});
  const Symbol target = loss, source = x, m = mean, v = variance;
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  const auto field = run.backward(target);
  const auto plan = network.entry(adjoints.roots()).lower().forward(network.parameters());
  for (const auto& [wrt, gradient] : adjoints.pairs()) {
    EXPECT_TRUE(bits_agree(run.of(gradient), field.of(wrt)));
    EXPECT_TRUE(bits_agree(plan.of(gradient), field.of(wrt)));
  }
  // (scale / deviation) (g - mean(g) - unit mean(g unit))
  const auto slope = numbers_of(field.of(source)), scales = numbers_of(field.of(norm.scale())),
             shifts = numbers_of(field.of(norm.shift()));
  const auto numbers = numbers_of(payload), g = numbers_of(weights);
  const double scale[] = {1.5, 0.5};
  for (std::size_t f = 0; f < 2; ++f) {
    const double deviation = std::sqrt(numbers_of(run.of(v))[f] + 0.25);
    const auto unit = [&](std::size_t row) { return (numbers[row * 2 + f] - numbers_of(run.of(m))[f]) / deviation; };
    double total = 0, along = 0;
    for (std::size_t row = 0; row < 5; ++row) {
      total += g[row * 2 + f];
      along += g[row * 2 + f] * unit(row);
    }
    EXPECT_NEAR(shifts[f], total, 1e-14);
    EXPECT_NEAR(scales[f], along, 1e-14);
    for (std::size_t row = 0; row < 5; ++row)
      EXPECT_NEAR(slope[row * 2 + f], scale[f] / deviation * (g[row * 2 + f] - total / 5 - unit(row) * along / 5),
                  1e-14);
  }
}

TEST(BatchNorm, refuses_what_does_not_fit) {
  Tape tape;
  EXPECT_TRUE(
      throws([&] { BatchNorm(tape, {{1.0}}, {0.0}, 1); }, {ErrorKind::type, "BatchNorm", {"f32[1, 1]", "f32[1]"}}));
  EXPECT_TRUE(throws([&] { BatchNorm(tape, {1, 2}, {0}, 1); }, {ErrorKind::type, "BatchNorm", {"f32[2]", "f32[1]"}}));
  EXPECT_TRUE(throws([&] { BatchNorm(tape, {1, 2}, {0, 0}, {1, 1}); }, {ErrorKind::type, "BatchNorm", {"f32[2]"}}));
  EXPECT_TRUE(tape.empty());
  const BatchNorm norm(tape, {1, 2}, {0, 0}, 1);
  const auto x = tape.input(Tensor::full({f32, {4, 3}}, 0));
  const auto right = tape.input(Tensor::full({f32, {4, 2}}, 0));
  const auto size = tape.size();
  const auto line = static_cast<std::uint32_t>(__LINE__) + 1;
  EXPECT_TRUE(throws([&] { norm(x); }, {ErrorKind::type, "BatchNorm", {"f32[4, 3]", "f32[2]"}, {}, line}));
  EXPECT_TRUE(
      throws([&] { norm.express_with(right, x, x); }, {ErrorKind::type, "BatchNorm", {"f32[4, 3]", "f32[4, 3]"}}));
  EXPECT_EQ(tape.size(), size);
  Tape other;
  EXPECT_TRUE(throws([&] { norm(other.input(Tensor::full({f32, {4, 2}}, 0))); }, {ErrorKind::family}));
}

TEST(RunningStatistics, follow_the_unbiased_variance) {
  const RunningStatistics start{Tensor::from({1}, {0.0}), Tensor::from({1}, {1.0})};
  const auto next = start.step(Tensor::from({1}, {2.0}), Tensor::from({1}, {3.0}), 4, 0.25);
  EXPECT_EQ(next.mean.text(), "[0.5]");
  EXPECT_EQ(next.variance.text(), "[1.75]");  // 3/4 + 1/4 of 3 * 4/3
  const auto one = start.step(Tensor::from({1}, {2.0}), Tensor::from({1}, {0.0}), 1, 0.25);
  EXPECT_EQ(one.variance.text(), "[NaN]");
}

}  // namespace
}  // namespace topos::test
