// Owns the binary counter that merges the partial results of long sums and products, in the caller's memory. Internal.
#pragma once
#include <bit>

#include "topos/base/types.h"
#include "topos/kernel/numbers.h"

namespace topos::kernel {

/// How many parts a counter holds at once, at most, while it takes `blocks` blocks.
constexpr Extent counter_depth(Extent blocks) {
  return blocks <= 1 ? 1 : std::bit_width(static_cast<std::uint64_t>(blocks - 1)) + 1;
}

/// Two parts of equal level merge, older + newer; leftovers fold from the newest, older + newer. A part is `size`
/// numbers: the oldest lies at `first`, which holds the total in the end, the others one after the other at `rest`.
template <class T>
class Counter {
 public:
  TOPOS_INLINE Counter(Extent size, T* first, T* rest) : size_(size), first_(first), rest_(rest) {}

  /// Where the next block's numbers go.
  TOPOS_INLINE T* next() const { return part(parts_); }
  /// Takes the block that next() holds now, or 2^level blocks that were merged already: of these a multiple came
  /// before.
  TOPOS_INLINE void push(int level = 0) {
    ++parts_;
    for (auto blocks = blocks_ >> level; blocks & 1; blocks >>= 1) merge();
    blocks_ += std::uint64_t{1} << level;
  }
  TOPOS_INLINE void fold() {
    while (parts_ > 1) merge();
  }

 private:
  TOPOS_INLINE T* part(Extent index) const { return index == 0 ? first_ : rest_ + (index - 1) * size_; }
  TOPOS_INLINE void merge() {
    T* older = part(parts_ - 2);
    const T* newer = part(parts_ - 1);
    TOPOS_INDEPENDENT
    for (Extent i = 0; i < size_; ++i) older[i] = numbers::add(older[i], newer[i]);
    --parts_;
  }

  Extent size_;
  T* first_;
  T* rest_;
  Extent parts_ = 0;
  std::uint64_t blocks_ = 0;
};

}  // namespace topos::kernel
