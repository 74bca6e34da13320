#include "topos/op/elementary.h"

#include <fmt/format.h>

namespace topos::op {
namespace {

/// `%vN_word = stablehlo.operation operands : type of the node`.
std::string helper(stablehlo::Writer& writer, const Lowering& node, std::string_view word, std::string_view operation,
                   const std::string& operands) {
  return writer.line(fmt::format("{}_{}", node.name, word), operation, operands, stablehlo::type_text(node.type));
}

}  // namespace

std::string Erf::lower(stablehlo::Writer& writer, const Lowering& node) const {
  writer.verbatim(fmt::format("{} = chlo.erf {} : {} -> {}", node.name, node.operands[0],
                              stablehlo::type_text(node.type), stablehlo::type_text(node.type)));
  return node.name;
}

std::string ErfDerivative::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& x = node.operands[0];
  const auto squared = helper(writer, node, "squared", "multiply", fmt::format("{}, {}", x, x));
  const auto negated = helper(writer, node, "negated", "negate", squared);
  const auto bell = helper(writer, node, "bell", "exponential", negated);
  const auto scale = writer.constant(node.name + "_scale", "1.1283791670955126", node.type);
  return writer.line(node.name, "multiply", fmt::format("{}, {}", bell, scale), stablehlo::type_text(node.type));
}

std::string Softplus::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& x = node.operands[0];
  const auto zero = writer.constant(node.name + "_zero", stablehlo::zero_of(node.type.element), node.type);
  const auto positive = helper(writer, node, "positive", "maximum", fmt::format("{}, {}", x, zero));
  const auto magnitude = helper(writer, node, "magnitude", "abs", x);
  const auto negated = helper(writer, node, "negated", "negate", magnitude);
  const auto powers = helper(writer, node, "exp", "exponential", negated);
  const auto rest = helper(writer, node, "rest", "log_plus_one", powers);
  return writer.line(node.name, "add", fmt::format("{}, {}", positive, rest), stablehlo::type_text(node.type));
}

}  // namespace topos::op
