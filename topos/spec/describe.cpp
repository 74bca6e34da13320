#include "topos/spec/describe.h"

#include <fmt/format.h>

namespace topos {
namespace {

void append_line(const Spec& spec, Index i, std::vector<const TensorType*>& room, std::string& out) {
  const auto& graph = spec.graph;
  const auto types = graph.operand_types(i, room);
  auto detail = fmt::format("{}", fmt::join(graph.operands(i), ", "));
  if (const auto attributes = attributes_of(graph.op(i), types); !attributes.empty())
    detail += (detail.empty() ? "" : "  ") + attributes;
  const auto& type = graph.type(i);
  out += fmt::format("{:>4}  {:<14} {:<18} {}", i, title_of(graph.op(i), types), detail,
                     type.element == spec.working ? type.shape.text() : type.text());
}

std::string counted(std::size_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

}  // namespace

std::string line_of(const Spec& spec, Index i) {
  std::vector<const TensorType*> room;
  std::string out;
  append_line(spec, i, room, out);
  return out;
}

std::string describe(const Spec& spec, std::string_view noun) {
  std::string out;
  std::vector<const TensorType*> room;
  for (Index i = 0; i < spec.graph.size(); ++i) {
    append_line(spec, i, room, out);
    out += '\n';
  }
  return out + fmt::format("{}: {}, {}, {}\n", noun, counted(spec.graph.size(), "node"),
                           counted(spec.slots.parameters.size(), "parameter"),
                           counted(spec.slots.inputs.size(), "input"));
}

}  // namespace topos
