// Owns the tests of windowed products, window maxima and their gradients against compositions of the reference.
#include "kernel/guarded.h"
#include "kernel/oracle.h"

namespace topos::kernel {
namespace {

/// A convolution or a pool: an image [b, c, h, w], windows along both axes, filters.
struct Geometry {
  Shape image;
  Window rows, columns;
  Extent filters;

  Extent count(const Window& window, Extent extent) const {
    return (extent + 2 * window.padding - window.span()) / window.step + 1;
  }
  Extent height() const { return count(rows, image[2]); }
  Extent width() const { return count(columns, image[3]); }
  Extent places() const { return image[0] * height() * width(); }
  Extent taps() const { return image[1] * rows.size * columns.size; }
  std::string text() const {
    std::string text = "image " + image.text() + " filters " + std::to_string(filters);
    for (const auto& window : {rows, columns})
      for (const auto extent : {window.size, window.step, window.dilation, window.padding})
        text += " " + std::to_string(extent);
    return text;
  }
};

Extent drawn(std::uint64_t& state, Extent low, Extent high) {
  return low + static_cast<Extent>(next(state) % static_cast<std::uint64_t>(high - low + 1));
}
Window window_of(std::uint64_t& state) {
  const auto size = drawn(state, 1, 5);
  return {size, drawn(state, 1, 3), drawn(state, 1, 2), drawn(state, 0, 2)};
}
Geometry geometry_of(std::uint64_t& state) {
  Geometry g;
  g.rows = window_of(state);
  g.columns = window_of(state);
  const auto extent = [&](const Window& window) {
    return std::max<Extent>(window.span() - 2 * window.padding, 1) + drawn(state, 0, 11);
  };
  g.image = {drawn(state, 0, 6) == 0 ? 0 : drawn(state, 1, 3), drawn(state, 1, 17), extent(g.rows), extent(g.columns)};
  g.filters = drawn(state, 1, 40);
  return g;
}

/// [b, c, oh, kh, ow, kw].
Tensor windows_of(const Geometry& g, const Tensor& image) {
  auto x = pad(image, 2, g.rows.padding, g.image[2] + 2 * g.rows.padding);
  x = pad(x, 3, g.columns.padding, g.image[3] + 2 * g.columns.padding);
  x = unfold(x, 2, g.rows.size, g.rows.step, g.rows.dilation);
  return unfold(x, 4, g.columns.size, g.columns.step, g.columns.dilation);
}
Tensor rows_of(const Geometry& g, const Tensor& image) {
  return reshape(permute(windows_of(g, image), {0, 2, 4, 1, 3, 5}), {g.places(), g.taps()});
}

Task task_of(Kind kind, const Geometry& g, const std::vector<Tensor>& operands, const Tensor& expected) {
  auto task = task_of(kind, operands, expected.type());
  task.rows = g.rows;
  task.columns = g.columns;
  return task;
}
void check(Kind kind, const Geometry& g, const std::vector<Tensor>& operands, const Tensor& expected) {
  expect_same(run(task_of(kind, g, operands, expected), operands).result, expected,
              std::string(name_of(kind)) + " " + g.text());
}

/// A kernel where no step may leave its operands, its result or its scratch; `operands` lie there row by row.
Tensor guarded(const Task& task, const std::vector<Tensor>& operands, Guarded::At at) {
  const auto prepared = prepare(task);
  const TensorType type{task.result.element, task.result.shape};
  const Guarded result(type.bytes(), at), scratch((prepared.scratch_bytes + 63) / 64 * 64, at);
  std::vector<std::unique_ptr<Guarded>> copies;
  const void* places[max_operands] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    copies.push_back(std::make_unique<Guarded>(operands[i].type().bytes(), at));
    operands[i].copy_to(copies[i]->get());
    places[i] = copies[i]->get();
  }
  EXPECT_EQ(prepared.run(prepared.task, places, result.get(), scratch.get()), no_fault);
  return Tensor::copied(type, result.get());
}
/// The other tests hold what is expected to the reference. Matrices lie row by row, then column by column.
void check_guarded(Kind kind, const Geometry& g, std::vector<Tensor> operands, const Shape& shape) {
  auto task = topos::kernel::task_of(kind, operands, {operands[0].element(), shape});
  task.rows = g.rows;
  task.columns = g.columns;
  const auto expected = run(task, operands).result;
  const auto what = "guarded " + std::string(name_of(kind)) + " " + g.text();
  const auto check_both = [&] {
    for (const auto at : {Guarded::At::begin, Guarded::At::end})
      expect_same(guarded(task, operands, at), expected, what);
  };
  check_both();
  if (operands.size() != 2 || operands[1].shape().rank() != 2) return;
  task.operands[1].strides = {1, operands[1].shape()[0]};
  operands[1] = permute(operands[1], {1, 0});
  check_both();
}

void check_product(const Geometry& g, const Tensor& image, const Tensor& matrix) {
  check(Kind::window_product, g, {image, matrix}, matmul(rows_of(g, image), matrix));
}
void check_kernel_gradient(const Geometry& g, const Tensor& image, const Tensor& cotangent) {
  check(Kind::window_kernel_gradient, g, {image, cotangent}, matmul(permute(rows_of(g, image), {1, 0}), cotangent));
}
/// The image of an input gradient has its zeros: no padding.
void check_input_gradient(Geometry g, const Tensor& cotangent, const Tensor& matrix) {
  for (const std::size_t axis : {2, 3}) g.image[axis] += 2 * (axis == 2 ? g.rows : g.columns).padding;
  g.rows.padding = g.columns.padding = 0;
  const auto products =
      reshape(matmul(cotangent, matrix), {g.image[0], g.height(), g.width(), g.image[1], g.rows.size, g.columns.size});
  const auto windows = permute(products, {0, 3, 1, 4, 2, 5});
  const auto columns = fold(windows, 4, g.columns.size, g.columns.step, g.columns.dilation, g.image[3]);
  check(Kind::window_input_gradient, g, {cotangent, matrix},
        fold(columns, 2, g.rows.size, g.rows.step, g.rows.dilation, g.image[2]));
}

/// Image, matrix and cotangent in any layout, everything checked.
void check_convolution(const Geometry& g, ElementType element, std::uint64_t seed, Contents contents) {
  const auto layout = [&](std::uint64_t k) { return layouts[(seed / k) % std::size(layouts)]; };
  const auto image = seeded(element, g.image, seed, contents, g.image.volume() == 0 ? Layout::contiguous : layout(1));
  const auto matrix = seeded(element, {g.taps(), g.filters}, seed + 1, contents, layout(5));
  const auto cotangent = seeded(element, {g.places(), g.filters}, seed + 2, contents, layout(3));
  check_product(g, image, matrix);
  check_kernel_gradient(g, image, cotangent);
  check_input_gradient(g, cotangent, permute(matrix, {1, 0}));
}

TEST(window_kernels, products_and_gradients_of_seeded_shapes_reproduce_the_reference_bits) {
  std::uint64_t state = 71;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto g = geometry_of(state);
    for (const auto element : {f32, f64, bf16}) check_convolution(g, element, seed, Contents::plain);
  }
}

TEST(window_kernels, edge_values_beside_the_padding_reproduce_the_reference_bits) {
  std::uint64_t state = 72;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto g = geometry_of(state);
    g.image = {1, drawn(state, 1, 2), g.image[2], g.image[3]};
    g.filters = drawn(state, 1, 3);
    for (const auto element : {f32, f64, bf16}) check_convolution(g, element, seed, Contents::edges);
  }
}

TEST(window_kernels, a_padding_zero_is_multiplied) {
  const Geometry g{{1, 1, 2, 2}, {3, 1, 1, 1}, {3, 1, 1, 1}, 2};
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const auto element : {f32, f64, bf16}) {
    const auto image = Tensor::full({element, g.image}, 1.0);
    std::vector<double> numbers(18, 1.0);
    numbers[0] = inf;  // the first tap of the first filter: beyond the image for all windows but the last
    const auto matrix = Tensor::from({9, 2}, numbers, element);
    const auto result =
        run(task_of(Kind::window_product, g, {image, matrix}, matmul(rows_of(g, image), matrix)), {image, matrix})
            .result;
    EXPECT_EQ(convert(result, f64).values<double>()[6], inf);
    EXPECT_TRUE(std::isnan(convert(result, f64).values<double>()[0]));
    EXPECT_EQ(convert(result, f64).values<double>()[1], 4.0);
    check_product(g, image, matrix);
  }
}

TEST(window_kernels, chains_of_2048_and_many_strips_reproduce_the_reference_bits) {
  const Window three{3, 1, 1, 1}, one{1, 1, 1, 0}, five{5, 2, 1, 2};
  const Geometry long_taps{{1, 700, 3, 4}, three, one, 3}, more_taps{{1, 600, 5, 5}, three, three, 17},
      many_places{{3, 2, 41, 40}, three, three, 5}, wide{{2, 1, 9, 2500}, three, five, 9},
      tall{{1, 40, 90, 12}, five, three, 20}, many_filters{{1, 2, 3, 4}, one, three, 2500};
  for (const auto& g : {long_taps, more_taps, many_places, wide, tall, many_filters})
    for (const auto element : {f32, f64, bf16}) check_convolution(g, element, 0, Contents::plain);
}

TEST(window_kernels, a_product_of_no_channels_and_a_gradient_of_no_places_are_zeros) {
  for (const auto element : {f32, f64, bf16}) {
    check_convolution({{2, 0, 3, 3}, {2, 1, 1, 0}, {2, 1, 1, 0}, 3}, element, 0, Contents::plain);
    check_convolution({{0, 2, 3, 3}, {2, 1, 1, 0}, {2, 1, 1, 0}, 3}, element, 0, Contents::plain);
    check_convolution({{2, 2, 3, 3}, {2, 1, 1, 0}, {2, 1, 1, 0}, 0}, element, 0, Contents::plain);
  }
}

TEST(window_kernels, no_step_leaves_the_operands_the_result_or_the_scratch) {
  std::uint64_t state = 74;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto g = geometry_of(state);
    auto inner = g;  // its padding as numbers of its own
    inner.image[2] += 2 * g.rows.padding, inner.image[3] += 2 * g.columns.padding;
    inner.rows.padding = inner.columns.padding = 0;
    auto pool = inner;
    pool.rows.dilation = pool.columns.dilation = 1;
    const Shape maxima{pool.image[0], pool.image[1], pool.height(), pool.width()};
    for (const auto element : {f32, f64, bf16, i64}) {
      const auto of = [&](const Shape& shape) { return seeded(element, shape, seed, Contents::plain); };
      check_guarded(Kind::window_maximum, pool, {of(pool.image)}, maxima);
      check_guarded(Kind::window_maximum_gradient, pool, {of(pool.image), of(maxima.with(4, 1))}, pool.image);
      if (element == i64) continue;
      const auto matrix = of({g.taps(), g.filters}), cotangent = of({g.places(), g.filters});
      check_guarded(Kind::window_product, g, {of(g.image), matrix}, {g.places(), g.filters});
      check_guarded(Kind::window_kernel_gradient, g, {of(g.image), cotangent}, {g.taps(), g.filters});
      check_guarded(Kind::window_input_gradient, inner, {cotangent, of({g.filters, g.taps()})}, inner.image);
    }
  }
}

Tensor one_lane(const Tensor& lanes, Extent lane) { return narrow(lanes, 4, lane, 1); }

/// The maxima and, as the reverse scan records it, what a cotangent [b, c, oh, ow, 1] gives the image.
void check_pool(const Geometry& g, const Tensor& image, const Tensor& cotangent) {
  const auto count = g.rows.size * g.columns.size;
  const Shape maxima{g.image[0], g.image[1], g.height(), g.width()};
  const auto lanes = reshape(permute(windows_of(g, image), {0, 1, 2, 4, 3, 5}), maxima.with(4, count));
  std::vector<Tensor> running{one_lane(lanes, 0)};
  for (Extent lane = 1; lane < count; ++lane) running.push_back(maximum(one_lane(lanes, lane), running.back()));
  check(Kind::window_maximum, g, {image}, reshape(running.back(), maxima));
  const auto zeros = Tensor::full(cotangent.type(), image.element() == i64 ? Number(0) : Number(0.0));
  auto total = pad(zeros, 4, 0, count);
  auto flowing = cotangent;
  for (auto lane = count - 1; lane > 0; --lane) {
    const auto test = compare(one_lane(lanes, lane), running[static_cast<std::size_t>(lane) - 1], Direction::gt);
    total = total + pad(select(test, flowing, zeros), 4, lane, count);
    flowing = select(test, zeros, flowing);
  }
  total = total + pad(flowing, 4, 0, count);
  const auto split = reshape(total, {g.image[0], g.image[1], g.height(), g.width(), g.rows.size, g.columns.size});
  const auto columns = fold(permute(split, {0, 1, 2, 4, 3, 5}), 4, g.columns.size, g.columns.step, 1, g.image[3]);
  check(Kind::window_maximum_gradient, g, {image, cotangent},
        fold(columns, 2, g.rows.size, g.rows.step, 1, g.image[2]));
}

TEST(window_kernels, maxima_and_their_gradients_reproduce_the_reference_bits) {
  std::uint64_t state = 73;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto g = geometry_of(state);
    g.rows.padding = g.columns.padding = 0;
    g.rows.dilation = g.columns.dilation = 1;
    g.image[2] += g.rows.size, g.image[3] += g.columns.size;
    for (const auto element : {f32, f64, bf16, i64})
      for (const auto contents : {Contents::plain, Contents::edges}) {
        const auto layout = g.image.volume() == 0 ? Layout::contiguous : layouts[seed % std::size(layouts)];
        const auto image = seeded(element, g.image, seed, contents, layout);
        const Shape shape{g.image[0], g.image[1], g.height(), g.width(), 1};
        check_pool(g, image, seeded(element, shape, seed + 1, contents));
      }
  }
}

}  // namespace
}  // namespace topos::kernel
