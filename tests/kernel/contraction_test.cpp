// Owns the tests of products, sums and softmax kernels against the reference.
#include "kernel/oracle.h"

namespace topos::kernel {
namespace {

void check_product(const Tensor& a, const Tensor& b) {
  const auto expected = matmul(a, b);
  expect_same(run(task_of(Kind::matmul, {a, b}, expected.type()), {a, b}).result, expected,
              "matmul " + a.type().text() + " " + b.type().text());
}

struct ProductExtents {
  Extent m, k, n;
};

TEST(product_kernels, matmul_reproduces_the_reference_bits) {
  constexpr ProductExtents sizes[] = {{1, 1, 1},   {2, 2, 2},   {1, 5, 300}, {300, 5, 1},   {3, 16, 17},  {4, 7, 24},
                                      {5, 300, 9}, {7, 31, 50}, {9, 3, 8},   {32, 30, 200}, {70, 20, 49}, {17, 600, 4},
                                      {0, 4, 4},   {4, 0, 4},   {4, 4, 0},   {65, 257, 25}, {16, 1, 16},  {2, 40, 130}};
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto [m, k, n] : sizes)
      for (const auto left : layouts)
        for (const auto right : layouts)
          check_product(seeded(element, {m, k}, 1, Contents::plain, left),
                        seeded(element, {k, n}, 2, Contents::plain, right));
}

TEST(product_kernels, matmul_merges_chains_of_2048_as_the_reference_does) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const Extent k : {2047, 2048, 2049, 4096, 5000, 8193, 12289})
      for (const auto& [m, n] : {std::pair<Extent, Extent>{1, 1}, {1, 20}, {20, 1}, {5, 3}, {5, 26}})
        for (const auto layout : {Layout::contiguous, Layout::transposed})
          check_product(seeded(element, {m, k}, 1, Contents::plain, layout),
                        seeded(element, {k, n}, 2, Contents::plain, layout));
}

TEST(product_kernels, matmul_of_edge_values_reproduces_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto [m, k, n] : {ProductExtents{6, 2, 30}, ProductExtents{40, 1, 40}, ProductExtents{3, 3, 3}})
      check_product(seeded(element, {m, k}, 1, Contents::edges), seeded(element, {k, n}, 2, Contents::edges));
}

TEST(product_kernels, batched_matmul_reproduces_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto& batch : {Shape{1}, Shape{3}, Shape{2, 3}, Shape{0}, Shape{2, 1, 3}})
      for (const auto [m, k, n] : {ProductExtents{4, 5, 9}, ProductExtents{1, 7, 30}, ProductExtents{2, 3, 1}})
        for (const auto left : layouts)
          for (const auto right : layouts) {
            auto a = batch, b = batch;
            for (const auto extent : {m, k}) a = a.with(static_cast<Extent>(a.rank()), extent);
            for (const auto extent : {k, n}) b = b.with(static_cast<Extent>(b.rank()), extent);
            check_product(seeded(element, a, 2, Contents::plain, left), seeded(element, b, 4, Contents::plain, right));
          }
}

void check_sum(const Tensor& x, const Shape& axes) {
  const auto expected = sum(x, axes);
  auto task = task_of(Kind::sum, {x}, expected.type());
  task.axes = axes;
  expect_same(run(task, {x}).result, expected, "sum over " + axes.text() + " of " + x.type().text());
}

TEST(sum_kernels, sums_of_rows_and_columns_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const Extent n : {0, 1, 15, 16, 17, 255, 256, 257, 511, 513, 769, 2047, 2048, 2049, 5000})
      for (const auto layout : layouts) {
        check_sum(seeded(element, {n}, 1, Contents::plain, layout), {0});
        for (const Extent other : {0, 1, 3, 70}) {
          check_sum(seeded(element, {other, n}, 1, Contents::plain, layout), {1});
          check_sum(seeded(element, {n, other}, 1, Contents::plain, layout), {0});
        }
      }
}

TEST(sum_kernels, sums_over_any_axes_reproduce_the_reference_bits) {
  const std::vector<Shape> all_axes = {{},        {0},       {1},       {2},         {3},    {0, 1},
                                       {0, 2},    {0, 3},    {1, 2},    {1, 3},      {2, 3}, {0, 1, 2},
                                       {0, 1, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
  for (const auto element : {f32, f64, bf16, i64})
    for (const Shape& shape : {Shape{3, 5, 7, 11}, Shape{2, 1, 300, 2}, Shape{20, 3, 1, 17}, Shape{2, 0, 3, 2}})
      for (const auto layout : layouts)
        for (const auto& axes : all_axes) check_sum(seeded(element, shape, 1, Contents::plain, layout), axes);
}

TEST(sum_kernels, sums_of_edge_values_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64}) {
    for (const Extent n : {1, 2, 3, 5}) {
      check_sum(seeded(element, {40, n}, 7, Contents::edges), {1});
      check_sum(seeded(element, {n, 40}, 7, Contents::edges), {0});
    }
    for (const auto number : {-0.0, 0.0}) {
      const auto x = Tensor::full({element, {}}, element == i64 ? Number(0) : Number(number));
      check_sum(x, {});
      check_sum(topos::broadcast(x, {3, 4}).spread(), {0, 1});
    }
  }
}

TEST(sum_kernels, columns_wider_than_a_tile_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent n : {5, 257, 1030}) check_sum(seeded(element, {n, 700}, 3, Contents::plain), {0});
}

void check_soft(Kind kind, const Tensor& x, Extent axis) {
  const auto expected = kind == Kind::softmax       ? softmax(x, axis)
                        : kind == Kind::log_softmax ? log_softmax(x, axis)
                                                    : logsumexp(x, axis);
  auto task = task_of(kind, {x}, expected.type());
  task.axes = {axis};
  expect_same(run(task, {x}).result, expected, std::string(name_of(kind)) + " of " + x.type().text());
}

TEST(softmax_kernels, softmax_and_its_logarithms_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16})
    for (const auto kind : {Kind::softmax, Kind::log_softmax, Kind::logsumexp})
      for (const auto contents : {Contents::plain, Contents::edges})
        for (const auto layout : layouts) {
          for (const Extent n : {1, 2, 15, 16, 17, 257, 2049}) {
            check_soft(kind, seeded(element, {n}, 5, contents, layout), 0);
            check_soft(kind, seeded(element, {3, n}, 5, contents, layout), 1);
            check_soft(kind, seeded(element, {n, 3}, 5, contents, layout), 0);
          }
          for (const Extent axis : {0, 1, 2}) check_soft(kind, seeded(element, {4, 3, 5}, 6, contents, layout), axis);
          check_soft(kind, seeded(element, {0, 3}, 6, contents), 1);
        }
}

TEST(softmax_kernels, lanes_of_infinities_and_zeros_reproduce_the_reference_bits) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const auto element : {f32, f64, bf16})
    for (const auto kind : {Kind::softmax, Kind::log_softmax, Kind::logsumexp}) {
      check_soft(kind, Tensor::from<double>({4, 2}, {-inf, -inf, inf, 1, -0.0, 0.0, -0.0, -0.0}, element), 1);
      check_soft(kind, Tensor::from<double>({2, 1}, {-0.0, -inf}, element), 1);
      check_soft(kind, topos::broadcast(Tensor::full({element, {}}, -inf), {3, 40}).spread(), 1);
    }
}

}  // namespace
}  // namespace topos::kernel
