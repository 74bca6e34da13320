// What the tensor algebra's files share: checked types and operands as flat rows. Internal.
#pragma once
#include "topos/tensor/algebra.h"
#include "topos/tensor/reference.h"
#include "topos/type/rules.h"

namespace topos::algebra {

/// Runs a type rule; a broken constraint becomes an error that names the operation.
template <class F>
auto checked(std::string_view operation, F&& rule) {
  try {
    return rule();
  } catch (TypeFault& fault) {
    throw Error(ErrorKind::type, std::string(operation) + " (" + std::string(fault.label) + ")", fault.text,
                std::move(fault.types));
  }
}

/// An operand as one contiguous row, or one value repeated.
class Row {
 public:
  explicit Row(const Tensor& x) : tensor_(x.dense()), step_(x.is_single() ? 0 : 1) {}
  const void* data() const { return tensor_.first(); }
  Extent step() const { return step_; }

 private:
  Tensor tensor_;
  Extent step_;
};

/// Throws Error(index) for the first index outside [0, extent).
void check_indices(std::string_view operation, std::span<const std::int64_t> indices, Extent extent);

/// Throws Error(argument) if an integer divisor holds a zero.
void check_divisor(const Tensor& divisor);

}  // namespace topos::algebra
