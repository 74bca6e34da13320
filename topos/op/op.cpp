#include "topos/op/op.h"

#include <cxxabi.h>

#include <charconv>
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

std::string_view read_attribute(std::string_view text, std::span<const ElementType>, Extent& value) {
  const auto* end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc() && at == end ? "" : "a whole number of 64 bits";
}

std::string_view read_attribute(std::string_view text, std::span<const ElementType>, Shape& value) {
  constexpr std::string_view expected = "a list of at most 256 whole numbers such as [2, 3]";
  static_assert(most_axes == 256);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return expected;
  const auto* at = text.data() + 1;
  const auto* end = text.data() + text.size() - 1;
  std::vector<Extent> entries;
  while (at != end) {
    if (entries.size() == most_axes) return expected;
    if (!entries.empty()) {
      if (*at++ != ',') return expected;
      while (at != end && *at == ' ') ++at;
    }
    const auto [next, failure] = std::from_chars(at, end, entries.emplace_back());
    if (failure != std::errc()) return expected;
    at = next;
  }
  value = Shape(entries);
  return {};
}

std::string_view read_attribute(std::string_view text, std::span<const ElementType>, Direction& value) {
  for (const auto direction :
       {Direction::eq, Direction::ne, Direction::lt, Direction::le, Direction::gt, Direction::ge})
    if (name_of(direction) == text) {
      value = direction;
      return {};
    }
  return "one of EQ, NE, LT, LE, GT, GE";
}

std::string_view read_attribute(std::string_view text, std::span<const ElementType> elements, ElementType& value) {
  for (const auto element : elements)
    if (element.name() == text) {
      value = element;
      return {};
    }
  return "the name of an element";
}

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

std::string attributes_of(const Op& op) {
  return topos::visit([](const auto& o) { return attributes_text(o); }, op);
}

std::optional<Op> opcode_named(std::string_view name) {
  return [&]<class... O>(const std::variant<O...>*) {
    std::optional<Op> found;
    (void)((O::name == name && (found.emplace(O{}), true)) || ...);
    return found;
  }(static_cast<const Op*>(nullptr));
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
