// Golden texts of small graphs: the one-parameter regression, attention, mixed elements.
#include <limits>

#include <gtest/gtest.h>

#include "support/emitted.h"
#include "support/golden.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

auto regression() {
  return Tape::record(f64, [](Tape& tape) {
    const auto w = tape.parameter(0.0);
    const auto x = tape.input(0.0);
    const auto y = tape.input(0.0);
    const auto product = w * x;
    const auto error = product - y;
    return std::tuple(w, error * error);
  });
}

TEST(Regression, describes_itself_to_the_column) {
  const auto [network, w, loss] = regression();
  EXPECT_EQ(network.describe(),
            "   0  Parameter                         []\n"
            "   1  Input                             []\n"
            "   2  Input                             []\n"
            "   3  Mul            0, 1               []\n"
            "   4  Sub            3, 2               []\n"
            "   5  Mul            4, 4               []\n"
            "network: 6 nodes, 1 parameter, 2 inputs\n");
}

TEST(Regression, lowers_and_emits_its_text) {
  const auto [network, w, loss] = regression();
  const auto plan = network.entry({loss}).lower();
  EXPECT_EQ(plan.describe(),
            "   0  Parameter                         []           freed after 3\n"
            "   1  Input                             []           freed after 3\n"
            "   2  Input                             []           freed after 4\n"
            "   3  Mul            0, 1               []           freed after 4\n"
            "   4  Sub            3, 2               []           freed after 5\n"
            "   5  Mul            4, 4               []           kept\n"
            "plan: forward; 6 of 6 nodes evaluated, 1 readable\n"
            "live volume: peak 4 elements at node 3, retain-all 6\n");
  EXPECT_EQ(emitted(plan), plate("emission-1-readme.mlir"));
  // The posture does not reach the module.
  EXPECT_EQ(emitted(network.entry({loss}).backward().lower()), plate("emission-1-readme.mlir"));
}

TEST(Regression, differentiates_by_seventeen_nodes) {
  auto [network, w, loss] = regression();
  auto tape = std::move(network).into_tape();
  const auto adjoints = tape.differentiate(loss, {w});
  EXPECT_EQ(adjoints.of(w).index(), 20u);
  EXPECT_TRUE(same_tokens(tape.describe(),
                          "0 Parameter []\n1 Input []\n2 Input []\n3 Mul 0, 1 []\n4 Sub 3, 2 []\n5 Mul 4, 4 []\n"
                          "6 Leaf []\n7 Mul 6, 4 []\n8 Mul 6, 4 []\n9 Leaf []\n10 Add 9, 7 []\n11 Add 10, 8 []\n"
                          "12 Neg 11 []\n13 Leaf []\n14 Add 13, 11 []\n15 Leaf []\n16 Add 15, 12 []\n17 Mul 14, 1 []\n"
                          "18 Mul 14, 0 []\n19 Leaf []\n20 Add 19, 17 []\n21 Leaf []\n22 Add 21, 18 []\n"
                          "tape: 23 nodes, 1 parameter, 2 inputs"));
}

TEST(Attention, emits_the_module_to_the_character) {
  Tape tape(f32);
  const TensorType type{f32, {4, 8}};
  const auto q = tape.input(Tensor::full(type, 0));
  const auto k = tape.input(Tensor::full(type, 0));
  const auto v = tape.input(Tensor::full(type, 0));
  constexpr auto hidden = -std::numeric_limits<float>::infinity();
  const auto mask = tape.leaf(
      Tensor::from<float>({4, 4}, {0, hidden, hidden, hidden, 0, 0, hidden, hidden, 0, 0, 0, hidden, 0, 0, 0, 0}));
  const auto scale = tape.leaf(0.35355338);
  const auto turned = permute(k, {1, 0});
  const auto scores = matmul(q, turned);
  const auto spread = broadcast(scale, {4, 4});
  const auto scaled = scores * spread;
  const auto masked = scaled + mask;
  const auto logarithms = log_softmax(masked, 1);
  const auto weights = exp(logarithms);
  const Symbol out = matmul(weights, v);
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(emitted(network.entry({out}).lower()), plate("emission-5-attention.mlir"));
}

TEST(Describe, widens_a_line_rather_than_cut_it) {
  Tape tape(f32);
  const auto x = tape.parameter(Tensor::full({f32, {3, 5}}, 0));
  const auto y = tape.input(Tensor::full({f32, {4, 3}}, 0));
  const auto product = matmul(y, x);
  const auto bias = tape.parameter(Tensor::full({f32, {5}}, 0));
  const auto spread = broadcast_along(bias, 0, 4);
  const auto shifted = product + spread;
  const auto hidden = tanh(shifted);
  const auto wide = pad(hidden, 1, 1, 11);
  EXPECT_EQ(wide.symbol().index(), 7u);
  const auto network = std::move(tape).into_network();
  EXPECT_EQ(network.describe(),
            "   0  Parameter                         [3, 5]\n"
            "   1  Input                             [4, 3]\n"
            "   2  MatMul         1, 0               [4, 5]\n"
            "   3  Parameter                         [5]\n"
            "   4  BroadcastAlong 3  axis=0 extent=4 [4, 5]\n"
            "   5  Add            2, 4               [4, 5]\n"
            "   6  Tanh           5                  [4, 5]\n"
            "   7  Pad            6  axis=1 start=1 full_extent=11 [4, 11]\n"
            "network: 8 nodes, 2 parameters, 1 input\n");
}

TEST(Describe, shows_the_element_that_is_not_the_working_one) {
  Tape tape(f32);
  const auto table = tape.parameter(Tensor::full({f32, {5, 2}}, 0));
  const auto places = tape.input({0, 3, 1}, i64);
  const auto rows = gather(table, places);
  const auto count = tape.iota({3, 2}, 0);
  const auto number = convert(count, f64);
  const auto narrowed = convert(number, f32);
  const auto test = compare(rows, narrowed, Direction::gt);
  const auto flipped = logical_not(test);
  const auto chosen = select(flipped, rows, narrowed);
  const auto sums = sum(chosen, {1});
  const auto back = scatter(sums, places, 6);
  const auto total = sum(back);
  EXPECT_EQ(total.symbol().index(), 11u);
  EXPECT_EQ(tape.describe(),
            "   0  Parameter                         [5, 2]\n"
            "   1  Input                             i64[3]\n"
            "   2  Gather         0, 1               [3, 2]\n"
            "   3  Iota           axis=0             i64[3, 2]\n"
            "   4  Convert        3  element=f64     f64[3, 2]\n"
            "   5  Convert        4  element=f32     [3, 2]\n"
            "   6  Compare        2, 5  direction=GT boolean[3, 2]\n"
            "   7  Not            6                  boolean[3, 2]\n"
            "   8  Select         7, 2, 5            [3, 2]\n"
            "   9  SumAlong       8  axis=1          [3]\n"
            "  10  Scatter        9, 1  extent=6     [6]\n"
            "  11  Sum            10                 []\n"
            "tape: 12 nodes, 1 parameter, 1 input\n");
}

TEST(Describe, counts_nothing_in_the_plural) {
  EXPECT_EQ(Tape().describe(), "tape: 0 nodes, 0 parameters, 0 inputs\n");
  Tape tape;
  tape.leaf(1.0);
  EXPECT_EQ(tape.describe(), "   0  Leaf                              []\ntape: 1 node, 0 parameters, 0 inputs\n");
}

TEST(Describe, prints_a_sum_by_its_axes) {
  Tape tape;
  const auto x = tape.parameter(Tensor::full({f32, {2, 3, 4}}, 0));
  sum(x, {2, 0});
  sum(x, {1});
  sum(x, Shape{0, 1, 2});
  EXPECT_TRUE(same_tokens(tape.describe(),
                          "0 Parameter [2, 3, 4]\n1 SumAlong 0 axes=[0, 2] [3]\n2 SumAlong 0 axis=1 [2, 4]\n"
                          "3 Sum 0 []\ntape: 4 nodes, 1 parameter, 0 inputs"));
}

}  // namespace
}  // namespace topos::test
