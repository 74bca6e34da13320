// Owns the tests of the kernels that find the largest along an axis and that add windows back.
#include "kernel/oracle.h"

namespace topos::kernel {
namespace {

void check_along(Kind kind, const Tensor& x, Extent axis) {
  const auto expected = kind == Kind::max_along ? max_along(x, axis) : argmax_along(x, axis);
  auto task = task_of(kind, {x}, expected.type());
  task.axes = {axis};
  expect_same(run(task, {x}).result, expected, std::string(name_of(kind)) + " of " + x.type().text());
}

TEST(extreme_kernels, the_largest_and_its_place_reproduce_the_reference) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto kind : {Kind::max_along, Kind::argmax_along})
      for (const auto contents : {Contents::plain, Contents::edges})
        for (const auto layout : layouts) {
          for (const Extent n : {1, 2, 15, 16, 17, 257, 1025}) {
            check_along(kind, seeded(element, {n}, 5, contents, layout), 0);
            check_along(kind, seeded(element, {3, n}, 5, contents, layout), 1);
            check_along(kind, seeded(element, {n, 3}, 5, contents, layout), 0);
          }
          for (const Extent axis : {0, 1, 2}) check_along(kind, seeded(element, {4, 3, 5}, 6, contents, layout), axis);
          check_along(kind, seeded(element, {0, 3}, 6, contents), 1);
        }
}

TEST(extreme_kernels, ties_zeros_and_nan_are_the_references) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto element : {f32, f64, bf16})
    for (const auto kind : {Kind::max_along, Kind::argmax_along}) {
      check_along(kind, Tensor::from<double>({2, 4}, {-0.0, 0.0, -0.0, 0.0, 1, nan, 2, nan}, element), 1);
      check_along(kind, Tensor::from<double>({4, 2}, {3, 0.0, 3, -0.0, nan, -1, 3, 0.0}, element), 0);
      check_along(kind, topos::broadcast(Tensor::full({element, {}}, nan), {3, 40}).spread(), 1);
    }
}

struct Windows {
  Extent extent, size, step, dilation;
};

TEST(window_kernels, fold_reproduces_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto [extent, size, step, dilation] :
         {Windows{8, 3, 2, 1}, Windows{7, 3, 1, 1}, Windows{9, 2, 4, 1}, Windows{9, 3, 1, 2}, Windows{11, 3, 3, 2},
          Windows{4, 4, 1, 1}, Windows{5, 1, 2, 3}, Windows{40, 5, 1, 1}})
      for (const auto contents : {Contents::plain, Contents::edges})
        for (const auto layout : layouts)
          for (const Extent axis : {0, 1, 2}) {
            const auto windows = (extent - (size - 1) * dilation - 1) / step + 1;
            Shape shape{2, 3};
            shape = shape.with(axis, windows).with(axis + 1, size);
            const auto taps = seeded(element, shape, 3, contents, layout);
            const auto expected = fold(taps, axis, size, step, dilation, extent);
            auto task = task_of(Kind::fold, {taps}, expected.type());
            task.axes = {axis};
            task.step = step;
            task.dilation = dilation;
            expect_same(run(task, {taps}).result, expected, "fold of " + taps.type().text());
          }
}

}  // namespace
}  // namespace topos::kernel
