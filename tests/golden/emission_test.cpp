// What a caller may ask of an emitted module: a version, compositions node by node, arguments to overwrite.
#include <gtest/gtest.h>

#include "support/convolution_models.h"
#include "support/error.h"
#include "support/lowering.h"

namespace topos::test {
namespace {

/// A network of one product, and its plan.
struct Product {
  Network network;
  Symbol w, x, out;
};

Product product() {
  auto [network, w, x, out] = Tape::record(f32, [](Tape& tape) {
    const auto x = input(tape, {2, 3});
    const auto w = tape.parameter(Tensor::full({f32, {3, 3}}, 0.5));
    return std::tuple(w, x, matmul(x, w));
  });
  return {std::move(network), w, x, out};
}

TEST(Emission, of_no_options_is_the_text_without_them) {
  const auto made = product();
  const auto plan = made.network.entry({made.out}).lower();
  EXPECT_EQ(plan.emit_stablehlo(), plan.emit_stablehlo(EmitOptions{}));
  EXPECT_EQ(plan.emit_stablehlo(), plan.emit_stablehlo({.target = "1.0.0"}));  // holds StableHLO alone
  EXPECT_EQ(plan.emit_stablehlo(), plan.emit_stablehlo({.raise = false}));     // holds no composition
}

TEST(Emission, arguments_are_parameters_then_inputs) {
  const auto made = product();
  const auto plan = made.network.entry({made.out}).lower();
  EXPECT_EQ(plan.arguments(), (std::vector<Symbol>{made.w, made.x}));  // recorded the other way around
  EXPECT_NE(plan.emit_stablehlo().find("@main(%arg0: tensor<3x3xf32>, %arg1: tensor<2x3xf32>)"), std::string::npos);
  EXPECT_EQ(made.network.entry({made.x}).lower().arguments(), std::vector<Symbol>{made.x});
}

TEST(Emission, takes_versions_from_0_9_0_on) {
  const auto made = product();
  const auto plan = made.network.entry({made.out}).lower();
  for (const auto* target : {"0.9.0", "0.10.0", "1.0.0", "1.13.7", "12.0.345"})
    EXPECT_NO_THROW(plan.emit_stablehlo({.target = target})) << target;
  for (const auto* target : {"0.8.99", "0.0.0"})
    EXPECT_TRUE(throws([&] { plan.emit_stablehlo({.target = target}); },
                       {ErrorKind::argument, "Plan::emit_stablehlo", {}, {target, "older", "0.9.0"}}));
  for (const auto* target : {"1", "1.0", "1.0.0.0", "x", "1.0.x", "v1.0.0", " 1.0.0", "1.0.0 ", "1..0", "1.0.",
                             "-1.0.0", "1.-1.0", "1.+1.0", "1,0,0", "99999999999.0.0"})
    EXPECT_TRUE(throws([&] { plan.emit_stablehlo({.target = target}); },
                       {ErrorKind::argument, "Plan::emit_stablehlo", {}, {target, "MAJOR.MINOR.PATCH", "0.9.0"}}));
}

TEST(Emission, for_a_version_holds_stablehlo_alone) {
  const auto bell = [](const Value& x) { return erf(x); };
  for (const auto element : {f32, f64, bf16}) {
    const auto body = of_one({2}, bell, element, {.target = "1.0.0"});
    EXPECT_EQ(body.find("chlo"), std::string::npos) << body;
    EXPECT_NE(of_one({2}, bell, element).find("chlo.erf"), std::string::npos);
  }
  // bf16 is computed in f32 and rounded once.
  const auto narrow = of_one({2}, bell, bf16, {.target = "1.0.0"});
  EXPECT_TRUE(narrow.starts_with("%v1_promoted = stablehlo.convert %arg0 : (tensor<2xbf16>) -> tensor<2xf32>\n"));
  EXPECT_TRUE(
      narrow.ends_with("%v1_wide = stablehlo.multiply %v1_sign, %v1_chosen : tensor<2xf32>\n"
                       "%v1 = stablehlo.convert %v1_wide : (tensor<2xf32>) -> tensor<2xbf16>\n"));
  EXPECT_EQ(narrow.find("stablehlo.add %v1_bounded, %v1_scaled : tensor<2xbf16>"), std::string::npos);
}

TEST(Emission, without_raising_is_node_by_node) {
  const auto step = training_step({{2, 1}, {1, 2}, {1, 2}, 1}, f32);
  const auto plan = step.network.entry(step.roots).lower();
  const auto apart = plan.emit_stablehlo({.raise = false});
  EXPECT_NE(plan.emit_stablehlo().find("stablehlo.convolution"), std::string::npos);
  EXPECT_EQ(apart.find("stablehlo.convolution"), std::string::npos);
  // Every scheduled node but the arguments has its line.
  for (const auto& node : plan.nodes()) {
    if (node.name() == "Parameter" || node.name() == "Input") continue;
    const auto line = "    %v" + std::to_string(node.symbol().index()) + " = ";
    EXPECT_NE(apart.find(line), std::string::npos) << node.text();
  }
}

TEST(Emission, of_products_over_nothing_is_zeros) {
  const auto multiply = [](const Value& a, const Value& b) { return matmul(a, b); };
  EXPECT_EQ(of_two({2, 0}, {0, 3}, multiply), "%v2 = stablehlo.constant dense<0.0> : tensor<2x3xf32>\n");
  EXPECT_EQ(of_two({2, 0}, {0, 3}, multiply, bf16), "%v2 = stablehlo.constant dense<0.0> : tensor<2x3xbf16>\n");
  EXPECT_EQ(of_two({2, 0}, {0, 3}, multiply, i64), "%v2 = stablehlo.constant dense<0> : tensor<2x3xi64>\n");
  EXPECT_EQ(of_two({0, 2}, {2, 3}, multiply), "%v2 = stablehlo.constant dense<0.0> : tensor<0x3xf32>\n");
  EXPECT_EQ(of_two({4, 3, 2}, {4, 2, 0}, multiply, f64), "%v2 = stablehlo.constant dense<0.0> : tensor<4x3x0xf64>\n");
  EXPECT_EQ(of_two({0, 3, 2}, {0, 2, 5}, multiply), "%v2 = stablehlo.constant dense<0.0> : tensor<0x3x5xf32>\n");
}

TEST(Emission, raises_nothing_that_holds_no_numbers) {
  const auto model = pooled_convolution({0, 1, 6, 6}, {2, 1, 3, 3}, 0, 2);
  const auto plan = model.network.entry({model.pooled}).lower();
  EXPECT_FALSE(plan.candidates().empty());
  const auto module = plan.emit_stablehlo();
  for (const auto* word : {"convolution", "reduce_window", "dot_general"})
    EXPECT_EQ(module.find(word), std::string::npos) << module;
  EXPECT_EQ(module, plan.emit_stablehlo({.raise = false}));
}

TEST(Emission, marks_what_a_result_may_overwrite) {
  auto [network, a, b, x, moved, sum] = Tape::record(f32, [](Tape& tape) {
    const auto a = tape.parameter({1.0, 2.0});
    const auto b = tape.parameter({3.0, 4.0});
    const auto x = tape.input({5.0, 6.0});
    const auto moved = a - x;
    return std::tuple(a, b, x, moved, moved + b);
  });
  auto entry = network.entry({sum}).observe({moved, b});
  entry.replaces(a, moved).replaces(x, sum);
  const auto plan = entry.lower();
  EXPECT_EQ(plan.replacements(), (std::vector<Replacement>{{a, moved}, {x, sum}}));
  EXPECT_EQ(plan.emit_stablehlo(),
            "module @topos {\n"
            "  func.func @main(%arg0: tensor<2xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<2xf32>, %arg2: "
            "tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {\n"
            "    %v3 = stablehlo.subtract %arg0, %arg2 : tensor<2xf32>\n"
            "    %v4 = stablehlo.add %v3, %arg1 : tensor<2xf32>\n"
            "    return %v4, %v3, %arg1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>\n"
            "  }\n"
            "}\n");
  // In process it is nothing but a note.
  const auto plain = network.entry({sum}).observe({moved, b}).lower();
  EXPECT_EQ(plan.describe(), plain.describe());
  EXPECT_EQ(plan.program(), plain.program());
  EXPECT_TRUE(plain.replacements().empty());
}

TEST(Emission, an_argument_may_be_another_ones_new_value) {
  auto [network, now, before, next] = Tape::record(f32, [](Tape& tape) {
    const auto now = tape.parameter(1.0);
    const auto before = tape.parameter(2.0);
    const auto next = now - before;
    return std::tuple(now, before, next);
  });
  const auto plan = network.entry({now, next}).replaces(before, now).replaces(now, next).lower();
  EXPECT_NE(plan.emit_stablehlo().find("%arg0: tensor<f32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<f32> "
                                       "{tf.aliasing_output = 0 : i32}"),
            std::string::npos);
  EXPECT_NE(plan.emit_stablehlo().find("return %arg0, %v2 "), std::string::npos);
}

}  // namespace
}  // namespace topos::test
