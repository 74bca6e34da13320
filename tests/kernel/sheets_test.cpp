// Owns the tests of maps whose rows are short or whose operands are turned, at the sizes where such maps change course.
#include "kernel/guarded.h"
#include "kernel/oracle.h"

namespace topos::kernel {
namespace {

/// How an operand of a map lies: all of it; one row or one column, repeated; turned; rows apart; columns apart.
enum class Lie { dense, row, column, turned, window, sparse };
constexpr Lie lies[] = {Lie::dense, Lie::row, Lie::column, Lie::turned, Lie::window, Lie::sparse};

Tensor lying(ElementType element, Extent rows, Extent n, std::uint64_t seed, Lie lie) {
  const auto of = [&](const Shape& shape) { return seeded(element, shape, seed, Contents::edges); };
  switch (lie) {
    case Lie::row: return topos::broadcast_along(of({n}), 0, rows);
    case Lie::column: return topos::broadcast_along(of({rows}), 1, n);
    case Lie::turned: return transpose(of({n, rows}));
    case Lie::window: return topos::narrow(of({rows, n + 3}), 1, 2, n);
    case Lie::sparse: return transpose(topos::narrow(of({n, rows + 2}), 1, 1, rows));
    default: return of({rows, n});
  }
}

void check(const Tensor& a, const Tensor& b, Function function, const Tensor& expected) {
  auto task = task_of(Kind::binary, {a, b}, expected.type());
  task.function = function;
  expect_same(run(task, {a, b}).result, expected, "a map");
  expect_same(run_into_window(task, {a, b}).result, expected, "a map into a window");
}

void check_lies(ElementType element, Extent rows, Extent n, Lie left, Lie right) {
  const auto a = lying(element, rows, n, 1, left), b = lying(element, rows, n, 2, right);
  check(a, b, Function::subtract, a - b);
}

TEST(sheets, maps_of_every_width_reproduce_the_reference_bits) {
  for (const Extent n : {1, 2, 3, 4, 5, 8, 15, 16, 17, 27, 31, 32, 33, 64, 127, 128, 129})
    for (const Extent rows : {2, 3, 4, 5, 15, 16, 17, 33})
      for (const auto lie : lies) {
        check_lies(f32, rows, n, Lie::dense, lie);
        if ((n + rows) % 3 == 0) check_lies(f64, rows, n, lie, Lie::dense);
        if ((n + rows) % 5 == 0) check_lies(i64, rows, n, Lie::dense, lie);
      }
  for (const Extent n : {5, 31, 33})
    for (const auto left : lies)
      for (const auto right : lies) check_lies(f32, 21, n, left, right);
}

TEST(sheets, outer_axes_and_results_in_place_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, i64})
    for (const Extent n : {5, 30, 40}) {
      const auto a = seeded(element, {3, 2, 21, n}, 1, Contents::edges);
      auto row = seeded(element, {n}, 2, Contents::edges);
      for (const Extent extent : {21, 2, 3}) row = topos::broadcast_along(row, 0, extent);
      const auto turned = topos::permute(seeded(element, {3, n, 2, 21}, 3, Contents::edges), {0, 2, 3, 1});
      check(a, row, Function::maximum, maximum(a, row));
      check(turned, a, Function::multiply, turned * a);
      for (const auto& b : {row, turned}) {
        auto task = task_of(Kind::binary, {a, b}, a.type());
        const auto prepared = prepare(task);
        const Bytes memory(a.type().bytes()), scratch(prepared.scratch_bytes);
        a.copy_to(memory.get());
        const void* const places[max_operands] = {memory.get(), b.first()};
        EXPECT_EQ(prepared.run(prepared.task, places, memory.get(), scratch.get()), no_fault);
        expect_same(Tensor::copied(a.type(), memory.get()), a + b, "a map in place");
      }
    }
}

TEST(sheets, nothing_outside_the_operands_is_touched) {
  for (const Extent n : {3, 7, 31, 45})
    for (const Extent rows : {5, 18, 37})
      for (const auto at : {Guarded::At::begin, Guarded::At::end}) {
        const auto a = seeded(f32, {rows, n}, 1, Contents::plain), b = seeded(f32, {n, rows}, 2, Contents::plain);
        const auto expected = a + transpose(b);
        const auto prepared = prepare(task_of(Kind::binary, {a, transpose(b)}, expected.type()));
        const Guarded left(a.type().bytes(), at), right(b.type().bytes(), at), out(expected.type().bytes(), at);
        a.copy_to(left.get());
        b.copy_to(right.get());
        const void* const places[max_operands] = {left.get(), right.get()};
        EXPECT_EQ(prepared.run(prepared.task, places, out.get(), nullptr), no_fault);
        expect_same(Tensor::copied(expected.type(), out.get()), expected, "a guarded map");
      }
}

}  // namespace
}  // namespace topos::kernel
