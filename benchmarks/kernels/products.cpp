// Matrix products: square ones, skinny ones, and the layouts that gradients have.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "harness.h"
#include "topos/element/bfloat16.h"
#include "topos/kernel/product_pack.h"
#include "topos/kernel/task.h"

#ifdef TOPOS_PEER_OPENBLAS
#include <cblas.h>
#endif
#ifdef TOPOS_PEER_ONEDNN
#include <dnnl.hpp>
#endif

namespace {

using topos::BFloat16;
using topos::Extent;

/// out [m, n] = a [m, k] by b [k, n], `batch` times. A transposed operand lies as [k, m] or [n, k].
struct Size {
  Extent m, k, n;
  bool a_transposed = false, b_transposed = false;
  Extent batch = 1;
  bool b_packed = false;  // once, before anything is timed
};

template <class T>
constexpr bool wide = std::same_as<T, double>;
template <class T>
topos::ElementType element() {
  return wide<T> ? topos::f64 : std::same_as<T, float> ? topos::f32 : topos::bf16;
}

template <class T>
struct Operands {
  std::shared_ptr<T[]> a, b, out, theirs;
};

template <class T>
std::shared_ptr<T[]> filled(Extent count, std::uint64_t seed) {
  return bench::numbers<T>(static_cast<std::size_t>(count), seed);
}
template <>
std::shared_ptr<BFloat16[]> filled(Extent count, std::uint64_t seed) {
  const auto from = filled<float>(count, seed);
  std::shared_ptr<BFloat16[]> to(new BFloat16[static_cast<std::size_t>(count)]);
  for (Extent i = 0; i < count; ++i) to[i] = BFloat16(from[i]);
  return to;
}

template <class T>
topos::kernel::Task task_of(const Size& s) {
  topos::kernel::Task task;
  task.kind = topos::kernel::Kind::matmul;
  task.operand_count = 2;
  auto& [a, b, _] = task.operands;
  a = topos::kernel::contiguous({element<T>(), {s.batch, s.m, s.k}});
  b = topos::kernel::contiguous({element<T>(), {s.batch, s.k, s.n}});
  if (s.a_transposed) a.strides = {s.m * s.k, 1, s.m};
  if (s.b_transposed) b.strides = {s.k * s.n, 1, s.k};
  task.result = topos::kernel::contiguous({element<T>(), {s.batch, s.m, s.n}});
  return task;
}

template <class T>
using Computed = std::conditional_t<std::same_as<T, BFloat16>, float, T>;
/// The definition: chains of at most 2048 steps, the second added to the first; no size here has more of them.
template <class T>
Computed<T> number(const topos::kernel::Task& task, const Operands<T>& with, Extent batch, Extent i, Extent j) {
  const auto& [a, b, _] = task.operands;
  Computed<T> chains[2] = {};
  for (Extent k = 0; k < a.shape[2]; ++k) {
    auto& total = chains[k / 2048];
    total =
        std::fma(static_cast<Computed<T>>(with.a[batch * a.strides[0] + i * a.strides[1] + k * a.strides[2]]),
                 static_cast<Computed<T>>(with.b[batch * b.strides[0] + k * b.strides[1] + j * b.strides[2]]), total);
  }
  return static_cast<Computed<T>>(static_cast<T>(chains[0] + chains[1]));
}
/// Up to about ten million steps of the definition, spread over the rows.
template <class T>
void check(const topos::kernel::Task& task, const Operands<T>& with) {
  const auto& shape = task.result.shape;
  const Extent row_work = shape[2] * task.operands[0].shape[2];
  const Extent every = 1 + shape[0] * shape[1] * row_work / 10'000'000;
  for (Extent batch = 0; batch < shape[0]; ++batch)
    for (Extent i = batch % every; i < shape[1]; i += every)
      for (Extent j = 0; j < shape[2]; ++j)
        if (static_cast<Computed<T>>(with.out[(batch * shape[1] + i) * shape[2] + j]) !=
            number(task, with, batch, i, j))
          throw std::runtime_error(fmt::format("wrong bits at [{}, {}, {}]", batch, i, j));
}

#ifdef TOPOS_PEER_OPENBLAS
/// OpenBLAS chooses its kernels when it is loaded: where a variable forces others, this program starts anew without.
void choose_best_kernels() {
  if (std::getenv("OPENBLAS_CORETYPE") == nullptr) return;
  unsetenv("OPENBLAS_CORETYPE");
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) arguments.push_back(&text[at]);
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  throw std::runtime_error("unset OPENBLAS_CORETYPE: it forces OpenBLAS to other kernels");
}

void multiply(const Size& s, const float* a, const float* b, float* out) {
  const auto m = static_cast<int>(s.m), k = static_cast<int>(s.k), n = static_cast<int>(s.n);
  if (m == 1)
    cblas_sgemv(CblasRowMajor, s.b_transposed ? CblasNoTrans : CblasTrans, s.b_transposed ? n : k,
                s.b_transposed ? k : n, 1, b, s.b_transposed ? k : n, a, 1, 0, out, 1);
  else
    cblas_sgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans, s.b_transposed ? CblasTrans : CblasNoTrans,
                m, n, k, 1, a, s.a_transposed ? m : k, b, s.b_transposed ? k : n, 0, out, n);
}
void multiply(const Size& s, const double* a, const double* b, double* out) {
  const auto m = static_cast<int>(s.m), k = static_cast<int>(s.k), n = static_cast<int>(s.n);
  cblas_dgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans, s.b_transposed ? CblasTrans : CblasNoTrans, m,
              n, k, 1, a, s.a_transposed ? m : k, b, s.b_transposed ? k : n, 0, out, n);
}
template <class T>
bench::Contender openblas(const Size& s, const Operands<T>& with) {
  openblas_set_num_threads(1);
  return {"OpenBLAS", [=] {
            for (Extent i = 0; i < s.batch; ++i)
              multiply(s, with.a.get() + i * s.m * s.k, with.b.get() + i * s.k * s.n,
                       with.theirs.get() + i * s.m * s.n);
          }};
}
#endif

#ifdef TOPOS_PEER_ONEDNN
bench::Contender onednn(const Size& s, const Operands<float>& with) {
  using namespace dnnl;
  if (auto* one_thread = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) one_thread(1);
  const auto described = [&](Extent rows, Extent columns, bool transposed) {
    using memory = dnnl::memory;
    return memory::desc({s.batch, rows, columns}, memory::data_type::f32,
                        transposed ? memory::format_tag::acb : memory::format_tag::abc);
  };
  const auto a = described(s.m, s.k, s.a_transposed), b = described(s.k, s.n, s.b_transposed),
             out = described(s.m, s.n, false);
  const engine on(engine::kind::cpu, 0);
#if DNNL_VERSION_MAJOR >= 3
  const matmul product(matmul::primitive_desc(on, a, b, out));
#else
  const matmul product(matmul::primitive_desc(matmul::desc(a, b, out), on));
#endif
  const std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, memory(a, on, with.a.get())},
                                                  {DNNL_ARG_WEIGHTS, memory(b, on, with.b.get())},
                                                  {DNNL_ARG_DST, memory(out, on, with.theirs.get())}};
  return {"oneDNN", [=, stream = stream(on), keep = with]() mutable {
            product.execute(stream, arguments);
            stream.wait();
          }};
}
#endif

enum class Peers { openblas, both, none };

template <class T>
bench::Contest contest(const Size& s, Peers peers) {
  const Operands<T> with{filled<T>(s.batch * s.m * s.k, 1), filled<T>(s.batch * s.k * s.n, 2),
                         filled<T>(s.batch * s.m * s.n, 3), filled<T>(s.batch * s.m * s.n, 4)};
  auto task = task_of<T>(s);
  auto b = with.b;
  if (s.b_packed) {
    b = filled<T>(static_cast<Extent>(topos::kernel::pack_bytes(task) / sizeof(T)), 0);
    topos::kernel::pack(task, with.b.get(), b.get());
    task.operands[1] = topos::kernel::packed(task);
  }
  const auto prepared = std::make_shared<topos::kernel::Prepared>(topos::kernel::prepare(task));
  const auto scratch = filled<float>(static_cast<Extent>(prepared->scratch_bytes / sizeof(float)) + 1, 5);
  const auto ours = [=] {
    const void* const operands[] = {with.a.get(), b.get(), nullptr};
    prepared->run(prepared->task, operands, with.out.get(), scratch.get());
  };
  bench::Contest made{{"topos", ours}, {}, [=] {
                        ours();
                        check(task_of<T>(s), with);
                      }};
#ifdef TOPOS_PEER_OPENBLAS
  if constexpr (!std::same_as<T, BFloat16>)
    if (peers != Peers::none) made.theirs.push_back(openblas(s, with));
#endif
#ifdef TOPOS_PEER_ONEDNN
  if constexpr (std::same_as<T, float>)
    if (peers == Peers::both) made.theirs.push_back(onednn(s, with));
#endif
  (void)peers;
  return made;
}

template <class T>
void add(const std::string& group, const Size& s, Peers peers = Peers::openblas) {
  const auto name = fmt::format("{}{}x{}x{}{}{}{}", s.batch == 1 ? "" : fmt::format("{} of ", s.batch), s.m, s.k, s.n,
                                s.a_transposed ? ", a transposed" : "", s.b_transposed ? ", b transposed" : "",
                                s.b_packed ? ", packed" : "");
  const auto flops = 2 * s.batch * s.m * s.k * s.n;
  bench::add({group, name, static_cast<double>(flops), "GFLOP/s", [=] { return contest<T>(s, peers); }});
}

template <class T>
void add_squares(const char* name) {
  for (const Extent n : {8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256})
    add<T>(fmt::format("products, square to 256, {}", name), {n, n, n},
           n == 64 || n == 256 ? Peers::both : Peers::openblas);
  for (const Extent n : {512, 768, 1000, 1024, 2048})
    add<T>(fmt::format("products, square from 512, {}", name), {n, n, n}, n == 1024 ? Peers::both : Peers::openblas);
}

const bench::Rows products([] {
#ifdef TOPOS_PEER_OPENBLAS
  choose_best_kernels();
#endif
  add_squares<float>("f32");
  add_squares<double>("f64");
  for (const auto& s : {Size{1, 768, 768}, Size{1, 768, 768, false, true}, Size{1, 768, 768, false, true, 1, true},
                        Size{1, 768, 3072}, Size{32, 30, 200}, Size{32, 200, 27}, Size{64, 784, 128},
                        Size{64, 768, 3072}, Size{4, 768, 768}, Size{16, 768, 768}, Size{16, 1024, 1024},
                        Size{64, 768, 768, false, true}, Size{64, 768, 768, false, true, 1, true}, Size{768, 768, 1}})
    add<float>("products, skinny", s, s.m == 64 ? Peers::both : Peers::openblas);
  for (const auto& s : {Size{30, 32, 200, true}, Size{32, 200, 30, false, true}, Size{784, 64, 128, true},
                        Size{64, 3072, 768, false, true}, Size{768, 64, 3072, true}, Size{512, 512, 512, true},
                        Size{512, 512, 512, false, true}, Size{512, 512, 512, true, true}})
    add<float>("products, gradient layouts", s);
  for (const auto& s :
       {Size{64, 32, 64, false, true, 48}, Size{64, 64, 32, false, false, 48}, Size{8, 8, 8, false, false, 100}})
    add<float>("products, batched", s, Peers::both);
  for (const auto& s : {Size{1, 768, 768}, Size{1, 768, 768, false, true}, Size{64, 768, 768}, Size{512, 512, 512}})
    add<BFloat16>("products, bf16", s, Peers::none);
});

}  // namespace
