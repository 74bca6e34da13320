// The StableHLO lines of each opcode.
#include <limits>

#include <gtest/gtest.h>

#include "support/emitted.h"
#include "support/lowering.h"

namespace topos::test {
namespace {

TEST(Lowering, of_arithmetic) {
  const auto line = [](const char* operation) {
    return std::string("%v2 = stablehlo.") + operation + " %arg0, %arg1 : tensor<2x3xf32>\n";
  };
  const Shape s{2, 3};
  EXPECT_EQ(of_two(s, s, [](const Value& a, const Value& b) { return a + b; }), line("add"));
  EXPECT_EQ(of_two(s, s, [](const Value& a, const Value& b) { return a - b; }), line("subtract"));
  EXPECT_EQ(of_two(s, s, [](const Value& a, const Value& b) { return a * b; }), line("multiply"));
  EXPECT_EQ(of_two(s, s, [](const Value& a, const Value& b) { return a / b; }), line("divide"));
  EXPECT_EQ(of_two(s, s, [](const Value& a, const Value& b) { return maximum(a, b); }), line("maximum"));
}

TEST(Lowering, of_functions) {
  const auto line = [](const char* operation) {
    return std::string("%v1 = stablehlo.") + operation + " %arg0 : tensor<f64>\n";
  };
  EXPECT_EQ(of_one({}, [](const Value& x) { return -x; }, f64), line("negate"));
  EXPECT_EQ(of_one({}, [](const Value& x) { return exp(x); }, f64), line("exponential"));
  EXPECT_EQ(of_one({}, [](const Value& x) { return log(x); }, f64), line("log"));
  EXPECT_EQ(of_one({}, [](const Value& x) { return sqrt(x); }, f64), line("sqrt"));
  EXPECT_EQ(of_one({}, [](const Value& x) { return tanh(x); }, f64), line("tanh"));
}

TEST(Lowering, of_products) {
  const auto product = [](const Value& a, const Value& b) { return matmul(a, b); };
  EXPECT_EQ(of_two({2, 3}, {3, 4}, product),
            "%v2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, "
            "tensor<3x4xf32>) -> tensor<2x4xf32>\n");
  EXPECT_EQ(of_two({5, 6, 2, 3}, {5, 6, 3, 4}, product),
            "%v2 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
            "(tensor<5x6x2x3xf32>, tensor<5x6x3x4xf32>) -> tensor<5x6x2x4xf32>\n");
}

TEST(Lowering, of_sums) {
  const std::string seed = "%v1_seed = stablehlo.constant dense<0.0> : tensor<f32>\n";
  EXPECT_EQ(of_one({2, 3}, [](const Value& x) { return sum(x); }),
            seed +
                "%v1 = stablehlo.reduce(%arg0 init: %v1_seed) applies stablehlo.add across dimensions = [0, 1] : "
                "(tensor<2x3xf32>, tensor<f32>) -> tensor<f32>\n");
  EXPECT_EQ(of_one({2, 3}, [](const Value& x) { return sum(x, {1}); }),
            seed +
                "%v1 = stablehlo.reduce(%arg0 init: %v1_seed) applies stablehlo.add across dimensions = [1] : "
                "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n");
  EXPECT_EQ(of_one({2, 3, 4}, [](const Value& x) { return sum(x, {2, 0}); }),
            seed +
                "%v1 = stablehlo.reduce(%arg0 init: %v1_seed) applies stablehlo.add across dimensions = [0, 2] : "
                "(tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>\n");
  // It turns -0 into +0, so rank 0 has a line too.
  EXPECT_EQ(of_one({}, [](const Value& x) { return sum(x); }),
            seed + "%v1 = stablehlo.add %arg0, %v1_seed : tensor<f32>\n");
}

TEST(Lowering, of_movements) {
  EXPECT_EQ(of_one({2, 3}, [](const Value& x) { return permute(x, {1, 0}); }),
            "%v1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n");
  EXPECT_EQ(of_one({2, 3}, [](const Value& x) { return reshape(x, {6}); }),
            "%v1 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>\n");
  EXPECT_EQ(of_one({}, [](const Value& x) { return broadcast(x, {2, 3}); }),
            "%v1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<2x3xf32>\n");
  EXPECT_EQ(of_one({1, 1}, [](const Value& x) { return broadcast(x, {4}); }),
            "%v1_scalar = stablehlo.reshape %arg0 : (tensor<1x1xf32>) -> tensor<f32>\n"
            "%v1 = stablehlo.broadcast_in_dim %v1_scalar, dims = [] : (tensor<f32>) -> tensor<4xf32>\n");
  EXPECT_EQ(of_one({2, 3}, [](const Value& x) { return broadcast_along(x, 1, 4); }),
            "%v1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>\n");
  EXPECT_EQ(of_one({2, 5}, [](const Value& x) { return narrow(x, 1, 1, 3); }),
            "%v1 = stablehlo.slice %arg0 [0:2, 1:4] : (tensor<2x5xf32>) -> tensor<2x3xf32>\n");
  EXPECT_EQ(of_one({2, 3}, [](const Value& x) { return pad(x, 1, 2, 6); }),
            "%v1_zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%v1 = stablehlo.pad %arg0, %v1_zero, low = [0, 2], high = [0, 1], interior = [0, 0] : (tensor<2x3xf32>, "
            "tensor<f32>) -> tensor<2x6xf32>\n");
  EXPECT_EQ(of_two({2, 3}, {2, 1}, [](const Value& a, const Value& b) { return concat({a, b}, 1); }),
            "%v2 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> "
            "tensor<2x4xf32>\n");
  EXPECT_EQ(body_of([](Tape& tape) { return tape.iota({2, 3}, 1); }),
            "%v0 = stablehlo.iota dim = 1 : tensor<2x3xi64>\n");
  EXPECT_EQ(of_one({2}, [](const Value& x) { return convert(x, i64); }),
            "%v1 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xi64>\n");
}

TEST(Lowering, of_choices) {
  const Shape s{2};
  const auto larger = [](const Value& a, const Value& b) { return compare(a, b, Direction::gt); };
  EXPECT_EQ(of_two(s, s, larger),
            "%v2 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>\n");
  EXPECT_EQ(of_two(s, s, larger, i64),
            "%v2 = stablehlo.compare GT, %arg0, %arg1, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>\n");
  EXPECT_EQ(of_two(
                s, s, [](const Value& a, const Value& b) { return compare(a, b, Direction::ne); }, boolean),
            "%v2 = stablehlo.compare NE, %arg0, %arg1, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>\n");
  EXPECT_EQ(of_two(
                s, s, [](const Value& a, const Value& b) { return logical_and(a, b); }, boolean),
            "%v2 = stablehlo.and %arg0, %arg1 : tensor<2xi1>\n");
  EXPECT_EQ(of_two(
                s, s, [](const Value& a, const Value& b) { return logical_or(a, b); }, boolean),
            "%v2 = stablehlo.or %arg0, %arg1 : tensor<2xi1>\n");
  EXPECT_EQ(
      of_one(s, [](const Value& x) { return logical_not(x); }, boolean), "%v1 = stablehlo.not %arg0 : tensor<2xi1>\n");
  EXPECT_EQ(body_of([](Tape& tape) {
              const auto a = input(tape, {2});
              const auto b = input(tape, {2});
              const auto test = input(tape, {2}, boolean);
              return select(test, a, b);
            }),
            "%v3 = stablehlo.select %arg2, %arg0, %arg1 : tensor<2xi1>, tensor<2xf32>\n");
}

TEST(Lowering, of_log_softmax) {
  EXPECT_EQ(
      of_one(
          {3, 4, 5}, [](const Value& x) { return log_softmax(x, 1); }, f64),
      "%v1_low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>\n"
      "%v1_peak = stablehlo.reduce(%arg0 init: %v1_low) applies stablehlo.maximum across dimensions = [1] : "
      "(tensor<3x4x5xf64>, tensor<f64>) -> tensor<3x5xf64>\n"
      "%v1_spread_peak = stablehlo.broadcast_in_dim %v1_peak, dims = [0, 2] : (tensor<3x5xf64>) -> "
      "tensor<3x4x5xf64>\n"
      "%v1_centered = stablehlo.subtract %arg0, %v1_spread_peak : tensor<3x4x5xf64>\n"
      "%v1_exp = stablehlo.exponential %v1_centered : tensor<3x4x5xf64>\n"
      "%v1_total_seed = stablehlo.constant dense<0.0> : tensor<f64>\n"
      "%v1_total = stablehlo.reduce(%v1_exp init: %v1_total_seed) applies stablehlo.add across dimensions = [1] : "
      "(tensor<3x4x5xf64>, tensor<f64>) -> tensor<3x5xf64>\n"
      "%v1_normalizer = stablehlo.log %v1_total : tensor<3x5xf64>\n"
      "%v1_spread_normalizer = stablehlo.broadcast_in_dim %v1_normalizer, dims = [0, 2] : (tensor<3x5xf64>) -> "
      "tensor<3x4x5xf64>\n"
      "%v1 = stablehlo.subtract %v1_centered, %v1_spread_normalizer : tensor<3x4x5xf64>\n");
}

/// The operations of a text's lines in order, without the word stablehlo.
std::vector<std::string> operations(const std::string& body) {
  std::vector<std::string> all;
  for (const auto& line : tokens_of(body)) {
    auto word = line[2].substr(line[2].find('.') + 1);
    all.push_back(word.substr(0, word.find('(')));
  }
  return all;
}

TEST(Lowering, of_softmax_and_logsumexp_keeps_infinite_lanes_in_order) {
  // The shift is 0 in a lane of -inf alone, and a vacant total divides by 1.
  const auto soft = of_one({2, 3}, [](const Value& x) { return softmax(x, 1); });
  EXPECT_EQ(operations(soft),
            (std::vector<std::string>{"constant", "reduce", "constant", "constant", "compare", "select",
                                      "broadcast_in_dim", "subtract", "exponential", "constant", "reduce", "constant",
                                      "compare", "select", "broadcast_in_dim", "divide"}));
  // The shift is 0 where the peak is infinite, in the subtraction and in the last addition.
  const auto wide = of_one({2, 3}, [](const Value& x) { return logsumexp(x, 1); });
  EXPECT_EQ(operations(wide), (std::vector<std::string>{"constant", "reduce", "abs", "constant", "constant", "compare",
                                                        "select", "broadcast_in_dim", "subtract", "exponential",
                                                        "constant", "reduce", "log", "add"}));
  EXPECT_NE(wide.find("dense<0x7F800000>"), std::string::npos);
  EXPECT_NE(wide.find("%v1 = stablehlo.add %v1_shift, %v1_normalizer : tensor<2xf32>\n"), std::string::npos);
}

/// The body without its comment lines.
std::string without_comments(const std::string& body) {
  std::string kept;
  std::istringstream text(body);
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("//")) kept += line + "\n";
  return kept;
}

TEST(Lowering, of_rows_by_index) {
  const auto picked = body_of([](Tape& tape) {
    const auto table = input(tape, {5, 3});
    const auto places = input(tape, {2, 4}, i64);
    return gather(table, places);
  });
  EXPECT_EQ(without_comments(picked),
            "%v2 = \"stablehlo.gather\"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [2], "
            "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, "
            "slice_sizes = array<i64: 1, 3>} : (tensor<5x3xf32>, tensor<2x4xi64>) -> tensor<2x4x3xf32>\n");
  EXPECT_NE(picked, without_comments(picked)) << "the text says that an index out of range is clamped";
  const auto added = without_comments(body_of([](Tape& tape) {
    const auto rows = input(tape, {4, 3});
    const auto places = input(tape, {4}, i64);
    return scatter(rows, places, 6);
  }));
  EXPECT_NE(added.find("= \"stablehlo.scatter\"("), std::string::npos);
  EXPECT_NE(added.find("scatter_dims_to_operand_dims = [0]"), std::string::npos);
  EXPECT_NE(added.find("(tensor<6x3xf32>, tensor<4xi64>, tensor<4x3xf32>) -> tensor<6x3xf32>"), std::string::npos);
}

std::string constant_of(const Tensor& payload) {
  return body_of([&](Tape& tape) { return tape.leaf(payload); });
}

TEST(Lowering, of_constants) {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(constant_of(Tensor::full({f32, {2, 2}}, 0.25)), "%v0 = stablehlo.constant dense<0.25> : tensor<2x2xf32>\n");
  EXPECT_EQ(constant_of(Tensor::from<float>({2}, {3, 3})), "%v0 = stablehlo.constant dense<3.0> : tensor<2xf32>\n");
  EXPECT_EQ(constant_of(Tensor::from<float>({2, 2}, {0, -infinity, infinity, 1e-5f})),
            "%v0 = stablehlo.constant dense<[[0.0, 0xFF800000], [0x7F800000, 1.0e-5]]> : tensor<2x2xf32>\n");
  EXPECT_EQ(constant_of(Tensor::from<double>({}, {std::numeric_limits<double>::quiet_NaN()})),
            "%v0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>\n");
  // Equal numbers of other bits are no splat.
  EXPECT_EQ(constant_of(Tensor::from<float>({2}, {0.0f, -0.0f})),
            "%v0 = stablehlo.constant dense<[0.0, -0.0]> : tensor<2xf32>\n");
  EXPECT_EQ(constant_of(Tensor::from({3}, std::vector<std::int64_t>{-7, 0, 12})),
            "%v0 = stablehlo.constant dense<[-7, 0, 12]> : tensor<3xi64>\n");
  EXPECT_EQ(constant_of(Tensor::from({3}, std::vector<bool>{true, false, true})),
            "%v0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n");
  EXPECT_EQ(constant_of(Tensor::from<float>({2, 0}, {})), "%v0 = stablehlo.constant dense<> : tensor<2x0xf32>\n");
}

TEST(Lowering, of_long_constants_is_bytes_in_hex) {
  std::vector<float> numbers(257, 1.0f);
  numbers.back() = -2.0f;
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += "0000803F";
  EXPECT_EQ(constant_of(Tensor::from({257}, numbers)),
            "%v0 = stablehlo.constant dense<\"0x" + bytes + "000000C0\"> : tensor<257xf32>\n");
  // Up to 256 it is decimals, and a splat stays one at any size.
  numbers.pop_back();
  numbers.back() = 2.0f;
  EXPECT_EQ(constant_of(Tensor::from({256}, numbers)).find("\"0x"), std::string::npos);
  EXPECT_EQ(constant_of(Tensor::from({300}, std::vector<float>(300, 1.5f))),
            "%v0 = stablehlo.constant dense<1.5> : tensor<300xf32>\n");
  std::vector<bool> flags(300);
  flags[7] = true;
  EXPECT_EQ(constant_of(Tensor::from({300}, flags)).find("\"0x"), std::string::npos);
}

TEST(Lowering, of_a_graph_takes_parameters_then_inputs) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {2}}, 0));
  const auto unused = tape.parameter(Tensor::full({f32, {7}}, 0));
  const auto w = tape.parameter(Tensor::full({f32, {2}}, 0));
  const Symbol y = x * w;
  const Symbol names[] = {x, w};
  EXPECT_EQ(unused.symbol().index(), 1u);
  const auto network = std::move(tape).into_network();
  // A source outside of the closure is no argument; a result may be one.
  EXPECT_EQ(emitted(network.entry({y, names[0], y}).observe({names[1]}).lower()),
            "module @topos {\n"
            "  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, "
            "tensor<2xf32>) {\n"
            "    %v3 = stablehlo.multiply %arg1, %arg0 : tensor<2xf32>\n"
            "    return %v3, %arg1, %arg0 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace topos::test
