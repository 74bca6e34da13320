// Layer normalisation of rows as the chain of kernels that a plan runs for it, beside plain loops and beside oneDNN's.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "plain/rows.h"
#include "row_contest.h"

#ifdef TOPOS_PEER_ONEDNN
#include <dnnl.hpp>
#endif

namespace {

using topos::Extent;
using topos::Function;
using topos::Shape;
using topos::kernel::Kind;
using topos::kernel::Task;
using Floats = std::shared_ptr<float[]>;

constexpr float epsilon = 1e-5f;

Floats floats(Extent n, std::uint64_t seed) { return bench::numbers<float>(static_cast<std::size_t>(n), seed); }

/// The steps of the chain, in order.
struct Chain {
  Extent rows, n;
  std::vector<bench::Contender> steps;

  void sum(const Floats& x, const Floats& out) {
    auto task = bench::task_of(Kind::sum, {{rows, n}}, {rows});
    task.axes = {1};
    steps.push_back(bench::kernel(task, {x}, out));
  }
  /// Of a column, and one number or another.
  void map(Function function, const Floats& a, const Floats& number, const Floats& out) {
    auto task = bench::task_of(Kind::binary, {{rows}, {rows}}, {rows});
    task.function = function;
    task.operands[1].strides = {0};
    steps.push_back(bench::kernel(task, {a, number}, out));
  }
  void root(const Floats& a, const Floats& out) {
    auto task = bench::task_of(Kind::unary, {{rows}}, {rows});
    task.function = Function::rsqrt;
    steps.push_back(bench::kernel(task, {a}, out));
  }
  /// Of a matrix, and another one, a column or a row.
  void map(Function function, const Floats& a, const Floats& b, const Shape& strides, const Floats& out) {
    auto task = bench::task_of(Kind::binary, {{rows, n}, {rows, n}}, {rows, n});
    task.function = function;
    task.operands[1].strides = strides;
    steps.push_back(bench::kernel(task, {a, b}, out));
  }
};

bench::Contender ours(Extent rows, Extent n, const Floats& x, const Floats& gain, const Floats& bias,
                      const Floats& out) {
  const auto count = floats(1, 1), least = floats(1, 1);
  count[0] = static_cast<float>(n);
  least[0] = epsilon;
  const auto apart = floats(rows * n, 1), squares = floats(rows * n, 1), column = floats(rows, 1);
  Chain chain{rows, n, {}};
  chain.sum(x, column);
  chain.map(Function::divide, column, count, column);
  chain.map(Function::subtract, x, column, {1, 0}, apart);
  chain.map(Function::multiply, apart, apart, {n, 1}, squares);
  chain.sum(squares, column);
  chain.map(Function::divide, column, count, column);
  chain.map(Function::add, column, least, column);
  chain.root(column, column);
  chain.map(Function::multiply, apart, column, {1, 0}, out);
  chain.map(Function::multiply, out, gain, {0, 1}, out);
  chain.map(Function::add, out, bias, {0, 1}, out);
  return {"topos", [steps = chain.steps] {
            for (const auto& step : steps) step.run();
          }};
}

#ifdef TOPOS_PEER_ONEDNN
bench::Contender onednn(Extent rows, Extent n, const Floats& x, const Floats& gain, const Floats& bias,
                        const Floats& out) {
  if (auto* one_thread = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) one_thread(1);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  constexpr auto number = dnnl::memory::data_type::f32;
  const dnnl::memory::desc matrix({rows, n}, number, dnnl::memory::format_tag::ab);
  const dnnl::memory::desc both({2, n}, number, dnnl::memory::format_tag::ab);
  const auto scales = floats(2 * n, 1);
  std::copy_n(gain.get(), n, scales.get());
  std::copy_n(bias.get(), n, scales.get() + n);
  const dnnl::layer_normalization_forward primitive(
      {{dnnl::prop_kind::forward_inference, matrix, epsilon, dnnl::normalization_flags::use_scale_shift}, engine});
  const std::unordered_map<int, dnnl::memory> arguments{
      {DNNL_ARG_SRC, dnnl::memory(matrix, engine, x.get())},
      {DNNL_ARG_SCALE_SHIFT, dnnl::memory(both, engine, scales.get())},
      {DNNL_ARG_DST, dnnl::memory(matrix, engine, out.get())}};
  return {"oneDNN", [=, stream = dnnl::stream(engine)]() mutable {
            primitive.execute(stream, arguments);
            stream.wait();
            (void)scales;
          }};
}
#endif

bench::Contest contest(Extent rows, Extent n) {
  const auto x = floats(rows * n, 1), gain = floats(n, 2), bias = floats(n, 3), out = floats(rows * n, 4),
             theirs = floats(rows * n, 5);
  const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(n);
  bench::Contest made{
      ours(rows, n, x, gain, bias, out),
      {{"-Ofast", [=] { plain::layer_norm(r, c, x.get(), gain.get(), bias.get(), epsilon, theirs.get()); }}},
      {}};
#ifdef TOPOS_PEER_ONEDNN
  made.theirs.push_back(onednn(rows, n, x, gain, bias, theirs));
#endif
  const std::vector<std::function<void()>> them = [&] {
    std::vector<std::function<void()>> runs;
    for (const auto& peer : made.theirs) runs.push_back(peer.run);
    return runs;
  }();
  made.check = [=, us = made.ours.run] {
    us();
    for (const auto& run : them) {
      run();
      for (std::ptrdiff_t i = 0; i < rows * n; ++i)
        if (!(std::fabs(out[i] - theirs[i]) <= 1e-4f)) throw std::runtime_error("a normalisation differs");
    }
  };
  return made;
}

const bench::Rows normalizations([] {
  for (const Extent n : {64, 256, 768, 4096}) {
    const Extent rows = 65536 / n;
    bench::add({"layer normalisation", fmt::format("rows {}x{}", rows, n), static_cast<double>(rows * n), "Gelem/s",
                [=] { return contest(rows, n); }});
  }
  bench::add(
      {"layer normalisation", "DRAM, rows 16384x768", 16384.0 * 768, "Gelem/s", [] { return contest(16384, 768); }});
});

}  // namespace
