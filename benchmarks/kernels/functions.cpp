// The elementary functions, f32 and f64, in each level of memory.
#include <fmt/format.h>

#include "harness.h"
#include "plain/functions.h"
#include "topos/kernel/task.h"

#ifdef TOPOS_PEER_SLEEF
#include <sleef.h>
#endif

namespace {

using topos::Extent;
using topos::Function;

template <class T>
struct Case {
  Function function;
  const char* name;
  double low, high;
  void (*plain)(std::size_t, const T*, T*);
};

template <class T>
constexpr Case<T> cases[] = {
    {Function::exp, "exp", -20, 20, plain::exp},
    {Function::expm1, "expm1", -5, 5, plain::expm1},
    {Function::log, "log", 0.01, 100, plain::log},
    {Function::log1p, "log1p", -0.9, 10, plain::log1p},
    {Function::sqrt, "sqrt", 0, 100, plain::sqrt},
    {Function::rsqrt, "rsqrt", 0.01, 100, plain::rsqrt},
    {Function::tanh, "tanh", -5, 5, plain::tanh},
    {Function::sin, "sin", -30, 30, plain::sin},
    {Function::cos, "cos", -30, 30, plain::cos},
    {Function::erf, "erf", -3, 3, plain::erf},
    {Function::logistic, "logistic", -8, 8, plain::logistic},
    {Function::softplus, "softplus", -8, 8, plain::softplus},
};

template <class T>
bench::Contest contest(const Case<T>& of, std::size_t n) {
  const auto x = bench::numbers<T>(n, 1, of.low, of.high), out = bench::numbers<T>(n, 2),
             theirs = bench::numbers<T>(n, 3);
  topos::kernel::Task task;
  task.kind = topos::kernel::Kind::unary;
  task.function = of.function;
  task.operand_count = 1;
  task.result = topos::kernel::contiguous({std::same_as<T, float> ? topos::f32 : topos::f64, {static_cast<Extent>(n)}});
  task.operands[0] = task.result;
  const auto prepared = std::make_shared<topos::kernel::Prepared>(topos::kernel::prepare(task));
  const auto plain = of.plain;
  return {{"topos",
           [=] {
             const void* const operands[] = {x.get(), nullptr, nullptr};
             prepared->run(prepared->task, operands, out.get(), nullptr);
           }},
          {{"libmvec", [=] { plain(n, x.get(), theirs.get()); }}},
          {}};
}

template <class T>
void add_functions(const char* element) {
  struct Level {
    const char* name;
    std::size_t bytes;  // of operand and result together
  };
  for (const auto& level : {Level{"L1", 16 << 10}, Level{"L2", 256 << 10}, Level{"DRAM", 256 << 20}})
    for (const auto& of : cases<T>) {
      const auto n = level.bytes / (2 * sizeof(T));
      bench::add({fmt::format("functions {}, {}", element, level.name), of.name, static_cast<double>(n), "Gelem/s",
                  [&of, n] { return contest(of, n); }});
    }
}

const bench::Rows functions([] {
  add_functions<float>("f32");
  add_functions<double>("f64");
});

}  // namespace
