#include "topos/op/extreme.h"

#include <fmt/format.h>

namespace topos::op {
namespace {

/// `name` = the largest of the operand along the axis.
std::string largest(stablehlo::Writer& writer, const Lowering& node, const std::string& name, Extent axis) {
  const auto& operand = *node.types[0];
  const auto low = writer.constant(node.name + "_low", stablehlo::lowest_of(operand.element), {operand.element, {}});
  return writer.reduce(name, "maximum", node.operands[0], operand, low, {axis},
                       {operand.element, operand.shape.without(axis)});
}

}  // namespace

std::string MaxAlong::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return largest(writer, node, node.name, axis);
}

// The smallest count among the places that equal the largest, or that hold NaN where there is one.
std::string ArgMaxAlong::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& operand = *node.types[0];
  const auto& x = node.operands[0];
  const auto name = [&](std::string_view word) { return fmt::format("{}_{}", node.name, word); };
  const TensorType reduced{operand.element, operand.shape.without(axis)};
  const TensorType predicate{boolean, operand.shape}, counts{i64, operand.shape}, scalar{i64, {}};
  const TensorType* lanes[] = {&reduced};
  const TensorType* both[] = {&operand, &operand};
  const auto peak = largest(writer, node, name("peak"), axis);
  const auto axes = Shape::counting(operand.rank()).without(axis);
  const auto spread =
      writer.line(name("spread_peak"), "broadcast_in_dim", fmt::format("{}, dims = {}", peak, axes.text()),
                  stablehlo::signature(lanes, operand));
  const auto test = [&](std::string_view word, std::string_view direction, const std::string& a, const std::string& b) {
    return writer.line(name(word), "compare",
                       fmt::format("{}, {}, {}, {}", direction, a, b, stablehlo::comparison_of(operand.element)),
                       stablehlo::signature(both, predicate));
  };
  auto chosen = test("equal", "EQ", x, spread);
  if (operand.element.is_floating()) {
    const auto nan = test("nan", "NE", x, x);
    chosen = writer.line(name("chosen"), "or", fmt::format("{}, {}", chosen, nan), stablehlo::type_text(predicate));
  }
  const auto count = writer.line(name("count"), "iota", fmt::format("dim = {}", axis), stablehlo::type_text(counts));
  const auto extent = std::to_string(operand.shape.at(axis));
  const auto none = writer.constant(name("none"), extent, counts);
  const auto places = writer.line(name("places"), "select", fmt::format("{}, {}, {}", chosen, count, none),
                                  fmt::format("{}, {}", stablehlo::type_text(predicate), stablehlo::type_text(counts)));
  const auto seed = writer.constant(name("seed"), extent, scalar);
  return writer.reduce(node.name, "minimum", places, counts, seed, {axis}, node.type);
}

}  // namespace topos::op
