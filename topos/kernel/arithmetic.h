// Owns short programs of arithmetic over rows: what one instruction gives the next takes from registers. Internal.
#pragma once
#include <cstddef>
#include <cstdint>

#include "topos/kernel/task.h"

namespace topos::kernel {

/// What an instruction does with the total, in registers, and with the numbers that it names. Each rounds as the
/// kernel of the same function does.
enum class Action : std::uint8_t {
  load,
  store,
  add,
  subtract,
  subtract_from,  // number - total
  multiply,
  divide,
  divide_into,  // number / total
  maximum,
  minimum,
  negate,
  absolute,
  twice,   // total + total
  square,  // total * total
};

/// An instruction and where its numbers are: without gaps, or one number again and again.
struct Placed {
  Action action;
  Extent moves;  // all bits, or none: `at` holds repeated_bytes of one number
  void* at;
};

/// The first instruction loads, the last one stores. Stores may go to where earlier instructions load from, at the same
/// places.
using Arithmetic = void (*)(const Placed* first, const Placed* last, Extent n);

/// For f32 or f64; null: none for this element or machine.
Arithmetic arithmetic_of(ElementType element);

inline constexpr std::size_t repeated_bytes = 512;

/// Fills repeated_bytes, aligned to 8, with a number of `size` bytes, 4 or 8.
void repeat(const void* number, std::size_t size, void* to);

}  // namespace topos::kernel
