#include "topos/spec/node.h"

#include "topos/spec/describe.h"
#include "topos/spec/node_walk.h"
#include "topos/spec/value.h"
#include "topos/tensor/algebra.h"

namespace topos {

std::string_view Opcode::name() const { return name_of(spec_->graph.op(node_)); }

std::string Opcode::attributes() const {
  std::vector<const TensorType*> room;
  return attributes_of(spec_->graph.op(node_), spec_->graph.operand_types(node_, room));
}

bool Opcode::is_source() const { return topos::is_source(spec_->graph.op(node_)); }

Symbol Node::symbol() const { return {spec_->graph.family(), index_}; }

std::string_view Node::name() const {
  std::vector<const TensorType*> room;
  return title_of(spec_->graph.op(index_), spec_->graph.operand_types(index_, room));
}

const TensorType& Node::type() const { return spec_->graph.type(index_); }

std::vector<Symbol> Node::operands() const {
  std::vector<Symbol> symbols;
  for (const auto operand : spec_->graph.operands(index_)) symbols.emplace_back(spec_->graph.family(), operand);
  return symbols;
}

bool Node::is_source() const { return topos::is_source(spec_->graph.op(index_)); }
Site Node::site() const { return spec_->graph.site(index_); }
std::string_view Node::label() const { return spec_->graph.label(index_); }

Symbol Node::origin() const {
  const auto origin = spec_->graph.node(index_).origin;
  return origin == nowhere ? Symbol{} : Symbol{spec_->graph.family(), origin};
}

std::string Node::text() const { return line_of(*spec_, index_); }

// The library's own algebras are compiled here once; a user's comes with custom.h.
template Tensor Opcode::express<Tensor>(std::span<const Tensor* const>) const;
template TensorType Opcode::express<TensorType>(std::span<const TensorType* const>) const;
template std::vector<std::optional<Tensor>> Opcode::vjp<Tensor>(std::span<const Tensor* const>, const Tensor&,
                                                                const Tensor&) const;
template std::vector<std::optional<Value>> Opcode::vjp<Value>(std::span<const Value* const>, const Value&,
                                                              const Value&) const;
template Value Opcode::express<Value>(std::span<const Value* const>) const;

}  // namespace topos
