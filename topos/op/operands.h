// What a rule is handed and what it gives back, for any algebra.
#pragma once
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topos/stablehlo/writer.h"
#include "topos/type/rules.h"

namespace topos {

/// A node's operands as payloads of the algebra V, in order.
template <class V>
class Operands {
 public:
  explicit Operands(std::span<const V* const> operands) : operands_(operands) {}
  const V& operator[](std::size_t i) const { return *operands_[i]; }
  std::size_t size() const { return operands_.size(); }
  std::span<const V* const> all() const { return operands_; }

 private:
  std::span<const V* const> operands_;
};

/// Stands where an operand carries data only and takes no cotangent.
struct NoCotangent {};
inline constexpr NoCotangent no_cotangent;

/// One cotangent an operand, in order, or none.
template <class V>
class Cotangents {
 public:
  Cotangents() = default;
  template <class... C>
    requires(sizeof...(C) > 0 && (!std::same_as<std::remove_cvref_t<C>, Cotangents> && ...))
  Cotangents(C&&... cotangents) {
    (add(std::forward<C>(cotangents)), ...);
  }
  void add(NoCotangent) { next().reset(); }
  void add(V cotangent) { next() = std::move(cotangent); }
  std::size_t size() const { return size_; }
  std::optional<V>& operator[](std::size_t i) { return i < inline_capacity ? first_[i] : rest_[i - inline_capacity]; }

 private:
  static constexpr std::size_t inline_capacity = 3;
  std::optional<V>& next() { return size_++ < inline_capacity ? first_[size_ - 1] : rest_.emplace_back(); }
  std::size_t size_ = 0;
  std::optional<V> first_[inline_capacity];
  std::vector<std::optional<V>> rest_;
};

/// How many operands an opcode takes; `variable_arity`: as many as are given.
inline constexpr int variable_arity = -1;

/// A node on its way into a module.
struct Lowering {
  std::string name;                          ///< `%v7`
  const TensorType& type;                    ///< of the node
  std::span<const std::string> operands;     ///< `%v3`, `%arg0`
  std::span<const TensorType* const> types;  ///< of the operands
  std::string_view literal;                  ///< a constant's spelling, for a Leaf
  bool portable = false;                     ///< whether the module may hold operations of StableHLO alone
};

inline const TensorType& type_of(const TensorType& type) { return type; }
template <class V>
decltype(auto) type_of(const V& value) {
  return value.type();
}

}  // namespace topos
