// What a number can do: the functions that an element type may offer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace topos {

/// One entry a function over numbers. An element offers a set of them; an operation whose element lacks its function
/// is an error at the recording line.
enum class Function : std::uint8_t {
  // One operand.
  negate,
  exp,
  log,
  sqrt,
  tanh,
  logical_not,
  // Two operands.
  add,
  subtract,
  multiply,
  divide,
  maximum,
  logical_and,
  logical_or,
  // Comparisons.
  equal,
  order,
  // Whole rows.
  matmul,
  sum,
  softmax,
};

inline constexpr std::size_t function_count = 18;
inline constexpr std::size_t unary_count = 6;
inline constexpr std::size_t binary_count = 7;

constexpr std::size_t unary_index(Function f) { return static_cast<std::size_t>(f); }
constexpr std::size_t binary_index(Function f) { return static_cast<std::size_t>(f) - unary_count; }

/// The word that messages use: "exp", "addition".
std::string_view name_of(Function function);

/// A set of functions.
class Functions {
 public:
  constexpr Functions() = default;
  template <class... F>
  constexpr explicit Functions(F... functions) : bits_((bit(functions) | ... | 0u)) {}
  constexpr bool has(Function f) const { return (bits_ & bit(f)) != 0; }
  constexpr Functions with(Function f) const {
    Functions more = *this;
    more.bits_ |= bit(f);
    return more;
  }

 private:
  static constexpr std::uint32_t bit(Function f) { return std::uint32_t{1} << static_cast<unsigned>(f); }
  std::uint32_t bits_ = 0;
};

}  // namespace topos
