// Owns the floating-point mode that exact arithmetic needs, and the scope that sets it and gives the caller's own back.
#pragma once
#include <cstdint>

#if defined(__SSE__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace topos {

/// The processor's control word of floating-point arithmetic. A processor without one is always in the standard mode.
namespace float_control {

#if defined(__SSE__) || defined(_M_X64)
using Word = std::uint32_t;
inline constexpr Word controls = 0xFFC0;  // all but the flags that only record: rounding, subnormals, masked traps
inline constexpr Word standard = 0x1F80;  // to nearest, subnormals kept, no trap
inline Word read() { return _mm_getcsr(); }
inline void write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
using Word = std::uint64_t;
inline constexpr Word controls = 0x07FF9F07;  // rounding, subnormals, default NaN, alternative halves, traps
inline constexpr Word standard = 0;           // to nearest, subnormals kept, NaNs propagated, no trap
inline Word read() {
  Word word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void write(Word word) { asm volatile("msr fpcr, %0" : : "r"(word) : "memory"); }
#else
using Word = std::uint32_t;
inline constexpr Word controls = 0;
inline constexpr Word standard = 0;
inline Word read() { return standard; }
inline void write(Word) {}
#endif

}  // namespace float_control

/// While it lives, this thread rounds to nearest and keeps subnormals, whatever the caller has set: what every entry
/// point that computes begins with. Reading is a few cycles; the word is written only where it differs.
class FloatEnvironment {
 public:
  FloatEnvironment() : before_(float_control::read()), differs_((before_ & mask) != float_control::standard) {
    if (differs_) [[unlikely]]
      float_control::write((before_ & ~mask) | float_control::standard);
  }
  ~FloatEnvironment() {
    if (differs_) [[unlikely]]
      float_control::write(before_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  static constexpr float_control::Word mask = float_control::controls;

  float_control::Word before_;
  bool differs_;
};

}  // namespace topos
