// Brings a task into its kernel's form and asks the kernel's family for it.
#include "topos/kernel/axes.h"
#include "topos/kernel/families.h"

namespace topos::kernel {
namespace {

Extent nothing(const Task&, const void* const*, void*, void*) { return no_fault; }

/// The same view without its axes, to be given new ones.
View bare(const View& view) { return {view.element, {}, {}}; }

bool elements_agree(const Task& task) {
  const auto& [a, b, c] = task.operands;
  const auto result = task.result.element;
  switch (task.kind) {
    case Kind::compare: return a.element == b.element && result == boolean;
    case Kind::select: return a.element == boolean && b.element == result && c.element == result;
    case Kind::convert: return true;
    case Kind::chain: return true;  // its links are asked one by one
    case Kind::gather: return a.element == result && b.element == i64;
    case Kind::scatter: return a.element == result && b.element == i64;
    case Kind::matmul:
    case Kind::window_product:
    case Kind::window_input_gradient:
    case Kind::window_kernel_gradient:
    case Kind::window_maximum_gradient:
    case Kind::binary: return a.element == result && b.element == result;
    case Kind::argmax_along: return result == i64;
    case Kind::fill_zero: return true;  // every element's zero is zero bytes
    default: return a.element == result;
  }
}

void find(Prepared& prepared) {
  switch (prepared.task.kind) {
    case Kind::unary:
    case Kind::binary: return find_elementwise(prepared);
    case Kind::compare: return find_compare(prepared);
    case Kind::select: return find_select(prepared);
    case Kind::convert: return find_convert(prepared);
    case Kind::chain: return find_chain(prepared);
    case Kind::copy: return find_copy(prepared);
    case Kind::fill_zero: return find_fill(prepared);
    case Kind::matmul: return find_matmul(prepared);
    case Kind::sum: return find_sum(prepared);
    case Kind::softmax:
    case Kind::log_softmax:
    case Kind::logsumexp: return find_softmax(prepared);
    case Kind::max_along:
    case Kind::argmax_along: return find_extreme(prepared);
    case Kind::fold: return find_fold(prepared);
    case Kind::gather: return find_gather(prepared);
    case Kind::scatter: return find_scatter(prepared);
    case Kind::window_product: return find_window_product(prepared);
    case Kind::window_input_gradient: return find_window_input_gradient(prepared);
    case Kind::window_kernel_gradient: return find_window_kernel_gradient(prepared);
    case Kind::window_maximum:
    case Kind::window_maximum_gradient: return find_window_maximum(prepared);
  }
}

/// Axis `axis` of all views of an elementwise task.
Axes::Axis shared_axis(const Task& task, std::size_t axis) {
  Axes::Axis shared;
  shared.extent = task.result.shape[axis];
  for (std::size_t i = 0; i < task.operand_count; ++i) shared.stride[i] = task.operands[i].strides[axis];
  shared.stride[Axes::result] = task.result.strides[axis];
  return shared;
}

void form_elementwise(Task& task) {
  Axes axes;
  for (std::size_t axis = 0; axis < task.result.shape.rank(); ++axis) axes.push(shared_axis(task, axis));
  axes.merge();
  for (std::size_t i = 0; i < task.operand_count; ++i) {
    task.operands[i] = bare(task.operands[i]);
    axes.append_to(task.operands[i], i);
  }
  task.result = bare(task.result);
  axes.append_to(task.result, Axes::result);
}

/// Batches whose right operand repeats are further rows of the left one, where its strides allow.
void fold_batches(Axes& batch, Axes::Axis& row) {
  while (batch.size() > 0) {
    const auto& last = batch.back();
    const auto follows = [&](std::size_t view) { return last.stride[view] == row.stride[view] * row.extent; };
    if (last.stride[1] != 0 || (row.extent != 1 && !(follows(0) && follows(Axes::result)))) return;
    if (row.extent == 1) row.stride = last.stride;
    row.extent *= last.extent;
    batch.pop();
  }
}
void form_matmul(Task& task) {
  auto& [a, b, _] = task.operands;
  const auto rank = task.result.shape.rank();
  Axes batch;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) batch.push(shared_axis(task, axis));
  batch.merge();
  const auto n = task.result.shape[rank - 1], k = a.shape[rank - 1];
  const auto unless_one = [](Extent extent, Extent stride) { return extent == 1 ? 1 : stride; };
  Axes::Axis row{task.result.shape[rank - 2], {a.strides[rank - 2], 0, 0, task.result.strides[rank - 2]}};
  fold_batches(batch, row);
  Axes rows, inner, columns;
  rows.push(row);
  inner.push({k, {unless_one(k, a.strides[rank - 1]), unless_one(k, b.strides[rank - 2])}});
  columns.push({n, {0, unless_one(n, b.strides[rank - 1]), 0, 1}});
  a = bare(a), b = bare(b), task.result = bare(task.result);
  for (const auto* axes : {&batch, &rows, &inner}) axes->append_to(a, 0);
  for (const auto* axes : {&batch, &inner, &columns}) axes->append_to(b, 1);
  for (const auto* axes : {&batch, &rows, &columns}) axes->append_to(task.result, Axes::result);
}

/// The kept axes and the reduced ones, with the strides of the operand and of a result without gaps.
void split_axes(const Task& task, Axes& kept, Axes& reduced) {
  const auto& operand = task.operands[0];
  const bool mapped = task.kind == Kind::softmax || task.kind == Kind::log_softmax;  // as many results as operands
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < operand.shape.rank(); ++axis) {
    const bool is_reduced = task.axes.contains(static_cast<Extent>(axis));
    Axes::Axis split{operand.shape[axis], {operand.strides[axis]}};
    if (mapped || !is_reduced) split.stride[Axes::result] = task.result.strides[next++];
    (is_reduced ? reduced : kept).push(split);
  }
}
void form_reduction(Task& task) {
  Axes kept, reduced;
  split_axes(task, kept, reduced);
  kept.merge();
  if (task.kind == Kind::sum) reduced.merge();
  task.operands[0] = bare(task.operands[0]);
  task.result = bare(task.result);
  kept.append_to(task.operands[0], 0);
  reduced.append_to(task.operands[0], 0);
  kept.append_to(task.result, Axes::result);
  const bool mapped = task.kind == Kind::softmax || task.kind == Kind::log_softmax;
  if (mapped) reduced.append_to(task.result, Axes::result);
}

/// Outer axes, the windows' own and inner axes; outer and inner ones merge.
void form_fold(Task& task) {
  auto& taps = task.operands[0];
  const auto axis = static_cast<std::size_t>(task.axes[0]);
  Axes outer, windows, places, inner;
  for (std::size_t i = 0; i < axis; ++i) outer.push({taps.shape[i], {taps.strides[i], 0, 0, task.result.strides[i]}});
  windows.push({taps.shape[axis], {taps.strides[axis]}});
  windows.push({taps.shape[axis + 1], {taps.strides[axis + 1]}});
  places.push({task.result.shape[axis], {0, 0, 0, task.result.strides[axis]}});
  for (std::size_t i = axis + 2; i < taps.shape.rank(); ++i)
    inner.push({taps.shape[i], {taps.strides[i], 0, 0, task.result.strides[i - 1]}});
  outer.merge();
  inner.merge();
  task.axes = {static_cast<Extent>(outer.size())};
  taps = bare(taps), task.result = bare(task.result);
  for (const auto* axes : {&outer, &windows, &inner}) axes->append_to(taps, 0);
  for (const auto* axes : {&outer, &places, &inner}) axes->append_to(task.result, Axes::result);
}

void form_gather(Task& task) {
  auto& [table, indices, _] = task.operands;
  const auto rank = indices.shape.rank();
  Axes lead, rows, inner;
  for (std::size_t axis = 0; axis < rank; ++axis)
    lead.push({indices.shape[axis], {0, indices.strides[axis], 0, task.result.strides[axis]}});
  rows.push({table.shape[0], {table.strides[0]}});
  for (std::size_t axis = 1; axis < table.shape.rank(); ++axis)
    inner.push({table.shape[axis], {table.strides[axis], 0, 0, task.result.strides[rank + axis - 1]}});
  lead.merge();
  inner.merge();
  table = bare(table), indices = bare(indices), task.result = bare(task.result);
  for (const auto* axes : {&lead, &rows, &inner}) axes->append_to(table, 0);
  lead.append_to(indices, 1);
  for (const auto* axes : {&lead, &inner}) axes->append_to(task.result, Axes::result);
}
void form_scatter(Task& task) {
  auto& [added, indices, _] = task.operands;
  const auto rank = indices.shape.rank();
  Axes lead, rows, inner;
  for (std::size_t axis = 0; axis < rank; ++axis)
    lead.push({indices.shape[axis], {added.strides[axis], indices.strides[axis]}});
  rows.push({task.result.shape[0], {0, 0, 0, task.result.strides[0]}});
  for (std::size_t axis = rank; axis < added.shape.rank(); ++axis)
    inner.push({added.shape[axis], {added.strides[axis], 0, 0, task.result.strides[axis - rank + 1]}});
  lead.merge();
  inner.merge();
  added = bare(added), indices = bare(indices), task.result = bare(task.result);
  for (const auto* axes : {&lead, &inner}) axes->append_to(added, 0);
  lead.append_to(indices, 1);
  for (const auto* axes : {&lead, &rows, &inner}) axes->append_to(task.result, Axes::result);
}

}  // namespace

Prepared prepare(const Task& task) {
  Prepared prepared;
  prepared.task = task;
  if (!elements_agree(task)) return prepared;
  const bool by_index = task.kind == Kind::gather || task.kind == Kind::scatter;
  const bool empty = task.result.shape.volume() == 0 && !by_index;  // indices are refused even where rows are empty
  if (!empty) switch (task.kind) {
      case Kind::matmul: form_matmul(prepared.task); break;
      case Kind::sum:
      case Kind::softmax:
      case Kind::log_softmax:
      case Kind::logsumexp:
      case Kind::max_along:
      case Kind::argmax_along: form_reduction(prepared.task); break;
      case Kind::fold: form_fold(prepared.task); break;
      case Kind::gather: form_gather(prepared.task); break;
      case Kind::scatter: form_scatter(prepared.task); break;
      case Kind::chain:
      case Kind::window_product:
      case Kind::window_input_gradient:
      case Kind::window_kernel_gradient:
      case Kind::window_maximum:
      case Kind::window_maximum_gradient: break;  // as they are
      default: form_elementwise(prepared.task); break;
    }
  find(prepared);
  if (empty && prepared.run != nullptr) {
    prepared.run = nothing;
    prepared.scratch_bytes = 0;
  }
  return prepared;
}

}  // namespace topos::kernel
