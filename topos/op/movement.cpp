#include "topos/op/movement.h"

#include <fmt/format.h>

namespace topos::op {

std::string Broadcast::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const TensorType scalar{node.type.element, {}};
  const TensorType* one[] = {&scalar};
  auto operand = node.operands[0];
  if (node.types[0]->rank() > 0)
    operand = writer.line(node.name + "_scalar", "reshape", operand, stablehlo::signature(node.types, scalar));
  return writer.line(node.name, "broadcast_in_dim", operand + ", dims = []", stablehlo::signature(one, node.type));
}

std::string BroadcastAlong::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto axes = Shape::counting(node.type.rank()).without(axis);
  return writer.line(node.name, "broadcast_in_dim", fmt::format("{}, dims = {}", node.operands[0], axes.text()),
                     stablehlo::signature(node.types, node.type));
}

std::string Reshape::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.line(node.name, "reshape", node.operands[0], stablehlo::signature(node.types, node.type));
}

std::string Permute::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.line(node.name, "transpose", fmt::format("{}, dims = {}", node.operands[0], order.text()),
                     stablehlo::signature(node.types, node.type));
}

std::string Narrow::lower(stablehlo::Writer& writer, const Lowering& node) const {
  std::vector<std::string> windows;
  for (Extent i = 0; i < static_cast<Extent>(node.type.rank()); ++i) {
    const auto begin = i == axis ? start : 0;
    windows.push_back(fmt::format("{}:{}", begin, begin + node.type.shape.at(i)));
  }
  return writer.line(node.name, "slice", fmt::format("{} [{}]", node.operands[0], fmt::join(windows, ", ")),
                     stablehlo::signature(node.types, node.type));
}

std::string Pad::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const TensorType scalar{node.type.element, {}};
  const auto zero = writer.constant(node.name + "_zero", stablehlo::zero_of(node.type.element), scalar);
  const auto none = Shape::zeros(node.type.rank());
  auto low = none;
  auto high = none;
  low[static_cast<std::size_t>(axis)] = start;
  high[static_cast<std::size_t>(axis)] = full_extent - start - node.types[0]->shape.at(axis);
  const TensorType* operands[] = {node.types[0], &scalar};
  return writer.line(node.name, "pad",
                     fmt::format("{}, {}, low = {}, high = {}, interior = {}", node.operands[0], zero, low.text(),
                                 high.text(), none.text()),
                     stablehlo::signature(operands, node.type));
}

std::string Concat::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.line(node.name, "concatenate", fmt::format("{}, dim = {}", fmt::join(node.operands, ", "), axis),
                     stablehlo::signature(node.types, node.type));
}

std::string Convert::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.line(node.name, "convert", node.operands[0], stablehlo::signature(node.types, node.type));
}

}  // namespace topos::op
