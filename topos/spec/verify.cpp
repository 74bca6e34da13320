#include "topos/spec/verify.h"

#include <fmt/format.h>

#include "topos/spec/spec.h"

namespace topos {
namespace {

class Verifier {
 public:
  explicit Verifier(const Spec& spec) : graph_(spec.graph), slots_(spec.slots) {}

  void check_node(Index i);
  void check_slots(std::string_view kind, const std::vector<Index>& nodes, std::size_t payloads) const;
  void check_labels() const;

 private:
  [[noreturn]] void broken(Index i, const std::string& text, std::vector<std::string> types = {}) const;
  void check_ids(Index i) const;
  void check_operands(Index i) const;
  void check_source(Index i) const;
  void check_payload(Index i, std::string_view kind, const std::vector<Tensor>& payloads) const;
  void check_place(Index i, std::string_view kind, const std::vector<Index>& nodes) const;
  void check_type(Index i);

  const Graph& graph_;
  const Slots& slots_;
  std::vector<const TensorType*> room_;
};

/// Names as much of the node as can be trusted.
void Verifier::broken(Index i, const std::string& text, std::vector<std::string> types) const {
  const auto& record = graph_.node(i);
  const auto name = record.op < graph_.op_count() ? fmt::format(" ({})", name_of(graph_.op(i))) : "";
  if (types.empty() && record.type < graph_.type_count()) types.push_back(graph_.type(i).text());
  const auto site = (record.site & ~composite_bit) < graph_.site_count() ? graph_.site(i) : Site::none();
  throw Error(ErrorKind::argument, "verify", fmt::format("node {}{}: {}", i, name, text), std::move(types), site);
}

void Verifier::check_node(Index i) {
  check_ids(i);
  check_operands(i);
  if (is_source(graph_.op(i)))
    check_source(i);
  else
    check_type(i);
}

void Verifier::check_ids(Index i) const {
  const auto& [op, type, site, origin, first, second] = graph_.node(i);
  if (op >= graph_.op_count()) broken(i, fmt::format("opcode id {} is none of {}", op, graph_.op_count()));
  if (type >= graph_.type_count()) broken(i, fmt::format("type id {} is none of {}", type, graph_.type_count()));
  if ((site & ~composite_bit) >= graph_.site_count())
    broken(i, fmt::format("site id {} is none of {}", site & ~composite_bit, graph_.site_count()));
  if (origin != nowhere && origin >= i) broken(i, fmt::format("its origin, node {}, is not before it", origin));
}

void Verifier::check_operands(Index i) const {
  const auto& record = graph_.node(i);
  const int arity = arity_of(graph_.op(i));
  if (arity < 0 || arity > 2) {
    if (std::size_t{record.first} + record.second > graph_.link_count())
      broken(i, fmt::format("its operands {} to {} leave the list of {}", record.first,
                            std::size_t{record.first} + record.second, graph_.link_count()));
    if (arity > 2 && record.second != static_cast<Index>(arity))
      broken(i, fmt::format("takes {} operands, not {}", arity, record.second));
  }
  const auto operands = graph_.operands(i);
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (operands[k] >= i) broken(i, fmt::format("operand {} is node {}, which is not before it", k, operands[k]));
}

void Verifier::check_source(Index i) const {
  const auto& type = graph_.type(i);
  try {
    // One value spread over the type: its rule holds all that extents must satisfy.
    broadcast(TensorType{type.element, {}}, type.shape);
  } catch (const TypeFault& fault) {
    broken(i, fault.text);
  }
  if (graph_.is<op::Parameter>(i)) {
    if (!type.element.is_floating()) broken(i, "a parameter is floating, not " + type.text());
    check_payload(i, "parameter", slots_.parameters);
    check_place(i, "parameter", slots_.parameter_nodes);
  } else if (graph_.is<op::Input>(i)) {
    check_payload(i, "input", slots_.inputs);
    check_place(i, "input", slots_.input_nodes);
  } else {
    check_payload(i, "constant", slots_.constants);
  }
}

void Verifier::check_payload(Index i, std::string_view kind, const std::vector<Tensor>& payloads) const {
  const auto slot = graph_.slot(i);
  if (slot >= payloads.size()) broken(i, fmt::format("slot {} is none of {} {} payloads", slot, payloads.size(), kind));
  const auto& held = payloads[slot].type();
  if (!(held == graph_.type(i)))
    broken(i, fmt::format("its payload in slot {} is {}, its type {}", slot, held.text(), graph_.type(i).text()),
           {held.text(), graph_.type(i).text()});
}

void Verifier::check_place(Index i, std::string_view kind, const std::vector<Index>& nodes) const {
  const auto slot = graph_.slot(i);
  if (slot >= nodes.size() || nodes[slot] != i)
    broken(i, fmt::format("the list of {} nodes does not name it in place {}", kind, slot));
}

void Verifier::check_type(Index i) {
  const auto& recorded = graph_.type(i);
  try {
    const auto given = infer(graph_.op(i), graph_.operand_types(i, room_));
    if (given == recorded) return;
    broken(i, fmt::format("its type is {}, its rule gives {}", recorded.text(), given.text()),
           {recorded.text(), given.text()});
  } catch (const TypeFault& fault) {
    broken(i, fmt::format("its rule refuses the operands ({}): {}", fault.label, fault.text), fault.types);
  }
}

void Verifier::check_slots(std::string_view kind, const std::vector<Index>& nodes, std::size_t payloads) const {
  if (nodes.size() != payloads)
    throw Error(ErrorKind::argument, "verify",
                fmt::format("{} {} nodes for {} payloads", nodes.size(), kind, payloads));
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const auto node = nodes[place];
    const auto text = fmt::format("the list of {} nodes has node {} in place {}", kind, node, place);
    if (node >= graph_.size())
      throw Error(ErrorKind::argument, "verify", fmt::format("{}: there are {} nodes", text, graph_.size()));
    if (place > 0 && node <= nodes[place - 1])
      broken(node, fmt::format("{}, after node {}: it does not ascend", text, nodes[place - 1]));
    if (kind == "parameter" ? !graph_.is<op::Parameter>(node) : !graph_.is<op::Input>(node))
      broken(node, fmt::format("{}, but it is no {}", text, kind));
    if (graph_.slot(node) != place) broken(node, fmt::format("{}, its slot is {}", text, graph_.slot(node)));
  }
}

void Verifier::check_labels() const {
  for (const auto& [node, label] : graph_.labels())
    if (node >= graph_.size())
      throw Error(ErrorKind::argument, "verify",
                  fmt::format("the label \"{}\" names node {}: there are {} nodes", label, node, graph_.size()));
}

}  // namespace

void verify(const Spec& spec, Index first) {
  Verifier verifier(spec);
  for (Index i = first; i < spec.graph.size(); ++i) verifier.check_node(i);
  verifier.check_slots("parameter", spec.slots.parameter_nodes, spec.slots.parameters.size());
  verifier.check_slots("input", spec.slots.input_nodes, spec.slots.inputs.size());
  verifier.check_labels();
}

void verify(const Network& network) {
  verify(*network.spec());
  if (*network.parameters().nodes() != network.spec()->slots.parameter_nodes)
    throw Error(ErrorKind::argument, "verify", "the network's own list of parameter nodes is not its columns'");
}

}  // namespace topos
