// The largest of each window and its gradient, f32, one thread, beside oneDNN's pooling over plain memory.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "row_contest.h"

#ifdef TOPOS_PEER_ONEDNN
#include <dnnl.hpp>
#endif

namespace {

using topos::Extent;
using topos::kernel::Kind;

struct Pool {
  Extent batch, channels, extent, size, step;

  Extent outputs() const { return (extent - size) / step + 1; }
  topos::Shape image() const { return {batch, channels, extent, extent}; }
  topos::Shape places() const { return {batch, channels, outputs(), outputs()}; }
  double bytes() const { return 4.0 * static_cast<double>(image().volume() + places().volume()); }
};
constexpr Pool pools[] = {
    {32, 8, 26, 2, 2}, {32, 32, 32, 2, 2}, {8, 64, 56, 2, 2}, {8, 64, 55, 3, 2}, {8, 64, 54, 3, 1}};

using Floats = std::shared_ptr<float[]>;
Floats floats(const topos::Shape& shape, std::uint64_t seed) {
  return bench::numbers<float>(static_cast<std::size_t>(shape.volume()), seed);
}

/// The numbers of one pool, ours and the peer's.
struct Numbers {
  explicit Numbers(const Pool& p)
      : image(floats(p.image(), 1)),
        cotangent(floats(p.places(), 2)),
        largest(floats(p.places(), 3)),
        gradient(floats(p.image(), 4)),
        their_largest(floats(p.places(), 5)),
        their_gradient(floats(p.image(), 6)) {}

  Floats image, cotangent, largest, gradient, their_largest, their_gradient;
};

bench::Contender ours(const Pool& p, bool gradient, const Numbers& numbers) {
  auto task = bench::task_of(Kind::window_maximum, {p.image()}, p.places());
  if (gradient)
    task = bench::task_of(Kind::window_maximum_gradient,
                          {p.image(), {p.batch, p.channels, p.outputs(), p.outputs(), 1}}, p.image());
  task.rows = task.columns = {p.size, p.step, 1, 0};
  if (!gradient) return bench::kernel(task, {numbers.image}, numbers.largest);
  return bench::kernel(task, {numbers.image, numbers.cotangent}, numbers.gradient);
}

#ifdef TOPOS_PEER_ONEDNN
/// oneDNN's pooling: the gradient reads where the largest were from what the forward pass left.
bench::Contender onednn(const Pool& p, bool gradient, const Numbers& numbers) {
  if (auto* one_thread = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) one_thread(1);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  using tag = dnnl::memory::format_tag;
  const auto form = [](const topos::Shape& s) {
    return dnnl::memory::desc({s[0], s[1], s[2], s[3]}, dnnl::memory::data_type::f32, tag::nchw);
  };
  const auto image = form(p.image()), places = form(p.places());
  const dnnl::memory::dims steps{p.step, p.step}, size{p.size, p.size}, zeros{0, 0};
  constexpr auto largest = dnnl::algorithm::pooling_max;
  const dnnl::pooling_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, largest, image, places, steps, size, zeros, zeros}, engine);
  const dnnl::pooling_backward::primitive_desc backward({largest, image, places, steps, size, zeros, zeros}, engine,
                                                        forward);
  const dnnl::memory winners(forward.workspace_desc(), engine);
  const std::unordered_map<int, dnnl::memory> arguments{
      {DNNL_ARG_SRC, dnnl::memory(image, engine, numbers.image.get())},
      {DNNL_ARG_DST, dnnl::memory(places, engine, numbers.their_largest.get())},
      {DNNL_ARG_WORKSPACE, winners}};
  const std::unordered_map<int, dnnl::memory> backward_arguments{
      {DNNL_ARG_DIFF_DST, dnnl::memory(places, engine, numbers.cotangent.get())},
      {DNNL_ARG_DIFF_SRC, dnnl::memory(image, engine, numbers.their_gradient.get())},
      {DNNL_ARG_WORKSPACE, winners}};
  dnnl::primitive primitive = dnnl::pooling_forward(forward);
  primitive.execute(stream, arguments);
  stream.wait();
  if (gradient) primitive = dnnl::pooling_backward(backward);
  return {"oneDNN", [=]() mutable {
            primitive.execute(stream, gradient ? backward_arguments : arguments);
            stream.wait();
          }};
}
#endif

void compare(const Floats& a, const Floats& b, Extent count, float within) {
  for (Extent i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (!(std::fabs(a[at] - b[at]) <= within)) throw std::runtime_error("a pool differs from oneDNN's");
  }
}

bench::Contest contest(const Pool& p, bool gradient) {
  const Numbers numbers(p);
  bench::Contest made{ours(p, gradient, numbers), {}, {}};
#ifdef TOPOS_PEER_ONEDNN
  made.theirs.push_back(onednn(p, gradient, numbers));
  made.check = [=, us = made.ours.run, them = made.theirs[0].run] {
    us();
    them();
    if (gradient)
      compare(numbers.gradient, numbers.their_gradient, p.image().volume(), 1e-5f);
    else
      compare(numbers.largest, numbers.their_largest, p.places().volume(), 0);
  };
#endif
  return made;
}

const bench::Rows rows([] {
  for (const bool gradient : {false, true})
    for (const auto& p : pools)
      bench::add({gradient ? "pools, gradient" : "pools, forward",
                  fmt::format("{}x{}x{}x{}, {} by {} step {}", p.batch, p.channels, p.extent, p.extent, p.size, p.size,
                              p.step),
                  p.bytes(), "GB/s", [=] { return contest(p, gradient); }});
});

}  // namespace
