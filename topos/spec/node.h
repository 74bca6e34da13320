// A node and its opcode as a program outside the library sees them: the public instruction set.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topos/base/site.h"
#include "topos/spec/symbol.h"
#include "topos/type/tensor_type.h"

namespace topos {

struct Spec;
class Tensor;
class Value;

/// What a node does, with its attributes. Shares the network's columns.
class Opcode {
 public:
  Opcode(std::shared_ptr<const Spec> spec, Index node) : spec_(std::move(spec)), node_(node) {}

  std::string_view name() const;
  /// `axis=0 extent=8`; empty without attributes.
  std::string attributes() const;
  bool is_source() const;

  /// Evaluates (Tensor), checks (TensorType) or records again (Value) this opcode over operands; over a class of the
  /// user's with topos/custom.h. Throws Error(argument) for a source and for a wrong number of operands.
  template <class V>
  V express(std::span<const V* const> operands) const;
  template <class V>
  V express(const std::vector<const V*>& operands) const {
    return express<V>(std::span<const V* const>(operands));
  }
  /// The derivative rule: for each operand its cotangent, or null where it carries data only.
  template <class V>
  std::vector<std::optional<V>> vjp(std::span<const V* const> operands, const V& output, const V& cotangent) const;
  template <class V>
  std::vector<std::optional<V>> vjp(const std::vector<const V*>& operands, const V& output, const V& cotangent) const {
    return vjp<V>(std::span<const V* const>(operands), output, cotangent);
  }

 private:
  std::shared_ptr<const Spec> spec_;
  Index node_;
};

/// A detached snapshot of one node.
class Node {
 public:
  Node(std::shared_ptr<const Spec> spec, Index index) : spec_(std::move(spec)), index_(index) {}

  Symbol symbol() const;
  Opcode opcode() const { return {spec_, index_}; }
  /// The printed name: Sum or SumAlong.
  std::string_view name() const;
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  /// In order; empty for sources and counts.
  std::vector<Symbol> operands() const;
  /// Leaf, Parameter or Input: holds a payload and is never computed.
  bool is_source() const;
  /// The place that recorded it.
  Site site() const;
  std::string_view label() const;
  /// The forward node whose derivative this one belongs to; names nothing for a forward node.
  Symbol origin() const;
  /// The line that `describe` prints.
  std::string text() const;

 private:
  std::shared_ptr<const Spec> spec_;
  Index index_;
};

}  // namespace topos
