// What the derivative rules of functions, extremes and windows record, node by node.
#include "support/micro_tape.h"

namespace topos::test {
namespace {

/// A function's rule between the cotangent, node 6, and the sum from zero that ends in node `gradient`.
MicroTape function(const char* name, Value (*f)(const Value&, Site), const std::string& rule, Index last) {
  return one(
      name, {2}, [f](const Value& x) { return f(x, Site::current()); },
      std::string("0 Parameter [2]; 1 ") + name + " 0 [2]; 2 Sum 1 []",
      "3 Leaf []; 4 Broadcast 3 shape=[2] [2]; 5 Leaf [2]; 6 Add 5,4 [2]; " + rule +
          fmt::format("{} Leaf [2]; {} Add {},{} [2]", last + 1, last + 2, last + 1, last),
      last + 2);
}

TEST(MicroTapes, of_elementary_functions) {
  for (const auto& tape :
       {function("Sin", sin, "7 Cos 0 [2]; 8 Mul 6,7 [2]; ", 8),
        function("Cos", cos, "7 Sin 0 [2]; 8 Mul 6,7 [2]; 9 Neg 8 [2]; ", 9),
        function("Expm1", expm1, "7 Leaf [2]; 8 Add 1,7 [2]; 9 Mul 6,8 [2]; ", 9),
        function("Erf", erf, "7 ErfDerivative 0 [2]; 8 Mul 6,7 [2]; ", 8),
        function("ErfDerivative", erf_derivative, "7 Add 0,0 [2]; 8 Mul 6,7 [2]; 9 Mul 8,1 [2]; 10 Neg 9 [2]; ", 10),
        function("Log1p", log1p,
                 "7 Leaf [2]; 8 Add 7,0 [2]; 9 Leaf [2]; 10 Compare 8,9 direction=EQ [2]; "
                 "11 Compare 6,9 direction=EQ [2]; 12 And 10,11 [2]; 13 Leaf [2]; 14 Select 12,13,8 [2]; "
                 "15 Div 6,14 [2]; 16 Select 12,9,15 [2]; ",
                 16),
        function("Rsqrt", rsqrt,
                 "7 Add 0,0 [2]; 8 Leaf [2]; 9 Compare 7,8 direction=EQ [2]; 10 Compare 6,8 direction=EQ [2]; "
                 "11 And 9,10 [2]; 12 Leaf [2]; 13 Select 11,12,7 [2]; 14 Select 11,12,1 [2]; 15 Mul 6,14 [2]; "
                 "16 Div 15,13 [2]; 17 Neg 16 [2]; 18 Select 11,8,17 [2]; ",
                 18),
        function("Logistic", logistic, "7 Leaf [2]; 8 Sub 7,1 [2]; 9 Mul 1,8 [2]; 10 Mul 6,9 [2]; ", 10),
        function("Softplus", softplus, "7 Logistic 0 [2]; 8 Mul 6,7 [2]; ", 8),
        function("Abs", abs, "7 Sign 0 [2]; 8 Mul 6,7 [2]; ", 8)})
    expect_micro_tape(tape);
}

TEST(MicroTapes, of_functions_that_pass_nothing) {
  const std::string start = "3 Leaf []; 4 Broadcast 3 shape=[2] [2]; 5 Leaf [2]; 6 Add 5,4 [2]; ";
  for (const auto& [name, f] :
       {std::pair<const char*, Value (*)(const Value&, Site)>{"Sign", sign}, {"StopGradient", stop_gradient}})
    expect_micro_tape(one(
        name, {2}, [f = f](const Value& x) { return f(x, Site::current()); },
        std::string("0 Parameter [2]; 1 ") + name + " 0 [2]; 2 Sum 1 []", start + "7 Leaf [2]", 7));
  expect_micro_tape(one(
      "ArgMaxAlong", {2, 3},
      [](const Value& x) {
        const auto place = argmax_along(x, 1);
        return convert(place, f32);
      },
      "0 Parameter [2, 3]; 1 ArgMaxAlong 0 axis=1 [2]; 2 Convert 1 element=f32 [2]; 3 Sum 2 []",
      "4 Leaf []; 5 Broadcast 4 shape=[2] [2]; 6 Leaf [2]; 7 Add 6,5 [2]; 8 Leaf [2, 3]", 8));
}

TEST(MicroTapes, of_extremes) {
  expect_micro_tape(
      two("Minimum", {2}, {2}, [](const Value& a, const Value& b) { return minimum(a, b); },
          "0 Parameter [2]; 1 Parameter [2]; 2 Minimum 0,1 [2]; 3 Sum 2 []",
          "4 Leaf []; 5 Broadcast 4 shape=[2] [2]; 6 Leaf [2]; 7 Add 6,5 [2]; 8 Compare 0,1 direction=LT [2]; "
          "9 Leaf [2]; 10 Select 8,7,9 [2]; 11 Select 8,9,7 [2]; 12 Leaf [2]; 13 Add 12,10 [2]; 14 Leaf [2]; "
          "15 Add 14,11 [2]",
          {13, 15}));
  expect_micro_tape(one(
      "MaxAlong", {2, 4}, [](const Value& x) { return max_along(x, 1); },
      "0 Parameter [2, 4]; 1 MaxAlong 0 axis=1 [2]; 2 Sum 1 []",
      "3 Leaf []; 4 Broadcast 3 shape=[2] [2]; 5 Leaf [2]; 6 Add 5,4 [2]; 7 ArgMaxAlong 0 axis=1 [2]; "
      "8 BroadcastAlong 7 axis=1 extent=4 [2, 4]; 9 Iota axis=1 [2, 4]; 10 Compare 8,9 direction=EQ [2, 4]; "
      "11 BroadcastAlong 6 axis=1 extent=4 [2, 4]; 12 Leaf [2, 4]; 13 Select 10,11,12 [2, 4]; 14 Leaf [2, 4]; "
      "15 Add 14,13 [2, 4]",
      15));
}

TEST(MicroTapes, of_a_power) {
  expect_micro_tape(two(
      "Power", {2}, {2}, [](const Value& a, const Value& b) { return power(a, b); },
      "0 Parameter [2]; 1 Parameter [2]; 2 Power 0,1 [2]; 3 Sum 2 []",
      "4 Leaf []; 5 Broadcast 4 shape=[2] [2]; 6 Leaf [2]; 7 Add 6,5 [2]; "
      // The base: b a^(b-1), without an infinity where the exponent or the cotangent is 0.
      "8 Leaf [2]; 9 Sub 1,8 [2]; 10 Power 0,9 [2]; 11 Mul 1,10 [2]; 12 Leaf [2]; 13 Compare 1,12 direction=EQ [2]; "
      "14 Compare 7,12 direction=EQ [2]; 15 Or 13,14 [2]; 16 Abs 11 [2]; 17 Leaf [2]; "
      "18 Compare 16,17 direction=LT [2]; 19 Not 18 [2]; 20 And 19,15 [2]; 21 Leaf [2]; 22 Select 20,21,11 [2]; "
      "23 Mul 7,22 [2]; "
      // The exponent: a^b log a, the logarithm of a selected base.
      "24 Leaf [2]; 25 Compare 0,24 direction=EQ [2]; 26 Leaf [2]; 27 Select 25,26,0 [2]; 28 Log 27 [2]; "
      "29 Mul 2,28 [2]; 30 Select 25,24,29 [2]; 31 Compare 7,24 direction=EQ [2]; 32 Abs 30 [2]; 33 Leaf [2]; "
      "34 Compare 32,33 direction=LT [2]; 35 Not 34 [2]; 36 And 35,31 [2]; 37 Leaf [2]; 38 Select 36,37,30 [2]; "
      "39 Mul 7,38 [2]; 40 Leaf [2]; 41 Add 40,23 [2]; 42 Leaf [2]; 43 Add 42,39 [2]",
      {41, 43}));
}

TEST(MicroTapes, of_windows) {
  expect_micro_tape(one(
      "Unfold", {8}, [](const Value& x) { return unfold(x, 0, 3, 2, 1); },
      "0 Parameter [8]; 1 Unfold 0 axis=0 size=3 step=2 dilation=1 [3, 3]; 2 Sum 1 []",
      "3 Leaf []; 4 Broadcast 3 shape=[3, 3] [3, 3]; 5 Leaf [3, 3]; 6 Add 5,4 [3, 3]; "
      "7 Fold 6 axis=0 size=3 step=2 dilation=1 extent=8 [8]; 8 Leaf [8]; 9 Add 8,7 [8]",
      9));
  expect_micro_tape(one(
      "Fold", {3, 3}, [](const Value& x) { return fold(x, 0, 3, 2, 1, 8); },
      "0 Parameter [3, 3]; 1 Fold 0 axis=0 size=3 step=2 dilation=1 extent=8 [8]; 2 Sum 1 []",
      "3 Leaf []; 4 Broadcast 3 shape=[8] [8]; 5 Leaf [8]; 6 Add 5,4 [8]; "
      "7 Unfold 6 axis=0 size=3 step=2 dilation=1 [3, 3]; 8 Leaf [3, 3]; 9 Add 8,7 [3, 3]",
      9));
}

}  // namespace
}  // namespace topos::test
