#include "topos/stablehlo/writer.h"

#include <fmt/format.h>

#include "topos/base/error.h"

namespace topos::stablehlo {

std::string type_text(const TensorType& type) {
  if (type.element.stablehlo().empty())
    throw Error(ErrorKind::emission, "StableHLO",
                fmt::format("the element {} has no StableHLO spelling", type.element.name()), {type.text()});
  std::string text = "tensor<";
  for (const auto extent : type.shape) text += fmt::format("{}x", extent);
  text += type.element.stablehlo();
  return text + ">";
}

std::string signature(std::span<const TensorType* const> operands, const TensorType& result) {
  std::string text = "(";
  for (const auto* operand : operands) {
    if (text.size() > 1) text += ", ";
    text += type_text(*operand);
  }
  return text + ") -> " + type_text(result);
}

std::string array_text(const Shape& entries) {
  if (entries.empty()) return "array<i64>";
  return fmt::format("array<i64: {}>", fmt::join(entries.begin(), entries.end(), ", "));
}

std::string zero_of(ElementType element) {
  switch (element.kind()) {
    case ElementClass::floating: return "0.0";
    case ElementClass::integer: return "0";
    case ElementClass::boolean: return "false";
  }
  return {};
}

std::string one_of(ElementType element) {
  switch (element.kind()) {
    case ElementClass::floating: return "1.0";
    case ElementClass::integer: return "1";
    case ElementClass::boolean: return "true";
  }
  return {};
}

std::string infinity_of(ElementType element) {
  if (element == f64) return "0x7FF0000000000000";
  return element == bf16 ? "0x7F80" : "0x7F800000";
}
std::string negative_infinity_of(ElementType element) {
  if (element == f64) return "0xFFF0000000000000";
  return element == bf16 ? "0xFF80" : "0xFF800000";
}
std::string lowest_of(ElementType element) {
  return element.kind() == ElementClass::integer ? "-9223372036854775808" : negative_infinity_of(element);
}
ElementType accumulator_of(ElementType element) { return element == bf16 ? f32 : element; }

std::string_view comparison_of(ElementType element) {
  switch (element.kind()) {
    case ElementClass::floating: return "FLOAT";
    case ElementClass::integer: return "SIGNED";
    case ElementClass::boolean: return "UNSIGNED";
  }
  return {};
}

std::string Writer::line(std::string name, std::string_view operation, std::string_view operands,
                         std::string_view types) {
  const std::string_view gap = operands.starts_with('(') || operands.empty() ? "" : " ";
  body_ += fmt::format("    {} = stablehlo.{}{}{} : {}\n", name, operation, gap, operands, types);
  return name;
}

std::string Writer::constant(std::string name, std::string_view literal, const TensorType& type) {
  return line(std::move(name), "constant", fmt::format("dense<{}>", literal), type_text(type));
}

std::string Writer::reduce(std::string name, std::string_view operation, const std::string& x, const TensorType& type,
                           const std::string& seed, const Shape& axes, const TensorType& result) {
  const TensorType scalar{type.element, {}};
  const TensorType* operands[] = {&type, &scalar};
  return line(std::move(name), "reduce",
              fmt::format("({} init: {}) applies stablehlo.{} across dimensions = {}", x, seed, operation, axes.text()),
              signature(operands, result));
}

std::string Writer::sum(const std::string& name, const std::string& x, const TensorType& type, const Shape& axes,
                        const TensorType& result) {
  const auto wide = accumulator_of(type.element);
  const TensorType scalar{wide, {}};
  if (wide == type.element) {
    const auto seed = constant(name + "_seed", zero_of(wide), scalar);
    return reduce(name, "add", x, type, seed, axes, result);
  }
  const auto promoted = convert(name + "_promoted", x, type, wide);
  const auto seed = constant(name + "_seed", zero_of(wide), scalar);
  const TensorType total{wide, result.shape};
  const auto accumulated = reduce(name + "_accumulated", "add", promoted, {wide, type.shape}, seed, axes, total);
  return convert(name, accumulated, total, result.element);
}

std::string Writer::convert(std::string name, const std::string& x, const TensorType& from, ElementType to) {
  const TensorType* operands[] = {&from};
  return line(std::move(name), "convert", x, signature(operands, {to, from.shape}));
}

void Writer::verbatim(std::string_view text) { body_ += fmt::format("    {}\n", text); }

}  // namespace topos::stablehlo
