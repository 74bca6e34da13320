// An element's table of functions over rows of numbers: what each operation means.
#pragma once
#include <array>
#include <string>

#include "topos/base/types.h"
#include "topos/element/number.h"

namespace topos {

/// Windows along one axis of [outer, extent, inner], apart as [outer, count, size, inner].
struct FoldShape {
  Extent outer, count, size, step, dilation, extent, inner;
};

/// One table an element. Rows are contiguous; an operand's step of 0 repeats its one value. A null entry: the element
/// lacks the function, and the type rules have refused it before.
struct Reference {
  using Unary = void (*)(Extent n, const void* x, void* out);
  using Binary = void (*)(Extent n, const void* a, Extent a_step, const void* b, Extent b_step, void* out);
  using Compare = void (*)(Extent n, Direction direction, const void* a, Extent a_step, const void* b, Extent b_step,
                           void* out);
  using MatMul = void (*)(Extent m, Extent k, Extent n, const void* a, const void* b, void* out);
  using Rows = void (*)(Extent rows, Extent n, const void* x, void* out);
  using Fold = void (*)(const FoldShape& shape, const void* taps, void* out);
  using Scatter = void (*)(Extent count, Extent width, Extent extent, const std::int64_t* indices, const void* rows,
                           void* table);

  std::array<Unary, unary_count> unary{};
  std::array<Binary, binary_count> binary{};
  Compare compare = nullptr;
  MatMul matmul = nullptr;
  Rows sum = nullptr;           // n elements a row, one result a row
  Rows softmax = nullptr;       // n results a row
  Rows log_softmax = nullptr;   // n results a row
  Rows logsumexp = nullptr;     // one result a row
  Rows max_along = nullptr;     // one result a row
  Rows argmax_along = nullptr;  // one i64 a row
  Fold fold = nullptr;
  Scatter scatter = nullptr;

  // Conversions: every element reads and writes doubles or, where it is not floating, integers; each rounds once.
  void (*from_reals)(Extent n, const double* from, void* out) = nullptr;
  void (*from_integers)(Extent n, const std::int64_t* from, void* out) = nullptr;
  void (*to_reals)(Extent n, const void* from, double* out) = nullptr;
  void (*to_integers)(Extent n, const void* from, std::int64_t* out) = nullptr;

  std::string (*print)(const void* value) = nullptr;    // shortest digits that read back
  std::string (*literal)(const void* value) = nullptr;  // StableHLO's spelling; null: none
};

/// A number as `element` has it, rounded once, into `out`. The number must fit the element.
void store(const Number& number, ElementType element, void* out);

/// `n` numbers of one element as another, each rounded once.
void convert(Extent n, ElementType from, const void* values, ElementType to, void* out);

}  // namespace topos
