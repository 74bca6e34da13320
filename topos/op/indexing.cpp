#include "topos/op/indexing.h"

#include <fmt/format.h>

namespace topos::op {

std::string Gather::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& table = *node.types[0];
  // No row can be read from a table without any, and a slice of one row would not fit it.
  if (table.shape[0] == 0) return writer.constant(node.name, stablehlo::zero_of(node.type.element), node.type);
  const auto leading = node.types[1]->rank();
  auto offsets = Shape::zeros(table.rank() - 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<Extent>(leading + i);
  auto slice = table.shape;
  slice[0] = 1;
  writer.verbatim(fmt::format("// {}: an index out of range is clamped here; topos refuses it before", node.name));
  const auto text = fmt::format(
      "{} = \"stablehlo.gather\"({}, {}) {{dimension_numbers = #stablehlo.gather<offset_dims = {}, "
      "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = {}>, indices_are_sorted = false, "
      "slice_sizes = {}}} : {}",
      node.name, node.operands[0], node.operands[1], offsets.text(), leading, stablehlo::array_text(slice),
      stablehlo::signature(node.types, node.type));
  writer.verbatim(text);
  return node.name;
}

std::string Scatter::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto element = stablehlo::accumulator_of(node.type.element);
  const bool direct = element == node.type.element;
  const auto name = direct ? node.name : node.name + "_accumulated";
  const auto leading = node.types[1]->rank();
  auto windows = Shape::zeros(node.types[0]->rank() - leading);
  for (std::size_t i = 0; i < windows.size(); ++i) windows[i] = static_cast<Extent>(leading + i);
  const auto scalar = stablehlo::type_text({element, {}});
  const TensorType total{element, node.type.shape}, rows{element, node.types[0]->shape};
  const auto added =
      direct ? node.operands[0] : writer.convert(node.name + "_promoted", node.operands[0], *node.types[0], element);
  const auto zeros = writer.constant(node.name + "_zeros", stablehlo::zero_of(element), total);
  const TensorType* operands[] = {&total, node.types[1], &rows};
  writer.verbatim(fmt::format("// {}: an index out of range is dropped here; topos refuses it before", node.name));
  writer.verbatim(fmt::format("{} = \"stablehlo.scatter\"({}, {}, {}) ({{", name, zeros, node.operands[1], added));
  writer.verbatim(fmt::format("^bb0({0}_left: {1}, {0}_right: {1}):", node.name, scalar));
  writer.verbatim(fmt::format("  {0}_sum = stablehlo.add {0}_left, {0}_right : {1}", node.name, scalar));
  writer.verbatim(fmt::format("  stablehlo.return {}_sum : {}", node.name, scalar));
  writer.verbatim(fmt::format(
      "}}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {}, inserted_window_dims = [0], "
      "scatter_dims_to_operand_dims = [0], index_vector_dim = {}>, indices_are_sorted = false, unique_indices = "
      "false}} : {}",
      windows.text(), leading, stablehlo::signature(operands, total)));
  return direct ? name : writer.convert(node.name, name, total, node.type.element);
}

}  // namespace topos::op
