// What stands where a payload is wanted: a number, nested braces or a tensor.
#pragma once
#include <memory>
#include <optional>

#include "topos/tensor/tensor.h"

namespace topos {

/// A number or nested braces are weak: they take the element of their place, each number rounded once from its C++
/// value. A tensor is strong: it keeps its element, and a place that wants another is an error that names both.
class Literal {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  Literal(T number) : number_(number) {}
  /// Nested braces of numbers. Throws Error(argument) when they are empty, ragged or hold anything but numbers and
  /// braces.
  Literal(std::initializer_list<Literal> items);
  Literal(Tensor tensor) : number_(0), tensor_(std::move(tensor)) {}
  Literal(const Literal& other);
  Literal(Literal&&) noexcept = default;
  Literal& operator=(const Literal&) = default;
  Literal& operator=(Literal&&) noexcept = default;
  ~Literal() = default;

  bool is_number() const { return !tensor_ && !braces_; }
  Number number() const { return number_; }
  /// The tensor, if this is one.
  const Tensor* strong() const { return tensor_ ? &*tensor_ : nullptr; }
  /// The shape of the braces or the tensor; rank 0 for a number.
  Shape shape() const;

  /// The payload in `element`. Throws Error(type) for a tensor of another element or a number that the element lacks.
  Tensor tensor(ElementType element) const;
  /// The payload of exactly `type`; a number spreads over the shape. Throws Error(type) otherwise.
  Tensor fitted(const TensorType& type) const;

 private:
  struct Braces {
    Shape shape;
    std::vector<Number> numbers;
  };
  Number number_;
  std::optional<Tensor> tensor_;
  std::shared_ptr<const Braces> braces_;
  bool copied_ = false;  // an element of braces that was a variable, not written there
};

}  // namespace topos
