// StableHLO's syntax: types, constants and lines of a function's body. Knows no opcodes.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "topos/type/tensor_type.h"

namespace topos::stablehlo {

/// `tensor<2x3xf32>`, `tensor<f32>`. Throws Error(emission) for an element without a spelling.
std::string type_text(const TensorType& type);
/// `(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>`.
std::string signature(std::span<const TensorType* const> operands, const TensorType& result);
/// `array<i64: 1, 2>`, `array<i64>`.
std::string array_text(const Shape& entries);

// Numbers by name, as an element spells them. Infinities exist for floating elements alone.
std::string zero_of(ElementType element);
std::string one_of(ElementType element);
std::string infinity_of(ElementType element);
std::string negative_infinity_of(ElementType element);
/// What a maximum starts from: -inf, or the smallest integer.
std::string lowest_of(ElementType element);
/// The element that sums and products of an element are carried out in: f32 for bf16, itself for the others.
ElementType accumulator_of(ElementType element);
/// FLOAT, SIGNED or UNSIGNED: how a comparison reads the element.
std::string_view comparison_of(ElementType element);

/// A function's body, line by line, indented by four blanks.
class Writer {
 public:
  /// `name = stablehlo.operation operands : types`. Returns the name.
  std::string line(std::string name, std::string_view operation, std::string_view operands, std::string_view types);
  /// `name = stablehlo.constant dense<literal> : type`. Returns the name.
  std::string constant(std::string name, std::string_view literal, const TensorType& type);
  /// `name = stablehlo.reduce(x init: seed) applies stablehlo.operation across dimensions = axes : ...`.
  std::string reduce(std::string name, std::string_view operation, const std::string& x, const TensorType& type,
                     const std::string& seed, const Shape& axes, const TensorType& result);
  /// The sum of x over axes, in its accumulator: for bf16 through `name_promoted` and `name_accumulated`.
  std::string sum(const std::string& name, const std::string& x, const TensorType& type, const Shape& axes,
                  const TensorType& result);
  /// x in another element.
  std::string convert(std::string name, const std::string& x, const TensorType& from, ElementType to);
  /// A line as it is, four blanks before it.
  void verbatim(std::string_view text);

  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

}  // namespace topos::stablehlo
