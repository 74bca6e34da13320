// Owns the tests of the elementary kernels: every function of every element equals its scalar definition on bits, for
// seeded and hard operands, specials, neighbourhoods of branch bounds, tails, gaps and unaligned bases.
#include <cstring>
#include <fstream>

#include "kernel/oracle.h"
#include "topos/element/elementary.h"

namespace topos::kernel {
namespace {

using enum Function;

template <Function F, class T>
T defined(T x) {
  if constexpr (std::same_as<T, BFloat16>)
    return BFloat16(elementary::apply<F>(static_cast<float>(x)));
  else
    return elementary::apply<F>(x);
}
template <class T>
T defined_power(T x, T y) {
  if constexpr (std::same_as<T, BFloat16>)
    return BFloat16(elementary::power(static_cast<float>(x), static_cast<float>(y)));
  else
    return elementary::power(x, y);
}
template <class T>
constexpr ElementType element_of() {
  if constexpr (std::same_as<T, float>)
    return f32;
  else if constexpr (std::same_as<T, double>)
    return f64;
  else
    return bf16;
}
template <class T>
bool same(T a, T b) {
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  return (x != x && y != y) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

Task unary_task(Function function, ElementType element, Extent n, Extent step, Extent result_step) {
  Task task;
  task.kind = Kind::unary;
  task.function = function;
  task.operand_count = 1;
  task.operands[0] = {element, {n}, {step}};
  task.result = {element, {n}, {result_step}};
  return task;
}
template <class T>
void run_unary(Function function, Extent n, const T* x, Extent step, T* out, Extent result_step) {
  const auto prepared = prepare(unary_task(function, element_of<T>(), n, step, result_step));
  ASSERT_NE(prepared.run, nullptr);
  const Bytes scratch(prepared.scratch_bytes);
  const void* const operands[max_operands] = {x};
  EXPECT_EQ(prepared.run(prepared.task, operands, out, scratch.get()), no_fault);
}
template <Function F, class T>
void expect_defined(const std::vector<T>& x, const char* what) {
  std::vector<T> out(x.size());
  run_unary(F, static_cast<Extent>(x.size()), x.data(), 1, out.data(), 1);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!same(out[i], defined<F>(x[i])) && ++wrong < 5)
      ADD_FAILURE() << name_of(F) << " of " << element_of<T>().name() << ", " << what << ": at "
                    << static_cast<double>(x[i]) << " it is " << static_cast<double>(out[i]);
  EXPECT_EQ(wrong, 0u) << name_of(F) << ", " << what;
}

/// Numbers of all magnitudes: random bits; and numbers around 1, 10 and 100.
template <class T>
std::vector<T> seeded_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<T> numbers(n);
  for (auto& number : numbers) {
    const auto word = next(seed);
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    const auto unit = static_cast<double>(static_cast<std::int64_t>(word)) * 0x1p-63;
    const double ranges[] = {1.0, 10.0, 100.0};
    if (word % 4 == 3) {
      const auto bits = static_cast<Bits>(next(seed));
      std::memcpy(static_cast<void*>(&number), &bits, sizeof number);
    } else {
      number = T(static_cast<float>(unit * ranges[word % 4]));
      if constexpr (std::same_as<T, double>) number = unit * ranges[word % 4];
    }
  }
  return numbers;
}
/// Specials, and 8 neighbours on each side of every bound between branches, both signs.
template <class T>
std::vector<T> edge_numbers() {
  using Limits = std::numeric_limits<double>;
  std::vector<T> numbers;
  const auto push = [&numbers](double x) {
    T number;
    if constexpr (std::same_as<T, double>)
      number = x;
    else
      number = T(static_cast<float>(x));
    numbers.push_back(number);
  };
  for (const double x : {0.0, 1.0, Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::denorm_min(),
                         0x1p-149, 0x1.fffffep127, 0x1p-126, 0x1.8p-1073, 0x1p-1022})
    for (const double sign : {1.0, -1.0}) push(sign * x);
  for (const double bound :
       {0x1p-149, 0x1p-126, 0x1p-120, 0x1p-100, 0x1p-27, 0x1p-24, 0x1p-12,   0.0217, 0.0234375,    0.5,   0x1.68p-1,
        0.99,     1.0,      0x1.68p0, 2.0,      3.95,    4.0,     5.953125,  6.0,    9.25,         10.0,  15.0,
        18.4,     18.7,     20.0,     27.31,    36.0,    36.7,    40.0,      60.0,   78.0,         87.0,  88.7,
        89.0,     103.9,    104.0,    115.0,    700.0,   708.0,   709.7,     710.0,  745.1,        746.0, 0x1p19,
        0x1p24,   0x1p53,   0x1p60,   0x1p125,  0x1p126, 3.14159, 1.5707963, 1e22,   0x1.887814p51})
    for (int step = -8; step <= 8; ++step)
      for (const double sign : {1.0, -1.0}) {
        const double unit = std::same_as<T, double> ? 0x1p-52 : std::same_as<T, float> ? 0x1p-23 : 0x1p-7;
        push(sign * bound * (1.0 + step * unit));
      }
  return numbers;
}
std::vector<float> hard_numbers(Function function) {
  std::ifstream file(std::string(TOPOS_TEST_DATA) + "/element/data/hard_" + std::string(name_of(function)) + ".txt");
  std::vector<float> numbers;
  std::uint32_t bits = 0;
  while (file >> std::hex >> bits) {
    float number = 0;
    std::memcpy(&number, &bits, sizeof number);
    numbers.push_back(number);
  }
  return numbers;
}

template <Function F, class T>
void check_function() {
  expect_defined<F, T>(seeded_numbers<T>(60'000, 1), "seeded");
  expect_defined<F, T>(edge_numbers<T>(), "edges");
}
template <class T>
void check_functions() {
  check_function<exp, T>();
  check_function<expm1, T>();
  check_function<log, T>();
  check_function<log1p, T>();
  check_function<sqrt, T>();
  check_function<rsqrt, T>();
  check_function<tanh, T>();
  check_function<sin, T>();
  check_function<cos, T>();
  check_function<erf, T>();
  check_function<erf_derivative, T>();
  check_function<logistic, T>();
  check_function<softplus, T>();
}

TEST(function_kernels, f32_equals_the_definition) { check_functions<float>(); }
TEST(function_kernels, f64_equals_the_definition) { check_functions<double>(); }
TEST(function_kernels, bf16_equals_the_definition) { check_functions<BFloat16>(); }

template <Function F>
void check_hard() {
  auto numbers = hard_numbers(F);
  ASSERT_GE(numbers.size(), 20u) << name_of(F);
  const auto n = numbers.size();
  for (std::size_t i = 0; i < n; ++i) numbers.push_back(-numbers[i]);
  expect_defined<F, float>(numbers, "hard");
}

TEST(function_kernels, f32_equals_the_definition_on_hard_operands) {
  check_hard<exp>();
  check_hard<expm1>();
  check_hard<log>();
  check_hard<log1p>();
  check_hard<rsqrt>();
  check_hard<tanh>();
  check_hard<sin>();
  check_hard<cos>();
  check_hard<erf>();
  check_hard<erf_derivative>();
  check_hard<logistic>();
  check_hard<softplus>();
}

/// Rows of every length up to two steps of the longest vectors, at odd places, with gaps, and in place, there of more
/// than one of the blocks in which failed steps are done again; nothing else may change.
template <Function F, class T>
void check_rows() {
  const auto numbers = seeded_numbers<T>(2400, 7);
  for (Extent n = 0; n <= 70; ++n)
    for (const auto [step, result_step, first] : {std::array<Extent, 3>{1, 1, 1}, {1, 3, 0}, {2, 1, 3}, {0, 1, 2}}) {
      const auto* x = numbers.data() + first;
      const T untouched{-7.25f};
      std::vector<T> out(400, untouched);
      run_unary(F, n, x, step, out.data() + first, result_step);
      std::vector<T> expected(400, untouched);
      for (Extent i = 0; i < n; ++i)
        expected[static_cast<std::size_t>(first + i * result_step)] = defined<F>(x[i * step]);
      for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_TRUE(same(out[i], expected[i])) << name_of(F) << " n=" << n << " step=" << step << " place " << i;
    }
  auto in_place = numbers;
  run_unary(F, 2333, in_place.data() + 1, 1, in_place.data() + 1, 1);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    ASSERT_TRUE(same(in_place[i], i >= 1 && i < 2334 ? defined<F>(numbers[i]) : numbers[i])) << name_of(F) << i;
}
template <class T>
void check_all_rows() {
  check_rows<exp, T>();
  check_rows<log, T>();
  check_rows<logistic, T>();
  check_rows<rsqrt, T>();
  check_rows<sin, T>();
  check_rows<softplus, T>();
}

TEST(function_kernels, rows_of_any_length_step_and_base) {
  check_all_rows<float>();
  check_all_rows<double>();
  check_all_rows<BFloat16>();
}

template <class T>
void check_power(const std::vector<T>& x, const std::vector<T>& y, const char* what) {
  const auto n = static_cast<Extent>(x.size());
  Task task;
  task.kind = Kind::binary;
  task.function = power;
  task.operand_count = 2;
  task.result = task.operands[0] = task.operands[1] = contiguous({element_of<T>(), {n}});
  const auto prepared = prepare(task);
  ASSERT_NE(prepared.run, nullptr);
  std::vector<T> out(x.size());
  const void* const operands[max_operands] = {x.data(), y.data()};
  prepared.run(prepared.task, operands, out.data(), nullptr);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(out[i], defined_power(x[i], y[i]));
  EXPECT_EQ(wrong, 0u) << "power of " << element_of<T>().name() << ", " << what;
}
template <class T>
void check_powers() {
  for (const std::size_t n : {1, 7, 8, 9, 31, 32, 33, 20'000})
    check_power(seeded_numbers<T>(n, 3), seeded_numbers<T>(n, 4), "seeded");
  auto positive = seeded_numbers<T>(20'000, 5), whole = positive;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    positive[i] = T(static_cast<float>(i % 97 + 1) * 0.125f);
    whole[i] = T(static_cast<float>(i % 41) * 0.5f - 8.0f);  // many exact and half-way results
  }
  check_power(positive, whole, "whole and half exponents");
  const auto edges = edge_numbers<T>();
  std::vector<T> x, y;
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (std::size_t j = i % 29; j < edges.size(); j += 29) {
      x.push_back(edges[i]);
      y.push_back(edges[j]);
    }
  check_power(x, y, "edges");
}

TEST(function_kernels, power_equals_the_definition) {
  check_powers<float>();
  check_powers<double>();
  check_powers<BFloat16>();
}

}  // namespace
}  // namespace topos::kernel
