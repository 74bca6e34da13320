#include "topos/kernel/sheets.h"

#include <algorithm>

#include "topos/kernel/copy_bytes.h"
#include "topos/kernel/transpose.h"

namespace topos::kernel {
namespace {

constexpr Extent sheet_numbers = 512;    // of a buffer, in the nearest cache
constexpr Extent short_row = 128;        // longer rows cost little each
constexpr Extent short_copied_row = 32;  // the same where each row must be copied
constexpr Extent tile_rows = 16, tile_columns = 32;

/// The last two axes of an operand, or of the result.
struct Rows {
  Extent row, step;
};

bool is_transposed(const Rows& rows) { return rows.row == 1 && rows.step > 1; }

/// One map, as its sheets see it.
template <class T>
struct SheetMap {
  const Task& task;
  PairValues<T> values;
  Extent count, n;  // rows, and numbers of each
  Rows operand[2], result;
};

/// `count` rows of n numbers, one after the other.
template <class T>
void fill_sheet(const T* from, const Rows& rows, Extent count, Extent n, T* to) {
  constexpr auto line = static_cast<Extent>(64 / sizeof(T));
  if (is_transposed(rows)) {
    for (Extent i = 0; i < count; i += line)
      for (Extent j = 0; j < n; j += line)
        transpose_tile(std::min(line, count - i), std::min(line, n - j), from + j * rows.step + i, rows.step,
                       to + i * n + j, n);
    return;
  }
  for (Extent i = 0; i < count; ++i, from += rows.row, to += n) {
    if (rows.step == 1)
      copy_bytes_of_row(to, from, static_cast<std::size_t>(n) * sizeof(T));
    else if (rows.step == 0)
      std::fill_n(to, n, *from);
    else
      for (Extent j = 0; j < n; ++j) to[j] = from[j * rows.step];
  }
}

/// Whole rows, as many as a buffer holds; the result has no gaps.
template <class T>
void map_short_rows(const SheetMap<T>& map, const T* const* operand, T* out) {
  alignas(64) T buffer[2][sheet_numbers];
  const auto n = map.n, at_once = sheet_numbers / n;
  for (Extent begin = 0; begin < map.count; begin += at_once) {
    const auto count = std::min(at_once, map.count - begin);
    const T* x[2];
    for (int k = 0; k < 2; ++k) {
      const auto& rows = map.operand[k];
      const bool dense = rows.step == 1 && rows.row == n, same = rows.row == 0 && begin > 0;
      x[k] = dense ? operand[k] + begin * n : buffer[k];
      if (!dense && !same) fill_sheet(operand[k] + begin * rows.row, rows, count, n, buffer[k]);
    }
    map.values(count * n, out + begin * n, x[0], x[1]);
  }
}
/// Tiles, in which what is transposed is turned; the numbers of the result's rows lie side by side.
template <class T>
void map_tiles(const SheetMap<T>& map, const T* const* operand, T* out) {
  alignas(64) T buffer[2][tile_rows * tile_columns];
  for (Extent i = 0; i < map.count; i += tile_rows)
    for (Extent j = 0; j < map.n; j += tile_columns) {
      const auto count = std::min(tile_rows, map.count - i), n = std::min(tile_columns, map.n - j);
      const T* x[2];
      Extent row[2];
      for (int k = 0; k < 2; ++k) {
        const auto& rows = map.operand[k];
        const T* from = operand[k] + i * rows.row + j * rows.step;
        const bool dense = rows.step == 1;
        if (!dense) fill_sheet(from, rows, count, n, buffer[k]);
        x[k] = dense ? from : buffer[k];
        row[k] = dense ? rows.row : n;
      }
      for (Extent r = 0; r < count; ++r)
        map.values(n, out + (i + r) * map.result.row + j, x[0] + r * row[0], x[1] + r * row[1]);
    }
}

template <class T>
using MapRows = void (*)(const SheetMap<T>& map, const T* const* operand, T* out);

template <class T>
void each_sheet(const SheetMap<T>& map, MapRows<T> rows, std::size_t axis, const T* a, const T* b, T* out) {
  const auto& [element, shape, strides] = map.task.result;
  if (axis + 2 == shape.rank()) {
    const T* const operand[] = {a, b};
    return rows(map, operand, out);
  }
  const auto& [left, right, _] = map.task.operands;
  for (Extent i = 0; i < shape[axis]; ++i)
    each_sheet(map, rows, axis + 1, a + i * left.strides[axis], b + i * right.strides[axis], out + i * strides[axis]);
}

/// How a map of these rows is done; null: row by row.
template <class T>
MapRows<T> choose(const SheetMap<T>& map) {
  if (map.result.step != 1) return nullptr;
  bool turned = false, copied = false;
  for (const auto& rows : map.operand) {
    turned = turned || is_transposed(rows);
    copied = copied || rows.step != 1 || (rows.row != 0 && rows.row != map.n);
  }
  if (map.result.row == map.n && map.n <= (copied ? short_copied_row : short_row)) return map_short_rows<T>;
  return turned && map.count >= 4 ? map_tiles<T> : nullptr;
}

template <class T>
bool map_pairs(const Task& task, const void* const* operands, void* result, PairValues<T> values) {
  const auto rank = task.result.shape.rank();
  if (rank < 2) return false;
  const auto rows_of = [rank](const View& view) { return Rows{view.strides[rank - 2], view.strides[rank - 1]}; };
  const SheetMap<T> map{task,
                        values,
                        task.result.shape[rank - 2],
                        task.result.shape[rank - 1],
                        {rows_of(task.operands[0]), rows_of(task.operands[1])},
                        rows_of(task.result)};
  const auto rows = choose(map);
  if (rows == nullptr) return false;
  each_sheet(map, rows, 0, static_cast<const T*>(operands[0]), static_cast<const T*>(operands[1]),
             static_cast<T*>(result));
  return true;
}

}  // namespace

bool map_in_sheets(const Task& task, const void* const* operands, void* result, PairValues<float> values) {
  return map_pairs(task, operands, result, values);
}
bool map_in_sheets(const Task& task, const void* const* operands, void* result, PairValues<double> values) {
  return map_pairs(task, operands, result, values);
}
bool map_in_sheets(const Task& task, const void* const* operands, void* result, PairValues<std::int64_t> values) {
  return map_pairs(task, operands, result, values);
}

}  // namespace topos::kernel
