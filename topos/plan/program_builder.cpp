// From schedule to program: equal subexpressions, views, steps, and who writes where.
#include <deque>
#include <unordered_map>

#include "topos/element/registry.h"
#include "topos/kernel/product_pack.h"
#include "topos/plan/chains.h"
#include "topos/plan/fusion.h"
#include "topos/plan/lowering.h"
#include "topos/plan/memory.h"

namespace topos {
namespace {

class Builder {
 public:
  Builder(const Schedule& schedule, std::span<const Symbol> steady, ScratchBytes scratch_bytes)
      : schedule_(schedule),
        spec_(schedule.spec()),
        graph_(spec_.graph),
        scratch_bytes_(scratch_bytes),
        sharing_(schedule),
        fusion_(schedule, sharing_),
        steady_(schedule, steady),
        chains_(schedule, sharing_, fusion_, steady_),
        places_(schedule.reach()),
        step_of_(schedule.reach(), nowhere) {
    intern_strides({});
    add_base(Base::Kind::arena, nowhere, 0);
    add_base(Base::Kind::numbers, nowhere, 0);
    // Growing by doubling would touch twice the memory.
    storages_.reserve(schedule.nodes().size());
    program_.steps.reserve(schedule.nodes().size());
  }

  Program build() && {
    for (const auto i : schedule_.nodes()) {
      if (!fusion_.needed(i)) continue;
      if (const auto first = sharing_.first(i); first != i)
        share(i, first);
      else
        place(i);
    }
    keep_results();
    plan_memory(program_, storages_, scratch_);
    return std::move(program_);
  }

 private:
  Index add_base(Base::Kind kind, Index node, Index slot) {
    program_.bases.push_back({kind, node, slot});
    return static_cast<Index>(program_.bases.size() - 1);
  }
  Index add_storage(Address at, std::uint64_t bytes, bool computed) {
    storages_.push_back({at, bytes, 0, computed, !computed});
    return static_cast<Index>(storages_.size() - 1);
  }
  Index intern_strides(const Shape& strides) {
    const auto hash = hash_of(strides);
    for (auto [at, end] = stride_ids_.equal_range(hash); at != end; ++at)
      if (strides_[at->second] == strides) return at->second;
    const auto id = static_cast<Index>(strides_.size());
    strides_.push_back(strides);
    stride_ids_.emplace(hash, id);
    return id;
  }
  Index row_major(const Shape& shape) { return shape.empty() ? 0 : intern_strides(row_major_strides(shape)); }

  void share(Index i, Index first) {
    places_[i] = places_[first];
    ++program_.shared;
    if (graph_.operands(i).empty()) return;  // constants are shared without mention
    const auto step = step_of_[first];
    if (step == nowhere) return;
    auto& covers = program_.covers;
    const auto [known, fresh] = cover_of_.try_emplace(step, covers.size());
    if (fresh) covers.push_back({step, first});
    covers[known->second].push_back(i);
  }

  void place(Index i) {
    const auto& op = graph_.op(i);
    const auto& type = graph_.type(i);
    if (is_source(op) || graph_.operands(i).empty()) return place_source(i);
    if (chains_.inside(i)) return;
    if (const auto* group = chains_.at(i)) return add_chain_step(i, *group);
    if (const auto* pattern = fusion_.at(i)) return add_fused_step(i, *pattern);
    const auto operands = graph_.operands(i);
    const auto& operand = places_[operands[0]];
    if (operands.size() == 1) {
      const Seen seen{strides_[operand.strides], operand.offset};
      if (auto view = view_of(op, graph_.type(operands[0]), seen, type)) {
        places_[i] = {operand.storage, intern_strides(view->strides), view->offset};
        ++program_.views;
        return;
      }
    }
    places_[i] = {add_storage({}, type.bytes(), true), row_major(type.shape), 0};
    if (graph_.is<op::Pad>(i)) return add_pad(i, std::get<op::Pad>(op));
    if (graph_.is<op::Concat>(i)) return add_concat(i, std::get<op::Concat>(op));
    add_task_step(i);
  }

  void place_source(Index i) {
    const auto& type = graph_.type(i);
    const auto slot = graph_.node(i).first;
    if (graph_.is<op::Leaf>(i) && spec_.slots.constants[slot].is_single()) {
      const std::uint64_t offset = 16 * program_.numbers.size();
      program_.numbers.push_back(i);
      places_[i] = {add_storage({1, offset}, 16, false), intern_strides(Shape::zeros(type.rank())), 0};
      return;
    }
    if (graph_.is<op::Parameter>(i) || graph_.is<op::Input>(i)) {
      const auto kind = graph_.is<op::Parameter>(i) ? Base::Kind::parameter : Base::Kind::input;
      places_[i] = {add_storage({add_base(kind, i, slot), 0}, type.bytes(), false), row_major(type.shape), 0};
      return;
    }
    // A ranked constant or a count: laid out once, when the plan is made.
    const auto base = add_base(Base::Kind::constant, i, static_cast<Index>(program_.constants.size()));
    program_.constants.push_back(i);
    places_[i] = {add_storage({base, 0}, type.bytes(), false), row_major(type.shape), 0};
  }

  kernel::View view(Index i, const Place& place) const {
    return {graph_.type(i).element, graph_.type(i).shape, strides_[place.strides]};
  }
  /// Until memory is planned an address names a storage and a byte in it.
  Address address(Index i, const Place& place) const {
    return {place.storage, static_cast<std::uint64_t>(place.offset) * graph_.type(i).element.size()};
  }

  Index intern_task(std::vector<Index> key, kernel::Task&& task) {
    const auto [found, fresh] = task_ids_.try_emplace(std::move(key), static_cast<Index>(program_.tasks.size()));
    if (fresh) {
      scratch_.push_back(scratch_bytes_(task));
      program_.tasks.push_back(std::move(task));
    }
    return found->second;
  }

  void add_step(Step step) {
    const auto index = static_cast<Index>(program_.steps.size());
    for (const auto& operand : program_.operands_of(step)) storages_[operand.base].last_step = index;
    if (step_of_[step.node] == nowhere) step_of_[step.node] = index;
    program_.steps.push_back(step);
  }

  /// Where a node reads an operand: a product's right one may be packed.
  const Place& operand_place(Index i, std::size_t operand) const {
    const auto read = graph_.operands(i)[operand];
    if (operand == 1 && !packed_.empty() && graph_.is<op::MatMul>(i))
      if (const auto found = packed_.find(read); found != packed_.end()) return found->second;
    return places_[read];
  }
  /// Has the right operand of a product laid out once where it is steady and the kernel would lay it out in each run.
  void pack_steady(Index i) {
    const auto right = graph_.operands(i)[1];
    const auto& place = places_[right];
    const auto& from = storages_[place.storage];
    if (from.computed || packed_.contains(right)) return;
    const auto& source = program_.bases[from.at.base];
    if (source.kind == Base::Kind::numbers || !steady_.holds(source.node)) return;
    if (is_users(graph_.type(right).element) || graph_.type(right).shape.volume() == 0) return;
    kernel::Task product;
    describe_task(graph_.op(i), product);
    product.operand_count = 2;
    for (std::size_t k = 0; k < 2; ++k) product.operands[k] = view(graph_.operands(i)[k], operand_place(i, k));
    product.result = view(i, places_[i]);
    const auto packed = kernel::packed(product);
    if (packed.strides == product.operands[1].strides) return;
    const auto base = add_base(Base::Kind::packed, right, static_cast<Index>(program_.packed.size()));
    packed_[right] = {add_storage({base, 0}, kernel::pack_bytes(product), false), intern_strides(packed.strides), 0};
    program_.packed.push_back({static_cast<Index>(from.at.base), address(right, place).offset, std::move(product)});
  }

  /// The task of the node whose key stands in key_.
  Index task_of(Index i) {
    if (const auto found = task_ids_.find(key_); found != task_ids_.end()) return found->second;
    const auto operands = graph_.operands(i);
    kernel::Task task;
    describe_task(graph_.op(i), task);
    task.operand_count = operands.size();
    for (std::size_t k = 0; k < operands.size(); ++k) task.operands[k] = view(operands[k], operand_place(i, k));
    task.result = view(i, places_[i]);
    // A Reshape that must copy lays its operand out as it is; row by row that is the new shape too.
    if (task.kind == kernel::Kind::copy) task.result = kernel::contiguous(graph_.type(operands[0]));
    return intern_task(key_, std::move(task));
  }
  void add_task_step(Index i) {
    const auto operands = graph_.operands(i);
    if (graph_.is<op::MatMul>(i)) pack_steady(i);
    key_.assign({graph_.node(i).op, graph_.node(i).type});
    for (std::size_t k = 0; k < operands.size(); ++k) {
      key_.push_back(graph_.node(operands[k]).type);
      key_.push_back(operand_place(i, k).strides);
    }
    Step step{i, 0, {}, address(i, places_[i]), 0};
    for (std::size_t k = 0; k < operands.size(); ++k) step.operands[k] = address(operands[k], operand_place(i, k));
    if (key_ != last_key_) {  // neighbours often do the same
      last_task_ = task_of(i);
      last_key_ = key_;
    }
    step.task = last_task_;
    add_step(step);
  }

  /// A composition as one step: it reads what the composition stands on.
  void add_fused_step(Index i, const Pattern& pattern) {
    places_[i] = {add_storage({}, graph_.type(i).bytes(), true), row_major(graph_.type(i).shape), 0};
    Step step{i, 0, {}, address(i, places_[i]), 0};
    kernel::Task task;
    for (std::size_t k = 0; k < pattern.reads.size(); ++k) {
      const auto read = pattern.reads[k];
      task.operands[k] = view(read, places_[read]);
      step.operands[k] = address(read, places_[read]);
    }
    task.operand_count = pattern.reads.size();
    task.result = view(i, places_[i]);
    describe_fused(pattern, task);
    key_ = fused_key(pattern, graph_.node(i).type);
    for (const auto read : pattern.reads) {
      key_.push_back(graph_.node(read).type);
      key_.push_back(places_[read].strides);
    }
    step.task = intern_task(key_, std::move(task));
    last_key_.clear();
    if (!pattern.claimed.empty()) cover(pattern.claimed).push_back(i);
    add_step(step);
  }
  /// Says what the step that comes next stands for.
  std::vector<Index>& cover(const std::vector<Index>& nodes) {
    auto& covers = program_.covers;
    cover_of_.emplace(static_cast<Index>(program_.steps.size()), covers.size());
    covers.push_back({static_cast<Index>(program_.steps.size())});
    covers.back().insert(covers.back().end(), nodes.begin(), nodes.end());
    return covers.back();
  }

  void add_chain_step(Index i, const ChainGroup& group) {
    places_[i] = {add_storage({}, graph_.type(i).bytes(), true), row_major(graph_.type(i).shape), 0};
    Step step{i, 0, {}, address(i, places_[i]), 0};
    key_ = chain_key(graph_, sharing_, group);
    std::vector<Address> operands;
    for (const auto read : group.operands) {
      operands.push_back(address(read, places_[read]));
      key_.push_back(graph_.node(read).type);
      key_.push_back(places_[read].strides);
    }
    program_.set_operands(step, operands);
    const auto found = task_ids_.find(key_);
    step.task = found != task_ids_.end() ? found->second : intern_task(key_, chain_task(i, group));
    last_key_.clear();
    cover(group.covered);
    add_step(step);
  }
  kernel::Task chain_task(Index i, const ChainGroup& group) const {
    auto chain = std::make_shared<kernel::Chain>();
    chain->links = links_of(graph_, sharing_, group);
    chain->follows_product = group.product != nowhere;
    for (const auto read : group.operands) chain->operands.push_back(view(read, places_[read]));
    kernel::Task task;
    task.kind = kernel::Kind::chain;
    task.operand_count = group.operands.size();
    task.result = view(i, places_[i]);
    task.chain = std::move(chain);
    return task;
  }

  /// Copies operand into a window of node i's storage, `start` along `axis`.
  void add_window_copy(Index i, Index operand, Extent axis, Extent start) {
    const auto& whole = strides_[places_[i].strides];
    kernel::Task task;
    task.kind = kernel::Kind::copy;
    task.operand_count = 1;
    task.operands[0] = view(operand, places_[operand]);
    task.result = {graph_.type(i).element, graph_.type(operand).shape, whole};
    Step step{i, 0, {address(operand, places_[operand])}, address(i, places_[i]), 0};
    if (task.result.shape.volume() != 0)
      step.result = {step.result.base, step.result.offset + static_cast<std::uint64_t>(start * whole.at(axis)) *
                                                                graph_.type(i).element.size()};
    step.task = intern_task({copy_key, graph_.node(operand).type, places_[operand].strides, places_[i].strides},
                            std::move(task));
    add_step(step);
  }
  void add_pad(Index i, const op::Pad& pad) {
    kernel::Task fill;
    fill.kind = kernel::Kind::fill_zero;
    fill.result = view(i, places_[i]);
    Step step{i, 0, {}, address(i, places_[i]), 0};
    step.task = intern_task({fill_key, graph_.node(i).type}, std::move(fill));
    add_step(step);
    add_window_copy(i, graph_.operands(i)[0], pad.axis, pad.start);
  }
  void add_concat(Index i, const op::Concat& concat) {
    Extent start = 0;
    for (const auto operand : graph_.operands(i)) {
      add_window_copy(i, operand, concat.axis, start);
      start += graph_.type(operand).shape.at(concat.axis);
    }
  }

  /// Results are written where the run keeps them if a step computes them whole, and delivered afterwards otherwise.
  void keep_results() {
    program_.kept = schedule_.results();
    if (schedule_.backward())
      for (const auto i : schedule_.nodes())
        if (schedule_.required(i) && !schedule_.readable(i)) program_.kept.push_back(i);
    for (Index k = 0; k < program_.kept.size(); ++k) {
      const auto i = program_.kept[k];
      const auto& type = graph_.type(i);
      const auto base = add_base(Base::Kind::result, i, k);
      auto& storage = storages_[places_[i].storage];
      const bool whole =
          places_[i].offset == 0 && places_[i].strides == row_major(type.shape) && storage.bytes == type.bytes();
      if (type.rank() > 0 && storage.computed && !storage.placed && whole) {
        storage.at = {base, 0};
        storage.placed = true;
      } else {
        deliver(k, base);
      }
    }
  }
  void deliver(Index k, Index base) {
    const auto i = program_.kept[k];
    const auto& type = graph_.type(i);
    storages_[places_[i].storage].last_step = nowhere;  // lives to the end
    Delivery delivery{k, address(i, places_[i]), nowhere, base};
    if (type.rank() > 0) {
      kernel::Task task;
      task.kind = kernel::Kind::copy;
      task.operand_count = 1;
      task.operands[0] = view(i, places_[i]);
      task.result = kernel::contiguous(type);
      delivery.task =
          intern_task({copy_key, graph_.node(i).type, places_[i].strides, row_major(type.shape)}, std::move(task));
    }
    program_.deliveries.push_back(delivery);
  }

  static constexpr Index copy_key = nowhere - 1, fill_key = nowhere - 2;

  struct KeyHash {
    std::size_t operator()(const std::vector<Index>& key) const {
      std::uint64_t hash = key.size();
      for (const auto part : key) hash = (hash ^ part) * 0x9E3779B97F4A7C15u + (hash >> 29);
      return hash;
    }
  };

  const Schedule& schedule_;
  const Spec& spec_;
  const Graph& graph_;
  ScratchBytes scratch_bytes_;
  Sharing sharing_;
  Fusion fusion_;
  Steady steady_;
  Chains chains_;
  std::vector<Place> places_;
  std::vector<Storage> storages_;
  std::vector<Index> step_of_;  // the first step of each node
  std::unordered_map<Index, std::size_t> cover_of_;
  std::unordered_map<Index, Place> packed_;  // of products' right operands
  std::deque<Shape> strides_;
  std::unordered_multimap<std::uint64_t, Index> stride_ids_;
  std::unordered_map<std::vector<Index>, Index, KeyHash> task_ids_;
  std::vector<Index> key_, last_key_;
  Index last_task_ = nowhere;
  std::vector<std::uint64_t> scratch_;
  Program program_;
};

}  // namespace

Program make_program(const Schedule& schedule, std::span<const Symbol> steady, ScratchBytes scratch_bytes) {
  return Builder(schedule, steady, scratch_bytes).build();
}

}  // namespace topos
