// Immutable tensors, typed at run time: one value inline, or a shared buffer read through strides.
#pragma once
#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

#include "topos/base/error.h"
#include "topos/element/bfloat16.h"
#include "topos/element/number.h"
#include "topos/tensor/buffer.h"
#include "topos/type/tensor_type.h"

namespace topos {

class Literal;

/// The element of a C++ type, specialised for each kind of them; a user's comes with topos/custom.h.
template <class T>
struct ElementOf;
template <class T>
  requires std::is_arithmetic_v<T>
struct ElementOf<T> {
  static constexpr ElementType get() {
    if constexpr (std::same_as<T, bool>)
      return boolean;
    else if constexpr (std::integral<T>)
      return i64;
    else if constexpr (std::same_as<T, float>)
      return f32;
    else
      return f64;
  }
};
template <>
struct ElementOf<BFloat16> {
  static constexpr ElementType get() { return bf16; }
};

/// The element type that holds a C++ type: float, double, BFloat16, bool; every integer type is i64; a user's number is
/// its own.
template <class T>
constexpr ElementType element_of() {
  return ElementOf<T>::get();
}

template <class T>
class Values;

/// A payload: element, shape and numbers. A copy is cheap and shares the numbers; nothing ever writes through one.
///
/// A single value (rank 0, or a constant of any shape) lives inline; everything else is a buffer seen through strides,
/// so that transposes, windows and broadcasts are views.
class Tensor {
 public:
  /// The f32 number 0, of rank 0.
  Tensor() = default;

  /// A constant: every element is `value`, rounded once. Throws Error(type) when the element has no such number.
  static Tensor full(const TensorType& type, Number value);
  /// A number, nested braces or a tensor, in `element`.
  static Tensor of(const Literal& literal, ElementType element);
  /// `values` in row-major order; the element defaults to the C++ type and otherwise rounds each value once.
  /// Throws Error(type) when the count is not the shape's volume.
  template <class T>
  static Tensor from(const Shape& shape, std::span<const T> values, ElementType element = element_of<T>()) {
    return converted(shape, element_of<T>(), widened(values).data(), values.size(), element);
  }
  template <class T>
  static Tensor from(const Shape& shape, std::initializer_list<T> values, ElementType element = element_of<T>()) {
    return from(shape, std::span<const T>(values.begin(), values.size()), element);
  }
  template <class T>
  static Tensor from(const Shape& shape, const std::vector<T>& values, ElementType element = element_of<T>()) {
    if constexpr (std::same_as<T, bool>) {
      const std::vector<unsigned char> bytes(values.begin(), values.end());  // vector<bool> has no span
      return converted(shape, boolean, bytes.data(), bytes.size(), element);
    } else {
      return from(shape, std::span<const T>(values), element);
    }
  }
  /// 0, 1, 2, ... along `axis`; the element is i64.
  static Tensor iota(ElementType element, const Shape& shape, Extent axis);

  // The forms below are what the algebra and the executor build with.
  /// One value everywhere, given by its bytes.
  static Tensor single(const TensorType& type, const void* value);
  /// Row-major bytes, copied.
  static Tensor copied(const TensorType& type, const void* values);
  /// A contiguous buffer for the caller to fill before it shares the tensor.
  static Tensor uninitialised(const TensorType& type, std::byte*& data);
  /// A contiguous tensor over a buffer that is at least as large as the type.
  static Tensor over(const TensorType& type, BufferHandle buffer);

  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  ElementType element() const { return type_.element; }
  Extent volume() const { return type_.shape.volume(); }

  /// The number of a rank-0 tensor of element T. Throws Error(type) for another element or rank.
  template <class T>
  T scalar() const {
    demand(element_of<T>(), true);
    T value;
    std::memcpy(&value, first(), sizeof value);
    return value;
  }
  /// The number of a rank-0 tensor as a double, whatever its element.
  double item() const;
  /// The numbers in row-major order, as a view that keeps them alive. Throws Error(type) for another element.
  template <class T>
  Values<T> values() const;

  /// `[[0.5, -0.25], [0.25, 0.4]]`: shortest digits that read back, in the element's own precision.
  std::string text() const;

  /// One value stored for every element.
  bool is_single() const { return !buffer_; }
  /// Row-major without gaps, or a single value.
  bool is_contiguous() const { return !strides_; }
  /// The bytes of the first element.
  const void* first() const { return buffer_ ? static_cast<const void*>(place_.data) : place_.value; }
  /// Strides in elements; a single value has stride 0 everywhere.
  Shape strides() const;
  /// The same numbers, contiguous or single: a copy only where it must be.
  Tensor dense() const;
  /// The same numbers in a buffer of their own, a single value spread out.
  Tensor spread() const;
  /// Another reading of this buffer: strides in elements, `offset` elements further on.
  Tensor view(const TensorType& type, Shape strides, Extent offset) const;
  /// Row-major into `out`.
  void copy_to(std::byte* out) const;
  /// The holder of the numbers; empty for a single value.
  const BufferHandle& buffer() const { return buffer_; }

 private:
  explicit Tensor(const TensorType& type) : type_(type) {}
  static Tensor converted(const Shape& shape, ElementType from, const void* values, std::size_t count,
                          ElementType element);
  template <class T>
  static auto widened(std::span<const T> values) {
    if constexpr (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, std::int64_t>)
      return std::vector<std::int64_t>(values.begin(), values.end());
    else
      return values;
  }
  void demand(ElementType element, bool rank_0) const;

  /// Strides of a view, apart from the tensor: most have none, and a small tensor is a fast one.
  class ViewStrides {
   public:
    ViewStrides() = default;
    explicit ViewStrides(Shape strides) : strides_(std::make_unique<const Shape>(std::move(strides))) {}
    ViewStrides(const ViewStrides& other)
        : strides_(other.strides_ ? std::make_unique<const Shape>(*other.strides_) : nullptr) {}
    ViewStrides(ViewStrides&&) noexcept = default;
    ViewStrides& operator=(ViewStrides other) noexcept {
      strides_ = std::move(other.strides_);
      return *this;
    }
    explicit operator bool() const { return strides_ != nullptr; }
    const Shape& operator*() const { return *strides_; }

   private:
    std::unique_ptr<const Shape> strides_;
  };

  TensorType type_;
  BufferHandle buffer_;
  ViewStrides strides_;  // none while contiguous or single
  union {
    std::byte* data;
    alignas(16) std::byte value[16] = {};
  } place_;  // the first element in the buffer, or the single value
};

/// A tensor's numbers in row-major order: a range that keeps them alive.
template <class T>
class Values {
 public:
  explicit Values(Tensor dense)
      : tensor_(std::move(dense)),
        span_(static_cast<const T*>(tensor_.first()), static_cast<std::size_t>(tensor_.volume())) {}
  Values(const Values& other) : Values(other.tensor_) {}
  Values& operator=(const Values&) = delete;

  const T* begin() const { return span_.data(); }
  const T* end() const { return span_.data() + span_.size(); }
  std::size_t size() const { return span_.size(); }
  const T& operator[](std::size_t i) const { return span_[i]; }
  operator std::span<const T>() const { return span_; }
  std::vector<T> to_vector() const { return {begin(), end()}; }

 private:
  Tensor tensor_;
  std::span<const T> span_;
};

template <class T>
Values<T> Tensor::values() const {
  demand(element_of<T>(), false);
  return Values<T>(volume() == 1 ? *this : spread());
}

/// The same type and the same bits in every element, any two NaNs counted as the same.
bool same_bits(const Tensor& a, const Tensor& b);

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace topos
