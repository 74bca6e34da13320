// The payload-free graph: one record a node, everything that repeats interned. Internal: it exposes the opcodes.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "topos/op/op.h"

namespace topos {

/// 24 bytes a node. A source keeps its payload's slot in `first`; three operands or more stand in the long list at
/// `first`, `second` of them.
struct NodeRecord {
  Index op;
  Index type;
  Index site;    // with composite_bit set where a composite recorded it
  Index origin;  // the forward node whose derivative this belongs to, or nowhere
  Index first;
  Index second;
};
static_assert(sizeof(NodeRecord) == 24);

inline constexpr Index composite_bit = Index{1} << 31;

/// Records in blocks that never move: growth copies nothing and holds no more than a block too much.
class NodeColumn {
 public:
  NodeColumn() = default;
  NodeColumn(const NodeColumn& other);
  NodeColumn& operator=(const NodeColumn&) = delete;

  Index size() const { return size_; }
  NodeRecord& operator[](Index i) { return blocks_[i / block_size][i % block_size]; }
  const NodeRecord& operator[](Index i) const { return blocks_[i / block_size][i % block_size]; }
  void push_back(const NodeRecord& record) {
    if (size_ % block_size == 0) grow();
    blocks_[size_ / block_size][size_ % block_size] = record;
    ++size_;
  }
  /// Takes nodes back from the end.
  void truncate(Index size);

 private:
  static constexpr Index block_size = 1024;
  void grow();
  std::vector<std::unique_ptr<NodeRecord[]>> blocks_;
  Index size_ = 0;
};

/// Ids for opcodes, types and sites; a node names them by id. References stay while more is added: a rule may hold
/// them while it records.
class Graph {
 public:
  explicit Graph(std::uint64_t family) : family_(family) {}
  Graph(const Graph&) = default;  // reopening copies what somebody else still holds
  Graph& operator=(const Graph&) = delete;

  std::uint64_t family() const { return family_; }
  Index size() const { return nodes_.size(); }
  const NodeRecord& node(Index i) const { return nodes_[i]; }
  const Op& op(Index i) const { return ops_[nodes_[i].op]; }
  template <class O>
  bool is(Index i) const {
    return kinds_[nodes_[i].op] == op_index<O>(static_cast<const Op*>(nullptr));
  }
  const TensorType& type(Index i) const { return types_[nodes_[i].type]; }
  /// The type that an id, a node record's, stands for.
  const TensorType& type_by_id(Index id) const { return types_[id]; }
  Site site(Index i) const { return sites_[nodes_[i].site & ~composite_bit]; }
  bool by_composite(Index i) const { return (nodes_[i].site & composite_bit) != 0; }
  std::span<const Index> operands(Index i) const {
    const auto& record = nodes_[i];
    const int arity = arities_[record.op];
    if (arity >= 0 && arity <= 2) return {&record.first, static_cast<std::size_t>(arity)};
    return {links_.data() + record.first, record.second};
  }
  /// A source's slot in the payloads of its kind.
  Index slot(Index i) const { return nodes_[i].first; }
  /// The operands' types, into `room`.
  std::span<const TensorType* const> operand_types(Index i, std::vector<const TensorType*>& room) const;
  /// A name given by the program, for messages; empty for most nodes.
  std::string_view label(Index i) const;

  Index intern_op(const Op& op);
  /// The same for an opcode known where it is written: one without attributes needs no look-up.
  template <class O>
  Index intern(const O& opcode) {
    if constexpr (std::tuple_size_v<decltype(O::fields)> == 0) {
      constexpr auto place = op_index<O>(static_cast<const Op*>(nullptr));
      if (plain_op_[place] != 0) return plain_op_[place] - 1;
    }
    return intern_op(opcode);
  }
  Index intern_type(const TensorType& type);
  Index intern_site(const Site& site);
  const Op& op_by_id(Index id) const { return ops_[id]; }

  /// The type id of `op` over operands; remembers what it has checked. Throws TypeFault.
  Index infer(Index op, std::span<const Index> operands);
  Index append(Index op, Index type, Index site, Index origin, std::span<const Index> operands);
  /// A source with its slot.
  Index append_source(Index op, Index type, Index site, Index origin, Index slot);
  void label(Index i, std::string text) { labels_[i] = std::move(text); }

  std::size_t link_count() const { return links_.size(); }
  std::size_t op_count() const { return ops_.size(); }
  std::size_t type_count() const { return types_.size(); }
  std::size_t site_count() const { return sites_.size(); }
  /// Names by node, in no order.
  const std::unordered_map<Index, std::string>& labels() const { return labels_; }
  void truncate(Index nodes, std::size_t links);

 private:
  /// Where the variant holds O.
  template <class O, class... All>
  static constexpr std::size_t op_index(const std::variant<All...>*) {
    std::size_t place = 0;
    (void)((std::same_as<O, All> || (++place, false)) || ...);
    return place;
  }
  struct Memo {
    Index op = nowhere, first = 0, second = 0, type = 0;
  };
  struct SiteHash {
    std::size_t operator()(const Site& site) const {
      return (reinterpret_cast<std::uintptr_t>(site.file()) ^ site.line() * 0x9E3779B9u) * 31;
    }
  };

  std::uint64_t family_;
  NodeColumn nodes_;
  std::vector<Index> links_;
  std::deque<Op> ops_;
  std::deque<TensorType> types_;
  std::vector<Site> sites_;
  std::vector<std::int8_t> arities_;  // by opcode id
  std::vector<std::uint8_t> kinds_;   // by opcode id: where the variant holds it
  std::unordered_map<Index, std::string> labels_;

  std::array<Memo, 64> memo_;
  std::array<Index, std::variant_size_v<Op>> plain_op_{};  // id + 1 of opcodes without attributes
  std::unordered_multimap<std::uint64_t, Index> op_ids_, type_ids_;
  std::unordered_map<Site, Index, SiteHash> site_ids_;
  Site last_site_ = Site::none();
  Index last_site_id_ = nowhere;
};

}  // namespace topos
