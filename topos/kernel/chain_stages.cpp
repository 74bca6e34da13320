#include "topos/kernel/chain_stages.h"

#include <algorithm>

namespace topos::kernel {
namespace {

/// What does the function of a link in registers, where the total is its first operand; `store`: nothing does.
Action action_of(const Link& link) {
  if (link.kind != Kind::unary && link.kind != Kind::binary) return Action::store;
  switch (link.function) {
    case Function::add: return Action::add;
    case Function::subtract: return Action::subtract;
    case Function::multiply: return Action::multiply;
    case Function::divide: return Action::divide;
    case Function::maximum: return Action::maximum;
    case Function::minimum: return Action::minimum;
    case Function::negate: return Action::negate;
    case Function::absolute: return Action::absolute;
    default: return Action::store;
  }
}
/// The same where the total is the second operand.
Action turned(Action action) {
  if (action == Action::subtract) return Action::subtract_from;
  return action == Action::divide ? Action::divide_into : action;
}
/// The same where it is both; `store`: that needs the numbers in memory too.
Action doubled(Action action) {
  return action == Action::add ? Action::twice : action == Action::multiply ? Action::square : Action::store;
}

/// Divides a chain into stages, for tiles of one shape.
class Staging {
 public:
  Staging(const Chain& chain, const View& result, const Shape& shape, const ChainTiles& tiles)
      : chain_(chain),
        result_(result),
        shape_(shape),
        tiles_(tiles),
        first_(chain.operands.size()),
        laid_out_(chain.operands.size()) {}

  ChainTile stages() && {
    tile_.volume = shape_.volume();
    for (std::size_t l = 0; l < chain_.links.size();) {
      auto end = l;
      while (end < chain_.links.size() && is_arithmetic(end) && chain_.links[end].element == chain_.links[l].element)
        ++end;
      if (end - l > 1) {
        add_program(l, end);
        l = end;
      } else {
        tile_.stages.push_back({nullptr, {}, prepare(task_of(l)), l});
        if (tile_.stages.back().kernel.run == nullptr) return {};
        ++l;
      }
    }
    return std::move(tile_);
  }

 private:
  bool is_last(std::size_t l) const { return l + 1 == chain_.links.size(); }
  View view_of(std::size_t value) const {
    if (value < first_) return tile_view(chain_.operands[value], shape_);
    const auto l = value - first_;
    return is_last(l) ? tile_view(result_, shape_) : contiguous({chain_.links[l].element, shape_});
  }
  Task task_of(std::size_t l) const {
    const auto& link = chain_.links[l];
    Task task;
    task.kind = link.kind;
    task.function = link.function;
    task.direction = link.direction;
    task.operand_count = link.operand_count;
    for (std::size_t k = 0; k < link.operand_count; ++k) task.operands[k] = view_of(link.operands[k]);
    task.result = view_of(first_ + l);
    return task;
  }

  /// Whether the numbers of a value lie one behind the other.
  bool is_closed(std::size_t value) const {
    const auto view = view_of(value);
    return is_row_major(view.shape, view.strides);
  }
  bool is_arithmetic(std::size_t l) const {
    const auto& link = chain_.links[l];
    if (action_of(link) == Action::store || arithmetic_of(link.element) == nullptr) return false;
    const auto streams = [&](std::size_t value) {
      if (!(view_of(value).element == link.element)) return false;
      const bool has_room = value < first_ && (tiles_.rooms[value].repeated | tiles_.rooms[value].laid_out) != 0;
      return has_room || is_closed(value);
    };
    return streams(first_ + l) && std::all_of(link.operands, link.operands + link.operand_count, streams);
  }
  /// Whether a link's result is read from memory where links before `end` are one program.
  bool is_stored(std::size_t l, std::size_t end) const {
    const auto value = first_ + l;
    for (auto reader = l + 1; reader < chain_.links.size(); ++reader) {
      const auto& link = chain_.links[reader];
      const auto reads = std::count(link.operands, link.operands + link.operand_count, value);
      const bool from_total =
          reader == l + 1 && reader < end && (reads < 2 || doubled(action_of(link)) != Action::store);
      if (reads > 0 && !from_total) return true;
    }
    return l + 1 == end;
  }

  /// An instruction with a value, which is laid out first where that must be.
  Instruction instruction(Action action, std::size_t value) {
    if (value >= first_) return {action, false, false, value};
    const auto& room = tiles_.rooms[value];
    if (room.repeated != 0) return {action, true, true, room.repeated};
    if (is_closed(value)) return {action, false, false, value};
    if (!laid_out_[value]) {
      laid_out_[value] = true;
      Task copy;
      copy.kind = Kind::copy;
      copy.operand_count = 1;
      copy.operands[0] = view_of(value);
      copy.result = contiguous({copy.operands[0].element, shape_});
      tile_.stages.push_back({nullptr, {}, prepare(copy), value, room.laid_out});
    }
    return {action, true, false, room.laid_out};
  }
  void add_program(std::size_t begin, std::size_t end) {
    constexpr auto none = ~std::size_t{0};
    std::vector<Instruction> program;
    auto total = none;
    for (auto l = begin; l < end; ++l) {
      const auto& link = chain_.links[l];
      const auto action = action_of(link);
      const auto a = link.operands[0], b = link.operand_count == 2 ? link.operands[1] : none;
      if (total == none || (total != a && total != b)) program.push_back(instruction(Action::load, total = a));
      if (b == none || (a == b && doubled(action) != Action::store))
        program.push_back({b == none ? action : doubled(action), false, false, a});
      else
        program.push_back(total == a ? instruction(action, b) : instruction(turned(action), a));
      total = first_ + l;
      if (is_stored(l, end)) program.push_back({Action::store, false, false, total});
    }
    tile_.stages.push_back({arithmetic_of(chain_.links[begin].element), std::move(program), {}, begin});
  }

  const Chain& chain_;
  const View& result_;
  const Shape& shape_;
  const ChainTiles& tiles_;
  std::size_t first_;
  std::vector<bool> laid_out_;
  ChainTile tile_;
};

}  // namespace

View tile_view(const View& view, const Shape& shape) {
  const std::vector<Extent> strides(view.strides.end() - shape.rank(), view.strides.end());
  return {view.element, shape, strides};
}

ChainTile stages_of(const Chain& chain, const View& result, const Shape& shape, const ChainTiles& tiles) {
  return Staging(chain, result, shape, tiles).stages();
}

}  // namespace topos::kernel
