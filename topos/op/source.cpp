#include "topos/op/source.h"

#include <fmt/format.h>

namespace topos::op {

std::string Leaf::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.constant(node.name, node.literal, node.type);
}

// Parameters and inputs are the function's arguments; the module walker names them.
std::string Parameter::lower(stablehlo::Writer&, const Lowering& node) const { return node.name; }
std::string Input::lower(stablehlo::Writer&, const Lowering& node) const { return node.name; }

std::string Iota::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.line(node.name, "iota", fmt::format("dim = {}", axis), stablehlo::type_text(node.type));
}

}  // namespace topos::op
