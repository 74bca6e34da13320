// What a kernel is asked to do: operands and result as strided views, and the kernel that was found for it.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "topos/type/tensor_type.h"

namespace topos::kernel {

/// The families of kernels. An opcode becomes one of these, a view, or a constant.
enum class Kind : std::uint8_t {
  unary,         // result[i] = function(a[i])
  binary,        // result[i] = function(a[i], b[i])
  compare,       // result[i] = a[i] direction b[i]
  select,        // result[i] = predicate[i] ? a[i] : b[i]
  convert,       // result[i] = a[i] in the result's element, rounded once
  chain,         // several of the above, the results of some the operands of others
  copy,          // result[i] = a[i]
  fill_zero,     // result[i] = 0; no operand
  matmul,        // [batch.., m, k] by [batch.., k, n]
  sum,           // over `axes`
  softmax,       // along the one axis in `axes`
  log_softmax,   // along the one axis in `axes`
  logsumexp,     // along the one axis in `axes`
  max_along,     // along the one axis in `axes`
  argmax_along,  // the place of the largest, i64, along the one axis in `axes`
  fold,          // taps on the axes A = `axes`[0] and A + 1 added, k ascending, into windows `step` apart
  gather,        // rows of a table (operand 0) by i64 indices (operand 1)
  scatter,       // rows (operand 0) added by i64 indices (operand 1) into a result of zeros
  // Windows of an image [b, c, h, w], `places` = b oh ow of them with `taps` = c kh kw numbers each:
  window_product,           // image and matrix [taps, f] give [places, f]: each window, padded with zeros, a row
  window_input_gradient,    // [places, f] by matrix [f, taps], folded over columns, then rows, into [b, c, h, w]
  window_kernel_gradient,   // image and [places, f] give [taps, f]: places are summed over in ascending order
  window_maximum,           // the largest of each window, [b, c, oh, ow]
  window_maximum_gradient,  // image and [b, c, oh, ow, 1]: to where the largest of each window was first met
};

/// "unary", "matmul", ...
std::string_view name_of(Kind kind);

/// A strided view: extents and, axis by axis, strides in elements (0 repeats, negative never).
struct View {
  ElementType element = f32;
  Shape shape;
  Shape strides;
};

/// A contiguous row-major view.
View contiguous(const TensorType& type);

inline constexpr std::size_t max_operands = 3;         // of every kind but a chain
inline constexpr std::size_t max_chain_operands = 12;  // and of a chain

/// How windows lie along one axis of an image.
struct Window {
  Extent size = 1, step = 1, dilation = 1;
  Extent padding = 0;  // zeros at both ends

  Extent span() const { return (size - 1) * dilation + 1; }
};

/// Some of the numbers that each output of a sum adds, or of the rows of a scatter's result.
struct Span {
  Extent begin = 0, count = 0;
};

struct Chain;

/// One piece of work. Elementwise kinds, copies and fills: every view has the result's shape, and the result may be
/// strided (a window of a larger buffer). All others: the result is contiguous and the operands have their own shapes.
struct Task {
  Kind kind = Kind::copy;
  Function function = Function::add;    // unary and binary
  Direction direction = Direction::eq;  // compare
  Shape axes;                           // reductions, ascending
  Extent step = 1, dilation = 1;        // fold
  std::size_t operand_count = 0;
  View operands[max_operands];
  View result;
  Window rows, columns;                // the kinds of windows
  std::shared_ptr<const Chain> chain;  // its links and the views of its operands, which `operands` has no room for
  Span span;                           // of a part, where views do not say what it does
};

/// The view of any operand, a chain's too.
const View& operand_of(const Task& task, std::size_t operand);

/// Where a kernel found a number that it must refuse: the place of an index out of range among the indices, in
/// row-major order, or of a zero among integer divisors; `no_fault` otherwise. What the result then holds is
/// unspecified.
inline constexpr Extent no_fault = -1;

/// `operands[i]` and `result` point at the first element of their views. Never throws, never allocates. `scratch` has
/// the bytes that the kernel asked for, aligned to 64. An elementwise result may be the very buffer of an operand of
/// the same strides and element size.
using Run = Extent (*)(const Task& task, const void* const* operands, void* result, void* scratch);

/// A task with the kernel that does it.
struct Prepared {
  Run run = nullptr;              // null: no kernel covers the task
  Task task;                      // as the kernel wants it: axes merged where strides allow
  std::size_t scratch_bytes = 0;  // working memory
};

/// Finds the kernel for a task and brings the task into the kernel's form.
Prepared prepare(const Task& task);

}  // namespace topos::kernel
