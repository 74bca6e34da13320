#include "topos/op/choice.h"

#include <fmt/format.h>

#include "topos/op/elementwise.h"

namespace topos::op {

std::string Compare::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.line(node.name, "compare",
                     fmt::format("{}, {}, {}, {}", name_of(direction), node.operands[0], node.operands[1],
                                 stablehlo::comparison_of(node.types[0]->element)),
                     stablehlo::signature(node.types, node.type));
}

std::string And::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return lower_elementwise(writer, node, "and");
}
std::string Or::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return lower_elementwise(writer, node, "or");
}
std::string Not::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return lower_elementwise(writer, node, "not");
}

std::string Select::lower(stablehlo::Writer& writer, const Lowering& node) const {
  return writer.line(node.name, "select",
                     fmt::format("{}, {}, {}", node.operands[0], node.operands[1], node.operands[2]),
                     fmt::format("{}, {}", stablehlo::type_text(*node.types[0]), stablehlo::type_text(node.type)));
}

}  // namespace topos::op
