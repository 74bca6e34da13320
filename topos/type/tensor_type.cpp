#include "topos/type/tensor_type.h"

namespace topos {

std::string TensorType::text() const { return std::string(element.name()) + shape.text(); }

std::uint64_t hash_of(const TensorType& type) {
  return hash_of(type.shape) * 31 + type.element.name().front() * 7 + type.element.size();
}

}  // namespace topos
