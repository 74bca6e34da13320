// What each derivative rule records, node by node: loss = op, summed when it is no scalar, by every parameter.
#include "support/micro_tape.h"

namespace topos::test {
namespace {

TEST(MicroTapes, of_arithmetic) {
  const std::string start = "4 Leaf []; 5 Broadcast 4 shape=[2] [2]; 6 Leaf [2]; 7 Add 6,5 [2]; ";
  const auto recorded = [](const char* name) {
    return std::string("0 Parameter [2]; 1 Parameter [2]; 2 ") + name + " 0,1 [2]; 3 Sum 2 []";
  };
  for (const auto& tape :
       {two("Add", {2}, {2}, [](const Value& a, const Value& b) { return a + b; }, recorded("Add"),
            start + "8 Leaf [2]; 9 Add 8,7 [2]; 10 Leaf [2]; 11 Add 10,7 [2]", {9, 11}),
        two("Sub", {2}, {2}, [](const Value& a, const Value& b) { return a - b; }, recorded("Sub"),
            start + "8 Neg 7 [2]; 9 Leaf [2]; 10 Add 9,7 [2]; 11 Leaf [2]; 12 Add 11,8 [2]", {10, 12}),
        two("Mul", {2}, {2}, [](const Value& a, const Value& b) { return a * b; }, recorded("Mul"),
            start + "8 Mul 7,1 [2]; 9 Mul 7,0 [2]; 10 Leaf [2]; 11 Add 10,8 [2]; 12 Leaf [2]; 13 Add 12,9 [2]",
            {11, 13}),
        two("Div", {2}, {2}, [](const Value& a, const Value& b) { return a / b; }, recorded("Div"),
            start + "8 Div 7,1 [2]; 9 Mul 7,2 [2]; 10 Div 9,1 [2]; 11 Neg 10 [2]; 12 Leaf [2]; 13 Add 12,8 [2]; "
                    "14 Leaf [2]; 15 Add 14,11 [2]",
            {13, 15}),
        two("Maximum", {2}, {2}, [](const Value& a, const Value& b) { return maximum(a, b); }, recorded("Maximum"),
            start + "8 Compare 0,1 direction=GT [2]; 9 Leaf [2]; 10 Select 8,7,9 [2]; 11 Select 8,9,7 [2]; "
                    "12 Leaf [2]; 13 Add 12,10 [2]; 14 Leaf [2]; 15 Add 14,11 [2]",
            {13, 15})})
    expect_micro_tape(tape);
}

TEST(MicroTapes, of_functions) {
  const std::string start = "3 Leaf []; 4 Broadcast 3 shape=[2] [2]; 5 Leaf [2]; 6 Add 5,4 [2]; ";
  const auto recorded = [](const char* name) {
    return std::string("0 Parameter [2]; 1 ") + name + " 0 [2]; 2 Sum 1 []";
  };
  for (const auto& tape :
       {one(
            "Neg", {2}, [](const Value& x) { return -x; }, recorded("Neg"),
            start + "7 Neg 6 [2]; 8 Leaf [2]; 9 Add 8,7 [2]", 9),
        one(
            "Exp", {2}, [](const Value& x) { return exp(x); }, recorded("Exp"),
            start + "7 Mul 6,1 [2]; 8 Leaf [2]; 9 Add 8,7 [2]", 9),
        one(
            "Log", {2}, [](const Value& x) { return log(x); }, recorded("Log"),
            start + "7 Leaf [2]; 8 Compare 0,7 direction=EQ [2]; 9 Compare 6,7 direction=EQ [2]; 10 And 8,9 [2]; "
                    "11 Leaf [2]; 12 Select 10,11,0 [2]; 13 Div 6,12 [2]; 14 Select 10,7,13 [2]; 15 Leaf [2]; "
                    "16 Add 15,14 [2]",
            16),
        one(
            "Sqrt", {2}, [](const Value& x) { return sqrt(x); }, recorded("Sqrt"),
            start + "7 Add 1,1 [2]; 8 Leaf [2]; 9 Compare 7,8 direction=EQ [2]; 10 Compare 6,8 direction=EQ [2]; "
                    "11 And 9,10 [2]; 12 Leaf [2]; 13 Select 11,12,7 [2]; 14 Div 6,13 [2]; 15 Select 11,8,14 [2]; "
                    "16 Leaf [2]; 17 Add 16,15 [2]",
            17),
        one(
            "Tanh", {2}, [](const Value& x) { return tanh(x); }, recorded("Tanh"),
            start + "7 Leaf [2]; 8 Mul 1,1 [2]; 9 Sub 7,8 [2]; 10 Mul 6,9 [2]; 11 Leaf [2]; 12 Add 11,10 [2]", 12)})
    expect_micro_tape(tape);
}

TEST(MicroTapes, of_contractions) {
  const auto product = [](const Value& a, const Value& b) { return matmul(a, b); };
  expect_micro_tape(two(
      "MatMul", {2, 3}, {3, 4}, product, "0 Parameter [2, 3]; 1 Parameter [3, 4]; 2 MatMul 0,1 [2, 4]; 3 Sum 2 []",
      "4 Leaf []; 5 Broadcast 4 shape=[2, 4] [2, 4]; 6 Leaf [2, 4]; 7 Add 6,5 [2, 4]; 8 Permute 1 order=[1, 0] [4, 3]; "
      "9 MatMul 7,8 [2, 3]; 10 Permute 0 order=[1, 0] [3, 2]; 11 MatMul 10,7 [3, 4]; 12 Leaf [2, 3]; "
      "13 Add 12,9 [2, 3]; 14 Leaf [3, 4]; 15 Add 14,11 [3, 4]",
      {13, 15}));
  expect_micro_tape(two(
      "MatMul in a batch", {5, 2, 3}, {5, 3, 4}, product,
      "0 Parameter [5, 2, 3]; 1 Parameter [5, 3, 4]; 2 MatMul 0,1 [5, 2, 4]; 3 Sum 2 []",
      "4 Leaf []; 5 Broadcast 4 shape=[5, 2, 4] [5, 2, 4]; 6 Leaf [5, 2, 4]; 7 Add 6,5 [5, 2, 4]; "
      "8 Permute 1 order=[0, 2, 1] [5, 4, 3]; 9 MatMul 7,8 [5, 2, 3]; 10 Permute 0 order=[0, 2, 1] [5, 3, 2]; "
      "11 MatMul 10,7 [5, 3, 4]; 12 Leaf [5, 2, 3]; 13 Add 12,9 [5, 2, 3]; 14 Leaf [5, 3, 4]; 15 Add 14,11 [5, 3, 4]",
      {13, 15}));
  expect_micro_tape(one(
      "SumAlong", {2, 3}, [](const Value& x) { return sum(x, {0}); },
      "0 Parameter [2, 3]; 1 SumAlong 0 axis=0 [3]; 2 Sum 1 []",
      "3 Leaf []; 4 Broadcast 3 shape=[3] [3]; 5 Leaf [3]; 6 Add 5,4 [3]; "
      "7 BroadcastAlong 6 axis=0 extent=2 [2, 3]; 8 Leaf [2, 3]; 9 Add 8,7 [2, 3]",
      9));
  const std::string start = "3 Leaf []; 4 Broadcast 3 shape=[2, 4] [2, 4]; 5 Leaf [2, 4]; 6 Add 5,4 [2, 4]; ";
  expect_micro_tape(one(
      "LogSoftmax", {2, 4}, [](const Value& x) { return log_softmax(x, 1); },
      "0 Parameter [2, 4]; 1 LogSoftmax 0 axis=1 [2, 4]; 2 Sum 1 []",
      start + "7 SumAlong 6 axis=1 [2]; 8 BroadcastAlong 7 axis=1 extent=4 [2, 4]; 9 Exp 1 [2, 4]; "
              "10 Mul 9,8 [2, 4]; 11 Sub 6,10 [2, 4]; 12 Leaf [2, 4]; 13 Add 12,11 [2, 4]",
      13));
  expect_micro_tape(one(
      "Softmax", {2, 4}, [](const Value& x) { return softmax(x, 1); },
      "0 Parameter [2, 4]; 1 Softmax 0 axis=1 [2, 4]; 2 Sum 1 []",
      start + "7 Mul 6,1 [2, 4]; 8 SumAlong 7 axis=1 [2]; 9 BroadcastAlong 8 axis=1 extent=4 [2, 4]; "
              "10 Sub 6,9 [2, 4]; 11 Mul 1,10 [2, 4]; 12 Leaf [2, 4]; 13 Add 12,11 [2, 4]",
      13));
  expect_micro_tape(one(
      "LogSumExp", {2, 4}, [](const Value& x) { return logsumexp(x, 1); },
      "0 Parameter [2, 4]; 1 LogSumExp 0 axis=1 [2]; 2 Sum 1 []",
      "3 Leaf []; 4 Broadcast 3 shape=[2] [2]; 5 Leaf [2]; 6 Add 5,4 [2]; 7 Softmax 0 axis=1 [2, 4]; "
      "8 BroadcastAlong 6 axis=1 extent=4 [2, 4]; 9 Mul 8,7 [2, 4]; 10 Leaf [2, 4]; "
      "11 Add 10,9 [2, 4]",
      11));
}

TEST(MicroTapes, of_movements) {
  const auto tail = [](const std::string& shape, const std::string& rule, const std::string& to) {
    return "3 Leaf []; 4 Broadcast 3 shape=" + shape + " " + shape + "; 5 Leaf " + shape + "; 6 Add 5,4 " + shape +
           "; 7 " + rule + " " + to + "; 8 Leaf " + to + "; 9 Add 8,7 " + to;
  };
  for (const auto& tape :
       {one(
            "Broadcast", {1}, [](const Value& x) { return broadcast(x, {2, 3}); },
            "0 Parameter [1]; 1 Broadcast 0 shape=[2, 3] [2, 3]; 2 Sum 1 []",
            "3 Leaf []; 4 Broadcast 3 shape=[2, 3] [2, 3]; 5 Leaf [2, 3]; 6 Add 5,4 [2, 3]; 7 Sum 6 []; "
            "8 Broadcast 7 shape=[1] [1]; 9 Leaf [1]; 10 Add 9,8 [1]",
            10),
        one(
            "BroadcastAlong", {3}, [](const Value& x) { return broadcast_along(x, 0, 2); },
            "0 Parameter [3]; 1 BroadcastAlong 0 axis=0 extent=2 [2, 3]; 2 Sum 1 []",
            tail("[2, 3]", "SumAlong 6 axis=0", "[3]"), 9),
        one(
            "Reshape", {2, 3}, [](const Value& x) { return reshape(x, {6}); },
            "0 Parameter [2, 3]; 1 Reshape 0 shape=[6] [6]; 2 Sum 1 []",
            tail("[6]", "Reshape 6 shape=[2, 3]", "[2, 3]"), 9),
        one(
            "Permute", {2, 3, 4}, [](const Value& x) { return permute(x, {2, 0, 1}); },
            "0 Parameter [2, 3, 4]; 1 Permute 0 order=[2, 0, 1] [4, 2, 3]; 2 Sum 1 []",
            tail("[4, 2, 3]", "Permute 6 order=[1, 2, 0]", "[2, 3, 4]"), 9),
        one(
            "Narrow", {2, 5}, [](const Value& x) { return narrow(x, 1, 1, 3); },
            "0 Parameter [2, 5]; 1 Narrow 0 axis=1 start=1 len=3 [2, 3]; 2 Sum 1 []",
            tail("[2, 3]", "Pad 6 axis=1 start=1 full_extent=5", "[2, 5]"), 9),
        one(
            "Pad", {2, 3}, [](const Value& x) { return pad(x, 1, 2, 6); },
            "0 Parameter [2, 3]; 1 Pad 0 axis=1 start=2 full_extent=6 [2, 6]; 2 Sum 1 []",
            tail("[2, 6]", "Narrow 6 axis=1 start=2 len=3", "[2, 3]"), 9),
        one(
            "Convert", {2}, [](const Value& x) { return convert(x, f64); },
            "0 Parameter [2]; 1 Convert 0 element=f64 [2]; 2 Sum 1 []", tail("[2]", "Convert 6 element=f32", "[2]"),
            9)})
    expect_micro_tape(tape);
}

TEST(MicroTapes, of_several_operands_and_of_data) {
  expect_micro_tape(two("Concat", {2, 1}, {2, 3}, [](const Value& a, const Value& b) { return concat({a, b}, 1); },
                        "0 Parameter [2, 1]; 1 Parameter [2, 3]; 2 Concat 0,1 axis=1 [2, 4]; 3 Sum 2 []",
                        "4 Leaf []; 5 Broadcast 4 shape=[2, 4] [2, 4]; 6 Leaf [2, 4]; 7 Add 6,5 [2, 4]; "
                        "8 Narrow 7 axis=1 start=0 len=1 [2, 1]; 9 Narrow 7 axis=1 start=1 len=3 [2, 3]; "
                        "10 Leaf [2, 1]; 11 Add 10,8 [2, 1]; 12 Leaf [2, 3]; 13 Add 12,9 [2, 3]",
                        {11, 13}));
  // One sum over two axes spreads along each.
  expect_micro_tape(one(
      "Sum over two axes", {2, 3, 4}, [](const Value& x) { return sum(x, Shape{0, 2}); },
      "0 Parameter [2, 3, 4]; 1 SumAlong 0 axes=[0, 2] [3]; 2 Sum 1 []",
      "3 Leaf []; 4 Broadcast 3 shape=[3] [3]; 5 Leaf [3]; 6 Add 5,4 [3]; "
      "7 BroadcastAlong 6 axis=0 extent=2 [2, 3]; 8 BroadcastAlong 7 axis=2 extent=4 [2, 3, 4]; "
      "9 Leaf [2, 3, 4]; 10 Add 9,8 [2, 3, 4]",
      10));
  const auto places = [](Tape& tape) { return tape.input({1, 0, 2, 2}, i64); };
  expect_micro_tape({"Gather",
                     [&](Tape& tape) {
                       const auto table = parameter(tape, {3, 2});
                       const auto indices = places(tape);
                       return std::pair(std::vector{table}, gather(table, indices));
                     },
                     "0 Parameter [3, 2]; 1 Input [4]; 2 Gather 0,1 [4, 2]; 3 Sum 2 []",
                     "4 Leaf []; 5 Broadcast 4 shape=[4, 2] [4, 2]; 6 Leaf [4, 2]; 7 Add 6,5 [4, 2]; "
                     "8 Scatter 7,1 extent=3 [3, 2]; 9 Leaf [3, 2]; 10 Add 9,8 [3, 2]",
                     {10}});
  expect_micro_tape({"Scatter",
                     [&](Tape& tape) {
                       const auto rows = parameter(tape, {4, 2});
                       const auto indices = places(tape);
                       return std::pair(std::vector{rows}, scatter(rows, indices, 3));
                     },
                     "0 Parameter [4, 2]; 1 Input [4]; 2 Scatter 0,1 extent=3 [3, 2]; 3 Sum 2 []",
                     "4 Leaf []; 5 Broadcast 4 shape=[3, 2] [3, 2]; 6 Leaf [3, 2]; 7 Add 6,5 [3, 2]; "
                     "8 Gather 7,1 [4, 2]; 9 Leaf [4, 2]; 10 Add 9,8 [4, 2]",
                     {10}});
  expect_micro_tape({"Select",
                     [](Tape& tape) {
                       const auto a = parameter(tape, {2});
                       const auto b = parameter(tape, {2});
                       const auto test = tape.input({true, false}, boolean);
                       return std::pair(std::vector{a, b}, select(test, a, b));
                     },
                     "0 Parameter [2]; 1 Parameter [2]; 2 Input [2]; 3 Select 2,0,1 [2]; 4 Sum 3 []",
                     "5 Leaf []; 6 Broadcast 5 shape=[2] [2]; 7 Leaf [2]; 8 Add 7,6 [2]; 9 Leaf [2]; "
                     "10 Select 2,8,9 [2]; 11 Select 2,9,8 [2]; 12 Leaf [2]; 13 Add 12,10 [2]; 14 Leaf [2]; "
                     "15 Add 14,11 [2]",
                     {13, 15}});
}

TEST(MicroTapes, of_what_is_not_reached) {
  // The target itself gives back the seed; what no path reaches gets a zero of its own.
  expect_micro_tape({"unreached",
                     [](Tape& tape) {
                       const auto a = parameter(tape, {});
                       const auto b = parameter(tape, {2});
                       return std::pair(std::vector{a, b}, a);
                     },
                     "0 Parameter []; 1 Parameter [2]",
                     "2 Leaf []; 3 Leaf [2]",
                     {2, 3}});
}

}  // namespace
}  // namespace topos::test
