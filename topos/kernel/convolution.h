// Owns what the kernels of windowed products share: the geometry, the strip of an image that a few rows of windows
// read, and working memory. Internal.
#pragma once
#include <algorithm>
#include <utility>

#include "topos/kernel/counter.h"
#include "topos/kernel/task.h"

namespace topos::kernel {

inline constexpr Extent window_chain_length = 2048;  // of a product's steps: part of the definition
inline constexpr Extent window_block = 320;          // steps whose part of a panel stays in the nearest cache
inline constexpr Extent strip_bytes = 48 << 10;      // the next cache holds a strip and more
inline constexpr Extent cache_line = 64;

constexpr Extent parts_beside(Extent steps) {
  return counter_depth((steps + window_chain_length - 1) / window_chain_length) - 1;
}

/// Steps in blocks as equal as they can be.
constexpr Extent block_of(Extent steps) {
  const auto blocks = (steps + window_block - 1) / window_block;
  return (steps + blocks - 1) / blocks;
}

/// The windows of an image and the strips that they are worked on in: `strip` rows of windows at a time.
struct Convolution {
  Convolution(const Task& task, const Shape& image, Extent filters)
      : rows(task.rows),
        columns(task.columns),
        batch(image[0]),
        channels(image[1]),
        height(image[2]),
        width(image[3]),
        filters(filters),
        window_rows((height + 2 * rows.padding - rows.span()) / rows.step + 1),
        window_columns((width + 2 * columns.padding - columns.span()) / columns.step + 1) {}

  Extent places() const { return batch * window_rows * window_columns; }
  Extent taps() const { return channels * rows.size * columns.size; }
  Extent strips() const { return (window_rows + strip - 1) / strip; }
  Extent strip_places() const { return strip * window_columns; }
  /// Strips of at most so many rows of windows, as equal as they can be.
  void cut(Extent most) {
    const auto count = (window_rows + std::max<Extent>(most, 1) - 1) / std::max<Extent>(most, 1);
    strip = (window_rows + count - 1) / count;
  }

  Window rows, columns;
  Extent batch, channels, height, width, filters;
  Extent window_rows, window_columns;
  Extent strip = 1;
};

/// How the rows of an image that a strip reads lie in working memory: by channel, row and place modulo the windows'
/// step, so that a tap's numbers for neighbouring windows are neighbours.
struct StripLayout {
  StripLayout(const Convolution& c, Extent windows)
      : phases(std::min(c.columns.step, c.columns.span())),
        pitch(c.window_columns + (c.columns.span() - 1) / c.columns.step),
        row(phases * pitch),
        rows((windows - 1) * c.rows.step + c.rows.span()),
        channel(rows * row) {}

  /// From the first number of a row of windows to a tap's number in its first window.
  Extent offset(const Convolution& c, Extent of_channel, Extent i, Extent j) const {
    const auto place = j * c.columns.dilation;
    return of_channel * channel + i * c.rows.dilation * row + place % c.columns.step * pitch + place / c.columns.step;
  }

  Extent phases, pitch, row, rows, channel;
};

/// Working memory handed out piece by piece, each at a cache line; over null it only counts.
class Pieces {
 public:
  explicit Pieces(void* memory) : memory_(static_cast<char*>(memory)) {}

  template <class T>
  T* take(Extent count) {
    auto* piece = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    bytes_ += (bytes + cache_line - 1) / cache_line * cache_line;
    return piece;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

/// The bytes of the pieces that a kernel takes for a task over the task's element.
template <template <class> class Room>
std::size_t room_bytes(const Task& task) {
  if (task.result.element == f32) return Room<float>(task, nullptr).pieces.bytes();
  if (task.result.element == f64) return Room<double>(task, nullptr).pieces.bytes();
  return Room<BFloat16>(task, nullptr).pieces.bytes();
}

/// Whole vectors of any target.
template <class T>
constexpr Extent whole_vectors(Extent count) {
  constexpr Extent most = cache_line / static_cast<Extent>(sizeof(T));
  return (count + most - 1) / most * most;
}

/// Where the taps' numbers of a row of windows lie, by tap: in bytes, each number having `size`.
inline void fill_offsets(const Convolution& c, const StripLayout& layout, Extent size, Extent* offsets) {
  for (Extent channel = 0; channel < c.channels; ++channel)
    for (Extent i = 0; i < c.rows.size; ++i)
      for (Extent j = 0; j < c.columns.size; ++j) *offsets++ = layout.offset(c, channel, i, j) * size;
}

}  // namespace topos::kernel
