#include "topos/spec/graph.h"

#include <algorithm>

namespace topos {

NodeColumn::NodeColumn(const NodeColumn& other) : size_(other.size_) {
  for (const auto& block : other.blocks_) {
    grow();
    std::copy_n(block.get(), block_size, blocks_.back().get());
  }
}

void NodeColumn::grow() {
  // Initialised, so that a copy of the last block reads nothing undefined.
  blocks_.push_back(std::make_unique<NodeRecord[]>(block_size));
}

void NodeColumn::truncate(Index size) {
  size_ = size;
  blocks_.resize((static_cast<std::size_t>(size) + block_size - 1) / block_size);
}

std::span<const TensorType* const> Graph::operand_types(Index i, std::vector<const TensorType*>& room) const {
  room.clear();
  for (const auto operand : operands(i)) room.push_back(&type(operand));
  return room;
}

std::string_view Graph::label(Index i) const {
  const auto found = labels_.find(i);
  return found == labels_.end() ? std::string_view{} : found->second;
}

Index Graph::intern_op(const Op& op) {
  const bool plain = topos::visit([]<class O>(const O&) { return std::tuple_size_v<decltype(O::fields)> == 0; }, op);
  if (plain && plain_op_[op.index()] != 0) return plain_op_[op.index()] - 1;
  const auto hash = hash_of(op);
  if (!plain)
    for (auto [at, end] = op_ids_.equal_range(hash); at != end; ++at)
      if (ops_[at->second] == op) return at->second;
  const auto id = static_cast<Index>(ops_.size());
  ops_.push_back(op);
  arities_.push_back(static_cast<std::int8_t>(arity_of(op)));
  kinds_.push_back(static_cast<std::uint8_t>(op.index()));
  if (plain)
    plain_op_[op.index()] = id + 1;
  else
    op_ids_.emplace(hash, id);
  return id;
}

Index Graph::intern_type(const TensorType& type) {
  const auto hash = hash_of(type);
  for (auto [at, end] = type_ids_.equal_range(hash); at != end; ++at)
    if (types_[at->second] == type) return at->second;
  const auto id = static_cast<Index>(types_.size());
  types_.push_back(type);
  type_ids_.emplace(hash, id);
  return id;
}

Index Graph::intern_site(const Site& site) {
  if (site == last_site_ && last_site_id_ != nowhere) return last_site_id_;
  const auto [found, fresh] = site_ids_.try_emplace(site, static_cast<Index>(sites_.size()));
  if (fresh) sites_.push_back(site);
  last_site_ = site;
  last_site_id_ = found->second;
  return last_site_id_;
}

Index Graph::infer(Index op, std::span<const Index> operands) {
  Memo* memo = nullptr;
  if (operands.size() == 1 || operands.size() == 2) {
    const auto first = nodes_[operands[0]].type;
    const auto second = operands.size() == 2 ? nodes_[operands[1]].type : nowhere;
    memo = &memo_[(op * 7 + first * 3 + second) % memo_.size()];
    if (memo->op == op && memo->first == first && memo->second == second) return memo->type;
    *memo = {nowhere, first, second, 0};
  }
  std::vector<const TensorType*> types;
  for (const auto operand : operands) types.push_back(&type(operand));
  const auto id = intern_type(topos::infer(ops_[op], types));
  if (memo != nullptr) {
    memo->op = op;
    memo->type = id;
  }
  return id;
}

Index Graph::append(Index op, Index type, Index site, Index origin, std::span<const Index> operands) {
  NodeRecord record{op, type, site, origin, 0, 0};
  if (arities_[op] >= 0 && arities_[op] <= 2) {
    if (!operands.empty()) record.first = operands[0];
    if (operands.size() > 1) record.second = operands[1];
  } else {
    record.first = static_cast<Index>(links_.size());
    record.second = static_cast<Index>(operands.size());
    links_.insert(links_.end(), operands.begin(), operands.end());
  }
  nodes_.push_back(record);
  return size() - 1;
}

Index Graph::append_source(Index op, Index type, Index site, Index origin, Index slot) {
  nodes_.push_back({op, type, site, origin, slot, 0});
  return size() - 1;
}

void Graph::truncate(Index nodes, std::size_t links) {
  for (auto i = nodes; !labels_.empty() && i < size(); ++i) labels_.erase(i);
  nodes_.truncate(nodes);
  links_.resize(links);
}

}  // namespace topos
