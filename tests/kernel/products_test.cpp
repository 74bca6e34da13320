// Owns the tests of products: the chains of their definition in every shape, layout and place of memory.
#include "kernel/guarded.h"
#include "kernel/oracle.h"
#include "topos/kernel/product_pack.h"

namespace topos::kernel {
namespace {

struct Extents {
  Extent m, k, n;
};

/// How a matrix lies in memory: row by row, column by column, or row by row with two numbers between any two.
enum class Order { rows, columns, gaps };
constexpr Order orders[] = {Order::rows, Order::columns, Order::gaps};

/// Rows (or columns) of `padding` more numbers than the matrix shows.
Tensor matrix(ElementType element, Extent rows, Extent columns, std::uint64_t seed, Order order, Extent padding = 0,
              Contents contents = Contents::plain) {
  const TensorType type{element, {rows, columns}};
  if (order == Order::columns)
    return seeded(element, {columns, rows + padding}, seed, contents).view(type, {1, rows + padding}, 0);
  const Extent step = order == Order::gaps ? 3 : 1;
  return seeded(element, {rows, (columns + padding) * step}, seed, contents)
      .view(type, {(columns + padding) * step, step}, 0);
}

void check(const Tensor& a, const Tensor& b) {
  const auto expected = matmul(a, b);
  expect_same(run(task_of(Kind::matmul, {a, b}, expected.type()), {a, b}).result, expected,
              "matmul " + a.type().text() + a.strides().text() + " " + b.type().text() + b.strides().text());
}

constexpr ElementType elements[] = {f32, f64, bf16, i64};

TEST(products, every_small_extent_in_every_order_reproduces_the_reference_bits) {
  std::uint64_t state = 5;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto element = elements[next(state) % 4];
    const auto extent = [&] { return static_cast<Extent>(next(state) % 41); };
    const Extents size{extent(), extent(), extent()};
    const auto order = [&] { return orders[next(state) % 3]; };
    const auto padding = [&] { return static_cast<Extent>(next(state) % 2 * 5); };
    check(matrix(element, size.m, size.k, next(state), order(), padding()),
          matrix(element, size.k, size.n, next(state), order(), padding()));
  }
}

TEST(products, every_tail_of_a_tile_reproduces_the_reference_bits) {
  for (const auto element : {f32, f64})
    for (Extent m = 1; m <= 26; ++m)
      for (Extent n = 1; n <= 100; n += 1 + (m + n) % 7)
        check(matrix(element, m, 7, 1, Order::rows), matrix(element, 7, n, 2, Order::rows));
}

// Large enough that both operands are laid out, and that blocks of every extent repeat.
TEST(products, blocks_reproduce_the_reference_bits) {
  for (const auto element : elements)
    for (const auto left : orders)
      for (const auto right : orders)
        check(matrix(element, 203, 411, 1, left, 1), matrix(element, 411, 221, 2, right, 3));
  check(matrix(f32, 700, 301, 1, Order::rows), matrix(f32, 301, 97, 2, Order::rows));
  for (const auto element : {f32, f64})
    check(matrix(element, 203, 411, 1, Order::rows), matrix(element, 411, 262, 2, Order::rows));
  check(matrix(f32, 5, 1024, 1, Order::rows), matrix(f32, 1024, 1024, 2, Order::rows));
}

/// Some columns of a product beside the reference's product of those alone.
void check_columns(const Tensor& a, const Tensor& b) {
  const TensorType type{a.element(), {a.shape()[0], b.shape()[1]}};
  const auto whole = run(task_of(Kind::matmul, {a, b}, type), {a, b}).result;
  const auto n = b.shape()[1];
  for (const auto& [begin, count] : {std::pair<Extent, Extent>{0, 30}, {n - 273, 40}, {n - 13, 13}})
    expect_same(topos::narrow(whole, 1, begin, count), matmul(a, topos::narrow(b, 1, begin, count)), "columns");
}

// Wide enough that columns are taken in several sheets, or that several panels of them are laid out together.
TEST(products, columns_do_not_know_the_others) {
  for (const auto order : {Order::rows, Order::columns})
    check_columns(matrix(f32, 23, 2048, 1, Order::rows), matrix(f32, 2048, 6403, 2, order));
  for (const Extent n : {3491, 3504})
    check_columns(matrix(f32, 700, 301, 1, Order::rows), matrix(f32, 301, n, 2, Order::rows));
  check_columns(matrix(f64, 70, 301, 1, Order::rows), matrix(f64, 301, 1807, 2, Order::rows, 5));
}

TEST(products, rows_and_columns_by_matrices_reproduce_the_reference_bits) {
  for (const auto element : elements)
    for (const Extent k : {1, 15, 16, 17, 67, 300})
      for (const Extent n : {1, 3, 31, 33, 64, 79, 301})
        for (const auto order : orders) {
          check(matrix(element, 1, k, 1, Order::rows), matrix(element, k, n, 2, order, 1));
          check(matrix(element, 1, k, 1, Order::gaps), matrix(element, k, n, 2, order));
          check(matrix(element, n, k, 1, order, 2), matrix(element, k, 1, 2, Order::gaps));
        }
}

TEST(products, chains_of_2048_merge_in_every_order) {
  for (const auto element : elements)
    for (const Extent k : {2049, 4097, 6200})
      for (const auto& [m, n] : {std::pair<Extent, Extent>{1, 40}, {40, 1}, {5, 26}})
        for (const auto left : {Order::rows, Order::columns})
          for (const auto right : {Order::rows, Order::columns})
            check(matrix(element, m, k, 1, left), matrix(element, k, n, 2, right));
}

TEST(products, edge_values_reproduce_the_reference_bits) {
  for (const auto element : elements)
    for (const auto [m, k, n] : {Extents{1, 3, 70}, Extents{33, 2, 31}, Extents{9, 1, 100}, Extents{70, 4, 1}})
      for (const auto order : orders)
        check(matrix(element, m, k, 1, order, 0, Contents::edges), matrix(element, k, n, 2, order, 0, Contents::edges));
}

/// The numbers of a matrix at one end of guarded memory.
struct Placed {
  Placed(const Tensor& from, Guarded::At at) : memory(from.type().bytes(), at) {
    const auto whole = from.spread();
    if (from.type().bytes() > 0) std::memcpy(memory.get(), whole.first(), from.type().bytes());
  }
  Guarded memory;
};
/// The product where no step may leave its operands, its result or its scratch. Transposed operands lie as columns.
Tensor guarded(const Tensor& a, bool a_turned, const Tensor& b, bool b_turned, Guarded::At at) {
  const Placed left(a_turned ? topos::permute(a, {1, 0}) : a, at), right(b_turned ? topos::permute(b, {1, 0}) : b, at);
  const auto m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  const TensorType type{a.element(), {m, n}};
  auto task = task_of(Kind::matmul, {a, b}, type);
  task.operands[0].strides = a_turned ? Shape{1, m} : Shape{k, 1};
  task.operands[1].strides = b_turned ? Shape{1, k} : Shape{n, 1};
  const auto prepared = prepare(task);
  const Guarded result(type.bytes(), at), scratch((prepared.scratch_bytes + 63) / 64 * 64, at);
  const void* const places[max_operands] = {left.memory.get(), right.memory.get()};
  prepared.run(prepared.task, places, result.get(), scratch.get());
  return Tensor::copied(type, result.get());
}

TEST(products, no_step_leaves_the_operands_or_the_result) {
  constexpr Extents sizes[] = {{1, 5, 3},    {1, 17, 33},   {1, 70, 79},  {1, 65, 301},    {2, 9, 9},
                               {3, 30, 70},  {5, 13, 7},    {7, 31, 25},  {13, 40, 50},    {40, 33, 1},
                               {65, 200, 3}, {61, 260, 90}, {5, 2100, 9}, {203, 411, 101}, {17, 20, 13}};
  for (const auto element : elements)
    for (const auto [m, k, n] : sizes) {
      const auto a = seeded(element, {m, k}, 1, Contents::plain), b = seeded(element, {k, n}, 2, Contents::plain);
      const auto expected = matmul(a, b);
      for (const bool a_turned : {false, true})
        for (const bool b_turned : {false, true})
          for (const auto at : {Guarded::At::begin, Guarded::At::end})
            expect_same(guarded(a, a_turned, b, b_turned, at), expected, a.type().text() + b.type().text());
    }
}

// As the parts of a product are that is cut along n.
TEST(products, a_result_with_gaps_between_its_rows_leaves_them_alone) {
  for (const auto element : elements)
    for (const auto [m, k, n] : {Extents{5, 9, 1}, Extents{5, 9, 20}, Extents{40, 300, 70}, Extents{7, 2100, 30},
                                 Extents{3, 4, 3}, Extents{1, 40, 64}}) {
      const auto a = seeded(element, {m, k}, 1, Contents::plain), b = seeded(element, {k, n}, 2, Contents::plain);
      const auto expected = matmul(a, b);
      auto task = task_of(Kind::matmul, {a, b}, expected.type());
      task.result.strides = {n + 3, 1};
      const TensorType memory{element, {m, n + 3}};
      const Bytes result(memory.bytes());
      const auto prepared = prepare(task);
      const Bytes scratch(prepared.scratch_bytes);
      const void* const places[max_operands] = {a.first(), b.first()};
      prepared.run(prepared.task, places, result.get(), scratch.get());
      const auto whole = Tensor::copied(memory, result.get());
      expect_same(topos::narrow(whole, 1, 0, n), expected, a.type().text());
      const std::vector<std::byte> untouched(memory.bytes(), std::byte{0xA5});
      expect_same(topos::narrow(whole, 1, n, 3), topos::narrow(Tensor::copied(memory, untouched.data()), 1, n, 3),
                  "gaps");
    }
}

TEST(products, batches_with_any_strides_reproduce_the_reference_bits) {
  for (const auto element : elements)
    for (const auto [m, k, n] : {Extents{1, 20, 40}, Extents{9, 8, 33}, Extents{33, 5, 1}}) {
      const auto a = seeded(element, {m, 4, k}, 1, Contents::plain), b = seeded(element, {n, k, 4}, 2, Contents::plain);
      check(topos::permute(a, {1, 0, 2}), topos::permute(b, {2, 1, 0}));
      check(
          topos::permute(a, {1, 0, 2}),
          topos::broadcast_along(
              topos::narrow(topos::permute(b, {2, 1, 0}), 0, 1, 1).spread().view({element, {k, n}}, {n, 1}, 0), 0, 4));
    }
}

void check_packed(const Tensor& a, const Tensor& b) {
  const auto expected = matmul(a, b);
  auto task = task_of(Kind::matmul, {a, b}, expected.type());
  const Guarded laid_out(pack_bytes(task), Guarded::At::end);
  pack(task, b.first(), laid_out.get());
  task.operands[1] = packed(task);
  const auto prepared = prepare(task);
  const Bytes result(expected.type().bytes()), scratch(prepared.scratch_bytes);
  const void* const places[max_operands] = {a.first(), laid_out.get()};
  prepared.run(prepared.task, places, result.get(), scratch.get());
  expect_same(Tensor::copied(expected.type(), result.get()), expected, "packed " + b.type().text());
}

TEST(products, a_packed_operand_changes_no_bit) {
  for (const auto element : elements)
    for (const auto order : orders)
      for (const auto [m, k, n] : {Extents{1, 20, 40}, Extents{9, 8, 1}, Extents{5, 3, 512}, Extents{2, 9, 1024}})
        check_packed(matrix(element, m, k, 1, Order::rows), matrix(element, k, n, 2, order, 1));
  const auto a = seeded(f32, {3, 2, 4, 5}, 1, Contents::plain), b = seeded(f32, {3, 5, 6}, 2, Contents::plain);
  check_packed(a, topos::broadcast_along(b, 1, 2));
  check_packed(a, topos::broadcast_along(topos::permute(seeded(f32, {2, 6, 5}, 3, Contents::plain), {0, 2, 1}), 0, 3));
  check_packed(seeded(f32, {0, 5}, 1, Contents::plain), seeded(f32, {5, 3}, 1, Contents::plain));
  check_packed(seeded(f32, {2, 0}, 1, Contents::plain), seeded(f32, {0, 3}, 1, Contents::plain));
}

TEST(products, a_row_does_not_know_its_batch) {
  for (const auto element : elements)
    for (const auto order : orders) {
      const auto a = matrix(element, 37, 90, 1, Order::rows), b = matrix(element, 90, 61, 2, order);
      const TensorType whole{element, {37, 61}};
      const auto all = run(task_of(Kind::matmul, {a, b}, whole), {a, b}).result;
      for (const Extent rows : {1, 2, 3, 5, 8}) {
        const auto some = topos::narrow(a, 0, 4, rows);
        expect_same(run(task_of(Kind::matmul, {some, b}, {element, {rows, 61}}), {some, b}).result,
                    topos::narrow(all, 0, 4, rows), "rows");
      }
    }
}

TEST(products, trailing_zeros_of_k_change_no_bit) {
  for (const auto element : elements)
    for (const auto order : {Order::rows, Order::columns})
      for (const auto [m, k, n] : {Extents{1, 50, 70}, Extents{20, 33, 40}, Extents{6, 2040, 10}}) {
        const auto a = matrix(element, m, k + 30, 1, order), b = matrix(element, k + 30, n, 2, order);
        const auto short_a = topos::narrow(a, 1, 0, k), short_b = topos::narrow(b, 0, 0, k);
        const auto longer = topos::pad(short_a, 1, 0, k + 30);
        const TensorType type{element, {m, n}};
        expect_same(run(task_of(Kind::matmul, {longer, b}, type), {longer, b}).result,
                    run(task_of(Kind::matmul, {short_a, short_b}, type), {short_a, short_b}).result, "zeros");
      }
}

}  // namespace
}  // namespace topos::kernel
