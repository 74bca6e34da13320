// Results do not depend on the floating-point mode of the caller, who finds that mode again afterwards.
#include <gtest/gtest.h>

#include "topos/base/float_environment.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

/// Subnormals flushed, read as zero, and everything rounded up, while it lives.
class Odd {
 public:
  Odd() : own_(float_control::read()) {
#if defined(__SSE__)
    float_control::write(own_ | 0xC040);
#elif defined(__aarch64__)
    float_control::write(own_ | 0x01400000);
#endif
    odd_ = mode();
  }
  ~Odd() { float_control::write(own_); }
  static float_control::Word mode() { return float_control::read() & float_control::controls; }
  bool is_still_set() const { return mode() == odd_ && mode() != float_control::standard; }

 private:
  float_control::Word own_;
  float_control::Word odd_ = 0;
};

/// Products that are subnormal, quotients and functions that rounding reaches.
struct TinyNumbers {
  explicit TinyNumbers(ElementType element) : network(record(element)) {}

  Network record(ElementType element) {
    Tape tape(element);
    const auto tiny = element == f32 ? 0x1.8p-80 : 0x1.8p-600;
    const auto small = element == f32 ? 0x1.4p-60 : 0x1.4p-460;
    const auto a = tape.parameter(Tensor::full({element, {3, 5}}, tiny));
    const auto b = tape.parameter(Tensor::from<double>({5}, {small, -small, 3, 0.1, 1e-3}, element));
    const auto spread = broadcast_along(b, 0, 3);
    const auto product = a * spread;
    const auto third = spread / 3.0;
    const auto curved = exp(third);
    const auto turned = transpose(spread);
    const auto square = matmul(a, turned);
    const auto rows = sum(curved, {0});
    const auto weights = softmax(rows, 0);
    const auto wide = broadcast_along(weights, 0, 3);
    const auto all = product + wide;
    const auto total = sum(all);
    const auto squares = sum(square);
    const auto value = total + squares;
    const auto adjoints = tape.differentiate(value, {a, b});
    seen = {product, third, square, rows, weights};
    roots = adjoints.roots();
    loss = value;
    return std::move(tape).into_network();
  }

  std::vector<Symbol> seen, roots;
  Symbol loss;
  Network network;
};

class FloatMode : public testing::TestWithParam<ElementType> {
 protected:
  void SetUp() override {
    if (float_control::controls == 0) GTEST_SKIP() << "this processor has one mode";
  }
};
INSTANTIATE_TEST_SUITE_P(Floats, FloatMode, testing::Values(f32, f64),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(FloatMode, the_odd_mode_of_these_tests_changes_what_bare_arithmetic_gives) {
  volatile double smallest = 0x1p-1022, half = 0.5, one = 1, three = 3;
  const double plain = one / three, subnormal = smallest * half;
  double up = 0, flushed = 0;
  {
    const Odd odd;
    up = one / three;
    flushed = smallest * half;
  }
  EXPECT_NE(subnormal, 0);
  EXPECT_EQ(flushed, 0);
  EXPECT_GT(up, plain);
}

TEST_P(FloatMode, of_the_caller_does_not_reach_a_plan_nor_the_interpreter) {
  const TinyNumbers model(GetParam());
  const auto parameters = model.network.parameters();
  const auto expected = model.network.forward(parameters);
  const auto expected_field = expected.backward(model.loss);
  const auto first = narrow(reshape(expected.of(model.seen[0]), {15}), 0, 0, 1);
  EXPECT_GT(sum(first).item(), 0);
  EXPECT_LT(sum(first).item(), GetParam() == f32 ? 0x1p-126 : 0x1p-1022);  // subnormal
  auto roots = model.roots;
  roots.insert(roots.end(), model.seen.begin(), model.seen.end());
  const Odd odd;
  const auto plan = model.network.entry(roots).lower();
  auto run = plan.forward(parameters);
  plan.forward_into(run, parameters);
  const auto interpreted = model.network.forward(parameters);
  const auto field = interpreted.backward(model.loss);
  EXPECT_TRUE(odd.is_still_set());
  for (const auto root : roots) {
    EXPECT_TRUE(same_bits(run.of(root), expected.of(root))) << root.index();
    EXPECT_TRUE(same_bits(interpreted.of(root), expected.of(root))) << root.index();
  }
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const auto symbol = parameters.symbol(p);
    EXPECT_TRUE(same_bits(field.of(symbol), expected_field.of(symbol))) << p;
  }
}

TEST_P(FloatMode, of_the_caller_does_not_reach_what_is_recorded) {
  const auto element = GetParam();
  const auto record = [&] {
    Tape tape(element);
    const auto x = tape.parameter(0.1);
    const auto scaled = x * 1e-40;
    const auto constant = tape.leaf(Tensor::from<double>({2}, {0.3, 1e-310}, element));
    const auto network = std::move(tape).into_network();
    const auto run = network.forward(network.parameters());
    return std::pair(run.of(scaled), run.of(constant));
  };
  const auto expected = record();
  const Odd odd;
  const auto recorded = record();
  EXPECT_TRUE(same_bits(recorded.first, expected.first));
  EXPECT_TRUE(same_bits(recorded.second, expected.second));
  EXPECT_TRUE(odd.is_still_set());
}

TEST_P(FloatMode, of_the_caller_does_not_reach_the_tensor_algebra) {
  const auto element = GetParam();
  const auto compute = [&] {
    const auto x = Tensor::from<double>({4}, {0.1, 3, 0x1p-60, -0.7}, element);
    const auto tiny = Tensor::from<double>({4}, {0x1p-80, 0x1p-100, 0x1p-80, 0x1p-85}, element);
    const auto rows = reshape(x, {2, 2});
    const auto indices = Tensor::from<std::int64_t>({4}, {0, 1, 1, 0});
    return std::vector<Tensor>{x / 3.0,
                               x * tiny,
                               tanh(x),
                               x + tiny,
                               matmul(rows, rows),
                               sum(x / 3.0),
                               softmax(x, 0),
                               logsumexp(x, 0),
                               compare(x * tiny, full_like(x, 0), Direction::gt),
                               maximum(x * tiny, full_like(x, 0)),
                               scatter(x, indices, 2),
                               fold(rows, 0, 2, 1, 1, 3),
                               convert(x, f32),
                               convert(x / 3.0, bf16),
                               zero_plus(x * tiny),
                               power(x, 1.5)};
  };
  const auto expected = compute();
  const auto smallest = Tensor::full({f32, {}}, 0x1p-149);
  const Odd odd;
  const auto computed = compute();
  EXPECT_TRUE(odd.is_still_set());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(same_bits(computed[i], expected[i])) << i;
  EXPECT_NE(smallest.item(), 0.0);
}

TEST_P(FloatMode, of_the_caller_is_found_again_after_an_error) {
  Tape tape(GetParam());
  const auto table = tape.parameter(Tensor::full({GetParam(), {5, 2}}, 1));
  const auto rows = tape.input(Tensor::full({i64, {3}}, 0));
  const auto picked = gather(table, rows);
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto plan = network.entry({picked}).lower();
  const Feed feeds[] = {{rows.symbol(), Tensor::from<std::int64_t>({3}, {0, 9, 0})}};
  const Odd odd;
  EXPECT_THROW(plan.forward(parameters, feeds), Error);
  EXPECT_TRUE(odd.is_still_set());
  EXPECT_THROW(network.forward(parameters, feeds), Error);
  EXPECT_TRUE(odd.is_still_set());
  EXPECT_THROW(scatter(Tensor::full({f32, {1}}, 1), Tensor::from<std::int64_t>({1}, {4}), 2), Error);
  EXPECT_TRUE(odd.is_still_set());
}

}  // namespace
}  // namespace topos::test
