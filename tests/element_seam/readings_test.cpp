// A user's number that has every function takes part in every reading, as a built-in does.
#include <gtest/gtest.h>

#include "element_seam/numbers.h"
#include "support/bits.h"
#include "support/models.h"
#include "support/walk.h"

namespace topos::test {
namespace {

const ElementType float24 = element_of<seam::Float24>();

TEST(ElementReadings, engine_scan_is_the_recorded_gradient) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, float24));
    const auto program = build(sample, float24, 2);
    const auto run = program.network.forward(program.network.parameters());
    const auto first = run.backward(program.loss);
    for (const auto& [wrt, gradient] : program.first->pairs()) EXPECT_TRUE(bits_agree(first.of(wrt), run.of(gradient)));
    if (program.wrt.empty()) continue;
    const auto second = run.backward(program.slope);
    for (const auto& [wrt, gradient] : program.second->pairs())
      EXPECT_TRUE(bits_agree(second.of(wrt), run.of(gradient)));
  }
}

TEST(ElementReadings, plans_are_the_interpreter) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, float24));
    const auto program = build(sample, float24, 2);
    const auto parameters = program.network.parameters();
    const auto run = program.network.forward(parameters);
    auto roots = program.roots();
    const auto plan = program.network.entry(roots).observe({program.output}).lower().forward(parameters);
    roots.push_back(program.output);
    for (const auto root : roots) EXPECT_TRUE(bits_agree(plan.of(root), run.of(root)));
    const auto field = run.backward(program.loss);
    const auto posture = program.network.entry({program.loss}).backward().lower().forward(parameters);
    const auto cotangents = posture.backward(program.loss);
    for (const auto wrt : program.wrt) EXPECT_TRUE(bits_agree(cotangents.of(wrt), field.of(wrt)));
  }
}

TEST(ElementReadings, walks_by_hand_are_the_interpreter) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(case_name(sample, float24));
    const auto program = build(sample, float24, 2);
    const auto run = program.network.forward(program.network.parameters());
    const auto values = walk_by_hand(program.network);
    for (const auto& node : program.network.nodes())
      ASSERT_TRUE(bits_agree(values[node.symbol().index()], run.of(node.symbol()))) << node.text();
    EXPECT_EQ(recorded_again(program.network), program.network.describe());
  }
}

TEST(ElementReadings, arithmetic_is_the_numbers_own) {
  const auto a = Random(3).tensor({float24, {40}}, -2, 2);
  const auto b = Random(4).tensor({float24, {40}}, 0.5, 2);
  const auto x = a.values<seam::Float24>(), y = b.values<seam::Float24>();
  const auto check = [&](const Tensor& result, auto f) {
    const auto out = result.values<seam::Float24>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const seam::Float24 expected = f(x[i], y[i]);
      EXPECT_EQ(std::memcmp(&out[i], &expected, 3), 0) << i;
    }
  };
  using F = seam::Float24;
  check(a + b, [](F p, F q) { return p + q; });
  check(a - b, [](F p, F q) { return p - q; });
  check(a * b, [](F p, F q) { return p * q; });
  check(a / b, [](F p, F q) { return p / q; });
  check(-a, [](F p, F) { return -p; });
  check(abs(a), [](F p, F) { return p < F{} ? -p : p; });
  check(maximum(a, b), [](F p, F q) { return p < q ? q : p; });
  check(minimum(a, b), [](F p, F q) { return q < p ? q : p; });
  check(exp(a), [](F p, F) { return exp(p); });
  check(logistic(a), [](F p, F) { return logistic(p); });
  check(power(b, a), [](F p, F q) { return power(q, p); });
}

/// [m, k] by [k, n] by the definition, with the number's own fused multiply-add.
template <class T>
std::vector<T> product(const Tensor& a, const Tensor& b) {
  const auto x = a.values<T>(), y = b.values<T>();
  const auto m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  std::vector<T> out(static_cast<std::size_t>(m * n));
  for (Extent i = 0; i < m; ++i)
    for (Extent j = 0; j < n; ++j) {
      T total = ElementTraits<T>::from_double(0);
      for (Extent c = 0; c < k; ++c)
        total = ElementTraits<T>::multiply_add(x[static_cast<std::size_t>(i * k + c)],
                                               y[static_cast<std::size_t>(c * n + j)], total);
      out[static_cast<std::size_t>(i * n + j)] = total;
    }
  return out;
}
template <class T>
void expect_product() {
  const auto element = element_of<T>();
  const auto a = Random(5).tensor({element, {3, 7}}, -1, 1);
  const auto b = Random(6).tensor({element, {7, 4}}, -1, 1);
  EXPECT_TRUE(bits_agree(matmul(a, b), Tensor::from<T>({3, 4}, product<T>(a, b)))) << element.name();
}

TEST(ElementReadings, products_use_the_numbers_own_multiply_add) {
  expect_product<seam::Float24>();
  expect_product<seam::Fixed>();
  expect_product<seam::Jet>();
  expect_product<seam::Pair>();
  const auto before = seam::multiply_adds;
  expect_product<seam::Audited>();
  EXPECT_EQ(seam::multiply_adds - before, 2 * 3 * 7 * 4);
  // Rounded once, the multiply-add of a fixed-point number differs from a product and a sum.
  const seam::Fixed half{128}, tiny{1};
  EXPECT_EQ(ElementTraits<seam::Fixed>::multiply_add(half, tiny, seam::Fixed{0}).raw, 1);
}

TEST(ElementReadings, the_audited_double_has_the_bits_of_f64) {
  const auto audited = element_of<seam::Audited>();
  const auto program = build(model_samples()[0], f64, 0);
  const auto plain = Random(7).tensor({f64, {5, 9}}, -1, 1);
  const auto other = Random(8).tensor({f64, {9, 6}}, -1, 1);
  const auto product = matmul(convert(plain, audited), convert(other, audited));
  EXPECT_TRUE(bits_agree(convert(product, f64), matmul(plain, other)));
  const auto rows = Random(9).tensor({f64, {3, 700}}, -1, 1);
  EXPECT_TRUE(bits_agree(convert(sum(convert(rows, audited), {1}), f64), sum(rows, {1})));
}

}  // namespace
}  // namespace topos::test
