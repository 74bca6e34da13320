// Reductions to few outputs are cut along what they reduce, scatters along their rows: the bits of the whole task.
#include "threads/divided.h"

namespace topos::kernel {
namespace {

class ReducedTasks : public DividedTasks {};

constexpr ElementType numbers[] = {f32, f64, bf16, i64};
constexpr Extent block = 256;

Task sum_of(const Tensor& x, const Shape& axes) {
  Shape kept;
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < x.shape().rank(); ++i)
    if (!axes.contains(static_cast<Extent>(i))) extents.push_back(x.shape()[i]);
  kept = extents;
  auto task = task_of(Kind::sum, {x}, {x.element(), kept});
  task.axes = axes;
  return task;
}
void expect_sum(const Tensor& x, const Shape& axes, bool cut = true) {
  const auto task = sum_of(x, axes);
  expect_parts_agree(task, {x}, "a sum over " + axes.text() + " of " + x.shape().text(), cut);
  EXPECT_TRUE(same_bits(run(task, {x}).result, topos::sum(x, axes)));
}

TEST_F(ReducedTasks, sums_to_one_number) {
  for (const auto element : numbers)
    for (const Extent blocks : {14, 15, 16, 31, 97})
      for (const Extent more : {-1, 0, 17}) {
        const auto n = blocks * block + more;
        expect_sum(seeded(element, {n}, 1, Contents::plain), {0});
        expect_sum(topos::narrow(seeded(element, {2 * n}, 2, Contents::plain), 0, n - 3, n), {0});
      }
  for (const auto element : numbers)
    for (const Extent n : {0, 1, 255, 256, 257, 1000, 1024, 2047, 3 * 256})
      expect_sum(seeded(element, {n}, 3, Contents::plain), {0}, false);
}

TEST_F(ReducedTasks, sums_in_any_layout) {
  for (const auto element : numbers)
    for (const auto layout : layouts)
      for (const auto& shape : {Shape{61, 97}, Shape{5, 7, 131}, Shape{1100, 4}, Shape{3, 5, 7, 50}})
        expect_sum(seeded(element, shape, 4, Contents::plain, layout), Shape::counting(shape.rank()));
}

TEST_F(ReducedTasks, sums_of_edge_values) {
  for (const auto element : {f32, f64, bf16}) {
    expect_sum(seeded(element, {9000}, 5, Contents::edges), {0});
    for (const double edge : {-0.0, HUGE_VAL, std::nan("")}) {
      std::vector<double> values(9000, -0.0);
      values[8191] = edge;
      expect_sum(Tensor::from({9000}, values, element), {0});
    }
  }
}

TEST_F(ReducedTasks, sums_to_few_numbers) {
  for (const auto element : numbers)
    for (const auto layout : layouts) {
      const auto cut = [&](const Shape& shape, const Shape& axes) {
        expect_sum(seeded(element, shape, 6, Contents::plain, layout), axes);
      };
      cut({3, 4200}, {1});
      cut({4200, 3}, {0});
      cut({4111, 10}, {0});
      cut({70, 5, 60}, {0, 2});
      cut({2, 4100, 3}, {1});
      cut({5, 2100, 2, 2}, {1, 3});
    }
}

TEST_F(ReducedTasks, sums_whose_parts_have_several_blocks) {
  for (const auto element : numbers) {
    expect_sum(seeded(element, {30001, 3}, 6, Contents::plain), {0});
    expect_sum(seeded(element, {3, 30001}, 6, Contents::plain), {1});
  }
  expect_sum(seeded(f32, {3600, 523}, 6, Contents::plain), {0});  // columns of more than one tile
}

TEST_F(ReducedTasks, the_parts_of_a_sum_of_everything_reduce_blocks) {
  const auto x = seeded(f32, {100 * block}, 7, Contents::plain);
  const auto work = divide(sum_of(x, {0}), 2);
  ASSERT_GE(work.parts.size(), 16u);
  EXPECT_NE(work.combine, nullptr);
  for (const auto& part : work.parts) EXPECT_EQ(part.prepared.task.span.begin % (4 * block), 0);
  EXPECT_EQ(divide(sum_of(seeded(f32, {4, 100 * block}, 7, Contents::plain), {1}), 4).combine, nullptr);
}

TEST_F(ReducedTasks, the_largest_and_its_place) {
  for (const auto element : numbers)
    for (const auto layout : layouts)
      for (const auto contents : {Contents::plain, Contents::edges})
        for (const auto& shape : {Shape{14500}, Shape{3, 14500}, Shape{14500, 3}})
          for (const auto kind : {Kind::max_along, Kind::argmax_along}) {
            const auto axis = shape.rank() == 2 && shape[0] == 3 ? 1 : 0;
            const auto x = seeded(element, shape, 8, contents, layout);
            auto task = task_of(kind, {x}, {kind == Kind::argmax_along ? i64 : element, shape.without(axis)});
            task.axes = {axis};
            expect_parts_agree(task, {x}, std::string(name_of(kind)));
          }
}

TEST_F(ReducedTasks, the_first_of_equal_places) {
  for (const double peak : {1.0, 0.0, -0.0, std::nan("")})
    for (const std::size_t first : {0, 7, 2047, 2048, 9000}) {
      std::vector<double> values(15000, -1.0);
      for (const std::size_t more : {0, 1, 2049, 5000}) values[first + more] = more == 1 && peak == 0 ? -peak : peak;
      const auto x = Tensor::from({15000}, values, f32);
      for (const auto kind : {Kind::max_along, Kind::argmax_along}) {
        auto task = task_of(kind, {x}, {kind == Kind::argmax_along ? i64 : f32, {}});
        task.axes = {0};
        expect_parts_agree(task, {x}, std::string(name_of(kind)));
        if (kind == Kind::argmax_along) {
          EXPECT_EQ(run(task, {x}).result.scalar<std::int64_t>(), static_cast<std::int64_t>(first));
        }
      }
    }
}

TEST_F(ReducedTasks, products_with_few_outputs) {
  struct Case {
    Extent m, k, n;
  };
  constexpr Extent chain = 2048;
  for (const auto element : {f32, f64, i64})
    for (const auto [m, k, n] : {Case{1, 14 * chain, 1}, Case{1, 15 * chain + 1, 3}, Case{5, 13 * chain + 7, 1},
                                 Case{3, 16 * chain, 5}, Case{1, 50 * chain + 9, 1}})
      for (const auto layout : {Layout::contiguous, Layout::transposed}) {
        const std::vector<Tensor> x{seeded(element, {m, k}, 9, Contents::plain, layout),
                                    seeded(element, {k, n}, 10, Contents::plain, layout)};
        expect_parts_agree(task_of(Kind::matmul, x, {element, {m, n}}), x, "a product");
      }
}

TEST_F(ReducedTasks, scatters_of_long_rows) {
  std::vector<std::int64_t> places(60);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i * i % 7);
  const auto indices = Tensor::from({20, 3}, places);
  for (const auto element : numbers)
    for (const auto layout : layouts)
      for (const auto& row : {Shape{90}, Shape{101}, Shape{2, 40}, Shape{9, 11, 5}, Shape{40, 3, 5}}) {
        Shape source{20, 3}, result{11};
        for (std::size_t axis = 0; axis < row.rank(); ++axis) {
          source = source.with(static_cast<Extent>(source.rank()), row[axis]);
          result = result.with(static_cast<Extent>(result.rank()), row[axis]);
        }
        const std::vector<Tensor> x{seeded(element, source, 11, Contents::plain, layout), indices};
        expect_parts_agree(task_of(Kind::scatter, x, {element, result}), x, "a scatter");
      }
}

TEST_F(ReducedTasks, scatters_refuse_the_first_bad_index) {
  for (const std::size_t bad : {0, 13, 59}) {
    std::vector<std::int64_t> places(60, 1);
    places[bad] = 11;
    places[59] = -1;
    const std::vector<Tensor> x{seeded(f32, {60, 500}, 12, Contents::plain), Tensor::from({60}, places)};
    const auto task = task_of(Kind::scatter, x, {f32, {11, 500}});
    EXPECT_EQ(run(task, x).fault, static_cast<Extent>(bad));
    expect_parts_agree(task, x, "a scatter");
  }
}

}  // namespace
}  // namespace topos::kernel
