// Owns what the kernel tests share: seeded tensors in many layouts, and kernels run on them beside the reference.
#pragma once
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/splitmix.h"
#include "topos/kernel/task.h"
#include "topos/tensor/algebra.h"

namespace topos::kernel {

using test::next;

/// Plain: numbers around 1. Edges: also zeros of both signs, NaN, infinities, subnormals, the ends of the range.
enum class Contents { plain, edges };

inline double real_number(std::uint64_t& state, Contents contents) {
  constexpr double edges[] = {0.0,      -0.0,      1.0,      -1.0,      std::numeric_limits<double>::quiet_NaN(),
                              HUGE_VAL, -HUGE_VAL, 0x1p-149, -0x1p-149, 0x1.8p-1074,
                              0x1p-130, 3e38,      -1e308,   0x1p63,    -0x1p63};
  if (contents == Contents::edges && next(state) % 2 == 0) return edges[next(state) % std::size(edges)];
  return static_cast<double>(next(state) >> 11) * 0x1p-52 - 1.0;
}
inline std::int64_t whole_number(std::uint64_t& state, Contents contents) {
  constexpr std::int64_t edges[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  if (contents == Contents::edges && next(state) % 2 == 0) return edges[next(state) % std::size(edges)];
  return static_cast<std::int64_t>(next(state)) >> (next(state) % 60);
}

inline Tensor seeded(ElementType element, const Shape& shape, std::uint64_t seed, Contents contents) {
  std::uint64_t state = seed * 1000003 + static_cast<std::uint64_t>(shape.volume());
  const auto n = static_cast<std::size_t>(shape.volume());
  if (element.is_floating()) {
    std::vector<double> values(n);
    for (auto& value : values) value = real_number(state, contents);
    return Tensor::from(shape, values, element);
  }
  std::vector<std::int64_t> values(n);
  for (auto& value : values) value = element == boolean ? std::int64_t(next(state) & 1) : whole_number(state, contents);
  if (element == i64) return Tensor::from(shape, values);
  return topos::convert(Tensor::from(shape, values), boolean);
}

/// How a tensor lies in memory.
enum class Layout { contiguous, transposed, window, repeated, single };
inline constexpr Layout layouts[] = {Layout::contiguous, Layout::transposed, Layout::window, Layout::repeated,
                                     Layout::single};

inline Tensor seeded(ElementType element, const Shape& shape, std::uint64_t seed, Contents contents, Layout layout) {
  const auto rank = shape.rank();
  if (layout == Layout::single) return topos::broadcast(seeded(element, {}, seed, contents), shape);
  if (rank == 0 || layout == Layout::contiguous) return seeded(element, shape, seed, contents);
  if (layout == Layout::repeated)  // along the last axis for an odd seed, else along the first
    return seed % 2 == 1
               ? topos::broadcast_along(seeded(element, shape.without(static_cast<Extent>(rank) - 1), seed, contents),
                                        static_cast<Extent>(rank) - 1, shape[rank - 1])
               : topos::broadcast_along(seeded(element, shape.without(0), seed, contents), 0, shape[0]);
  auto memory = Shape::zeros(rank), order = Shape::zeros(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    memory[axis] = layout == Layout::transposed ? shape[rank - 1 - axis] : shape[axis] + 3;
    order[axis] = static_cast<Extent>(rank - 1 - axis);
  }
  auto tensor = seeded(element, memory, seed, contents);
  if (layout == Layout::transposed) return topos::permute(tensor, order);
  for (std::size_t axis = 0; axis < rank; ++axis)
    tensor = topos::narrow(tensor, static_cast<Extent>(axis), 2, shape[axis]);
  return tensor;
}

inline View view_of(const Tensor& tensor) { return {tensor.element(), tensor.shape(), tensor.strides()}; }

/// Bytes at an alignment of 64, as many as asked for, so that a sanitizer sees a step beyond them.
class Bytes {
 public:
  explicit Bytes(std::size_t size)
      : data_(static_cast<std::byte*>(std::aligned_alloc(64, (size + 63) / 64 * 64)), &std::free) {
    std::memset(data_.get(), 0xA5, size);
  }
  std::byte* get() const { return data_.get(); }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> data_;
};

struct Outcome {
  Tensor result;
  Extent fault = no_fault;
};

inline Task task_of(Kind kind, const std::vector<Tensor>& operands, const TensorType& result) {
  Task task;
  task.kind = kind;
  task.operand_count = operands.size();
  for (std::size_t i = 0; i < operands.size(); ++i) task.operands[i] = view_of(operands[i]);
  task.result = contiguous(result);
  return task;
}

/// Runs a task's kernel into memory of its own.
inline Outcome run(const Task& task, const std::vector<Tensor>& operands) {
  const auto prepared = prepare(task);
  EXPECT_NE(prepared.run, nullptr) << name_of(task.kind);
  if (prepared.run == nullptr) return {};
  const TensorType type{task.result.element, task.result.shape};
  const Bytes result(type.bytes()), scratch(prepared.scratch_bytes);
  const void* places[max_operands] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) places[i] = operands[i].first();
  const auto fault = prepared.run(prepared.task, places, result.get(), scratch.get());
  return {Tensor::copied(type, result.get()), fault};
}

/// The same into a window of larger memory, of which nothing else may change.
inline Outcome run_into_window(Task task, const std::vector<Tensor>& operands) {
  const TensorType type{task.result.element, task.result.shape};
  auto memory = type.shape;
  for (auto& extent : memory) extent += 2;
  task.result.strides = row_major_strides(memory);
  Extent first = 0;
  for (const auto stride : task.result.strides) first += stride;
  const TensorType whole{type.element, memory};
  const auto size = static_cast<Extent>(type.element.size());
  const Bytes result(whole.bytes());
  const void* places[max_operands] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) places[i] = operands[i].first();
  const auto prepared = prepare(task);
  EXPECT_NE(prepared.run, nullptr);
  const Bytes scratch(prepared.scratch_bytes);
  const auto fault = prepared.run(prepared.task, places, result.get() + first * size, scratch.get());
  auto window = Tensor::copied(whole, result.get());
  for (std::size_t axis = 0; axis < type.rank(); ++axis)
    window = topos::narrow(window, static_cast<Extent>(axis), 1, type.shape[axis]);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < whole.bytes(); ++i) changed += result.get()[i] != std::byte{0xA5};
  EXPECT_LE(changed, type.bytes());
  return {window, fault};
}

inline void expect_same(const Tensor& got, const Tensor& expected, const std::string& what) {
  EXPECT_TRUE(same_bits(got, expected)) << what << " of " << expected.type().text();
}

}  // namespace topos::kernel
