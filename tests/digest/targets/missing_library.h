// Owns what the C++ library of Debian's emscripten lacks of C++20. Included before all else in that build only.
#pragma once
#include <bit>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From), "bits of one number are bits of another of its size");
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif
