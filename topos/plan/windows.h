// The windows of an image as the window patterns and their derivatives find them. Internal.
#pragma once
#include "topos/plan/matching.h"

namespace topos {

struct Windows {
  Index image = nowhere;
  WindowAxis rows, columns;
  Interiors interiors;
};

/// The windows that node i [b oh ow, c kh kw] lays out as the rows of a product, `above` between it and the root.
std::optional<Windows> product_windows(const Matching& m, Index i, Index root, Interiors above);
/// The windows whose lanes, in row-major order, node `lanes` [b, c, oh, ow, size] holds.
std::optional<Windows> pool_windows(const Matching& m, Index lanes, Index root);
/// Whether node `top` is the running maximum of the first `count` lanes; its parts among the interiors.
bool running_maxima(const Matching& m, Index top, Index lanes, Extent count, Interiors& interiors);

}  // namespace topos
