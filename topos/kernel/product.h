// Owns what a matrix product and a tile of one are to the kernels that compute them. Internal.
#pragma once
#include "topos/base/types.h"

namespace topos::kernel {

inline constexpr Extent chain_length = 2048;  // of k: part of the definition

/// out[i, j] = sum of a[i, k] b[k, j], i < m, j < n, with a stride an axis; each row of out is contiguous.
template <class T>
struct Product {
  Extent m, k, n;
  const T* a;
  Extent a_row, a_k;
  const T* b;
  Extent b_k, b_column;
  T* out;
  Extent out_row;
};

/// Some rows of the result by some whole vectors. The last vector may lie anywhere, also over part of the one before:
/// both then compute and store the same numbers, and no read or write leaves the operands.
template <class T>
struct Tile {
  Extent k;
  const T* a;
  Extent a_row, a_k;
  const T* b;
  Extent b_k, b_last;
  T* out;
  Extent out_row, out_last;
  bool go_on;  // the chains go on from what `out` holds
  T* kept;     // where a tile that keeps its rows of b writes them, without gaps
};

}  // namespace topos::kernel
