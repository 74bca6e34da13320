// An opcode's attributes: one list of fields gives printing, hashing and, for a reader, parsing.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "topos/type/tensor_type.h"

namespace topos {

/// A member of an opcode under the name that `describe` prints.
template <class O, class T>
struct Attribute {
  std::string_view name;
  T O::* member;
};
template <class O, class T>
Attribute(const char*, T O::*) -> Attribute<O, T>;

std::string attribute_text(Extent value);
std::string attribute_text(const Shape& value);
std::string attribute_text(Direction value);
std::string attribute_text(ElementType value);

/// Reads back what attribute_text wrote, the whole of `text`. Returns what was expected there, or nothing if the text
/// is that; `elements` are those with a name.
std::string_view read_attribute(std::string_view text, std::span<const ElementType> elements, Extent& value);
std::string_view read_attribute(std::string_view text, std::span<const ElementType> elements, Shape& value);
std::string_view read_attribute(std::string_view text, std::span<const ElementType> elements, Direction& value);
std::string_view read_attribute(std::string_view text, std::span<const ElementType> elements, ElementType& value);

/// The longest list that is read: rules over axes take the square of their number.
inline constexpr std::size_t most_axes = 256;

inline std::uint64_t attribute_hash(Extent value) { return static_cast<std::uint64_t>(value); }
inline std::uint64_t attribute_hash(const Shape& value) { return hash_of(value); }
inline std::uint64_t attribute_hash(Direction value) { return static_cast<std::uint64_t>(value); }
inline std::uint64_t attribute_hash(ElementType value) { return hash_of(TensorType{value, {}}); }

/// `axis=0 extent=8`; empty without attributes.
template <class O>
std::string attributes_text(const O& opcode) {
  std::string text;
  std::apply(
      [&](const auto&... field) {
        ((text += (text.empty() ? "" : " ") + std::string(field.name) + "=" + attribute_text(opcode.*field.member)),
         ...);
      },
      O::fields);
  return text;
}

/// `read(name, value)` for each attribute, in the order in which they print.
template <class O, class F>
void read_attributes(O& opcode, F&& read) {
  std::apply([&](const auto&... field) { (read(field.name, opcode.*field.member), ...); }, O::fields);
}

template <class O>
std::uint64_t attributes_hash(const O& opcode) {
  std::uint64_t hash = 0;
  std::apply(
      [&](const auto&... field) {
        ((hash = (hash ^ attribute_hash(opcode.*field.member)) * 0x9E3779B97F4A7C15u + (hash >> 31)), ...);
      },
      O::fields);
  return hash;
}

}  // namespace topos
