#include "topos/op/elementwise.h"

#include <fmt/format.h>

namespace topos::op {

std::string lower_elementwise(stablehlo::Writer& writer, const Lowering& node, std::string_view operation) {
  return writer.line(node.name, operation, fmt::format("{}", fmt::join(node.operands, ", ")),
                     stablehlo::type_text(node.type));
}

}  // namespace topos::op
