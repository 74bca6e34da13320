// Element types: a run-time name for the numbers a tensor holds.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "topos/element/function.h"

namespace topos {

struct Reference;  // an element's table of functions; tensor/ defines it

/// How comparisons and derivatives see an element.
enum class ElementClass : std::uint8_t { floating, integer, boolean };

/// A description of one element; there is one object of it an element.
struct ElementInfo {
  std::string_view name;       // "f32"
  std::string_view stablehlo;  // "f32", "i1"; empty: no spelling
  std::uint32_t size;          // bytes
  ElementClass kind;
  Functions functions;
  const Reference* reference;
};

/// An element type, compared by identity. 8 bytes, copied freely.
class ElementType {
 public:
  constexpr explicit ElementType(const ElementInfo* info) : info_(info) {}

  std::string_view name() const { return info_->name; }
  std::string_view stablehlo() const { return info_->stablehlo; }
  /// Bytes of one element.
  std::uint32_t size() const { return info_->size; }
  bool is_floating() const { return info_->kind == ElementClass::floating; }
  ElementClass kind() const { return info_->kind; }
  bool has(Function f) const { return info_->functions.has(f); }
  const Reference& reference() const { return *info_->reference; }

  friend constexpr bool operator==(ElementType, ElementType) = default;

 private:
  const ElementInfo* info_;
};

// tensor/ defines these: it owns the tables that they point to.
extern const ElementInfo f32_info, f64_info, bf16_info, i64_info, boolean_info;

inline constexpr ElementType f32{&f32_info};          ///< IEEE 754 binary32
inline constexpr ElementType f64{&f64_info};          ///< IEEE 754 binary64
inline constexpr ElementType bf16{&bf16_info};        ///< bfloat16: arithmetic in f32, rounded once
inline constexpr ElementType i64{&i64_info};          ///< 64-bit two's complement, wraps
inline constexpr ElementType boolean{&boolean_info};  ///< false and true, one byte

/// The elements above, for those who look one up by its name.
std::span<const ElementType> built_in_elements();

/// A comparison's direction.
enum class Direction : std::uint8_t { eq, ne, lt, le, gt, ge };

/// "EQ", "NE", ...
std::string_view name_of(Direction direction);

}  // namespace topos
