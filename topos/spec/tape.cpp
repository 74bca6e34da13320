#include "topos/spec/tape.h"

#include <fmt/format.h>

#include "topos/spec/composite.h"
#include "topos/spec/describe.h"
#include "topos/spec/recorder.h"
#include "topos/spec/verify.h"

namespace topos {
namespace {

/// A literal's own element if it has one, else the place's.
ElementType element_for(const Literal& literal, ElementType place) {
  return literal.strong() != nullptr ? literal.strong()->element() : place;
}

Value source(Recorder& recorder, const Op& op, const Literal& literal, ElementType element, const Site& site) {
  try {
    return recorder.source(op, literal.tensor(element), site);
  } catch (const Error& error) {
    if (error.site().known()) throw;
    throw Error(error.kind(), std::string(name_of(op)), error.text(), error.types(), site);
  }
}

}  // namespace

Tape::Tape(ElementType working)
    : recorder_(
          std::make_unique<Recorder>(std::make_shared<Spec>(Spec{Graph(Recorder::fresh_family()), Slots{}, working}))) {
}
Tape::Tape(std::unique_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}
Tape::Tape(Tape&&) noexcept = default;
Tape& Tape::operator=(Tape&&) noexcept = default;
Tape::~Tape() = default;

Recorder& Tape::recorder() const {
  if (!recorder_) throw Error(ErrorKind::family, "Tape", "this tape was moved from or sealed");
  return *recorder_;
}

ElementType Tape::element() const { return recorder().spec->working; }

Value Tape::parameter(const Literal& initial, Site site) {
  return parameter(initial, element_for(initial, element()), site);
}
Value Tape::parameter(const Literal& initial, ElementType element, Site site) {
  if (!element.is_floating())
    throw Error(ErrorKind::type, "Parameter (C1)", fmt::format("a parameter is floating, not {}", element.name()),
                {std::string(element.name())}, site);
  return source(recorder(), op::Parameter{}, initial, element, site);
}
Value Tape::input(const Literal& otherwise, Site site) {
  return input(otherwise, element_for(otherwise, element()), site);
}
Value Tape::input(const Literal& otherwise, ElementType element, Site site) {
  return source(recorder(), op::Input{}, otherwise, element, site);
}
Value Tape::leaf(const Literal& constant, Site site) { return leaf(constant, element_for(constant, element()), site); }
Value Tape::leaf(const Literal& constant, ElementType element, Site site) {
  if (constant.is_number()) return recorder().constant(TensorType{element, {}}, constant.number(), site);
  return source(recorder(), op::Leaf{}, constant, element, site);
}
Value Tape::iota(const Shape& shape, Extent axis, Site site) {
  return recorder().record(op::Iota{i64, shape, axis_from_front(axis, shape.rank())}, {}, site);
}

Value Tape::resolve(Symbol symbol) { return recorder().value(recorder().own(symbol, "Tape::resolve")); }

std::size_t Tape::size() const { return recorder().spec->graph.size(); }

Node Tape::node(Symbol symbol) const { return {recorder().spec, recorder().own(symbol, "Tape::node")}; }

std::vector<Node> Tape::nodes() const {
  std::vector<Node> nodes;
  for (Index i = 0; i < size(); ++i) nodes.emplace_back(recorder().spec, i);
  return nodes;
}

std::optional<Tensor> Tape::payload(Symbol symbol) const {
  return payload_of(*recorder().spec, recorder().own(symbol, "Tape::payload"));
}

std::string Tape::describe() const { return topos::describe(*recorder().spec, "tape"); }

Network Tape::into_network() && {
  auto spec = std::move(recorder().spec);
  recorder_.reset();
#ifndef NDEBUG
  verify(*spec);
#endif
  auto nodes = std::make_shared<const std::vector<Index>>(spec->slots.parameter_nodes);
  return {std::move(spec), std::move(nodes)};
}

}  // namespace topos
