// Owns the tests of the kernels that read and add rows by index, and of what prepare() refuses.
#include "kernel/oracle.h"

namespace topos::kernel {
namespace {

Tensor seeded_indices(const Shape& shape, Extent extent, std::uint64_t seed, Layout layout) {
  auto memory = shape;
  if (layout == Layout::transposed && shape.rank() == 2) memory = {shape[1], shape[0]};
  std::vector<std::int64_t> places(static_cast<std::size_t>(shape.volume()));
  for (auto& place : places) place = static_cast<std::int64_t>(next(seed) % static_cast<std::uint64_t>(extent));
  const auto indices = Tensor::from(memory, places);
  return memory == shape ? indices : transpose(indices);
}

const std::vector<Shape> index_shapes = {{}, {1}, {0}, {40}, {3, 7}, {7, 3}};
const std::vector<Shape> row_shapes = {{}, {1}, {0}, {17}, {3, 5}, {4, 1, 6}};

Shape joined(const Shape& first, const Shape& second) {
  auto shape = first;
  for (const auto extent : second) shape = shape.with(static_cast<Extent>(shape.rank()), extent);
  return shape;
}

TEST(row_kernels, gather_reproduces_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64, boolean})
    for (const auto& index_shape : index_shapes)
      for (const auto& row : row_shapes)
        for (const auto layout : layouts)
          for (const auto index_layout : {Layout::contiguous, Layout::transposed}) {
            const auto table = seeded(element, joined({9}, row), 2, Contents::edges, layout);
            const auto indices = seeded_indices(index_shape, 9, 3, index_layout);
            const auto expected = gather(table, indices);
            const auto outcome = run(task_of(Kind::gather, {table, indices}, expected.type()), {table, indices});
            EXPECT_EQ(outcome.fault, no_fault);
            expect_same(outcome.result, expected, "gather from " + table.type().text());
          }
}

TEST(row_kernels, scatter_reproduces_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto& index_shape : index_shapes)
      for (const auto& row : row_shapes)
        for (const auto layout : layouts)
          for (const auto index_layout : {Layout::contiguous, Layout::transposed})
            for (const auto contents : {Contents::plain, Contents::edges}) {
              const auto rows = seeded(element, joined(index_shape, row), 2, contents, layout);
              const auto indices = seeded_indices(index_shape, 5, 3, index_layout);
              const auto expected = scatter(rows, indices, 6);
              const auto outcome = run(task_of(Kind::scatter, {rows, indices}, expected.type()), {rows, indices});
              EXPECT_EQ(outcome.fault, no_fault);
              expect_same(outcome.result, expected, "scatter of " + rows.type().text());
            }
}

TEST(row_kernels, an_index_out_of_range_is_named_by_its_place) {
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{4}, INT64_MAX, INT64_MIN})
    for (const auto& row : {Shape{3}, Shape{0}}) {
      const auto indices =
          transpose(Tensor::from<std::int64_t>({3, 2}, {0, 1, 2, bad, bad, 3}));  // rows 0 2 bad, 1 bad 3
      const auto table = seeded(f32, joined({4}, row), 1, Contents::plain);
      const auto rows = seeded(f32, joined({2, 3}, row), 1, Contents::plain);
      EXPECT_EQ(run(task_of(Kind::gather, {table, indices}, {f32, joined({2, 3}, row)}), {table, indices}).fault, 2);
      EXPECT_EQ(run(task_of(Kind::scatter, {rows, indices}, {f32, joined({4}, row)}), {rows, indices}).fault, 2);
    }
}

TEST(row_kernels, a_table_without_rows_refuses_the_first_index) {
  const auto indices = Tensor::from<std::int64_t>({2}, {0, 0});
  const auto table = seeded(f32, {0, 3}, 1, Contents::plain);
  const auto rows = seeded(f32, {2, 3}, 1, Contents::plain);
  EXPECT_EQ(run(task_of(Kind::gather, {table, indices}, {f32, {2, 3}}), {table, indices}).fault, 0);
  EXPECT_EQ(run(task_of(Kind::scatter, {rows, indices}, {f32, {0, 3}}), {rows, indices}).fault, 0);
}

TEST(prepare, elements_that_do_not_fit_the_kind_have_no_kernel) {
  const auto reals = Tensor::full({f32, {4}}, 1), doubles = Tensor::full({f64, {4}}, 1);
  EXPECT_EQ(prepare(task_of(Kind::binary, {reals, doubles}, reals.type())).run, nullptr);
  EXPECT_EQ(prepare(task_of(Kind::copy, {reals}, doubles.type())).run, nullptr);
  EXPECT_EQ(prepare(task_of(Kind::select, {reals, reals, reals}, reals.type())).run, nullptr);
  EXPECT_EQ(prepare(task_of(Kind::gather, {reals, reals}, reals.type())).run, nullptr);
  auto task = task_of(Kind::softmax, {Tensor::full({i64, {4}}, 1)}, {i64, {4}});
  task.axes = {0};
  EXPECT_EQ(prepare(task).run, nullptr);
}

TEST(prepare, every_kind_has_a_name) {
  for (auto kind = Kind::unary; kind <= Kind::scatter; kind = static_cast<Kind>(static_cast<int>(kind) + 1))
    EXPECT_FALSE(name_of(kind).empty());
}

}  // namespace
}  // namespace topos::kernel
