// The pattern catalog: the compositions of a schedule that may be carried out as one. Internal.
#pragma once
#include <vector>

#include "topos/base/types.h"
#include "topos/plan/pattern.h"

namespace topos {

class Schedule;

/// How the windows lie along one axis of an image.
struct WindowAxis {
  Extent size = 1, step = 1, dilation = 1;
  Extent padding = 0;  // zeros at both ends
  Extent extent = 0;   // of the image, without padding
  Extent count = 0;    // of windows

  Extent span() const { return (size - 1) * dilation + 1; }
  /// Places at the end that no window reaches.
  Extent remainder() const { return extent + 2 * padding - (count - 1) * step - span(); }
};

/// A candidate. Its interiors are not readable. What computes in it is read by nobody else; what only moves numbers may
/// be, and then is not claimed: the composition reads what lies below.
struct Pattern {
  PatternKind kind{};
  Index root = nowhere;
  std::vector<Index> claimed;  // the interiors that nobody else reads, ascending
  std::vector<Index> named;    // further results: a batch's mean and variance
  std::vector<Index> reads;    // what it is a function of, in the order of its kind's meaning
  WindowAxis rows, columns;
  bool closed = false;  // every interior is claimed
  bool turned = false;  // an input gradient that reads the convolution's own matrix, not its transpose
};

// What `reads` holds: image, matrix; image; input, scale, shift, epsilon; the same and mean, variance; cotangent rows,
// matrix; image, cotangent rows; image, cotangent [b, c, oh, ow, 1].

/// The pool: kind by kind as PatternKind lists them, each in ascending order of roots.
std::vector<Pattern> candidates_of(const Schedule& schedule);

}  // namespace topos
