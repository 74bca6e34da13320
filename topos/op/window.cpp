#include "topos/op/window.h"

#include <fmt/format.h>

namespace topos::op {
namespace {

/// `x [0:2, begin:end:step, ..]`, whole but along one axis.
std::string sliced(const std::string& x, const Shape& shape, Extent axis, Extent begin, Extent end, Extent step) {
  std::string text = x + " [";
  for (Extent i = 0; i < static_cast<Extent>(shape.rank()); ++i) {
    if (i != 0) text += ", ";
    if (i != axis)
      text += fmt::format("0:{}", shape.at(i));
    else if (step == 1)
      text += fmt::format("{}:{}", begin, end);
    else
      text += fmt::format("{}:{}:{}", begin, end, step);
  }
  return text + "]";
}

std::string one_to_one(const TensorType& from, const TensorType& to) {
  const TensorType* operands[] = {&from};
  return stablehlo::signature(operands, to);
}

}  // namespace

// One strided slice a tap, side by side.
std::string Unfold::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& operand = *node.types[0];
  const auto count = node.type.shape.at(axis);
  const TensorType row{operand.element, node.type.shape.without(axis + 1)};
  const TensorType tap{operand.element, row.shape.with(axis + 1, 1)};
  std::vector<std::string> taps;
  std::vector<const TensorType*> types;
  for (Extent k = 0; k < size; ++k) {
    const auto begin = k * dilation;
    const auto slice =
        writer.line(fmt::format("{}_row{}", node.name, k), "slice",
                    sliced(node.operands[0], operand.shape, axis, begin, begin + (count - 1) * step + 1, step),
                    one_to_one(operand, row));
    taps.push_back(writer.line(size == 1 ? node.name : fmt::format("{}_tap{}", node.name, k), "reshape", slice,
                               one_to_one(row, tap)));
    types.push_back(&tap);
  }
  if (size == 1) return taps[0];
  return writer.line(node.name, "concatenate", fmt::format("{}, dim = {}", fmt::join(taps, ", "), axis + 1),
                     stablehlo::signature(types, node.type));
}

// Each tap is padded to the whole extent, zeros between its places, and added.
std::string Fold::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto element = stablehlo::accumulator_of(node.type.element);
  const bool direct = element == node.type.element;
  const TensorType taps{element, node.types[0]->shape}, total{element, node.type.shape}, scalar{element, {}};
  auto slot = taps;
  slot.shape[static_cast<std::size_t>(axis) + 1] = 1;
  const TensorType row{element, taps.shape.without(axis + 1)};
  const auto x =
      direct ? node.operands[0] : writer.convert(node.name + "_promoted", node.operands[0], *node.types[0], element);
  const auto zero = writer.constant(node.name + "_zero", stablehlo::zero_of(element), scalar);
  auto sum = writer.constant(node.name + "_zeros", stablehlo::zero_of(element), total);
  const TensorType* padded[] = {&row, &scalar};
  const auto place = static_cast<std::size_t>(axis);
  for (Extent k = 0; k < size; ++k) {
    const auto name = [&](std::string_view word) { return fmt::format("{}_{}{}", node.name, word, k); };
    const auto slice =
        writer.line(name("tap"), "slice", sliced(x, taps.shape, axis + 1, k, k + 1, 1), one_to_one(taps, slot));
    const auto flat = writer.line(name("row"), "reshape", slice, one_to_one(slot, row));
    auto low = Shape::zeros(row.rank()), high = low, interior = low;
    low[place] = k * dilation;
    high[place] = extent - k * dilation - ((row.shape.at(axis) - 1) * step + 1);
    interior[place] = step - 1;
    const auto spread = writer.line(
        name("spread"), "pad",
        fmt::format("{}, {}, low = {}, high = {}, interior = {}", flat, zero, low.text(), high.text(), interior.text()),
        stablehlo::signature(padded, total));
    const bool last = k + 1 == size;
    sum = writer.line(last && direct ? node.name : name("sum"), "add", fmt::format("{}, {}", sum, spread),
                      stablehlo::type_text(total));
  }
  return direct ? sum : writer.convert(node.name, sum, total, node.type.element);
}

}  // namespace topos::op
