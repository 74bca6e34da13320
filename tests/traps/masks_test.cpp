// Masked entries, absent classes and ignored rows: they give neither a value nor a gradient.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/numbers.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

void expect_near(const Tensor& x, const std::vector<double>& wanted) {
  const auto got = numbers_of(x);
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2 * unit_of(x.element())) << i;
}
void expect_finite(const std::vector<Tensor>& all) {
  for (const auto& x : all)
    for (const double number : numbers_of(x)) EXPECT_TRUE(std::isfinite(number));
}

TEST(Traps, D12_a_masked_logsumexp) {
  for (const auto element : {f32, f64, bf16}) {
    const auto masked = [](const In& in) {
      const auto seen = select(in[1], in[0], -infinity);
      return logsumexp(seen, 0);
    };
    const auto mask = Tensor::from({3}, std::vector<bool>{true, false, false});
    for (const double hidden : {100.0, 1e4, infinity, nan}) {
      const std::vector<Tensor> in{row({0, hidden, -hidden}, element), mask};
      EXPECT_TRUE(bits_agree(value_of(masked, in), Tensor::full({element, {}}, 0)));
      EXPECT_TRUE(bits_agree(cotangents_of(masked, in, Tensor::full({element, {}}, 1))[0], row({1, 0, 0}, element)));
      EXPECT_TRUE(
          bits_agree(second_cotangents_of(masked, in, Tensor::full({element, {}}, 1))[0], row({0, 0, 0}, element)));
    }
  }
}

TEST(Traps, D13_a_class_of_no_probability) {
  for (const auto element : {f32, f64, bf16}) {
    const auto loss = [](const In& in) { return cross_entropy(in[0], in[1]); };
    const std::vector<Tensor> in{reshape(row({-infinity, 0, 0}, element), {1, 3}),
                                 Tensor::from({1}, std::vector<std::int64_t>{1})};
    const auto one = Tensor::full({element, {}}, 1);
    expect_near(value_of(loss, in), {0.69314718055994531});
    EXPECT_TRUE(bits_agree(cotangents_of(loss, in, one)[0], reshape(row({0, -0.5, 0.5}, element), {1, 3})));
    expect_finite(second_cotangents_of(loss, in, one));
    // With weights as labels: the product with a label of 0 is selected before the logarithm meets it.
    const auto weighted = [](const In& x) {
      const auto logarithms = log_softmax(x[0], 1);
      const auto counts = not_equal(x[1], full_like(x[1], 0));
      const auto safe = select(counts, logarithms, 0);
      const auto products = safe * x[1];
      const auto total = sum(products);
      return -total;
    };
    const auto labels = reshape(row({0, 1, 0}, element), {1, 3});
    const auto g = cotangents_of(weighted, {in[0], labels}, one);
    EXPECT_TRUE(bits_agree(g[0], reshape(row({0, -0.5, 0.5}, element), {1, 3})));
  }
}

TEST(Traps, D14_ignored_rows_give_nothing) {
  for (const auto element : {f32, f64, bf16}) {
    const auto loss = [](const In& in) { return cross_entropy(in[0], in[1], -100); };
    const auto one = Tensor::full({element, {}}, 1);
    for (const double odd : {-infinity, infinity, nan, 1e4}) {
      const std::vector<Tensor> in{reshape(row({1, 2, odd, odd}, element), {2, 2}),
                                   Tensor::from({2}, std::vector<std::int64_t>{1, -100})};
      expect_near(value_of(loss, in), {0.31326168751822286});
      const auto g = cotangents_of(loss, in, one)[0];
      expect_near(g, {0.2689414213699951, -0.2689414213699951, 0, 0});
      EXPECT_TRUE(bits_agree(narrow(g, 0, 1, 1), Tensor::full({element, {1, 2}}, 0)));
      const std::vector<Tensor> none{in[0], Tensor::from({2}, std::vector<std::int64_t>{-100, -100})};
      EXPECT_TRUE(bits_agree(value_of(loss, none), Tensor::full({element, {}}, 0)));
      EXPECT_TRUE(bits_agree(cotangents_of(loss, none, one)[0], Tensor::full({element, {2, 2}}, 0)));
    }
  }
}

TEST(Traps, D15_a_mask_is_a_select) {
  for (const auto element : {f32, f64, bf16}) {
    const auto probability = [](const In& in) {
      const auto seen = is_finite(in[1]);
      const auto factor = select(seen, in[1], 0);
      const auto products = in[0] * factor;
      const auto scores = where(seen, products, -infinity);
      const auto shares = softmax(scores, 0);
      const auto second = narrow(shares, 0, 2, 1);
      return reshape(second, {});
    };
    const std::vector<Tensor> in{row({1, 1, 1, 1, 1}, element), row({4, -infinity, 4, 4, 4}, element)};
    EXPECT_TRUE(bits_agree(value_of(probability, in), Tensor::full({element, {}}, 0.25)));
    const auto g = cotangents_of(probability, in, Tensor::full({element, {}}, 1));
    EXPECT_TRUE(bits_agree(g[0], row({-0.25, 0, 0.75, -0.25, -0.25}, element)));
    // By a product the masked entry is -inf * 0, as IEEE has it.
    const auto product = [](const In& x) {
      const auto scores = x[0] * x[1];
      const auto shares = softmax(scores, 0);
      return narrow(shares, 0, 2, 1);
    };
    const auto h = numbers_of(cotangents_of(product, in, row({1}, element))[0]);
    EXPECT_TRUE(std::isnan(h[1]));
    EXPECT_EQ(h[2], 0.75);
  }
}

TEST(Traps, M04_a_row_that_sees_nothing_does_not_poison_shared_weights) {
  Random random(12);
  for (const auto element : {f32, f64, bf16})
    for (const Extent heads : {1, 3}) {
      const auto x = random.tensor({element, {heads, 2, 4}}, -1, 1);
      const auto w = random.tensor({element, {heads, 4, 4}}, -1, 1);
      // The first row of attention over projections that both rows share.
      const auto first_row = [](bool hidden) {
        return [hidden](const In& in) {
          const auto query = matmul(in[0], in[1]);
          const auto key = matmul(in[0], in[1]);
          const auto open = tanh(in[1]);
          const auto value = matmul(in[0], open);
          const auto row = iota_like(value, 1);
          const auto square = narrow(row, 2, 0, 2);
          const auto seen = hidden ? less(square, full_like(square, 1)) : less(square, full_like(square, 2));
          const auto out = attention(query, key, value, seen, 0.5);
          return narrow(out, 1, 0, 1);
        };
      };
      const auto upstream = random.tensor({element, {heads, 1, 4}}, -1, 1);
      const auto masked = cotangents_of(first_row(true), {x, w}, upstream);
      expect_finite(masked);
      expect_finite(second_cotangents_of(first_row(true), {x, w}, upstream));
      // The first row is as if the other saw what it likes.
      EXPECT_TRUE(bits_agree(value_of(first_row(true), {x, w}), value_of(first_row(false), {x, w})));
      const auto alone = cotangents_of(first_row(false), {x, w}, upstream);
      for (std::size_t i = 0; i < masked.size(); ++i) EXPECT_TRUE(bits_agree(masked[i], alone[i])) << i;
    }
}

}  // namespace
}  // namespace topos::test
