#include "digest/operands.h"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "topos/kernel/partition.h"
#include "topos/kernel/threads.h"

namespace topos::digest {
namespace {

double real_number(std::uint64_t& state, Contents contents) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double edges[] = {0.0,      -0.0,      1.0,      -1.0,      std::numeric_limits<double>::quiet_NaN(),
                              infinity, -infinity, 0x1p-149, -0x1p-149, 0x1.8p-1074,
                              0x1p-130, 3e38,      -1e308,   0x1p63,    -0x1p63};
  if (contents == Contents::edges && next(state) % 2 == 0) return edges[next(state) % std::size(edges)];
  return unit(state);
}
std::int64_t whole_number(std::uint64_t& state, Contents contents) {
  constexpr std::int64_t edges[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  if (contents == Contents::edges && next(state) % 2 == 0) return edges[next(state) % std::size(edges)];
  const auto pattern = next(state);
  return static_cast<std::int64_t>(pattern) >> (next(state) % 60);
}

/// Memory for `volume` elements from a boundary of 64 bytes on, and one element more.
std::byte* aligned(std::unique_ptr<std::byte[]>& bytes, Extent volume, std::size_t size) {
  auto space = (static_cast<std::size_t>(volume) + 1) * size + 64;
  bytes = std::make_unique<std::byte[]>(space);
  std::memset(bytes.get(), 0xA5, space);
  void* place = bytes.get();
  return static_cast<std::byte*>(std::align(64, space - 64, place, space));
}

template <class T>
void put(std::byte* base, Extent i, T x) {
  std::memcpy(base + static_cast<std::size_t>(i) * sizeof(T), &x, sizeof(T));
}
void put_number(ElementType element, std::byte* base, Extent i, std::uint64_t& state, Contents contents) {
  if (element == i64) return put(base, i, whole_number(state, contents));
  if (element == boolean) return put(base, i, static_cast<std::uint8_t>(next(state) & 1));
  const double x = real_number(state, contents);
  if (element == f32) return put(base, i, static_cast<float>(x));
  if (element == bf16) return put(base, i, BFloat16(x));
  put(base, i, x);
}

template <class T>
void add_view(Hash& hash, const View& view, std::size_t axis, const std::byte* first) {
  if (axis == view.shape.rank()) {
    T x;
    std::memcpy(&x, first, sizeof x);
    return hash.add(x);
  }
  for (Extent i = 0; i < view.shape[axis]; ++i)
    add_view<T>(hash, view, axis + 1, first + i * view.strides[axis] * static_cast<Extent>(sizeof(T)));
}
void add_view(Hash& hash, const View& view, const std::byte* first) {
  if (view.element == f32) return add_view<float>(hash, view, 0, first);
  if (view.element == f64) return add_view<double>(hash, view, 0, first);
  if (view.element == bf16) return add_view<BFloat16>(hash, view, 0, first);
  if (view.element == i64) return add_view<std::int64_t>(hash, view, 0, first);
  add_view<bool>(hash, view, 0, first);
}

std::bitset<256> kinds_run;

/// `offset` elements behind a boundary begins a result with the task's strides, within `volume` elements.
void add_one(Hash& hash, const Task& task, const std::vector<const Operand*>& operands, Extent offset, Extent volume) {
  const auto work = kernel::divide(task, threads());
  if (work.whole.run == nullptr) throw std::runtime_error("no kernel for " + std::string(name_of(task.kind)));
  kinds_run.set(static_cast<std::size_t>(task.kind));
  std::unique_ptr<std::byte[]> result, scratch;
  const auto size = task.result.element.size();
  auto* out = aligned(result, volume + offset, size) + offset * size;
  auto* working = aligned(scratch, static_cast<Extent>(work.scratch_bytes), 1);
  std::vector<const void*> places(std::max(operands.size(), kernel::max_operands));
  for (std::size_t i = 0; i < operands.size(); ++i) places[i] = operands[i]->first();
  const auto fault = kernel::run(work, places.data(), out, working);
  hash.add(fault);
  if (fault == kernel::no_fault) add_view(hash, task.result, out);
}

}  // namespace

std::vector<std::string> kinds_not_run() {
  std::vector<std::string> names;
  for (std::size_t kind = 0; !kernel::name_of(static_cast<Kind>(kind)).empty(); ++kind)
    if (!kinds_run.test(kind)) names.emplace_back(kernel::name_of(static_cast<Kind>(kind)));
  return names;
}

Operand::Operand(ElementType element, const Shape& shape, std::uint64_t seed, Contents contents, Layout layout)
    : view_{element, shape, {}} {
  lay_out(layout);
  std::uint64_t state = seed * 1000003 + static_cast<std::uint64_t>(shape.volume());
  for (Extent i = 0; i < volume_; ++i) put_number(element, base_, i, state, contents);
}

Operand Operand::indices(const Shape& shape, std::uint64_t seed, Extent end, Layout layout) {
  Operand result(i64, shape, seed, Contents::plain, layout);
  std::uint64_t state = seed;
  for (Extent i = 0; i < result.volume_; ++i)
    put(result.base_, i, static_cast<std::int64_t>(next(state) % static_cast<std::uint64_t>(end)));
  return result;
}

/// Finds the strides, the memory and the place in it where the view begins.
void Operand::lay_out(Layout layout) {
  const auto& shape = view_.shape;
  const auto rank = shape.rank();
  auto memory = shape;
  Extent first = 0;
  if (rank == 0 || layout == Layout::contiguous || layout == Layout::unaligned) {
    view_.strides = row_major_strides(shape);
  } else if (layout == Layout::transposed) {
    view_.strides = Shape::zeros(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) memory[axis] = shape[rank - 1 - axis];
    const auto strides = row_major_strides(memory);
    for (std::size_t axis = 0; axis < rank; ++axis) view_.strides[axis] = strides[rank - 1 - axis];
  } else if (layout == Layout::window) {
    for (auto& extent : memory) extent += 3;
    view_.strides = row_major_strides(memory);
    for (const auto stride : view_.strides) first += 2 * stride;
  } else {
    memory[rank - 1] = 1;
    view_.strides = row_major_strides(memory);
    view_.strides[rank - 1] = 0;
  }
  volume_ = memory.volume();
  const auto size = view_.element.size();
  base_ = aligned(bytes_, volume_, size);
  if (layout == Layout::unaligned) base_ += size;
  first_ = base_ + first * size;
}

Task task_of(Kind kind, const std::vector<const Operand*>& operands, const TensorType& result) {
  Task task;
  task.kind = kind;
  task.operand_count = operands.size();
  for (std::size_t i = 0; i < operands.size(); ++i) task.operands[i] = operands[i]->view();
  task.result = kernel::contiguous(result);
  return task;
}

void add_result(Hash& hash, const Task& task, const std::vector<const Operand*>& operands, bool strided) {
  const auto volume = task.result.shape.volume();
  add_one(hash, task, operands, 0, volume);
  add_one(hash, task, operands, 1, volume);
  if (!strided) return;
  auto window = task;
  auto memory = task.result.shape;
  for (auto& extent : memory) extent += 2;
  window.result.strides = row_major_strides(memory);
  add_one(hash, window, operands, 0, memory.volume());
}

std::string row_name(ElementType element, std::string_view what) {
  return std::string(element.name()) + " " + std::string(what);
}

}  // namespace topos::digest
