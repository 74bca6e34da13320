// What a plan recognises: windowed products, pools, batch norms, their derivative halves; closure, barriers, election.
#include <gtest/gtest.h>

#include "support/convolution_models.h"
#include "support/golden.h"

namespace topos::test {
namespace {

std::string text_of(const std::vector<PatternMatch>& matches) {
  std::string text;
  for (const auto& match : matches) text += match.text() + "\n";
  return text;
}

std::vector<Index> nodes_of(const PatternMatch& match) {
  std::vector<Index> nodes;
  for (const auto node : match.nodes()) nodes.push_back(node.index());
  return nodes;
}

/// The last lines of a plan's description, from `plan:` on.
std::string summary(const Plan& plan) {
  const auto text = plan.describe();
  return text.substr(text.find("plan: "));
}

TEST(Patterns, of_a_convolution_and_its_pool) {
  const auto model = pooled_convolution({1, 1, 6, 6}, {2, 1, 3, 3}, 0, 2);
  const auto plan = model.network.entry({model.total}).lower();
  EXPECT_TRUE(same_tokens(plan.describe(), R"(
   0  Input                             [1, 1, 6, 6] freed after 9
   1  Parameter                         [2, 1, 3, 3] freed after 7
   2  Parameter                         [2]          freed after 10
   3  Unfold         0  axis=2 size=3 step=1 dilation=1 [1, 1, 4, 3, 6] fused
   4  Unfold         3  axis=4 size=3 step=1 dilation=1 [1, 1, 4, 3, 4, 3] fused
   5  Permute        4  order=[0, 2, 4, 1, 3, 5] [1, 4, 4, 1, 3, 3] fused
   6  Reshape        5  shape=[16, 9]   [16, 9]      fused
   7  Permute        1  order=[1, 2, 3, 0] [1, 3, 3, 2] freed after 8
   8  Reshape        7  shape=[9, 2]    [9, 2]       freed after 9
   9  MatMul         6, 8               [16, 2]      freed after 11
  10  BroadcastAlong 2  axis=0 extent=16 [16, 2]     freed after 11
  11  Add            9, 10              [16, 2]      freed after 12
  12  Reshape        11  shape=[1, 4, 4, 2] [1, 4, 4, 2] freed after 13
  13  Permute        12  order=[0, 3, 1, 2] [1, 2, 4, 4] freed after 15
  14  Leaf                              [1, 2, 4, 4] freed after 15
  15  Maximum        13, 14             [1, 2, 4, 4] freed after 27
  16  Unfold         15  axis=2 size=2 step=2 dilation=1 [1, 2, 2, 2, 4] fused
  17  Unfold         16  axis=4 size=2 step=2 dilation=1 [1, 2, 2, 2, 2, 2] fused
  18  Permute        17  order=[0, 1, 2, 4, 3, 5] [1, 2, 2, 2, 2, 2] fused
  19  Reshape        18  shape=[1, 2, 2, 2, 4] [1, 2, 2, 2, 4] fused
  20  Narrow         19  axis=4 start=0 len=1 [1, 2, 2, 2, 1] fused
  21  Narrow         19  axis=4 start=1 len=1 [1, 2, 2, 2, 1] fused
  22  Maximum        21, 20             [1, 2, 2, 2, 1] fused
  23  Narrow         19  axis=4 start=2 len=1 [1, 2, 2, 2, 1] fused
  24  Maximum        23, 22             [1, 2, 2, 2, 1] fused
  25  Narrow         19  axis=4 start=3 len=1 [1, 2, 2, 2, 1] fused
  26  Maximum        25, 24             [1, 2, 2, 2, 1] fused
  27  Reshape        26  shape=[1, 2, 2, 2] [1, 2, 2, 2] freed after 28
  28  Sum            27                 []           kept
plan: forward; 29 of 29 nodes evaluated, 1 readable
fused 2 groups, 15 nodes replaced
live volume: peak 96 elements at node 11, retain-all 325
)"));
  EXPECT_EQ(text_of(plan.patterns()),
            "WindowProduct rooted at node 9, covering 5 nodes\n"
            "ReduceWindow rooted at node 27, covering 12 nodes\n");
  EXPECT_EQ(nodes_of(plan.patterns()[0]), (std::vector<Index>{3, 4, 5, 6, 9}));
  EXPECT_EQ(plan.patterns()[1].kind(), PatternKind::reduce_window);
  EXPECT_EQ(text_of(plan.candidates()), text_of(plan.patterns()));
  EXPECT_EQ(plan.live_series().size(), 14u);
  expect_plan_is_interpreter(model.network, {model.total});
}

TEST(Patterns, absorb_symmetric_padding) {
  const auto model = pooled_convolution({3, 1, 6, 6}, {4, 1, 3, 3}, 1, 3);
  const auto plan = model.network.entry({model.pooled}).lower();
  EXPECT_TRUE(same_tokens(plan.describe(), plate("padded-convolution-plan.txt")));
  EXPECT_EQ(nodes_of(plan.patterns()[0]), (std::vector<Index>{3, 4, 5, 6, 7, 8, 11}));
  EXPECT_EQ(text_of(plan.patterns()),
            "WindowProduct rooted at node 11, covering 7 nodes\n"
            "ReduceWindow rooted at node 39, covering 22 nodes\n");
  expect_plan_is_interpreter(model.network, {model.pooled});
}

TEST(Patterns, are_not_fused_in_the_backward_posture) {
  const auto model = pooled_convolution({3, 1, 6, 6}, {4, 1, 3, 3}, 1, 3);
  const auto plan = model.network.entry({model.pooled}).backward().lower();
  EXPECT_EQ(plan.describe().find("fused"), std::string::npos);
  EXPECT_NE(summary(plan).find("live volume: retain-all 9520, release floor 3072 at node 37"), std::string::npos)
      << summary(plan);
  EXPECT_TRUE(plan.patterns().empty());
  EXPECT_EQ(plan.candidates().size(), 2u);
}

TEST(Patterns, an_observed_interior_is_a_barrier) {
  const auto model = pooled_convolution({3, 1, 6, 6}, {4, 1, 3, 3}, 1, 3);
  const Symbol rows(model.pooled.family(), 8);
  const auto plan = model.network.entry({model.pooled}).observe({rows}).lower();
  EXPECT_EQ(summary(plan),
            "plan: forward; 40 of 41 nodes evaluated, 2 readable\n"
            "fused 1 group, 21 nodes replaced\n"
            "live volume: peak 2268 elements at node 13, retain-all 6976\n");
  EXPECT_EQ(text_of(plan.candidates()), "ReduceWindow rooted at node 39, covering 22 nodes\n");
  // An observed padding is no interior: the product reads it.
  const auto padded = model.network.entry({model.pooled}).observe({Symbol(model.pooled.family(), 4)}).lower();
  EXPECT_EQ(nodes_of(padded.patterns()[0]), (std::vector<Index>{5, 6, 7, 8, 11}));
}

TEST(Patterns, ASecondReaderKeepsTheRowsOfAProduct) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {1, 1, 4, 4}}, 1));
  auto rows = unfold(x, 2, 2, 1, 1);
  rows = unfold(rows, 4, 2, 1, 1);
  rows = permute(rows, {0, 2, 4, 1, 3, 5});
  rows = reshape(rows, {9, 4});
  const auto kernel = tape.parameter(Tensor::full({f32, {4, 2}}, 1));
  const auto product = matmul(rows, kernel);
  const auto other = sum(rows);
  const Symbol one = product, two = other;
  const auto network = std::move(tape).into_network();
  // A hand-written recording matches like a facade's.
  EXPECT_EQ(text_of(network.entry({one}).lower().patterns()), "WindowProduct rooted at node 6, covering 5 nodes\n");
  const auto both = network.entry({one, two}).lower();
  EXPECT_TRUE(both.patterns().empty());
  EXPECT_EQ(text_of(both.candidates()), "WindowProduct rooted at node 6, covering 1 node\n");
  expect_plan_is_interpreter(network, {one, two});
}

TEST(Patterns, of_windows_that_are_dilated_or_uneven) {
  for (const ConvolutionOptions& options :
       {ConvolutionOptions{{2, 1}, {0, 1}, {1, 3}, 1}, ConvolutionOptions{1, {2, 0}, 2, 1}}) {
    Tape tape;
    const auto x = tape.input(Tensor::full({f32, {1, 2, 9, 9}}, 1));
    const auto w = tape.parameter(Tensor::full({f32, {2, 2, 3, 2}}, 1));
    const Symbol y = conv2d(x, w, options);
    const auto network = std::move(tape).into_network();
    const auto patterns = network.entry({y}).lower().patterns();
    ASSERT_EQ(patterns.size(), 1u);
    EXPECT_EQ(patterns[0].nodes().size(), 6u);
  }
}

TEST(Patterns, do_not_take_what_only_looks_alike) {
  const auto found = [](auto&& record) {
    Tape tape;
    const auto x = tape.input(Tensor::full({f32, {1, 2, 4, 4}}, 1));
    const Symbol y = record(tape, x);
    const auto network = std::move(tape).into_network();
    return network.entry({y}).lower().candidates().size();
  };
  // A batched product; another order of lanes; a running maximum on the other side; a balanced tree.
  EXPECT_EQ(found([](Tape& tape, const Value& x) {
              const auto w = tape.parameter(Tensor::full({f32, {2, 1, 2, 2}}, 1));
              return conv2d(x, w, {.groups = 2});
            }),
            0u);
  const auto lanes = [](const Value& x, const Shape& order) {
    auto windows = unfold(x, 2, 2, 2, 1);
    windows = unfold(windows, 4, 2, 2, 1);
    windows = permute(windows, order);
    return reshape(windows, {1, 2, 2, 2, 4});
  };
  const auto pool = [](const Value& all, bool lane_first, bool tree) {
    const auto a = narrow(all, 4, 0, 1), b = narrow(all, 4, 1, 1), c = narrow(all, 4, 2, 1), d = narrow(all, 4, 3, 1);
    const auto first = lane_first ? maximum(b, a) : maximum(a, b);
    if (tree) {
      const auto second = maximum(d, c);
      const auto both = maximum(second, first);
      return reshape(both, {1, 2, 2, 2});
    }
    const auto second = lane_first ? maximum(c, first) : maximum(first, c);
    const auto third = lane_first ? maximum(d, second) : maximum(second, d);
    return reshape(third, {1, 2, 2, 2});
  };
  EXPECT_EQ(found([&](Tape&, const Value& x) { return pool(lanes(x, {0, 1, 2, 4, 3, 5}), true, false); }), 1u);
  EXPECT_EQ(found([&](Tape&, const Value& x) { return pool(lanes(x, {0, 1, 2, 4, 5, 3}), true, false); }), 0u);
  EXPECT_EQ(found([&](Tape&, const Value& x) { return pool(lanes(x, {0, 1, 2, 4, 3, 5}), false, false); }), 0u);
  EXPECT_EQ(found([&](Tape&, const Value& x) { return pool(lanes(x, {0, 1, 2, 4, 3, 5}), true, true); }), 0u);
}

TEST(Patterns, of_batch_norms) {
  Tape tape;
  const BatchNorm norm(tape, {1, 2}, {0, 1}, 0.5);
  const auto x = tape.input(Random(33).tensor({f32, {4, 2}}, -1, 1));
  const auto [output, mean, variance] = norm.express(x);
  const auto given_mean = tape.input({0, 0}), given_variance = tape.input({1, 1});
  const auto inference = norm.express_with(x, given_mean, given_variance);
  const Symbol trained = output, m = mean, v = variance, inferred = inference;
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(text_of(network.entry({trained}).observe({m, v}).lower().candidates()),
            "BatchNormTraining rooted at node 21, covering 18 nodes\n");
  EXPECT_EQ(text_of(network.entry({inferred}).lower().candidates()),
            "BatchNormInference rooted at node 34, covering 11 nodes\n");
  // The plan runs both as their formula; a centred value that is read keeps it one.
  EXPECT_TRUE(network.entry({trained, inferred}).lower().patterns().empty());
  EXPECT_TRUE(network.entry({trained}).observe({Symbol(m.family(), 8)}).lower().candidates().empty());
}

TEST(Patterns, an_unbiased_variance_is_no_batch_norm) {
  Tape tape;
  const auto x = tape.input(Random(34).tensor({f32, {4, 2}}, -1, 1));
  const auto scale = tape.parameter({1, 1}), shift = tape.parameter({0, 0});
  const auto epsilon = tape.leaf(0.5);
  const auto centre = mean(x, {0});
  const auto spread = broadcast_along(centre, 0, 4);
  const auto centered = x - spread;
  const auto squares = centered * centered;
  const auto total = sum(squares, {0});
  const auto variance = total / 3;
  const auto raised = variance + broadcast(epsilon, {2});
  const auto deviation = broadcast_along(sqrt(raised), 0, 4);
  const auto unit = centered / deviation;
  const auto scaled = unit * broadcast_along(scale, 0, 4);
  const Symbol y = scaled + broadcast_along(shift, 0, 4);
  const auto network = std::move(tape).into_network();
  EXPECT_TRUE(network.entry({y}).lower().candidates().empty());
}

TEST(Patterns, of_a_training_step_have_their_derivative_halves) {
  for (const ConvolutionOptions& options : {ConvolutionOptions{}, ConvolutionOptions{{2, 1}, {1, 2}, {1, 2}, 1}}) {
    const auto step = training_step(options);
    const auto plan = step.network.entry(step.roots).lower();
    std::vector<PatternKind> kinds;
    for (const auto& match : plan.candidates()) kinds.push_back(match.kind());
    using enum PatternKind;
    EXPECT_EQ(kinds, (std::vector{window_product, reduce_window, window_product_input_gradient,
                                  window_product_kernel_gradient, reduce_window_gradient}));
    EXPECT_TRUE(plan.patterns().empty());  // what the gradient also reads is not closed
    expect_plan_is_interpreter(step.network, step.roots);
  }
}

TEST(Patterns, of_a_transposed_convolution_are_the_input_gradients) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {1, 2, 3, 3}}, 1));
  const auto w = tape.parameter(Tensor::full({f32, {2, 3, 2, 2}}, 1));
  const Symbol y = conv2d_transposed(x, w, {.stride = 2, .padding = 1});
  const auto network = std::move(tape).into_network();
  const auto candidates = network.entry({y}).lower().candidates();
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].kind(), PatternKind::window_product_input_gradient);
}

}  // namespace
}  // namespace topos::test
