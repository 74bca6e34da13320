// Softmax and its logarithm along rows and columns, beside plain loops with libmvec and beside oneDNN.
#include <fmt/format.h>

#include "plain/rows.h"
#include "row_contest.h"

#ifdef TOPOS_PEER_ONEDNN
#include <dlfcn.h>

#include <dnnl.hpp>
#endif

namespace {

using topos::Extent;
using topos::Shape;
using topos::kernel::Kind;

#ifdef TOPOS_PEER_ONEDNN
/// One thread, as ours: the runtime that the library brings along is asked where it is there.
void use_one_thread() {
  if (auto* set = dlsym(RTLD_DEFAULT, "omp_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
}
bench::Contender onednn(bool logarithm, Extent rows, Extent n, const std::shared_ptr<float[]>& x,
                        const std::shared_ptr<float[]>& out) {
  use_one_thread();
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl::memory::desc description({rows, n}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
  const dnnl::memory source(description, engine, x.get()), target(description, engine, out.get());
  const std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, target}};
  dnnl::primitive primitive;
  constexpr auto inference = dnnl::prop_kind::forward_inference;
  if (logarithm)
    primitive = dnnl::logsoftmax_forward({{inference, description, 1}, engine});
  else
    primitive = dnnl::softmax_forward({{inference, description, 1}, engine});
  return {"oneDNN", [=, stream = dnnl::stream(engine)]() mutable {
            primitive.execute(stream, arguments);
            stream.wait();
          }};
}
#endif

bench::Contest contest(Kind kind, Extent rows, Extent n, Extent axis) {
  const auto count = static_cast<std::size_t>(rows * n);
  const auto x = bench::numbers<float>(count, 1, -8, 8), out = bench::numbers<float>(count, 2),
             theirs = bench::numbers<float>(count, 3);
  auto task = bench::task_of(kind, {{rows, n}}, {rows, n});
  task.axes = {axis};
  auto plain = kind == Kind::softmax ? plain::softmax : plain::log_softmax;
  if (axis == 0) plain = plain::column_softmax;
  const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(n);
  bench::Contest made{bench::kernel(task, {x}, out), {{"-Ofast", [=] { plain(r, c, x.get(), theirs.get()); }}}, {}};
#ifdef TOPOS_PEER_ONEDNN
  if (axis == 1) made.theirs.push_back(onednn(kind == Kind::log_softmax, rows, n, x, theirs));
#endif
  return made;
}

bench::Contest logsumexp(Extent rows, Extent n) {
  const auto count = static_cast<std::size_t>(rows * n), r = static_cast<std::size_t>(rows);
  const auto x = bench::numbers<float>(count, 1, -8, 8), out = bench::numbers<float>(r, 2),
             theirs = bench::numbers<float>(r, 3);
  auto task = bench::task_of(Kind::logsumexp, {{rows, n}}, {rows});
  task.axes = {1};
  const auto plain = [=] { plain::logsumexp(r, static_cast<std::size_t>(n), x.get(), theirs.get()); };
  return {bench::kernel(task, {x}, out), {{"-Ofast", plain}}, {}};
}

void add_contest(const char* group, const char* name, Kind kind, Extent rows, Extent n, Extent axis) {
  bench::add({group, fmt::format("{} {}x{}", name, rows, n), static_cast<double>(rows * n), "Gelem/s",
              [=] { return contest(kind, rows, n, axis); }});
}

const bench::Rows rows([] {
  for (const Extent n : {64, 128, 256, 768, 1000, 4096, 50304}) {
    const auto count = std::max<Extent>(1, 65536 / n);
    add_contest("softmax", "rows", Kind::softmax, count, n, 1);
    add_contest("log-softmax", "rows", Kind::log_softmax, count, n, 1);
    bench::add({"logsumexp", fmt::format("rows {}x{}", count, n), static_cast<double>(count * n), "Gelem/s",
                [=] { return logsumexp(count, n); }});
  }
  add_contest("softmax", "DRAM, rows", Kind::softmax, 32768, 1024, 1);
  add_contest("log-softmax", "DRAM, rows", Kind::log_softmax, 32768, 1024, 1);
  add_contest("softmax, columns", "columns", Kind::softmax, 64, 1024, 0);
  add_contest("softmax, columns", "columns", Kind::softmax, 1024, 256, 0);
});

}  // namespace
