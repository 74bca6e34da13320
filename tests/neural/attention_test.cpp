// Tests of attention: its eight nodes, its values against a plain computation, its mask, and what it refuses.
#include "topos/neural/attention.h"
#include "support/specials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/bits.h"
#include "tests/support/emitted.h"
#include "tests/support/error.h"
#include "tests/support/golden.h"
#include "tests/support/random.h"
#include "topos/topos.h"

namespace topos {
namespace {

using test::infinity;
using test::Misuse;
using test::throws;

TEST(attention, records_eight_nodes) {
  Tape tape;
  const auto zeros = Tensor::full({f32, {4, 8}}, 0);
  const auto query = tape.input(zeros);
  const auto key = tape.input(zeros);
  const auto value = tape.input(zeros);
  const auto mask = tape.leaf(causal_mask(4, -infinity));
  const auto scale = tape.leaf(1.0F / std::sqrt(8.0F));
  scaled_dot_product(query, key, value, mask, scale);
  EXPECT_TRUE(test::same_tokens(tape.describe(), R"(
0 Input [4, 8]
1 Input [4, 8]
2 Input [4, 8]
3 Leaf [4, 4]
4 Leaf []
5 Permute 1 order=[1, 0] [8, 4]
6 MatMul 0, 5 [4, 4]
7 Broadcast 4 shape=[4, 4] [4, 4]
8 Mul 6, 7 [4, 4]
9 Add 8, 3 [4, 4]
10 LogSoftmax 9 axis=1 [4, 4]
11 Exp 10 [4, 4]
12 MatMul 11, 2 [4, 8]
tape: 13 nodes, 0 parameters, 3 inputs)"));
}

TEST(attention, is_emitted_as_the_composition_that_it_is) {
  auto [network, head] = Tape::record([](Tape& tape) {
    const auto query = tape.input(init::normal(1, 1.0)({4, 8}));
    const auto key = tape.input(init::normal(2, 1.0)({4, 8}));
    const auto value = tape.input(init::normal(3, 1.0)({4, 8}));
    const auto mask = tape.leaf(causal_mask(4, -infinity));
    const auto scale = tape.leaf(1.0F / std::sqrt(8.0F));
    return scaled_dot_product(query, key, value, mask, scale);
  });
  const auto plan = network.entry({head}).lower();
  EXPECT_EQ(test::emitted(plan), test::plate("emission-5-attention.mlir"));
  const auto parameters = network.parameters();
  EXPECT_TRUE(same_bits(plan.forward(parameters).of(head), network.forward(parameters).of(head)));
}

TEST(attention, agrees_with_a_plain_computation) {
  test::Random random(4);
  const Extent t = 3;
  const Extent s = 5;
  const Extent d = 4;
  const Extent e = 2;
  const auto q = random.tensor({f64, {t, d}}, -1, 1);
  const auto k = random.tensor({f64, {s, d}}, -1, 1);
  const auto v = random.tensor({f64, {s, e}}, -1, 1);
  const auto m = random.tensor({f64, {t, s}}, -1, 1);
  auto [network, head] = Tape::record(f64, [&](Tape& tape) {
    const auto query = tape.input(q);
    const auto key = tape.input(k);
    const auto value = tape.input(v);
    const auto mask = tape.leaf(m);
    const auto scale = tape.leaf(0.5);
    return scaled_dot_product(query, key, value, mask, scale);
  });
  const auto run = network.forward(network.parameters());
  const auto got = run.of(head).values<double>();
  const auto [a, b, c, bias] =
      std::tuple(q.values<double>(), k.values<double>(), v.values<double>(), m.values<double>());
  const auto at = [](Extent row, Extent width, Extent column) {
    return static_cast<std::size_t>(row * width + column);
  };
  for (Extent row = 0; row < t; ++row) {
    std::vector<double> weights;
    double total = 0;
    for (Extent other = 0; other < s; ++other) {
      double score = 0;
      for (Extent i = 0; i < d; ++i) score += a[at(row, d, i)] * b[at(other, d, i)];
      weights.push_back(std::exp(score * 0.5 + bias[at(row, s, other)]));
      total += weights.back();
    }
    for (Extent i = 0; i < e; ++i) {
      double mean = 0;
      for (Extent other = 0; other < s; ++other)
        mean += weights[static_cast<std::size_t>(other)] / total * c[at(other, e, i)];
      EXPECT_NEAR(got[at(row, e, i)], mean, 1e-14);  // a few roundings of numbers below 1
    }
  }
}

TEST(attention, a_causal_row_does_not_see_what_follows) {
  auto [network, query, key, value, head] = Tape::record(f32, [](Tape& tape) {
    const auto query = tape.input(Tensor::full({f32, {3, 2}}, 1));
    const auto key = tape.input(Tensor::full({f32, {3, 2}}, 1));
    const auto value = tape.input({{1, 2}, {3, 4}, {5, 6}});
    const auto mask = tape.leaf(causal_mask(3, -infinity));
    const auto scale = tape.leaf(1.0);
    return std::tuple(query, key, value, scaled_dot_product(query, key, value, mask, scale));
  });
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto changed = network.forward(parameters, {{value, {{1, 2}, {3, 4}, {500, 600}}}});
  const auto before = run.of(head).values<float>();
  const auto after = changed.of(head).values<float>();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(before[i], after[i]);
  EXPECT_EQ(before[0], 1.0F);
  EXPECT_NE(before[4], after[4]);
}

TEST(attention, over_a_batch_records_its_nodes) {
  Tape tape;
  const auto query = tape.input(Tensor::full({f32, {2, 4, 8}}, 0));
  const auto key = tape.input(Tensor::full({f32, {2, 5, 8}}, 0));
  const auto value = tape.input(Tensor::full({f32, {2, 5, 3}}, 0));
  const auto mask = tape.input(Tensor::full({boolean, {4, 5}}, true));
  attention(query, key, value, mask, 0.5);
  EXPECT_TRUE(test::same_tokens(tape.describe(), R"(
0 Input [2, 4, 8]
1 Input [2, 5, 8]
2 Input [2, 5, 3]
3 Input boolean[4, 5]
4 Permute 1 order=[0, 2, 1] [2, 8, 5]
5 MatMul 0, 4 [2, 4, 5]
6 Leaf [2, 4, 5]
7 Mul 5, 6 [2, 4, 5]
8 Reshape 3 shape=[1, 4, 5] boolean[1, 4, 5]
9 Reshape 8 shape=[4, 5] boolean[4, 5]
10 BroadcastAlong 9 axis=0 extent=2 boolean[2, 4, 5]
11 Leaf [2, 4, 5]
12 Select 10, 7, 11 [2, 4, 5]
13 Softmax 12 axis=2 [2, 4, 5]
14 MatMul 13, 2 [2, 4, 3]
tape: 15 nodes, 0 parameters, 4 inputs)"));
}

/// The result and the gradients of query, key and value, for both kinds of mask, which agree.
std::vector<Tensor> attended(const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<bool>& seen) {
  std::vector<Tensor> first;
  for (const bool added : {false, true}) {
    Tape tape(q.element());
    const auto query = tape.parameter(q);
    const auto key = tape.parameter(k);
    const auto value = tape.parameter(v);
    const Shape shape{q.shape()[q.shape().rank() - 2], k.shape()[k.shape().rank() - 2]};
    std::vector<double> hidden;
    for (const bool open : seen) hidden.push_back(open ? 0 : -infinity);
    const auto mask =
        added ? tape.leaf(Tensor::from(shape, hidden, q.element())) : tape.leaf(Tensor::from(shape, seen));
    const auto head = attention(query, key, value, mask, 0.5);
    const auto loss = sum(head);
    const auto adjoints = tape.differentiate(loss, {query, key, value});
    const std::vector<Symbol> roots{head, adjoints.of(query), adjoints.of(key), adjoints.of(value)};
    const auto network = std::move(tape).into_network();
    const auto parameters = network.parameters();
    const auto run = network.forward(parameters);
    const auto plan = network.entry(roots).lower().forward(parameters);
    std::vector<Tensor> results;
    for (const auto root : roots) {
      results.push_back(run.of(root));
      EXPECT_TRUE(test::bits_agree(plan.of(root), results.back()));
    }
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(test::bits_agree(results[i], first[i])) << i;
    first = results;
  }
  return first;
}

TEST(attention, of_a_row_that_sees_nothing_is_zero_without_gradients) {
  test::Random random(6);
  for (const auto element : {f32, f64, bf16}) {
    const auto q = random.tensor({element, {3, 2, 4}}, -1, 1);
    const auto k = random.tensor({element, {3, 3, 4}}, -1, 1);
    const auto v = random.tensor({element, {3, 3, 2}}, -1, 1);
    const auto results = attended(q, k, v, {true, false, true, false, false, false});
    const auto zeros = Tensor::full({element, {3, 1, 2}}, 0);
    EXPECT_TRUE(test::bits_agree(narrow(results[0], 1, 1, 1), zeros));
    EXPECT_TRUE(test::bits_agree(narrow(results[1], 1, 1, 1), Tensor::full({element, {3, 1, 4}}, 0)));
    for (const auto& result : results)
      for (const double number : convert(result, f64).values<double>()) EXPECT_TRUE(std::isfinite(number));
    // The other row is as if it stood alone, and the hidden key gets nothing.
    const auto alone = attended(narrow(q, 1, 0, 1), k, v, {true, false, true});
    EXPECT_TRUE(test::bits_agree(narrow(results[0], 1, 0, 1), alone[0]));
    for (std::size_t i = 2; i < 4; ++i) EXPECT_TRUE(test::bits_agree(results[i], alone[i]));
    EXPECT_TRUE(test::bits_agree(narrow(results[2], 1, 1, 1), Tensor::full({element, {3, 1, 4}}, 0)));
  }
}

TEST(attention, without_a_mask_sees_everything) {
  test::Random random(8);
  Tape tape(f64);
  const auto q = tape.input(random.tensor({f64, {2, 3, 2}}, -1, 1));
  const auto k = tape.input(random.tensor({f64, {2, 4, 2}}, -1, 1));
  const auto v = tape.input(random.tensor({f64, {2, 4, 5}}, -1, 1));
  const auto all = tape.leaf(Tensor::full({boolean, {3, 4}}, true));
  const Symbol open = attention(q, k, v, 0.25);
  const Symbol masked = attention(q, k, v, all, 0.25);
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_TRUE(test::bits_agree(run.of(open), run.of(masked)));
}

TEST(attention, over_a_batch_refuses_types_that_do_not_fit) {
  Tape tape;
  const auto input = [&](const Shape& shape, ElementType element = f32) {
    return tape.input(Tensor::full({element, shape}, 0));
  };
  const auto q = input({2, 3, 4});
  const auto k = input({2, 5, 4});
  const auto v = input({2, 5, 6});
  const auto size = tape.size();
  EXPECT_TRUE(throws([&] { attention(q, k, q, 1); }, Misuse{ErrorKind::type, "attention", {}, {"f32[2, 3, 4]"}}));
  EXPECT_TRUE(throws([&] { attention(q, v, v, 1); }, Misuse{ErrorKind::type, "attention"}));
  EXPECT_EQ(tape.size(), size);
  EXPECT_TRUE(throws([&] { attention(q, k, input({5, 6}), 1); }, Misuse{ErrorKind::type, "attention"}));
  EXPECT_TRUE(throws([&] { attention(q, k, v, input({3, 5}, i64), 1); },
                     Misuse{ErrorKind::type, "attention", {"i64[3, 5]", "f32[2, 3, 4]"}}));
  EXPECT_TRUE(throws([&] { attention(q, k, v, input({3, 4}), 1); }, Misuse{ErrorKind::type, "broadcast_to"}));
}

TEST(causal_mask, is_zero_up_to_the_diagonal) {
  EXPECT_EQ(causal_mask(3, -1.5).text(), "[[0, -1.5, -1.5], [0, 0, -1.5], [0, 0, 0]]");
  EXPECT_EQ(causal_mask(2, -1, f64).type(), (TensorType{f64, {2, 2}}));
  EXPECT_EQ(causal_mask(0, -1).type(), (TensorType{f32, {0, 0}}));
  EXPECT_TRUE(throws([] { causal_mask(2, -1, i64); }, Misuse{ErrorKind::type, "causal_mask", {"i64[2, 2]"}}));
  EXPECT_TRUE(throws([] { causal_mask(-1, 0); }, Misuse{ErrorKind::argument, "causal_mask", {}, {"-1"}}));
}

TEST(attention, refuses_types_that_do_not_fit) {
  Tape tape;
  const auto input = [&](const Shape& shape, ElementType element = f32) {
    return tape.input(Tensor::full({element, shape}, 0));
  };
  const auto q = input({2, 4});
  const auto k = input({3, 4});
  const auto v = input({3, 5});
  const auto m = input({2, 3});
  const auto s = input({});
  EXPECT_EQ(scaled_dot_product(q, k, v, m, s).shape(), (Shape{2, 5}));
  const auto size = tape.size();
  const auto refused = [&](const Value& query, const Value& key, const Value& value, const Value& mask,
                           const Value& scale) {
    return throws(
        [&] { scaled_dot_product(query, key, value, mask, scale); },
        Misuse{ErrorKind::type,
               "scaled_dot_product",
               {query.type().text(), key.type().text(), value.type().text(), mask.type().text(), scale.type().text()}});
  };
  EXPECT_TRUE(refused(v, k, v, m, s));
  EXPECT_TRUE(refused(q, k, q, m, s));
  EXPECT_TRUE(refused(q, k, v, k, s));
  EXPECT_TRUE(refused(q, k, v, m, m));
  EXPECT_TRUE(refused(s, k, v, m, s));
  EXPECT_EQ(tape.size(), size);
  EXPECT_TRUE(refused(q, k, v, input({2, 3}, f64), s));
}

}  // namespace
}  // namespace topos
