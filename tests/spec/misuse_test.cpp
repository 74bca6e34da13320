// Every wrong recording line throws its kind of error, names the operation, the types and the line, and leaves the
// tape as it was.
#include <gtest/gtest.h>

#include "support/error.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

Value input(Tape& tape, const Shape& shape, ElementType element = f32) {
  return tape.input(Tensor::full({element, shape}, 0));
}

/// The misuse throws as wanted and the tape is the same before and after.
testing::AssertionResult refused(Tape& tape, const std::function<void()>& misuse, const Misuse& wanted) {
  const auto before = tape.describe();
  const auto result = throws(misuse, wanted);
  if (!result) return result;
  if (tape.describe() != before) return testing::AssertionFailure() << "the tape changed:\n" << tape.describe();
  return testing::AssertionSuccess();
}

TEST(Misuse, of_two_tapes) {
  Tape one, two;
  const auto a = input(one, {2});
  const auto b = input(two, {2});
  const auto expect = [&](const std::function<void()>& misuse, std::uint32_t line) {
    const auto before = two.describe();
    EXPECT_TRUE(refused(one, misuse, {ErrorKind::family, "", {}, {"different tapes"}, line}));
    EXPECT_EQ(two.describe(), before);
  };
  expect([&] { a + b; }, __LINE__);
  expect([&] { maximum(a, b); }, __LINE__);
  expect([&] { concat({a, b}, 0); }, __LINE__);
  expect([&] { stack({a, b}, 0); }, __LINE__);
  expect([&] { one.vjp(a, b, {a}); }, __LINE__);
}

TEST(Misuse, of_elementwise_operands) {
  Tape tape;
  const auto a = input(tape, {2, 3});
  const auto b = input(tape, {3, 2});
  const auto c = input(tape, {2, 3}, f64);
  const auto p = input(tape, {2, 3}, boolean);
  const auto n = input(tape, {2, 3}, i64);
  const auto scalar = input(tape, {});
  const std::vector<std::string> shapes{"f32[2, 3]", "f32[3, 2]"}, elements{"f32[2, 3]", "f64[2, 3]"};
  EXPECT_TRUE(refused(tape, [&] { a + b; }, {ErrorKind::type, "Add", shapes, {"f32[2, 3]", "f32[3, 2]"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { a - b; }, {ErrorKind::type, "Sub", shapes, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { a* b; }, {ErrorKind::type, "Mul", shapes, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { a / b; }, {ErrorKind::type, "Div", shapes, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { maximum(a, b); }, {ErrorKind::type, "Maximum", shapes, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { compare(a, b, Direction::eq); }, {ErrorKind::type, "Compare", shapes, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { a + c; }, {ErrorKind::type, "Add", elements, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { a* c; }, {ErrorKind::type, "Mul", elements, {}, __LINE__}));
  // Nothing spreads by itself.
  EXPECT_TRUE(refused(tape, [&] { a* scalar; }, {ErrorKind::type, "Mul", {"f32[2, 3]", "f32[]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { p + p; }, {ErrorKind::type, "Add", {"boolean[2, 3]"}, {"addition"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { compare(p, p, Direction::lt); },
                      {ErrorKind::type, "Compare", {"boolean[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { logical_and(a, a); }, {ErrorKind::type, "And", {"f32[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { logical_or(p, n); }, {ErrorKind::type, "Or", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { logical_not(n); }, {ErrorKind::type, "Not", {"i64[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { exp(n); }, {ErrorKind::type, "Exp", {"i64[2, 3]"}, {"exp"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { log(n); }, {ErrorKind::type, "Log", {"i64[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { sqrt(n); }, {ErrorKind::type, "Sqrt", {"i64[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tanh(p); }, {ErrorKind::type, "Tanh", {"boolean[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { -p; }, {ErrorKind::type, "Neg", {"boolean[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { select(a, a, a); }, {ErrorKind::type, "Select", {}, {"boolean"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { select(p, a, b); }, {ErrorKind::type, "Select", shapes, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { select(p, b, b); }, {ErrorKind::type, "Select", {}, {}, __LINE__}));
}

TEST(Misuse, of_contractions) {
  Tape tape;
  const auto a = input(tape, {2, 3});
  const auto b = input(tape, {4, 5});
  const auto v = input(tape, {3});
  const auto batch = input(tape, {2, 2, 3});
  const auto other = input(tape, {3, 3, 2});
  const auto flags = input(tape, {2, 2}, boolean);
  EXPECT_TRUE(refused(
      tape, [&] { matmul(a, b); },
      {ErrorKind::type, "MatMul (C2)", {"f32[2, 3]", "f32[4, 5]"}, {"inner extents 3 and 4 differ"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { matmul(v, v); }, {ErrorKind::type, "MatMul", {"f32[3]", "f32[3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { matmul(a, other); }, {ErrorKind::type, "MatMul", {}, {"rank"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { matmul(batch, other); }, {ErrorKind::type, "MatMul", {}, {"batch"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { matmul(flags, flags); }, {ErrorKind::type, "MatMul", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { sum(a, {2}); }, {ErrorKind::type, "Sum", {"f32[2, 3]"}, {"2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { sum(a, {1, 1}); }, {ErrorKind::type, "Sum", {"f32[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { sum(flags); }, {ErrorKind::type, "Sum", {"boolean[2, 2]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { softmax(a, 2); }, {ErrorKind::type, "Softmax", {"f32[2, 3]"}, {"2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { log_softmax(a, 2); }, {ErrorKind::type, "LogSoftmax", {"f32[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { logsumexp(a, 2); }, {ErrorKind::type, "LogSumExp", {"f32[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { mean(a, {2}); }, {ErrorKind::type, "mean", {"f32[2, 3]"}, {}, __LINE__}));
  // A maximum over an empty axis.
  const auto empty = input(tape, {2, 0});
  EXPECT_TRUE(
      refused(tape, [&] { softmax(empty, 1); }, {ErrorKind::type, "Softmax", {"f32[2, 0]"}, {"empty"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { logsumexp(empty, 1); }, {ErrorKind::type, "LogSumExp", {"f32[2, 0]"}, {}, __LINE__}));
}

TEST(Misuse, of_movements) {
  constexpr auto largest = std::numeric_limits<Extent>::max();
  Tape tape;
  const auto a = input(tape, {2, 3});
  const auto cube = input(tape, {2, 3, 4});
  const std::vector<std::string> type{"f32[2, 3]"};
  EXPECT_TRUE(refused(tape, [&] { broadcast(a, {4}); }, {ErrorKind::type, "Broadcast", type, {}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { broadcast_along(a, 3, 2); }, {ErrorKind::type, "BroadcastAlong", type, {"3"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { broadcast_along(a, 0, -1); }, {ErrorKind::type, "BroadcastAlong", {}, {}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { broadcast_along(a, 0, largest); }, {ErrorKind::type, "BroadcastAlong", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { broadcast_along_like(a, 0, cube); },
                      {ErrorKind::type, "broadcast_along_like", {"f32[2, 3]", "f32[2, 3, 4]"}, {"0"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { reshape(a, {5}); }, {ErrorKind::type, "Reshape", type, {"[5]"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { reshape(a, {-2, -3}); }, {ErrorKind::type, "Reshape", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { permute(a, {0}); }, {ErrorKind::type, "Permute", type, {"[0]"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { permute(a, {0, 2}); }, {ErrorKind::type, "Permute", type, {"2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { permute(a, {1, 1}); }, {ErrorKind::type, "Permute", type, {"repeats"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { narrow(a, 2, 0, 1); }, {ErrorKind::type, "Narrow", type, {"2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { narrow(a, 1, 2, 2); }, {ErrorKind::type, "Narrow", type, {"3"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { narrow(a, 1, 1, largest); }, {ErrorKind::type, "Narrow", type, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { narrow(a, 1, -1, 2); }, {ErrorKind::type, "Narrow", type, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { narrow(a, 1, 1, -1); }, {ErrorKind::type, "Narrow", type, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { pad(a, 2, 0, 9); }, {ErrorKind::type, "Pad", type, {"2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { pad(a, 1, 2, 4); }, {ErrorKind::type, "Pad", type, {"4"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { pad(a, 1, largest, 4); }, {ErrorKind::type, "Pad", type, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { pad(a, 1, 0, largest); }, {ErrorKind::type, "Pad", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tape.iota({2, 3}, 2); }, {ErrorKind::type, "Iota", {}, {"2"}, __LINE__}));
}

TEST(Misuse, of_joins_and_composites) {
  Tape tape;
  const auto a = input(tape, {2, 3});
  const auto b = input(tape, {3, 2});
  const auto c = input(tape, {2, 3}, f64);
  const auto cube = input(tape, {2, 3, 4});
  EXPECT_TRUE(
      refused(tape, [&] { concat(std::vector<Value>{}, 0); }, {ErrorKind::type, "Concat", {}, {"nothing"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { concat({a, a}, 2); }, {ErrorKind::type, "Concat", {"f32[2, 3]"}, {"2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { concat({a}, 2); }, {ErrorKind::type, "Concat", {"f32[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { concat({a, b}, 0); },
                      {ErrorKind::type, "Concat", {"f32[2, 3]", "f32[3, 2]"}, {"0"}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { concat({a, c}, 0); }, {ErrorKind::type, "Concat", {"f32[2, 3]", "f64[2, 3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { concat({a, cube}, 0); }, {ErrorKind::type, "Concat", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { stack({}, 0); }, {ErrorKind::type, "stack", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { stack({a, a}, 3); }, {ErrorKind::type, "", {"f32[2, 3]"}, {"3"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { stack({a, b}, 0); }, {ErrorKind::type, "Concat", {}, {}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { transpose(cube); }, {ErrorKind::type, "Permute", {"f32[2, 3, 4]"}, {"two"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { squeeze(a, 2); }, {ErrorKind::type, "squeeze", {"f32[2, 3]"}, {"2"}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { squeeze(a, 0); }, {ErrorKind::type, "squeeze", {"f32[2, 3]"}, {"extent 2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { unsqueeze(a, 3); }, {ErrorKind::type, "unsqueeze", {"f32[2, 3]"}, {"3"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { broadcast_to(cube, {3, 4}); },
                      {ErrorKind::type, "broadcast_to", {"f32[2, 3, 4]", "f32[3, 4]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { broadcast_to(a, {4, 2, 5}); },
                      {ErrorKind::type, "broadcast_to", {"f32[2, 3]", "f32[4, 2, 5]"}, {"3", "5"}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { broadcast_like(a, cube); }, {ErrorKind::type, "Broadcast", {"f32[2, 3]"}, {}, __LINE__}));
}

TEST(Misuse, of_indices) {
  Tape tape;
  const auto table = input(tape, {5, 2});
  const auto scalar = input(tape, {});
  const auto places = input(tape, {3}, i64);
  const auto wrong = input(tape, {3}, f32);
  EXPECT_TRUE(refused(tape, [&] { gather(table, wrong); },
                      {ErrorKind::type, "Gather", {"f32[5, 2]", "f32[3]"}, {"i64"}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { gather(scalar, places); }, {ErrorKind::type, "Gather", {"f32[]", "i64[3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { scatter(table, wrong, 4); },
                      {ErrorKind::type, "Scatter", {"f32[5, 2]", "f32[3]"}, {"i64"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { scatter(table, places, 4); },
                      {ErrorKind::type, "Scatter", {"f32[5, 2]", "i64[3]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { scatter(places, places, -1); }, {ErrorKind::type, "Scatter", {}, {}, __LINE__}));
}

TEST(Misuse, of_derivatives) {
  Tape tape, other;
  const auto w = tape.parameter({1.0, 2.0});
  const auto square = w * w;
  const auto loss = sum(square);
  const auto seed = tape.leaf({1.0, 2.0, 3.0});
  const auto foreign = other.parameter(1.0);
  EXPECT_TRUE(refused(tape, [&] { tape.differentiate(square, {w}); },
                      {ErrorKind::type, "differentiate", {"f32[2]"}, {"sum"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tape.vjp(square, seed, {w}); },
                      {ErrorKind::type, "vjp", {"f32[3]", "f32[2]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tape.differentiate(loss, {foreign}); }, {ErrorKind::family, "differentiate"}));
  EXPECT_TRUE(refused(tape, [&] { tape.differentiate(foreign, {w}); }, {ErrorKind::family, "differentiate"}));
  const auto adjoints = tape.differentiate(loss, {w});
  EXPECT_TRUE(refused(tape, [&] { adjoints.of(loss); }, {ErrorKind::coverage, "Adjoints::of"}));
}

TEST(Misuse, of_sources) {
  Tape tape;
  EXPECT_TRUE(refused(tape, [&] { tape.parameter(1, i64); }, {ErrorKind::type, "Parameter", {}, {"i64"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tape.parameter(Tensor::full({boolean, {}}, true)); },
                      {ErrorKind::type, "Parameter", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tape.input(0.5, i64); }, {ErrorKind::type, "Input", {}, {"0.5"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tape.leaf({1, 2}, boolean); }, {ErrorKind::type, "Leaf", {}, {"2"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { tape.input(Tensor::full({f64, {2}}, 0), f32); },
                      {ErrorKind::type, "Input", {"f64[2]", "f32[2]"}, {}, __LINE__}));
}

TEST(Misuse, takes_the_number_beside_a_value_back) {
  Tape tape;
  const auto n = tape.input({1, 2}, i64);
  const auto p = tape.input({true, false}, boolean);
  EXPECT_TRUE(refused(tape, [&] { n + 0.5; }, {ErrorKind::type, "", {}, {"0.5"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { 2.5 * n; }, {ErrorKind::type, "", {}, {"2.5"}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { p + true; }, {ErrorKind::type, "Add", {}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { compare(p, 2, Direction::eq); }, {ErrorKind::type, "", {}, {}, __LINE__}));
  EXPECT_TRUE(
      refused(tape, [&] { n + Literal({{1, 2}}); }, {ErrorKind::type, "Add", {"i64[2]", "i64[1, 2]"}, {}, __LINE__}));
  EXPECT_TRUE(refused(tape, [&] { n* Tensor::full({f32, {2}}, 1); },
                      {ErrorKind::type, "Mul", {"i64[2]", "f32[2]"}, {}, __LINE__}));
}

TEST(Misuse, of_a_conversion_to_more_than_memory) {
  Tape tape;
  const auto flags = input(tape, {Extent{1} << 61}, boolean);
  EXPECT_TRUE(refused(tape, [&] { convert(flags, f64); }, {ErrorKind::type, "Convert (C1)", {}, {"memory"}, __LINE__}));
}

TEST(Misuse, names_the_labels_of_its_operands) {
  Tape tape;
  const auto a = input(tape, {2, 3}).label("weights");
  const auto b = input(tape, {4});
  EXPECT_TRUE(refused(tape, [&] { a + b; }, {ErrorKind::type, "Add", {}, {"weights", "node 0"}, __LINE__}));
  EXPECT_EQ(tape.describe().find("weights"), std::string::npos);
}

}  // namespace
}  // namespace topos::test
