// Owns the copy of a row of bytes: short ones without a call. Internal.
#pragma once
#include <cstddef>
#include <cstring>

#include "topos/kernel/numbers.h"

namespace topos::kernel {

/// The rows may be the same one.
TOPOS_INLINE void copy_bytes_of_row(void* to, const void* from, std::size_t size) {
  constexpr std::size_t part = 16, most = 256;
  if (size < part || size > most) {
    std::memmove(to, from, size);
    return;
  }
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  std::byte last[part];
  std::memcpy(last, in + size - part, part);
  for (std::size_t i = 0; i + part <= size; i += part) {
    std::byte next[part];
    std::memcpy(next, in + i, part);
    std::memcpy(out + i, next, part);
  }
  std::memcpy(out + size - part, last, part);
}

}  // namespace topos::kernel
