// The rows of the windowed kernels: products with windows of an image, their two gradients, maxima and their gradient.
#include "digest/operands.h"

namespace topos::digest {
namespace {

using kernel::Window;

/// An image [b, c, h, w], windows along both axes, filters.
struct Geometry {
  Shape image;
  Window rows, columns;
  Extent filters = 1;

  static Extent count(const Window& window, Extent extent) {
    return (extent + 2 * window.padding - window.span()) / window.step + 1;
  }
  Extent height() const { return count(rows, image[2]); }
  Extent width() const { return count(columns, image[3]); }
  Extent places() const { return image[0] * height() * width(); }
  Extent taps() const { return image[1] * rows.size * columns.size; }
};

/// Single numbers, tails, steps and dilations, paddings wider than an image, nothing at all, and chains beyond 2048.
std::vector<Geometry> written() {
  const Window one{1, 1, 1, 0}, three{3, 1, 1, 1}, two{2, 2, 1, 0}, five{5, 2, 1, 2};
  return {{{1, 1, 1, 1}, one, one, 1},
          {{1, 1, 5, 5}, three, three, 2},
          {{2, 3, 8, 9}, three, three, 17},
          {{1, 4, 6, 34}, one, one, 33},
          {{2, 2, 9, 11}, five, {3, 1, 2, 2}, 8},
          {{1, 2, 7, 6}, two, two, 5},
          {{1, 1, 2, 3}, {3, 1, 1, 2}, {4, 3, 1, 3}, 3},
          {{3, 1, 4, 70}, {2, 1, 3, 2}, five, 16},
          {{0, 2, 3, 3}, two, two, 3},
          {{2, 0, 3, 3}, two, two, 3},
          {{2, 2, 3, 3}, two, two, 0},
          {{1, 250, 3, 4}, three, three, 3},
          {{1, 2, 46, 50}, three, {3, 1, 1, 0}, 4}};
}
std::vector<Geometry> geometries() {
  auto all = written();
  std::uint64_t state = 31;
  const auto drawn = [&](Extent low, Extent high) {
    return low + static_cast<Extent>(next(state) % static_cast<std::uint64_t>(high - low + 1));
  };
  const auto window = [&] {
    const auto size = drawn(1, 4), step = drawn(1, 3), dilation = drawn(1, 2);
    return Window{size, step, dilation, drawn(0, 2)};
  };
  for (int i = 0; i < 10; ++i) {
    Geometry g;
    g.rows = window();
    g.columns = window();
    const auto batch = drawn(1, 3), channels = drawn(1, 9), height = g.rows.span() + drawn(0, 5);
    g.image = {batch, channels, height, g.columns.span() + drawn(0, 20)};
    g.filters = drawn(1, 20);
    all.push_back(g);
  }
  return all;
}
/// The same image with its padding as numbers of its own; `near`: and windows whose taps are neighbours.
Geometry unpadded(Geometry g, bool near) {
  g.image[2] += 2 * g.rows.padding, g.image[3] += 2 * g.columns.padding;
  g.rows.padding = g.columns.padding = 0;
  if (near) g.rows.dilation = g.columns.dilation = 1;
  return g;
}

void add_window_result(Hash& hash, Kind kind, const Geometry& g, const std::vector<const Operand*>& operands,
                       const Shape& shape) {
  auto task = task_of(kind, operands, {operands[0]->view().element, shape});
  task.rows = g.rows;
  task.columns = g.columns;
  add_result(hash, task, operands);
}
/// One task of a kind over operands in two layouts.
void add_windowed(Hash& hash, Kind kind, Geometry g, ElementType element, Contents contents, Layout first,
                  Layout second) {
  const auto operand = [&](const Shape& shape, std::uint64_t seed, Layout layout) {
    return Operand(element, shape, seed, contents, layout);
  };
  if (kind == Kind::window_product) {
    const auto image = operand(g.image, 1, first), matrix = operand({g.taps(), g.filters}, 2, second);
    add_window_result(hash, kind, g, {&image, &matrix}, {g.places(), g.filters});
  } else if (kind == Kind::window_kernel_gradient) {
    const auto image = operand(g.image, 1, first), cotangent = operand({g.places(), g.filters}, 3, second);
    add_window_result(hash, kind, g, {&image, &cotangent}, {g.taps(), g.filters});
  } else if (kind == Kind::window_input_gradient) {
    g = unpadded(g, false);
    const auto cotangent = operand({g.places(), g.filters}, 3, first),
               matrix = operand({g.filters, g.taps()}, 2, second);
    add_window_result(hash, kind, g, {&cotangent, &matrix}, g.image);
  } else {
    g = unpadded(g, true);
    const Shape maxima{g.image[0], g.image[1], g.height(), g.width()};
    const auto image = operand(g.image, 1, first), cotangent = operand(maxima.with(4, 1), 3, second);
    if (kind == Kind::window_maximum) return add_window_result(hash, kind, g, {&image}, maxima);
    add_window_result(hash, kind, g, {&image, &cotangent}, g.image);
  }
}

/// Every geometry with two pairs of layouts and of plain numbers and edges: all pairs come up.
std::uint64_t windowed(Kind kind, ElementType element) {
  Hash hash;
  std::size_t turn = 0;
  for (const auto& g : geometries())
    for (const auto contents : {Contents::plain, Contents::edges}) {
      const auto first = layouts[turn % std::size(layouts)], second = layouts[(turn + turn / 5) % std::size(layouts)];
      add_windowed(hash, kind, g, element, contents, first, second);
      ++turn;
    }
  return hash.value();
}

}  // namespace

void add_convolutions(Rows& rows) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto kind : {Kind::window_product, Kind::window_input_gradient, Kind::window_kernel_gradient,
                            Kind::window_maximum, Kind::window_maximum_gradient}) {
      const bool selects = kind == Kind::window_maximum || kind == Kind::window_maximum_gradient;
      if (element == i64 && !selects) continue;  // windows of integers are multiplied as matrices
      rows.push_back(
          {row_name(element, "kernel ") + std::string(kernel::name_of(kind)), [=] { return windowed(kind, element); }});
    }
}

}  // namespace topos::digest
