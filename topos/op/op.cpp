#include "topos/op/op.h"

#include <cxxabi.h>

#include <cstdlib>

namespace topos {

void algebra_lacks(const std::type_info& algebra, std::string_view function) {
  int status = 0;
  char* plain = abi::__cxa_demangle(algebra.name(), nullptr, nullptr, &status);
  const std::string name = status == 0 ? plain : algebra.name();
  std::free(plain);
  throw Error(ErrorKind::argument, "",
              "the algebra " + name + " has no " + std::string(function) + ": write it in the namespace of " + name);
}

std::string attribute_text(Extent value) { return std::to_string(value); }
std::string attribute_text(const Shape& value) { return value.text(); }
std::string attribute_text(Direction value) { return std::string(name_of(value)); }
std::string attribute_text(ElementType value) { return std::string(value.name()); }

std::string_view name_of(const Op& op) {
  return topos::visit([]<class O>(const O&) { return O::name; }, op);
}

std::string_view title_of(const Op& op, std::span<const TensorType* const> operands) {
  return topos::visit(
      [&]<class O>(const O& o) -> std::string_view {
        if constexpr (requires { o.title(operands); })
          return o.title(operands);
        else
          return O::name;
      },
      op);
}

std::string attributes_of(const Op& op, std::span<const TensorType* const> operands) {
  return topos::visit(
      [&](const auto& o) -> std::string {
        if constexpr (requires { o.attributes(operands); })
          return o.attributes(operands);
        else
          return attributes_text(o);
      },
      op);
}

int arity_of(const Op& op) {
  return topos::visit([]<class O>(const O&) { return O::arity; }, op);
}

bool is_source(const Op& op) {
  return topos::visit([]<class O>(const O&) { return op::Source<O>; }, op);
}

std::uint64_t hash_of(const Op& op) {
  return topos::visit([&](const auto& o) { return attributes_hash(o) * 128 + op.index(); }, op);
}

TensorType infer(const Op& op, std::span<const TensorType* const> operands) {
  return express<TensorType>(op, operands);
}

std::string lower(const Op& op, stablehlo::Writer& writer, const Lowering& node) {
  return topos::visit([&](const auto& o) { return o.lower(writer, node); }, op);
}

}  // namespace topos
