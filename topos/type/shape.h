// A short list of extents, strides or axes: four inline, more on the heap.
#pragma once
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topos/base/types.h"

namespace topos {

/// Extents, outermost first; rank 0 is `[]`. Any rank, zero extents allowed. A list of axes or strides is one too.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Extent> extents) { assign(extents.begin(), extents.size()); }
  Shape(const std::vector<Extent>& extents) { assign(extents.data(), extents.size()); }
  explicit Shape(std::span<const Extent> extents) { assign(extents.data(), extents.size()); }
  Shape(const Shape& other) {
    if (other.is_inline())
      take(other);  // a copy of fixed size, no call
    else
      assign(other.heap_, other.size_);
  }
  Shape(Shape&& other) noexcept {
    take(other);
    other.size_ = 0;
  }
  Shape& operator=(const Shape& other) {
    if (is_inline() && other.is_inline())
      take(other);
    else if (this != &other)
      *this = Shape(other);
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this == &other) return *this;
    if (!is_inline()) delete[] heap_;
    take(other);
    other.size_ = 0;
    return *this;
  }
  ~Shape() {
    if (!is_inline()) delete[] heap_;
  }

  /// A list of `size` zeros.
  static Shape zeros(std::size_t size);
  /// 0, 1, ..., size - 1: every axis.
  static Shape counting(std::size_t size);

  std::size_t rank() const { return size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Extent* begin() const { return is_inline() ? inline_ : heap_; }
  const Extent* end() const { return begin() + size_; }
  Extent* begin() { return is_inline() ? inline_ : heap_; }
  Extent* end() { return begin() + size_; }
  Extent operator[](std::size_t i) const { return begin()[i]; }
  Extent& operator[](std::size_t i) { return begin()[i]; }
  /// The entry at an axis.
  Extent at(Extent axis) const { return begin()[static_cast<std::size_t>(axis)]; }

  /// The product of the extents: how many elements. 1 for rank 0.
  Extent volume() const {
    Extent product = 1;
    for (const auto extent : *this) product *= extent;
    return product;
  }
  /// Without one axis; with an axis of `extent` inserted.
  Shape without(Extent axis) const;
  Shape with(Extent axis, Extent extent) const;
  bool contains(Extent entry) const;

  /// `[2, 3]`, `[]`.
  std::string text() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.size_ != b.size_) return false;
    const auto* x = a.begin();
    const auto* y = b.begin();
    for (std::uint32_t i = 0; i < a.size_; ++i)
      if (x[i] != y[i]) return false;
    return true;
  }

 private:
  static constexpr std::uint32_t inline_capacity = 4;
  bool is_inline() const { return size_ <= inline_capacity; }
  void take(const Shape& other) {
    size_ = other.size_;
    std::memcpy(inline_, other.inline_, sizeof inline_);
  }
  void assign(const Extent* from, std::size_t size);

  std::uint32_t size_ = 0;
  union {
    Extent inline_[inline_capacity] = {};
    Extent* heap_;
  };
};

/// An axis that counts from the end when negative, as one that counts from the front; out of range it stays as it is.
constexpr Extent axis_from_front(Extent axis, std::size_t rank) {
  const auto count = static_cast<Extent>(rank);
  return axis < 0 && axis >= -count ? axis + count : axis;
}
Shape axes_from_front(const Shape& axes, std::size_t rank);

/// Strides of a row-major layout without gaps, in elements.
Shape row_major_strides(const Shape& shape);
/// Whether strides walk a shape row by row without gaps, whatever they say about axes of extent 1.
bool is_row_major(const Shape& shape, const Shape& strides);
/// Strides that read the same numbers in the same row-major order under the shape `to`, where no copy is needed: from
/// a contiguous layout, or when only axes of extent 1 come and go.
std::optional<Shape> reshaped_strides(const Shape& from, const Shape& strides, const Shape& to);

/// A hash for tables of shapes.
std::uint64_t hash_of(const Shape& shape);

}  // namespace topos
