// What a number can do: the functions that an element type may offer.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace topos {

/// One entry a function over numbers. An element offers a set of them; an operation whose element lacks its function
/// is an error at the recording line.
enum class Function : std::uint8_t {
  // One operand.
  negate,
  absolute,
  sign,
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  rsqrt,
  tanh,
  sin,
  cos,
  erf,
  erf_derivative,
  logistic,
  softplus,
  logical_not,
  // Two operands.
  add,
  subtract,
  multiply,
  divide,
  power,
  maximum,
  minimum,
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

inline constexpr std::size_t function_count = 31;
inline constexpr std::size_t unary_count = 17;
inline constexpr std::size_t binary_count = 9;

constexpr std::size_t unary_index(Function f) { return static_cast<std::size_t>(f); }
constexpr std::size_t binary_index(Function f) { return static_cast<std::size_t>(f) - unary_count; }

/// The word that messages use: "exp", "addition".
std::string_view name_of(Function function);

/// A set of functions.
class Functions {
 public:
  constexpr Functions() = default;
  template <std::same_as<Function>... F>
  constexpr explicit Functions(F... functions) : bits_((bit(functions) | ... | std::uint64_t{0})) {}
  constexpr bool has(Function f) const { return (bits_ & bit(f)) != 0; }
  constexpr Functions with(Functions others) const {
    Functions more = *this;
    more.bits_ |= others.bits_;
    return more;
  }

 private:
  static constexpr std::uint64_t bit(Function f) { return std::uint64_t{1} << static_cast<unsigned>(f); }
  std::uint64_t bits_ = 0;
};

}  // namespace topos
