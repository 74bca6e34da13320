// Sums and maxima of rows, columns and several axes, beside plain loops and beside reading the memory.
#include <fmt/format.h>

#include "plain/rows.h"
#include "row_contest.h"

namespace {

using topos::Extent;
using topos::Shape;
using topos::kernel::Kind;

Shape shape_of(std::initializer_list<std::size_t> extents) {
  std::vector<Extent> signed_extents;
  for (const auto extent : extents) signed_extents.push_back(static_cast<Extent>(extent));
  return signed_extents;
}

template <class T>
void add_whole(const char* level, std::size_t bytes) {
  const auto n = bytes / sizeof(T);
  const auto element = std::same_as<T, float> ? topos::f32 : topos::f64;
  const auto name = fmt::format("sum {} of {}", std::same_as<T, float> ? "f32" : "f64", n);
  bench::add(
      {fmt::format("sums, {}", level), name, static_cast<double>(bytes), "GB/s", [=] {
         const auto x = bench::numbers<T>(n, 1), out = bench::numbers<T>(1, 2);
         const auto bits = bench::numbers<std::uint64_t>(1, 3, 0, 1);
         auto task = bench::task_of(Kind::sum, {shape_of({n})}, {});
         task.axes = {0};
         task.operands[0].element = task.result.element = element;
         return bench::Contest{
             bench::kernel(task, {x}, out),
             {{"-Ofast", [=] { *out.get() = plain::sum(n, x.get()); }},
              {"read", [=] { *bits.get() = plain::read(bytes / 8, reinterpret_cast<std::uint64_t*>(x.get())); }}},
             {}};
       }});
}

/// A sum of bf16: as many numbers as the peer adds floats.
void add_bfloat16(const char* level, std::size_t n) {
  bench::add(
      {fmt::format("sums, {}", level), fmt::format("sum bf16 of {}", n), static_cast<double>(2 * n), "GB/s", [=] {
         const auto x = bench::numbers<std::uint16_t>(n, 1, 0x3C00, 0x3F80), out = bench::numbers<std::uint16_t>(1, 2);
         const auto floats = bench::numbers<float>(n, 1), theirs = bench::numbers<float>(1, 2);
         auto task = bench::task_of(Kind::sum, {shape_of({n})}, {});
         task.axes = {0};
         task.operands[0].element = task.result.element = topos::bf16;
         return bench::Contest{bench::kernel(task, {x}, out),
                               {{"-Ofast of f32", [=] { *theirs.get() = plain::sum(n, floats.get()); }}},
                               {}};
       }});
}

struct Reduction {
  const char* group;
  const char* name;
  Kind kind;
  Shape operand, axes, result;
  void (*plain)(const Shape& operand, const float* x, float* out);
};

std::size_t at(const Shape& shape, std::size_t axis) { return static_cast<std::size_t>(shape[axis]); }

void plain_rows(const Shape& s, const float* x, float* out) { plain::row_sums(at(s, 0), at(s, 1), x, out); }
void plain_columns(const Shape& s, const float* x, float* out) { plain::column_sums(at(s, 0), at(s, 1), x, out); }
void plain_middle(const Shape& s, const float* x, float* out) {
  for (std::size_t o = 0; o < at(s, 0); ++o)
    plain::column_sums(at(s, 1), at(s, 2), x + o * at(s, 1) * at(s, 2), out + o * at(s, 2));
}
void plain_channels(const Shape& s, const float* x, float* out) {
  plain::channel_sums(at(s, 0), at(s, 1), at(s, 2), x, out);
}
void plain_row_maxima(const Shape& s, const float* x, float* out) { plain::row_maxima(at(s, 0), at(s, 1), x, out); }
void plain_column_maxima(const Shape& s, const float* x, float* out) {
  plain::column_maxima(at(s, 0), at(s, 1), x, out);
}
void plain_places(const Shape& s, const float* x, float* out) {
  plain::row_places(at(s, 0), at(s, 1), x, reinterpret_cast<std::int64_t*>(out));
}

void add_reduction(const Reduction& r) {
  const auto n = static_cast<std::size_t>(r.operand.volume()), results = static_cast<std::size_t>(r.result.volume());
  bench::add({r.group, fmt::format("{} {}", r.name, r.operand.text()), static_cast<double>(4 * n), "GB/s", [=] {
                const auto x = bench::numbers<float>(n, 1), out = bench::numbers<float>(2 * results, 2),
                           theirs = bench::numbers<float>(2 * results, 3);
                auto task = bench::task_of(r.kind, {r.operand}, r.result);
                task.axes = r.axes;
                if (r.kind == Kind::argmax_along) task.result.element = topos::i64;
                return bench::Contest{bench::kernel(task, {x}, out),
                                      {{"-Ofast", [=] { r.plain(r.operand, x.get(), theirs.get()); }}},
                                      {}};
              }});
}

void add_reductions() {
  for (const Extent n : {8, 64, 256, 768, 1000, 4096})
    add_reduction({"sums, rows", "rows of", Kind::sum, {65536 / n, n}, {1}, {65536 / n}, plain_rows});
  for (const auto& shape : {Shape{32, 200}, Shape{64, 768}, Shape{256, 256}, Shape{2048, 64}, Shape{2048, 768},
                            Shape{65536, 256}, Shape{16384, 1024}})
    add_reduction({"sums, columns", "columns of", Kind::sum, shape, {0}, {shape[1]}, plain_columns});
  add_reduction({"sums, columns", "middle of", Kind::sum, {16, 128, 64}, {1}, {16, 64}, plain_middle});
  add_reduction({"sums, columns", "outer and inner of", Kind::sum, {32, 64, 784}, {0, 2}, {64}, plain_channels});
  add_reduction({"sums, columns", "outer and inner of", Kind::sum, {32, 64, 49}, {0, 2}, {64}, plain_channels});
  for (const Extent n : {64, 1000, 50304})
    add_reduction({"maxima", "max, rows", Kind::max_along, {262144 / n, n}, {1}, {262144 / n}, plain_row_maxima});
  add_reduction({"maxima", "max, columns", Kind::max_along, {256, 1024}, {0}, {1024}, plain_column_maxima});
  for (const Extent n : {64, 1000, 50304})
    add_reduction({"maxima", "argmax, rows", Kind::argmax_along, {262144 / n, n}, {1}, {262144 / n}, plain_places});
}

const bench::Rows sums([] {
  struct Level {
    const char* name;
    std::size_t bytes;
  };
  for (const auto& [name, bytes] : {Level{"L1", 16 << 10}, Level{"L2", 256 << 10}, Level{"DRAM", 256 << 20}}) {
    add_whole<float>(name, bytes);
    add_whole<double>(name, bytes);
    add_bfloat16(name, bytes / 4);
  }
  add_reductions();
});

}  // namespace
