// Owns how a task's axes are dropped, merged and put back together before its kernel sees them. Internal.
#pragma once
#include <array>
#include <vector>

#include "topos/kernel/task.h"

namespace topos::kernel {

/// Axes that several views walk together: an extent, and a stride a view.
class Axes {
 public:
  static constexpr std::size_t result = max_operands;  // where the result's strides stand among the operands'
  struct Axis {
    Extent extent = 1;
    std::array<Extent, max_operands + 1> stride{};
  };

  void push(const Axis& axis) { axes_.push_back(axis); }
  /// Drops axes of extent 1 and makes one of neighbours that every view steps through as through one.
  void merge();
  /// Puts the axes behind those of a view, with the strides that stand at `place`.
  void append_to(View& view, std::size_t place) const;

  std::size_t size() const { return axes_.size(); }
  const Axis& back() const { return axes_.back(); }
  void pop() { axes_.pop_back(); }

 private:
  std::vector<Axis> axes_;
};

}  // namespace topos::kernel
