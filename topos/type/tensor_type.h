// A node's type: the element and the shape, checked together.
#pragma once
#include <string>

#include "topos/element/element.h"
#include "topos/type/shape.h"

namespace topos {

/// Prints as `f32[2, 3]`.
struct TensorType {
  ElementType element = f32;
  Shape shape;

  std::size_t rank() const { return shape.rank(); }
  /// Bytes of a contiguous payload.
  std::size_t bytes() const { return static_cast<std::size_t>(shape.volume()) * element.size(); }
  std::string text() const;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

std::uint64_t hash_of(const TensorType& type);

}  // namespace topos
