// Maps, copies of views, conversions and rows by index, beside plain loops and the C library's copy.
#include <fmt/format.h>

#include <cstring>

#include "plain/rows.h"
#include "row_contest.h"

namespace {

using topos::Extent;
using topos::Function;
using topos::Shape;
using topos::kernel::Kind;
using Floats = std::shared_ptr<float[]>;

struct Level {
  const char* name;
  Extent count;
};
constexpr Level levels[] = {{"L1", 2048}, {"L2", 32768}, {"DRAM", 16 << 20}};

void add_row(const std::string& group, const std::string& name, double bytes, std::function<bench::Contest()> make) {
  bench::add({group, name, bytes, "GB/s", std::move(make)});
}
/// At the beginning of a page: a store may wait for loads behind it whose addresses have the same last bits, so that
/// what lies where by chance would make one contender half as fast.
Floats floats(Extent n, std::uint64_t seed) {
  constexpr std::size_t page = 4096;
  const auto memory = bench::numbers<float>(static_cast<std::size_t>(n) + page / sizeof(float), seed, 1, 2);
  const auto past = reinterpret_cast<std::uintptr_t>(memory.get()) % page;
  return {memory, memory.get() + (page - past) % page / sizeof(float)};
}

topos::kernel::Task binary(Function function, const Shape& shape, const Shape& left, const Shape& right) {
  auto task = bench::task_of(Kind::binary, {shape, shape}, shape);
  task.function = function;
  task.operands[0].strides = left;
  task.operands[1].strides = right;
  return task;
}

/// Rows and columns of a map: an operand of its own layout each.
struct Map {
  const char* name;
  Function function;
  Extent rows, columns;
  Shape right;  // strides
  void (*plain)(std::size_t rows, std::size_t columns, const float* a, const float* b, float* out);
};

void add_map(const Map& map, const char* level) {
  const auto n = map.rows * map.columns;
  add_row(fmt::format("maps, {}", level), fmt::format("{} {}x{}", map.name, map.rows, map.columns),
          12.0 * static_cast<double>(n), [=] {
            const auto a = floats(n, 1), b = floats(n, 2), out = floats(n, 3), theirs = floats(n, 4);
            const auto task = binary(map.function, {map.rows, map.columns}, {map.columns, 1}, map.right);
            const auto r = static_cast<std::size_t>(map.rows), c = static_cast<std::size_t>(map.columns);
            return bench::Contest{bench::kernel(task, {a, b}, out),
                                  {{"-Ofast", [=] { map.plain(r, c, a.get(), b.get(), theirs.get()); }}},
                                  {}};
          });
}
void plain_add(std::size_t r, std::size_t c, const float* a, const float* b, float* out) {
  plain::add(r * c, a, b, out);
}
void plain_divide(std::size_t r, std::size_t c, const float* a, const float* b, float* out) {
  plain::divide(r * c, a, b, out);
}
void plain_maximum(std::size_t r, std::size_t c, const float* a, const float* b, float* out) {
  plain::maximum(r * c, a, b, out);
}

void add_maps() {
  for (const auto& [level, n] : levels) {
    const Extent columns = 64, rows = n / columns, side = n == 2048 ? 32 : n == 32768 ? 128 : 4096;
    add_map({"add", Function::add, 1, n, {n, 1}, plain_add}, level);
    add_map({"divide", Function::divide, 1, n, {n, 1}, plain_divide}, level);
    add_map({"maximum", Function::maximum, 1, n, {n, 1}, plain_maximum}, level);
    add_map({"add a row", Function::add, rows, columns, {0, 1}, plain::add_row}, level);
    add_map({"add a row", Function::add, n / 8, 8, {0, 1}, plain::add_row}, level);
    add_map({"scale rows", Function::multiply, rows, columns, {1, 0}, plain::scale_rows}, level);
    add_map({"add transposed", Function::add, side, side, {1, side}, plain::add_transposed}, level);
  }
}

void add_copies() {
  for (const auto& [level, n] : levels) {
    const auto group = fmt::format("copies, {}", level);
    const auto bytes = 8.0 * static_cast<double>(n);
    const auto size = static_cast<std::size_t>(n);
    add_row(group, fmt::format("copy {}", n), bytes, [=, n = n] {
      const auto x = floats(n, 1), out = floats(n, 2), theirs = floats(n, 3);
      return bench::Contest{bench::kernel(bench::task_of(Kind::copy, {{n}}, {n}), {x}, out),
                            {{"memcpy", [=] { std::memcpy(theirs.get(), x.get(), size * sizeof(float)); }}},
                            {}};
    });
    const Extent side = n == 2048 ? 32 : n == 32768 ? 128 : 4096;
    add_row(group, fmt::format("transpose {0}x{0}", side), 8.0 * static_cast<double>(side * side), [=] {
      const auto x = floats(side * side, 1), out = floats(side * side, 2), theirs = floats(side * side, 3);
      const auto s = static_cast<std::size_t>(side);
      auto task = bench::task_of(Kind::copy, {{side, side}}, {side, side});
      task.operands[0].strides = {1, side};
      return bench::Contest{bench::kernel(task, {x}, out),
                            {{"-Ofast", [=] { plain::transpose(s, s, x.get(), theirs.get()); }},
                             {"memcpy", [=] { std::memcpy(theirs.get(), x.get(), s * s * sizeof(float)); }}},
                            {}};
    });
    add_row(group, fmt::format("every row but its ends {}x32", n / 32), bytes, [=, n = n] {
      const auto x = floats(n / 32 * 34, 1), out = floats(n, 2), theirs = floats(n, 3);
      auto task = bench::task_of(Kind::copy, {{n / 32, 32}}, {n / 32, 32});
      task.operands[0].strides = {34, 1};
      return bench::Contest{bench::kernel(task, {x}, out),
                            {{"-Ofast", [=] { plain::copy_rows(size / 32, 32, 34, x.get(), theirs.get()); }}},
                            {}};
    });
    add_row(group, fmt::format("f32 to f64 {}", n), 1.5 * bytes, [=, n = n] {
      const auto x = floats(n, 1);
      const auto out = bench::numbers<double>(size, 2), theirs = bench::numbers<double>(size, 3);
      auto task = bench::task_of(Kind::convert, {{n}}, {n});
      task.result.element = topos::f64;
      return bench::Contest{
          bench::kernel(task, {x}, out), {{"-Ofast", [=] { plain::to_double(size, x.get(), theirs.get()); }}}, {}};
    });
  }
}

void add_by_index() {
  for (const Extent width : {16, 64, 768}) {
    const Extent count = 49152 / width;
    const auto bytes = 8.0 * static_cast<double>(count * width);
    const auto places = [=] { return bench::numbers<std::int64_t>(static_cast<std::size_t>(count), 5, 0, 1000); };
    const auto n = static_cast<std::size_t>(count), w = static_cast<std::size_t>(width);
    const auto of = [=](Kind kind) {
      auto task = kind == Kind::gather ? bench::task_of(kind, {{1000, width}, {count}}, {count, width})
                                       : bench::task_of(kind, {{count, width}, {count}}, {1000, width});
      task.operands[1].element = topos::i64;
      return task;
    };
    add_row("rows by index", fmt::format("gather {}x{}", count, width), bytes, [=] {
      const auto table = floats(1000 * width, 1), out = floats(count * width, 2), theirs = floats(count * width, 3);
      const auto indices = places();
      return bench::Contest{
          bench::kernel(of(Kind::gather), {table, indices}, out),
          {{"memcpy",
            [=] {
              for (std::size_t i = 0; i < n; ++i)
                std::memcpy(theirs.get() + i * w,
                            table.get() + static_cast<std::size_t>(indices[static_cast<std::ptrdiff_t>(i)]) * w,
                            w * sizeof(float));
            }}},
          {}};
    });
    add_row("rows by index", fmt::format("scatter {}x{}", count, width), bytes, [=] {
      const auto rows = floats(count * width, 1), out = floats(1000 * width, 2), theirs = floats(1000 * width, 3);
      const auto indices = places();
      return bench::Contest{bench::kernel(of(Kind::scatter), {rows, indices}, out),
                            {{"-Ofast",
                              [=] {
                                std::memset(theirs.get(), 0, 1000 * w * sizeof(float));
                                plain::add_rows(n, w, indices.get(), rows.get(), theirs.get());
                              }}},
                            {}};
    });
  }
}

const bench::Rows copies([] {
  add_maps();
  add_copies();
  add_by_index();
});

}  // namespace
