// The rows of the elementary functions: definition and kernel over stored hard inputs, special values, seeded inputs.
#include <fstream>
#include <ios>
#include <limits>
#include <span>
#include <stdexcept>

#include "digest/operands.h"
#include "topos/element/elementary.h"

namespace topos::digest {
namespace {

struct Elementary {
  Function function;
  const char* name;
  double low, high;  // where half of the seeded inputs lie
  float (*f32)(float);
  double (*f64)(double);
};
#define TOPOS_ROW(name, low, high)              \
  {Function::name,                              \
   #name,                                       \
   low,                                         \
   high,                                        \
   [](float x) { return elementary::name(x); }, \
   [](double x) { return elementary::name(x); }}
constexpr Elementary all[] = {
    TOPOS_ROW(exp, -110, 90),
    TOPOS_ROW(expm1, -20, 20),
    TOPOS_ROW(log, 0, 100),
    TOPOS_ROW(log1p, -1, 10),
    TOPOS_ROW(sqrt, 0, 100),
    TOPOS_ROW(rsqrt, 0, 100),
    TOPOS_ROW(tanh, -10, 10),
    TOPOS_ROW(sin, -100, 100),
    TOPOS_ROW(cos, -100, 100),
    TOPOS_ROW(erf, -6, 6),
    TOPOS_ROW(erf_derivative, -11, 11),
    TOPOS_ROW(logistic, -110, 20),
    TOPOS_ROW(softplus, -110, 20),
};
#undef TOPOS_ROW
static_assert(std::size(all) == unary_index(Function::softplus) - unary_index(Function::exp) + 1,
              "a function is missing");

template <class T>
constexpr ElementType element_of = sizeof(T) == 4   ? f32
                                   : sizeof(T) == 8 ? f64
                                                    : bf16;

constexpr std::size_t first_inputs = 100'000, later_inputs = 900'000, block = 4096;

/// Both neighbours of every power of two and that itself, of both signs; small whole numbers and halves; zeros,
/// infinities and NaN, the ends of the ranges.
template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<T> values;
  const auto add = [&](Bits pattern) {
    values.push_back(std::bit_cast<T>(pattern));
    values.push_back(std::bit_cast<T>(pattern | Bits{1} << (8 * sizeof(T) - 1)));
  };
  constexpr int fraction = Limits::digits - 1;
  for (Bits subnormal = 1; subnormal >> fraction == 0; subnormal <<= 1)
    for (const Bits pattern : {subnormal - 1, subnormal, subnormal + 1}) add(pattern);
  for (Bits exponent = 1; exponent < Bits{1} << (8 * sizeof(T) - 1 - fraction); ++exponent)
    for (const Bits offset : {-1, 0, 1}) add((exponent << fraction) + offset);  // the last: infinity, two NaN
  for (int i = 0; i <= 400; ++i) add(std::bit_cast<Bits>(static_cast<T>(i) * T{0.5}));
  add(std::bit_cast<Bits>(Limits::quiet_NaN()));
  return values;
}

std::vector<float> hard_inputs(const std::string& name) {
  if (name == "sqrt") return {};  // the hardware's
  std::ifstream file(std::string(TOPOS_DIGEST_DATA) + "/hard_" + name + ".txt");
  std::vector<float> inputs;
  std::uint32_t pattern = 0;
  while (file >> std::hex >> pattern) inputs.push_back(std::bit_cast<float>(pattern));
  if (inputs.empty()) throw std::runtime_error("no hard inputs for " + name + " in " TOPOS_DIGEST_DATA);
  return inputs;
}

/// Input `i` of the seeded ones: every other one is any bit pattern.
template <class T>
T seeded_input(const Elementary& of, std::size_t i) {
  std::uint64_t state = (static_cast<std::uint64_t>(of.function) << 32) + i;
  const auto pattern = next(state);
  if (i % 2 == 0)
    return std::bit_cast<T>(static_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(pattern));
  return static_cast<T>(of.low + (of.high - of.low) * (static_cast<double>(pattern >> 11) * 0x1p-53));
}

/// One function over rows of numbers.
template <class T>
using Values = std::function<void(std::span<const T>, T*)>;

template <class T>
Values<T> definition_of(const Elementary& of) {
  return [&of](std::span<const T> x, T* out) {
    for (const T number : x) {
      if constexpr (sizeof(T) == 4)
        *out++ = of.f32(number);
      else if constexpr (sizeof(T) == 8)
        *out++ = of.f64(number);
      else
        *out++ = T(of.f32(static_cast<float>(number)));
    }
  };
}
template <class T>
Values<T> kernel_of(Function function) {
  return [function](std::span<const T> x, T* out) {
    Task task;
    task.kind = Kind::unary;
    task.function = function;
    task.operand_count = 1;
    task.result = kernel::contiguous({element_of<T>, {static_cast<Extent>(x.size())}});
    task.operands[0] = task.result;
    const auto prepared = kernel::prepare(task);
    if (prepared.run == nullptr) throw std::runtime_error("no kernel");
    std::vector<std::byte> scratch(prepared.scratch_bytes + 64);
    const void* const places[kernel::max_operands] = {x.data()};
    auto space = scratch.size();
    void* working = scratch.data();
    prepared.run(prepared.task, places, out, std::align(64, prepared.scratch_bytes, working, space));
  };
}

template <class T>
void add_values(Hash& hash, const Values<T>& values, std::span<const T> x) {
  std::vector<T> out(x.size());
  values(x, out.data());
  for (const T number : out) hash.add(number);
}
/// Special values, and the hard inputs of f32.
template <class T>
std::uint64_t of_stored(const Elementary& of, const Values<T>& values) {
  Hash hash;
  add_values<T>(hash, values, special_values<T>());
  if constexpr (sizeof(T) == 4) add_values<T>(hash, values, hard_inputs(of.name));
  return hash.value();
}
template <class T>
std::uint64_t of_seeded(const Elementary& of, const Values<T>& values, std::size_t begin, std::size_t count) {
  Hash hash;
  std::vector<T> x(block);
  for (std::size_t i = 0; i < count; i += block) {
    const auto n = std::min(block, count - i);
    for (std::size_t k = 0; k < n; ++k) x[k] = seeded_input<T>(of, begin + i + k);
    add_values<T>(hash, values, std::span<const T>(x.data(), n));
  }
  return hash.value();
}
std::uint64_t of_all_bfloat16(const Values<BFloat16>& values) {
  std::vector<BFloat16> x;
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern)
    x.push_back(std::bit_cast<BFloat16>(static_cast<std::uint16_t>(pattern)));
  Hash hash;
  add_values<BFloat16>(hash, values, x);
  return hash.value();
}

template <class T>
void add_variant(Rows& rows, const Elementary& of, const char* variant, const Values<T>& values, bool any_target) {
  const auto name = row_name(element_of<T>, of.name) + " " + variant;
  if constexpr (sizeof(T) == 2) {
    rows.push_back({name + " of all inputs", [=] { return of_all_bfloat16(values); }, false, any_target});
  } else {
    rows.push_back({name + " of stored inputs", [=, &of] { return of_stored<T>(of, values); }, false, any_target});
    rows.push_back({name + " of 100000 seeded inputs", [=, &of] { return of_seeded<T>(of, values, 0, first_inputs); },
                    false, any_target});
    rows.push_back({name + " of 900000 more", [=, &of] { return of_seeded<T>(of, values, first_inputs, later_inputs); },
                    true, any_target});
  }
}

// --- power -----------------------------------------------------------------------------------------------------------

template <class T>
using Pairs = std::vector<std::pair<T, T>>;

/// Special values by special values; whole and half powers of numbers of few bits, which are exact or lie on ties.
template <class T>
Pairs<T> stored_pairs() {
  using Limits = std::numeric_limits<T>;
  const T specials[] = {0,
                        T{-0.0},
                        1,
                        -1,
                        T{0.5},
                        T{-0.5},
                        2,
                        -2,
                        3,
                        -3,
                        T{1.5},
                        T{-2.5},
                        255,
                        T{1e10},
                        -1e9,
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        Limits::min(),
                        Limits::max(),
                        -Limits::max(),
                        1 + Limits::epsilon(),
                        1 - Limits::epsilon() / 2,
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN()};
  Pairs<T> pairs;
  for (const T x : specials)
    for (const T y : specials) pairs.emplace_back(x, y);
  for (int x = 1; x <= 129; x += 2)
    for (int y = -20; y <= 20; ++y) pairs.emplace_back(static_cast<T>(x) / 16, static_cast<T>(y) / 2);
  return pairs;
}
template <class T>
Pairs<T> seeded_pairs(std::size_t begin, std::size_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Pairs<T> pairs;
  for (std::size_t i = begin; i < begin + count; ++i) {
    std::uint64_t state = (std::uint64_t{99} << 32) + i;
    const auto x = next(state), y = next(state);
    if (i % 4 == 0)
      pairs.emplace_back(std::bit_cast<T>(static_cast<Bits>(x)), std::bit_cast<T>(static_cast<Bits>(y)));
    else
      pairs.emplace_back(static_cast<T>(static_cast<double>(x >> 11) * 0x1p-50),  // in [0, 8)
                         static_cast<T>(static_cast<double>(y >> 11) * 0x1p-47 - 32.0));
  }
  return pairs;
}

/// What a power of T is computed in; the pairs are of these, rounded to T.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 2, float, T>;

template <class T>
std::uint64_t of_power_definition(const Pairs<Wide<T>>& pairs) {
  Hash hash;
  for (const auto& [x, y] : pairs)
    hash.add(static_cast<T>(elementary::power(static_cast<Wide<T>>(T(x)), static_cast<Wide<T>>(T(y)))));
  return hash.value();
}
template <class T>
std::uint64_t of_power_kernel(const Pairs<Wide<T>>& pairs) {
  std::vector<T> x, y, out(pairs.size());
  for (const auto& [base, exponent] : pairs) x.push_back(T(base)), y.push_back(T(exponent));
  Task task;
  task.kind = Kind::binary;
  task.function = Function::power;
  task.operand_count = 2;
  task.result = kernel::contiguous({element_of<T>, {static_cast<Extent>(pairs.size())}});
  task.operands[0] = task.operands[1] = task.result;
  const auto prepared = kernel::prepare(task);
  if (prepared.run == nullptr || prepared.scratch_bytes != 0) throw std::runtime_error("no kernel without scratch");
  const void* const places[kernel::max_operands] = {x.data(), y.data()};
  prepared.run(prepared.task, places, out.data(), nullptr);
  Hash hash;
  for (const T number : out) hash.add(number);
  return hash.value();
}

template <class T>
void add_power(Rows& rows) {
  const auto name = row_name(element_of<T>, "power");
  const auto both = [&](const std::string& of, auto pairs, bool long_run) {
    rows.push_back({name + " definition " + of, [=] { return of_power_definition<T>(pairs()); }, long_run, true});
    rows.push_back({name + " kernel " + of, [=] { return of_power_kernel<T>(pairs()); }, long_run});
  };
  both("of stored pairs", stored_pairs<Wide<T>>, false);
  both("of 50000 seeded pairs", [] { return seeded_pairs<Wide<T>>(0, 50'000); }, false);
  both("of 450000 more", [] { return seeded_pairs<Wide<T>>(50'000, 450'000); }, true);
  both("of another 500000", [] { return seeded_pairs<Wide<T>>(500'000, 500'000); }, true);
}

template <class T>
void add_element(Rows& rows) {
  for (const auto& of : all) {
    add_variant<T>(rows, of, "definition", definition_of<T>(of), true);
    add_variant<T>(rows, of, "kernel", kernel_of<T>(of.function), false);
  }
}

}  // namespace

void add_functions(Rows& rows) {
  add_element<float>(rows);
  add_element<double>(rows);
  add_element<BFloat16>(rows);
  add_power<float>(rows);
  add_power<double>(rows);
  add_power<BFloat16>(rows);
}

}  // namespace topos::digest
