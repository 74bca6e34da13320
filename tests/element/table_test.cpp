// Which operation each element has: all readings compute it, or the line that records it is refused.
#include <functional>

#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/emitted.h"
#include "support/error.h"
#include "support/random.h"
#include "topos/custom.h"

namespace topos::test {
namespace {

enum Kinds : unsigned { none = 0, real = 1, integer = 2, logical = 4, numbers = real | integer, any = 7 };

/// An operation over two matrices [4, 4] of one element, and the elements that have it.
struct Operation {
  std::string name;
  unsigned kinds;
  std::function<Value(const Value& a, const Value& b)> record;
};

using V = const Value&;

std::vector<Operation> arithmetic() {
  return {{"Add", numbers, [](V a, V b) { return a + b; }},
          {"Sub", numbers, [](V a, V b) { return a - b; }},
          {"Mul", numbers, [](V a, V b) { return a * b; }},
          {"Div", numbers, [](V a, V b) { return a / b; }},
          {"Power", real, [](V a, V b) { return power(a, b); }},
          {"Maximum", numbers, [](V a, V b) { return maximum(a, b); }},
          {"Minimum", numbers, [](V a, V b) { return minimum(a, b); }},
          {"Neg", numbers, [](V a, V) { return -a; }},
          {"Abs", numbers, [](V a, V) { return abs(a); }},
          {"Sign", numbers, [](V a, V) { return sign(a); }},
          {"Exp", real, [](V a, V) { return exp(a); }},
          {"Expm1", real, [](V a, V) { return expm1(a); }},
          {"Log", real, [](V a, V) { return log(a); }},
          {"Log1p", real, [](V a, V) { return log1p(a); }},
          {"Sqrt", real, [](V a, V) { return sqrt(a); }},
          {"Rsqrt", real, [](V a, V) { return rsqrt(a); }},
          {"Tanh", real, [](V a, V) { return tanh(a); }},
          {"Sin", real, [](V a, V) { return sin(a); }},
          {"Cos", real, [](V a, V) { return cos(a); }},
          {"Erf", real, [](V a, V) { return erf(a); }},
          {"ErfDerivative", real, [](V a, V) { return erf_derivative(a); }},
          {"Logistic", real, [](V a, V) { return logistic(a); }},
          {"Softplus", real, [](V a, V) { return softplus(a); }},
          {"And", logical, [](V a, V b) { return logical_and(a, b); }},
          {"Or", logical, [](V a, V b) { return logical_or(a, b); }},
          {"Not", logical, [](V a, V) { return logical_not(a); }},
          {"Compare", any, [](V a, V b) { return compare(a, b, Direction::eq); }},
          {"Compare", any, [](V a, V b) { return compare(a, b, Direction::ne); }},
          {"Compare", numbers, [](V a, V b) { return compare(a, b, Direction::lt); }},
          {"Compare", numbers, [](V a, V b) { return compare(a, b, Direction::le); }},
          {"Compare", numbers, [](V a, V b) { return compare(a, b, Direction::gt); }},
          {"Compare", numbers, [](V a, V b) { return compare(a, b, Direction::ge); }}};
}

std::vector<Operation> structure() {
  return {{"MatMul", numbers, [](V a, V b) { return matmul(a, b); }},
          {"Sum", numbers, [](V a, V) { return sum(a); }},
          {"Sum", numbers, [](V a, V) { return sum(a, {1}); }},
          {"Softmax", real, [](V a, V) { return softmax(a, 1); }},
          {"LogSoftmax", real, [](V a, V) { return log_softmax(a, 1); }},
          {"LogSumExp", real, [](V a, V) { return logsumexp(a, 1); }},
          {"MaxAlong", numbers, [](V a, V) { return max_along(a, 1); }},
          {"ArgMaxAlong", numbers, [](V a, V) { return argmax_along(a, 0); }},
          {"Select", any,
           [](V a, V b) {
             const auto same = compare(a, b, Direction::eq);
             return select(same, b, a);
           }},
          {"Broadcast", any, [](V a, V) { return broadcast(narrow(reshape(a, {16}), 0, 3, 1), {2, 3}); }},
          {"BroadcastAlong", any, [](V a, V) { return broadcast_along(a, 1, 3); }},
          {"Reshape", any, [](V a, V) { return reshape(a, {2, 8}); }},
          {"Permute", any, [](V a, V) { return permute(a, {1, 0}); }},
          {"Narrow", any, [](V a, V) { return narrow(a, 1, 1, 2); }},
          {"Pad", any, [](V a, V) { return pad(a, 1, 1, 7); }},
          {"Concat", any, [](V a, V b) { return concat({a, b}, 0); }},
          {"Unfold", any, [](V a, V) { return unfold(a, 1, 2, 1, 2); }},
          {"Fold", numbers, [](V a, V) { return fold(unfold(a, 1, 2, 1, 1), 1, 2, 1, 1, 4); }},
          {"StopGradient", any, [](V a, V) { return stop_gradient(a); }},
          {"Gather", any,
           [](V a, V) {
             const auto places = narrow(iota_like(a, 0), 1, 0, 1);
             return gather(a, places);
           }},
          {"Scatter", numbers,
           [](V a, V) {
             const auto places = reshape(narrow(iota_like(a, 0), 1, 0, 1), {4});
             return scatter(a, places, 5);
           }},
          {"Convert", any, [](V a, V) { return convert(a, f32); }},
          {"Convert", any, [](V a, V) { return convert(a, f64); }},
          {"Convert", any, [](V a, V) { return convert(a, bf16); }},
          {"Convert", any, [](V a, V) { return convert(a, i64); }},
          {"Convert", any, [](V a, V) { return convert(a, boolean); }}};
}

std::vector<Operation> all_operations() {
  auto all = arithmetic();
  for (auto& operation : structure()) all.push_back(std::move(operation));
  return all;
}

unsigned kind_of(ElementType element) { return element == boolean ? logical : element == i64 ? integer : real; }

Tensor operand(ElementType element, std::uint64_t seed) {
  Random random(seed);
  if (element == boolean) return random.predicate({4, 4});
  if (element != i64) return random.tensor({element, {4, 4}}, 0.25, 4);
  const auto whole = convert(random.tensor({f64, {4, 4}}, -50, 50), i64);
  const auto zeros = compare(whole, full_like(whole, 0), Direction::eq);
  return select(zeros, full_like(whole, 1), whole);  // they divide
}

/// The result by hand: the graph's nodes over the algebra of tensors.
Tensor by_algebra(const Network& network, Symbol out) {
  return walk<Tensor>(network, network.parameters(),
                      [](Symbol, const Tensor& payload) { return payload; })[out.index()];
}

TEST(ElementTable, what_an_element_has_every_reading_computes) {
  for (const auto element : {f32, f64, bf16, i64, boolean})
    for (const auto& operation : all_operations()) {
      if ((operation.kinds & kind_of(element)) == 0) continue;
      SCOPED_TRACE(operation.name + " over " + std::string(element.name()));
      Tape tape(element);
      const auto a = tape.input(operand(element, 3)), b = tape.input(operand(element, 4));
      const auto result = operation.record(a, b);
      const Symbol out = result;
      const auto network = std::move(tape).into_network();
      const auto interpreted = network.forward(network.parameters()).of(out);
      EXPECT_TRUE(bits_agree(by_algebra(network, out), interpreted));
      const auto plan = network.entry({out}).lower();
      EXPECT_TRUE(bits_agree(plan.forward(network.parameters()).of(out), interpreted));
      EXPECT_FALSE(emitted(plan).empty());
    }
}

TEST(ElementTable, what_an_element_lacks_is_refused_where_it_is_recorded) {
  for (const auto element : {f32, f64, bf16, i64, boolean})
    for (const auto& operation : all_operations()) {
      if ((operation.kinds & kind_of(element)) != 0) continue;
      Tape tape(element);
      const auto a = tape.input(operand(element, 3)), b = tape.input(operand(element, 4));
      EXPECT_TRUE(throws([&] { operation.record(a, b); }, {.kind = ErrorKind::type,
                                                           .operation = operation.name,
                                                           .words = {std::string(element.name())},
                                                           .line = std::nullopt}))
          << operation.name << " over " << element.name();
    }
}

TEST(ElementTable, integers_wrap_truncate_and_refuse_zero) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), largest = std::numeric_limits<std::int64_t>::max();
  const auto numbers = [](std::initializer_list<std::int64_t> values) {
    return Tensor::from<std::int64_t>({static_cast<Extent>(values.size())}, values);
  };
  const auto expect = [&](const ValueFunction& f, const std::vector<Tensor>& in, const Tensor& expected) {
    EXPECT_TRUE(bits_agree(value_of(f, in), expected));
  };
  using In = const std::vector<Value>&;
  const auto a = numbers({7, -7, 7, -7, least, largest}), b = numbers({2, 2, -2, -2, -1, -1});
  expect([](In in) { return in[0] / in[1]; }, {a, b}, numbers({3, -3, -3, 3, least, -largest}));
  expect([](In in) { return in[0] * in[1]; }, {a, b}, numbers({14, -14, -14, 14, least, -largest}));
  expect([](In in) { return in[0] + in[1]; }, {a, b}, numbers({9, -5, 5, -9, largest, largest - 1}));
  expect([](In in) { return -in[0]; }, {a}, numbers({-7, 7, -7, 7, least, -largest}));
  expect([](In in) { return abs(in[0]); }, {a}, numbers({7, 7, 7, 7, least, largest}));
  expect([](In in) { return sign(in[0]); }, {numbers({5, 0, -5, least})}, numbers({1, 0, -1, -1}));
  expect([](In in) { return sum(in[0]); }, {numbers({largest, 1, 5})}, Tensor::full({i64, {}}, least + 5));
  expect([](In in) { return max_along(in[0], 0); }, {a}, Tensor::full({i64, {}}, largest));
  expect([](In in) { return argmax_along(in[0], 0); }, {numbers({3, 9, 9})}, Tensor::full({i64, {}}, 1));

  Tape tape;
  const auto x = tape.input(a), divisor = tape.input(numbers({1, 2, 0, 4, 5, 6}));
  const Symbol out = x / divisor;
  const auto network = std::move(tape).into_network();
  const Misuse zero{.kind = ErrorKind::argument, .operation = "Div", .words = {"zero at element 2"}};
  EXPECT_TRUE(throws([&] { network.forward(network.parameters()); }, zero));
  EXPECT_TRUE(throws([&] { network.entry({out}).lower().forward(network.parameters()); }, zero));
}

TEST(ElementTable, predicates_are_logic_and_no_numbers) {
  using In = const std::vector<Value>&;
  const auto a = Tensor::from<bool>({4}, {false, false, true, true}),
             b = Tensor::from<bool>({4}, {false, true, false, true});
  const auto text = [&](const ValueFunction& f) { return value_of(f, {a, b}).text(); };
  EXPECT_EQ(text([](In in) { return logical_and(in[0], in[1]); }), "[false, false, false, true]");
  EXPECT_EQ(text([](In in) { return logical_or(in[0], in[1]); }), "[false, true, true, true]");
  EXPECT_EQ(text([](In in) { return logical_not(in[0]); }), "[true, true, false, false]");
  EXPECT_EQ(text([](In in) { return equal(in[0], in[1]); }), "[true, false, false, true]");
  EXPECT_EQ(text([](In in) { return not_equal(in[0], in[1]); }), "[false, true, true, false]");
  EXPECT_EQ(text([](In in) { return convert(in[0], f32); }), "[0, 0, 1, 1]");
  EXPECT_EQ(text([](In in) { return pad(in[0], 0, 1, 6); }), "[false, false, false, true, true, false]");
}

TEST(ElementTable, data_carries_no_cotangent) {
  for (const auto element : {i64, boolean}) {
    Tape tape;
    const auto data = tape.input(operand(element, 3));
    const auto w = tape.parameter(1.0);
    const auto number = convert(data, f32);
    const auto total = sum(number);
    const auto loss = total * w;
    EXPECT_TRUE(throws([&] { tape.differentiate(loss, {data}); },
                       {.kind = ErrorKind::type, .words = {"it carries no cotangent"}}));
    EXPECT_TRUE(throws([&] { tape.parameter(operand(element, 3)); },
                       {.kind = ErrorKind::type, .words = {"a parameter is floating"}}));
    const Symbol asked = data, target = loss;
    const auto network = std::move(tape).into_network();
    const auto field = network.forward(network.parameters()).backward(target);
    EXPECT_TRUE(throws([&] { field.of(asked); }, {.kind = ErrorKind::type}));
  }
}

}  // namespace
}  // namespace topos::test
