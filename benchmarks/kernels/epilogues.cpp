// Products with a bias and an activation as one kernel, beside the two kernels one after the other and beside oneDNN's
// one primitive.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "row_contest.h"
#include "topos/kernel/chain.h"

#ifdef TOPOS_PEER_ONEDNN
#include <dnnl.hpp>
#endif

namespace {

using topos::Extent;
using topos::Function;
using topos::Shape;
using topos::kernel::Kind;
using topos::kernel::Link;
using Floats = std::shared_ptr<float[]>;

struct Size {
  Extent m, k, n;
};

struct Operands {
  explicit Operands(const Size& s)
      : a(bench::numbers<float>(static_cast<std::size_t>(s.m * s.k), 1)),
        b(bench::numbers<float>(static_cast<std::size_t>(s.k * s.n), 2)),
        bias(bench::numbers<float>(static_cast<std::size_t>(s.n), 3)),
        zero(bench::numbers<float>(1, 4, 0, 0)),
        out(bench::numbers<float>(static_cast<std::size_t>(s.m * s.n), 5)),
        apart(bench::numbers<float>(static_cast<std::size_t>(s.m * s.n), 7)),
        theirs(bench::numbers<float>(static_cast<std::size_t>(s.m * s.n), 6)) {}
  Floats a, b, bias, zero, out, apart, theirs;
};

/// max(x + bias, 0) over the product's result, in place; or behind the product.
topos::kernel::Task chain_of(const Size& s, bool follows_product) {
  const Shape shape{s.m, s.n};
  auto chain = std::make_shared<topos::kernel::Chain>();
  chain->operands = {
      topos::kernel::contiguous({topos::f32, shape}), {topos::f32, shape, {0, 1}}, {topos::f32, shape, {0, 0}}};
  const auto link = [](Function function, std::size_t a, std::size_t b) {
    return Link{Kind::binary, function, topos::Direction::eq, topos::f32, 2, {a, b}};
  };
  chain->links = {link(Function::add, 0, 1), link(Function::maximum, 3, 2)};
  if (follows_product) {
    chain->operands[0] = topos::kernel::contiguous({topos::f32, {s.m, s.k}});
    chain->operands.insert(chain->operands.begin() + 1, topos::kernel::contiguous({topos::f32, {s.k, s.n}}));
    chain->links = {link(Function::add, 0, 2), link(Function::maximum, 4, 3)};
    chain->follows_product = true;
  }
  auto task = bench::task_of(Kind::chain, {}, shape);
  task.operand_count = chain->operands.size();
  task.chain = std::move(chain);
  return task;
}

#ifdef TOPOS_PEER_ONEDNN
bench::Contender onednn(const Size& s, const Operands& with) {
  using namespace dnnl;
  if (auto* one_thread = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) one_thread(1);
  const auto described = [](Extent rows, Extent columns) {
    return memory::desc({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
  };
  const auto a = described(s.m, s.k), b = described(s.k, s.n), bias = described(1, s.n), out = described(s.m, s.n);
  const engine on(engine::kind::cpu, 0);
  post_ops after;
  primitive_attr attributes;
#if DNNL_VERSION_MAJOR >= 3
  after.append_eltwise(algorithm::eltwise_relu, 0.0f, 0.0f);
  attributes.set_post_ops(after);
  const matmul product(matmul::primitive_desc(on, a, b, bias, out, attributes));
#else
  after.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
  attributes.set_post_ops(after);
  const matmul product(matmul::primitive_desc(matmul::desc(a, b, bias, out), attributes, on));
#endif
  const std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, memory(a, on, with.a.get())},
                                                  {DNNL_ARG_WEIGHTS, memory(b, on, with.b.get())},
                                                  {DNNL_ARG_BIAS, memory(bias, on, with.bias.get())},
                                                  {DNNL_ARG_DST, memory(out, on, with.theirs.get())}};
  return {"oneDNN, fused", [=, stream = stream(on), keep = with]() mutable {
            product.execute(stream, arguments);
            stream.wait();
          }};
}
#endif

bench::Contest contest(const Size& s) {
  const Operands with(s);
  const auto fused = bench::kernel(chain_of(s, true), {with.a, with.b, with.bias, with.zero}, with.out);
  const auto product =
      bench::kernel(bench::task_of(Kind::matmul, {{s.m, s.k}, {s.k, s.n}}, {s.m, s.n}), {with.a, with.b}, with.apart);
  const auto epilogue = bench::kernel(chain_of(s, false), {with.apart, with.bias, with.zero}, with.apart);
  const auto apart = [=] {
    product.run();
    epilogue.run();
  };
  bench::Contest made{
      fused, {{"two steps", apart}}, [=] {
        fused.run();
        apart();
        if (std::memcmp(with.out.get(), with.apart.get(), static_cast<std::size_t>(s.m * s.n) * sizeof(float)) != 0)
          throw std::runtime_error("one kernel has other bits than two");
      }};
#ifdef TOPOS_PEER_ONEDNN
  made.theirs.push_back(onednn(s, with));
#endif
  return made;
}

const bench::Rows epilogues([] {
  for (const auto& s : {Size{32, 30, 200}, Size{64, 784, 128}, Size{64, 768, 3072}, Size{256, 256, 256},
                        Size{1024, 64, 1024}, Size{1024, 1024, 1024}})
    bench::add({"products with bias and relu", fmt::format("{}x{}x{}", s.m, s.k, s.n),
                static_cast<double>(2 * s.m * s.k * s.n), "GFLOP/s", [=] { return contest(s); }});
});

}  // namespace
