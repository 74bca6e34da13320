// Owns the walk of a kernel over the outer axes of its views: one call of a row function a position. Internal.
#pragma once
#include "topos/kernel/task.h"

namespace topos::kernel {

/// One run of a kernel, as its rows see it.
struct Call {
  Call(const Task& task, const void* const* operands, void* result, void* scratch)
      : task(task), operands(operands), result(result), scratch(scratch) {}

  const Task& task;
  const void* const* operands;
  void* result;
  void* scratch;
  Extent place = 0;  // for rows that may refuse a number: how many numbers came before
  Extent fault = no_fault;
  // The innermost axis, where `rows` says that it is the row.
  Extent n = 0;
  Extent step[max_operands] = {};
  Extent result_step = 0;
};

/// Elements between the first one of each view and the row's first one.
struct Offsets {
  Extent operand[max_operands] = {};
  Extent result = 0;
};

using Row = void (*)(Call& call, const Offsets& at);

/// Calls `row` at every position of the first `axes` axes, which all views have, in row-major order.
void walk(Call& call, std::size_t axes, Row row);

/// Makes the innermost axis the row.
void set_row(Call& call);

/// Walks all axes but the innermost one, which is the row: `n` elements at `step`. All views have the same axes.
void rows(Call& call, Row row);

/// Copies what a view shows from its axis `first` on, row-major without gaps, into `to`.
void lay_out(const View& view, std::size_t first, const void* from, void* to);

}  // namespace topos::kernel
