// Owns the list of vector targets that the kernels are not compiled for.
#pragma once

// The widths that differ are enough: fewer targets compile faster and give the same bits. Vectors of a length unknown
// to the compiler cannot stand in arrays, which the tiles of a product are.
#ifndef TOPOS_DISABLED_TARGETS  // more of them, for builds that only test
#define TOPOS_DISABLED_TARGETS 0
#endif
#if defined(__wasm__)  // Highway has no vectors of doubles there: its fallback target does
#define TOPOS_SPARED_TARGETS (HWY_WASM | HWY_WASM_EMU256)
#elif defined(TOPOS_ALL_TARGETS)  // for builds that compare them
#define TOPOS_SPARED_TARGETS 0
#else
#define TOPOS_SPARED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#endif
#define HWY_DISABLED_TARGETS                                                                                       \
  (TOPOS_DISABLED_TARGETS | TOPOS_SPARED_TARGETS | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | \
   HWY_RVV)
