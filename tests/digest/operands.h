// Owns the memory that kernels are run on: seeded operands in many layouts, and the hash of what a task gives.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "digest/digest.h"
#include "topos/kernel/task.h"

namespace topos::digest {

using kernel::Kind;
using kernel::Task;
using kernel::View;

/// Plain: numbers around 0. Edges: half of them zeros of both signs, NaN, infinities, subnormals, ends of the range.
enum class Contents { plain, edges };

/// How an operand lies in memory. Unaligned: without gaps, one element behind a boundary of 64 bytes.
enum class Layout { contiguous, unaligned, transposed, window, repeated };
inline constexpr Layout layouts[] = {Layout::contiguous, Layout::unaligned, Layout::transposed, Layout::window,
                                     Layout::repeated};

/// Bytes at an alignment of 64, and a view of them.
class Operand {
 public:
  Operand(ElementType element, const Shape& shape, std::uint64_t seed, Contents contents,
          Layout layout = Layout::contiguous);
  /// Indices in [0, end).
  static Operand indices(const Shape& shape, std::uint64_t seed, Extent end, Layout layout = Layout::contiguous);

  const View& view() const { return view_; }
  void* first() const { return first_; }

 private:
  void lay_out(Layout layout);
  View view_;
  Extent volume_ = 0;  // of the memory, in elements
  std::unique_ptr<std::byte[]> bytes_;
  std::byte* base_ = nullptr;
  std::byte* first_ = nullptr;
};

Task task_of(Kind kind, const std::vector<const Operand*>& operands, const TensorType& result);

/// Adds the result's bits, once from an aligned and once from an unaligned buffer, and the kernel's fault; after a
/// fault the result is unspecified. The task is cut for threads(). `strided`: a third time from a window of a larger
/// buffer. Throws where no kernel covers the task.
void add_result(Hash& hash, const Task& task, const std::vector<const Operand*>& operands, bool strided = false);

/// "f32 exp": names of rows begin with the element.
std::string row_name(ElementType element, std::string_view what);

}  // namespace topos::digest
