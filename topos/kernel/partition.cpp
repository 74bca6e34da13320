// Cuts along the outermost axis of the result, and where that is short along the next one too: every part's result
// stays in one piece, as kernels want it. Reductions to few outputs are cut in combine.cpp.
#include "topos/kernel/partition.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "topos/kernel/chain.h"
#include "topos/kernel/combine.h"
#include "topos/kernel/parallel.h"
#include "topos/kernel/threads.h"

namespace topos::kernel {
namespace {

std::atomic<double> least_part{usual_least_part};

constexpr std::size_t line_bytes = 64;  // no two parts write to one line of the cache, where the cut is free

bool is_elementwise(Kind kind) { return kind <= Kind::fill_zero; }

/// A prepared task in the words of an unprepared one, its merged axes kept.
Task restored(const Task& prepared) {
  Task task = prepared;
  const auto rank = task.operands[0].shape.rank();
  switch (task.kind) {
    case Kind::sum:
      task.axes = Shape::zeros(rank - task.result.shape.rank());
      for (std::size_t i = 0; i < task.axes.size(); ++i)
        task.axes[i] = static_cast<Extent>(task.result.shape.rank() + i);
      break;
    case Kind::softmax:
    case Kind::log_softmax:
    case Kind::logsumexp:
    case Kind::max_along:
    case Kind::argmax_along: task.axes = {static_cast<Extent>(rank) - 1}; break;
    case Kind::gather:  // the table without the axes that it shares with the indices
      for (std::size_t i = 0; i < task.operands[1].shape.rank(); ++i) {
        task.operands[0].shape = task.operands[0].shape.without(0);
        task.operands[0].strides = task.operands[0].strides.without(0);
      }
      break;
    default: break;
  }
  return task;
}

/// How many axes of the result, outermost first, may be cut.
std::size_t free_axes(const Task& task) {
  const auto rank = task.result.shape.rank();
  switch (task.kind) {
    case Kind::matmul:
    case Kind::sum:
    case Kind::logsumexp:
    case Kind::max_along:
    case Kind::argmax_along: return rank;
    case Kind::softmax:
    case Kind::log_softmax: return rank - 1;
    case Kind::fold: return static_cast<std::size_t>(task.axes[0]);
    case Kind::gather: return task.operands[1].shape.rank();
    case Kind::window_product:
    case Kind::window_input_gradient: return 1;   // images
    case Kind::window_kernel_gradient: return 1;  // channels
    case Kind::window_maximum:
    case Kind::window_maximum_gradient: return 2;  // and channels
    default: return is_elementwise(task.kind) ? rank : 0;
  }
}

/// The axis of an operand that walks with an axis of the result; none: the whole operand belongs to every part.
Extent operand_axis(const Task& task, std::size_t operand, std::size_t axis) {
  constexpr Extent none = -1;
  const auto same = static_cast<Extent>(axis);
  if (task.kind == Kind::gather) return operand == 1 ? same : none;
  if (task.kind == Kind::window_product || task.kind == Kind::window_input_gradient) return operand == 0 ? same : none;
  if (task.kind == Kind::window_kernel_gradient) return operand == 0 ? 1 : none;
  const bool factor = task.kind == Kind::chain && task.chain->follows_product && operand < 2;
  if (task.kind != Kind::matmul && !factor) return same;
  const auto rank = task.result.shape.rank();
  if (axis + 2 < rank) return same;
  const bool is_row = axis + 2 == rank;
  return is_row == (operand == 0) ? same : none;
}

/// Positions of the result that belong together: the places of one image, the taps of one channel.
Extent unit_of(const Task& task, std::size_t axis) {
  if (axis == 0 && task.kind == Kind::window_product) return task.result.shape[0] / task.operands[0].shape[0];
  if (axis == 0 && task.kind == Kind::window_kernel_gradient) return task.result.shape[0] / task.operands[0].shape[1];
  return 1;
}
/// As many positions of an operand as of the result.
Extent positions(const Task& task, std::size_t operand, std::size_t axis, Extent count) {
  if (operand != 0 || axis != 0) return count;
  if (task.kind == Kind::window_product || task.kind == Kind::window_kernel_gradient) return count / unit_of(task, 0);
  if (task.kind == Kind::window_input_gradient) return count * (task.operands[0].shape[0] / task.result.shape[0]);
  return count;
}

void narrow(View& view, Extent axis, Extent begin, Extent length, std::size_t& bytes) {
  bytes += static_cast<std::size_t>(begin * view.strides.at(axis)) * view.element.size();
  view.shape[static_cast<std::size_t>(axis)] = length;
}

/// Some of a task's outputs, before they are prepared.
struct Cut {
  Task task;
  Part part;
};
/// The outputs from `begin` on along an axis.
Cut narrowed(const Cut& whole, std::size_t axis, Extent begin, Extent length) {
  Cut cut = whole;
  auto* views = cut.task.operands;
  if (whole.task.kind == Kind::chain) {
    auto chain = std::make_shared<Chain>(*whole.task.chain);
    views = chain->operands.data();
    cut.task.chain = std::move(chain);
  }
  for (std::size_t i = 0; i < cut.task.operand_count; ++i)
    if (const auto at = operand_axis(whole.task, i, axis); at >= 0)
      narrow(views[i], at, positions(whole.task, i, axis, begin), positions(whole.task, i, axis, length),
             cut.part.operands[i]);
  narrow(cut.task.result, static_cast<Extent>(axis), begin, length, cut.part.result);
  // Refusals count the numbers of an elementwise result, and of the indices that a gather reads.
  const auto& counted = whole.task.kind == Kind::gather ? whole.task.operands[1].shape : whole.task.result.shape;
  const auto extent = counted[axis];
  cut.part.place += begin * (counted.volume() / extent);
  return cut;
}

/// Outputs along an axis that should stay together: whole lines of the cache, whole tiles of a product.
Extent grain_of(const Task& task, std::size_t axis, Extent share) {
  const bool neighbours = task.result.strides[axis] == 1;
  const auto line = static_cast<Extent>(line_bytes / task.result.element.size());
  if (neighbours) return share < 8 * line ? 1 : share < 1024 ? line : std::max<Extent>(line, 128);
  const bool product = task.kind == Kind::matmul || (task.kind == Kind::chain && task.chain->follows_product);
  if (product && axis + 2 == task.result.shape.rank()) return share >= 96 ? 24 : share >= 16 ? 4 : 1;
  return 1;
}

/// Cuts into about so many parts.
void cut_into(const Cut& whole, std::size_t axis, Extent count, std::vector<Part>& parts) {
  const auto axes = free_axes(whole.task);
  while (axis < axes && whole.task.result.shape[axis] == 1) ++axis;
  if (axis >= axes || count <= 1) {
    auto part = whole.part;
    part.prepared = prepare(whole.task);
    parts.push_back(std::move(part));
    return;
  }
  const auto unit = unit_of(whole.task, axis), extent = whole.task.result.shape[axis] / unit;
  if (extent < count) {  // too short an axis: each of its places is cut further
    for (Extent i = 0; i < extent; ++i)
      cut_into(narrowed(whole, axis, i * unit, unit), axis + 1, (count + extent - 1) / extent, parts);
    return;
  }
  const auto share = (extent + count - 1) / count;
  const auto grain = grain_of(whole.task, axis, share);
  const auto length = (share + grain - 1) / grain * grain;
  for (Extent begin = 0; begin < extent; begin += length)
    cut_into(narrowed(whole, axis, begin * unit, std::min(length, extent - begin) * unit), axes, 1, parts);
}

std::size_t aligned(std::size_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }

/// How many parts a task is worth.
Extent worth(const Task& task, int threads) {
  if (threads <= 1) return 1;
  const auto parts = estimated_nanoseconds(task) / least_part.load(std::memory_order_relaxed);
  return static_cast<Extent>(std::clamp(parts, 1.0, static_cast<double>(threads)));
}

/// A scatter's parts have rows of the result each; all of them read all indices, which short rows do not repay.
void cut_scatter(const Prepared& whole, Extent count, std::vector<Part>& parts) {
  constexpr std::size_t least_row_bytes = 128;
  const auto& [element, shape, strides] = whole.task.result;
  const auto lead = whole.task.operands[1].shape.rank();
  const auto rows = shape[lead], share = (rows + count - 1) / count;
  if (static_cast<std::size_t>(strides[lead]) * element.size() < least_row_bytes) return;
  for (Extent begin = 0; begin < rows; begin += share) {
    Part part;
    part.prepared = whole;
    part.prepared.task.span = {begin, std::min(share, rows - begin)};
    parts.push_back(std::move(part));
  }
}

/// One call of run(), as its parts see it.
struct Job {
  const Work& work;
  const void* const* operands;
  std::byte* result;          // or what the parts leave
  std::byte* scratch;         // of the parts
  std::atomic<Extent> fault;  // the first place that was refused
};
constexpr Extent nowhere_refused = std::numeric_limits<Extent>::max();

void do_part(void* context, int index) {
  auto& job = *static_cast<Job*>(context);
  const auto& part = job.work.parts[static_cast<std::size_t>(index)];
  const void* operands[max_chain_operands] = {};
  for (std::size_t i = 0; i < part.prepared.task.operand_count; ++i)
    operands[i] = static_cast<const std::byte*>(job.operands[i]) + part.operands[i];
  auto* const scratch = job.scratch + static_cast<std::size_t>(index) * job.work.part_scratch;
  const auto fault = part.prepared.run(part.prepared.task, operands, job.result + part.result, scratch);
  if (fault == no_fault) return;
  const auto place = part.place + fault;
  auto first = job.fault.load(std::memory_order_relaxed);
  while (place < first && !job.fault.compare_exchange_weak(first, place, std::memory_order_relaxed)) {}
}

}  // namespace

void set_least_part(double nanoseconds) { least_part.store(nanoseconds, std::memory_order_relaxed); }

namespace {

/// Of an elementwise kernel, a byte of its result.
double nanoseconds_a_byte(Kind kind, Function function) {
  if (kind != Kind::unary && kind != Kind::binary) return 0.05;
  const bool simple = function < Function::exp || kind == Kind::binary;
  return function == Function::power ? 2.0 : simple ? 0.03 : 0.25;
}

}  // namespace

double estimated_nanoseconds(const Task& task) {
  const auto outputs = static_cast<double>(task.result.shape.volume());
  const auto inputs = static_cast<double>(task.operands[0].shape.volume());
  const auto bytes = static_cast<double>(task.result.element.size());
  switch (task.kind) {
    case Kind::chain: {
      double time = 0;
      if (task.chain->follows_product) {
        const auto& left = task.chain->operands[0];
        time = outputs *
               static_cast<double>(left.shape[left.shape.rank() - 1] * static_cast<Extent>(left.element.size())) *
               0.006;
      }
      for (const auto& link : task.chain->links)
        time += outputs * static_cast<double>(link.element.size()) * nanoseconds_a_byte(link.kind, link.function);
      return time;
    }
    case Kind::matmul: {
      const auto k = static_cast<double>(task.operands[0].shape[task.operands[0].shape.rank() - 1]);
      const auto read = inputs + static_cast<double>(task.operands[1].shape.volume());
      return std::max(outputs * k * 0.006, read * 0.05) * bytes;
    }
    case Kind::window_kernel_gradient:
      return static_cast<double>(task.operands[1].shape.volume()) * static_cast<double>(task.result.shape[0]) * bytes *
             0.006;
    case Kind::window_product:
    case Kind::window_input_gradient: {
      const auto& places = task.kind == Kind::window_product ? task.result : task.operands[0];
      return static_cast<double>(places.shape.volume()) *
             static_cast<double>(task.operands[1].shape[task.kind == Kind::window_product ? 0 : 1]) * bytes * 0.006;
    }
    case Kind::window_maximum:
    case Kind::window_maximum_gradient:
      return std::max(inputs, outputs * static_cast<double>(task.rows.size * task.columns.size)) * bytes * 0.1;
    case Kind::sum:
    case Kind::max_along:
    case Kind::argmax_along:
    case Kind::fold: return inputs * bytes * 0.06;
    case Kind::scatter: return (inputs * 0.1 + outputs * 0.03) * bytes;
    case Kind::softmax:
    case Kind::log_softmax:
    case Kind::logsumexp: return inputs * bytes * 0.4;
    default: return outputs * bytes * nanoseconds_a_byte(task.kind, task.function);
  }
}

Work divide(const Task& task, int threads) {
  Work work;
  work.whole = prepare(task);
  work.scratch_bytes = work.whole.scratch_bytes;
  if (work.whole.run == nullptr || task.result.shape.volume() == 0) return work;
  const auto count = std::min<Extent>(worth(task, threads), max_parts);
  if (count <= 1) return work;
  if (task.kind == Kind::scatter)
    cut_scatter(work.whole, count, work.parts);
  else if (!cut_along_reduced(task, count, work))
    cut_into({restored(work.whole.task), {}}, 0, count, work.parts);
  if (work.parts.size() <= 1 || work.parts.size() > max_parts) {
    work.parts.clear();
    work.combine = nullptr;
    work.left_bytes = 0;
    return work;
  }
  for (const auto& part : work.parts) work.part_scratch = std::max(work.part_scratch, part.prepared.scratch_bytes);
  work.part_scratch = aligned(work.part_scratch);
  work.left_bytes = aligned(work.left_bytes);
  work.scratch_bytes = std::max(work.scratch_bytes, work.left_bytes + work.parts.size() * work.part_scratch);
  return work;
}

Extent run(const Work& work, const void* const* operands, void* result, void* scratch) {
  if (work.parts.empty() || in_part() || threads() == 1)
    return work.whole.run(work.whole.task, operands, result, scratch);
  void* const to = work.combine == nullptr ? result : scratch;
  Job job{work, operands, static_cast<std::byte*>(to), static_cast<std::byte*>(scratch) + work.left_bytes,
          nowhere_refused};
  in_parallel(static_cast<int>(work.parts.size()), do_part, &job);
  if (work.combine != nullptr) work.combine(work.combined, scratch, operands, result);
  const auto fault = job.fault.load(std::memory_order_relaxed);
  return fault == nowhere_refused ? no_fault : fault;
}

}  // namespace topos::kernel
