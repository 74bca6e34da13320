// The elementary functions, f32 and f64, in each level of memory, beside glibc's vector library and SLEEF's functions
// of one ulp.
#include <fmt/format.h>

#include "harness.h"
#include "plain/functions.h"
#include "topos/kernel/task.h"

#if defined(TOPOS_PEER_SLEEF) && defined(__x86_64__)
#include <immintrin.h>
// The header declares these only where the whole file is compiled for the instruction set.
#define SLEEF_DECLARE(name)                    \
  __m256 Sleef_##name##f8_u10avx2(__m256);     \
  __m256d Sleef_##name##d4_u10avx2(__m256d);   \
  __m512 Sleef_##name##f16_u10avx512f(__m512); \
  __m512d Sleef_##name##d8_u10avx512f(__m512d);
extern "C" {
SLEEF_DECLARE(exp)
SLEEF_DECLARE(expm1)
SLEEF_DECLARE(log)
SLEEF_DECLARE(log1p)
SLEEF_DECLARE(tanh)
SLEEF_DECLARE(sin)
SLEEF_DECLARE(cos)
SLEEF_DECLARE(erf)
__m256 Sleef_powf8_u10avx2(__m256, __m256);
__m256d Sleef_powd4_u10avx2(__m256d, __m256d);
__m512 Sleef_powf16_u10avx512f(__m512, __m512);
__m512d Sleef_powd8_u10avx512f(__m512d, __m512d);
}
#endif

namespace {

template <class T>
using Unary = void (*)(std::size_t, const T*, T*);
template <class T>
using Binary = void (*)(std::size_t, const T*, const T*, T*);

// --- SLEEF -----------------------------------------------------------------------------------------------------------

#if defined(TOPOS_PEER_SLEEF) && defined(__x86_64__)
#define SLEEF_UNARY(name, isa, type, width, load, store, call)                             \
  [[gnu::target(isa)]] void name(std::size_t n, const type* x, type* out) {                \
    for (std::size_t i = 0; i + width <= n; i += width) store(out + i, call(load(x + i))); \
  }
#define SLEEF_BOTH(name)                                                                                            \
  SLEEF_UNARY(name##_avx2, "avx2", float, 8, _mm256_loadu_ps, _mm256_storeu_ps, Sleef_##name##f8_u10avx2)           \
  SLEEF_UNARY(name##_avx2, "avx2", double, 4, _mm256_loadu_pd, _mm256_storeu_pd, Sleef_##name##d4_u10avx2)          \
  SLEEF_UNARY(name##_avx512, "avx512f", float, 16, _mm512_loadu_ps, _mm512_storeu_ps, Sleef_##name##f16_u10avx512f) \
  SLEEF_UNARY(name##_avx512, "avx512f", double, 8, _mm512_loadu_pd, _mm512_storeu_pd, Sleef_##name##d8_u10avx512f)  \
  template <class T>                                                                                                \
  Unary<T> name() {                                                                                                 \
    if (__builtin_cpu_supports("avx512f")) return name##_avx512;                                                    \
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Unary<T>(name##_avx2) : nullptr;       \
  }
#define SLEEF_BINARY(name, isa, type, width, load, store, call)                                         \
  [[gnu::target(isa)]] void name(std::size_t n, const type* x, const type* y, type* out) {              \
    for (std::size_t i = 0; i + width <= n; i += width) store(out + i, call(load(x + i), load(y + i))); \
  }
namespace sleef {

SLEEF_BOTH(exp)
SLEEF_BOTH(expm1)
SLEEF_BOTH(log)
SLEEF_BOTH(log1p)
SLEEF_BOTH(tanh)
SLEEF_BOTH(sin)
SLEEF_BOTH(cos)
SLEEF_BOTH(erf)
SLEEF_BINARY(power_avx2, "avx2", float, 8, _mm256_loadu_ps, _mm256_storeu_ps, Sleef_powf8_u10avx2)
SLEEF_BINARY(power_avx2, "avx2", double, 4, _mm256_loadu_pd, _mm256_storeu_pd, Sleef_powd4_u10avx2)
SLEEF_BINARY(power_avx512, "avx512f", float, 16, _mm512_loadu_ps, _mm512_storeu_ps, Sleef_powf16_u10avx512f)
SLEEF_BINARY(power_avx512, "avx512f", double, 8, _mm512_loadu_pd, _mm512_storeu_pd, Sleef_powd8_u10avx512f)
template <class T>
Binary<T> power() {
  if (__builtin_cpu_supports("avx512f")) return power_avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Binary<T>(power_avx2) : nullptr;
}

}  // namespace sleef
#define SLEEF(name) sleef::name<T>
#else
#define SLEEF(name) nullptr
#endif

// --- the rows --------------------------------------------------------------------------------------------------------

using topos::Extent;
using topos::Function;

template <class T>
struct Case {
  Function function;
  const char* name;
  double low, high;
  Unary<T> plain;
  Unary<T> (*sleef)();  // null: it has no such function
};

template <class T>
constexpr Case<T> cases[] = {
    {Function::exp, "exp", -20, 20, plain::exp, SLEEF(exp)},
    {Function::expm1, "expm1", -5, 5, plain::expm1, SLEEF(expm1)},
    {Function::log, "log", 0.01, 100, plain::log, SLEEF(log)},
    {Function::log1p, "log1p", -0.9, 10, plain::log1p, SLEEF(log1p)},
    {Function::sqrt, "sqrt", 0, 100, plain::sqrt, nullptr},
    {Function::rsqrt, "rsqrt", 0.01, 100, plain::rsqrt, nullptr},
    {Function::tanh, "tanh", -5, 5, plain::tanh, SLEEF(tanh)},
    {Function::sin, "sin", -30, 30, plain::sin, SLEEF(sin)},
    {Function::cos, "cos", -30, 30, plain::cos, SLEEF(cos)},
    {Function::erf, "erf", -3, 3, plain::erf, SLEEF(erf)},
    {Function::logistic, "logistic", -8, 8, plain::logistic, nullptr},
    {Function::softplus, "softplus", -8, 8, plain::softplus, nullptr},
};

template <class T>
topos::kernel::Task task_of(topos::kernel::Kind kind, Function function, std::size_t n) {
  topos::kernel::Task task;
  task.kind = kind;
  task.function = function;
  task.operand_count = kind == topos::kernel::Kind::unary ? 1 : 2;
  task.result = topos::kernel::contiguous({std::same_as<T, float> ? topos::f32 : topos::f64, {static_cast<Extent>(n)}});
  task.operands[0] = task.operands[1] = task.result;
  return task;
}
template <class T>
bench::Contest contest(const Case<T>& of, std::size_t n) {
  const auto x = bench::numbers<T>(n, 1, of.low, of.high), out = bench::numbers<T>(n, 2),
             theirs = bench::numbers<T>(n, 3);
  const auto task = task_of<T>(topos::kernel::Kind::unary, of.function, n);
  const auto prepared = std::make_shared<topos::kernel::Prepared>(topos::kernel::prepare(task));
  const auto plain = of.plain;
  bench::Contest result = {{"topos",
                            [=] {
                              const void* const operands[] = {x.get(), nullptr, nullptr};
                              prepared->run(prepared->task, operands, out.get(), nullptr);
                            }},
                           {{"libmvec", [=] { plain(n, x.get(), theirs.get()); }}},
                           {}};
  if (const auto sleef = of.sleef != nullptr ? of.sleef() : nullptr; sleef != nullptr)
    result.theirs.push_back({"SLEEF", [=] { sleef(n, x.get(), theirs.get()); }});
  return result;
}
template <class T>
bench::Contest power_contest(std::size_t n) {
  const auto x = bench::numbers<T>(n, 1, 0.01, 10), y = bench::numbers<T>(n, 4, -5, 5), out = bench::numbers<T>(n, 2),
             theirs = bench::numbers<T>(n, 3);
  const auto task = task_of<T>(topos::kernel::Kind::binary, Function::power, n);
  const auto prepared = std::make_shared<topos::kernel::Prepared>(topos::kernel::prepare(task));
  const Binary<T> plain = plain::power;
  bench::Contest result = {{"topos",
                            [=] {
                              const void* const operands[] = {x.get(), y.get(), nullptr};
                              prepared->run(prepared->task, operands, out.get(), nullptr);
                            }},
                           {{"libmvec", [=] { plain(n, x.get(), y.get(), theirs.get()); }}},
                           {}};
#if defined(TOPOS_PEER_SLEEF) && defined(__x86_64__)
  if (const auto sleef = sleef::power<T>(); sleef != nullptr)
    result.theirs.push_back({"SLEEF", [=] { sleef(n, x.get(), y.get(), theirs.get()); }});
#endif
  return result;
}

template <class T>
void add_functions(const char* element) {
  struct Level {
    const char* name;
    std::size_t bytes;  // of operand and result together
  };
  for (const auto& level : {Level{"L1", 16 << 10}, Level{"L2", 256 << 10}, Level{"DRAM", 256 << 20}}) {
    const auto group = fmt::format("functions {}, {}", element, level.name);
    for (const auto& of : cases<T>) {
      const auto n = level.bytes / (2 * sizeof(T));
      bench::add({group, of.name, static_cast<double>(n), "Gelem/s", [&of, n] { return contest(of, n); }});
    }
    const auto n = level.bytes / (3 * sizeof(T)) / 16 * 16;
    bench::add({group, "power", static_cast<double>(n), "Gelem/s", [n] { return power_contest<T>(n); }});
  }
}

const bench::Rows functions([] {
  add_functions<float>("f32");
  add_functions<double>("f64");
});

}  // namespace
