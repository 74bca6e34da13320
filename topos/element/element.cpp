#include "topos/element/element.h"

#include <array>

namespace topos {

std::string_view name_of(Function function) {
  static constexpr std::array<std::string_view, function_count> names{"negation",
                                                                      "absolute value",
                                                                      "sign",
                                                                      "exp",
                                                                      "expm1",
                                                                      "log",
                                                                      "log1p",
                                                                      "sqrt",
                                                                      "rsqrt",
                                                                      "tanh",
                                                                      "sin",
                                                                      "cos",
                                                                      "erf",
                                                                      "erf_derivative",
                                                                      "logistic",
                                                                      "softplus",
                                                                      "logical not",
                                                                      "addition",
                                                                      "subtraction",
                                                                      "product",
                                                                      "division",
                                                                      "power",
                                                                      "maximum",
                                                                      "minimum",
                                                                      "logical and",
                                                                      "logical or",
                                                                      "equality",
                                                                      "order",
                                                                      "matrix product",
                                                                      "sum",
                                                                      "softmax"};
  return names[static_cast<std::size_t>(function)];
}

std::span<const ElementType> built_in_elements() {
  static constexpr ElementType elements[] = {f32, f64, bf16, i64, boolean};
  return elements;
}

std::string_view name_of(Direction direction) {
  static constexpr std::array<std::string_view, 6> names{"EQ", "NE", "LT", "LE", "GT", "GE"};
  return names[static_cast<std::size_t>(direction)];
}

}  // namespace topos
