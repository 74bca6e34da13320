// bf16: its two roundings, its arithmetic through f32, its sums in f32, its functions; all or dense samples of 2^16.
#include "topos/element/bfloat16.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/emitted.h"
#include "support/random.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

constexpr std::uint32_t count = 1u << 16;

float wide(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }
bool is_nan_pattern(std::uint32_t bits) { return (bits & 0x7FFF) > 0x7F80; }

/// Every number there is.
Tensor all_numbers() {
  std::vector<BFloat16> numbers;
  for (std::uint32_t bits = 0; bits < count; ++bits)
    numbers.push_back(BFloat16::from_bits(static_cast<std::uint16_t>(bits)));
  return Tensor::from({count}, numbers);
}
/// A few hundred of all magnitudes, with the edges.
Tensor sampled_numbers() {
  std::vector<BFloat16> numbers;
  for (std::uint32_t bits = 0; bits < count; bits += 331)
    numbers.push_back(BFloat16::from_bits(static_cast<std::uint16_t>(bits)));
  for (const std::uint16_t edge : {0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x0080, 0x3F80, 0xBF80, 0x7F7F, 0xFF7F,
                                   0x7F80, 0xFF80, 0x7FC0, 0x4000, 0x3F81, 0x3FFF})
    numbers.push_back(BFloat16::from_bits(edge));
  return Tensor::from({static_cast<Extent>(numbers.size())}, numbers);
}

TEST(BFloat16, every_number_returns_from_f32_and_f64) {
  for (std::uint32_t bits = 0; bits < count; ++bits) {
    const auto x = BFloat16::from_bits(static_cast<std::uint16_t>(bits));
    const auto expected = is_nan_pattern(bits) ? (bits & 0x8000) | 0x7FC0 : bits;
    ASSERT_EQ(BFloat16(static_cast<float>(x)).bits(), expected);
    ASSERT_EQ(BFloat16(static_cast<double>(x)).bits(), expected);
    if (is_nan_pattern(bits)) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(x)), bits << 16);
  }
}

TEST(BFloat16, every_midpoint_rounds_to_even_and_its_neighbours_to_theirs) {
  for (std::uint32_t sign : {0u, 0x8000u})
    for (std::uint32_t low = 0; low < 0x7F80; ++low) {
      const auto lower = low | sign, upper = (low + 1) | sign, even = low % 2 == 0 ? lower : upper;
      const auto middle = lower << 16 | 0x8000;
      ASSERT_EQ(BFloat16(std::bit_cast<float>(middle)).bits(), even) << low;
      ASSERT_EQ(BFloat16(std::bit_cast<float>(middle - 1)).bits(), lower) << low;
      ASSERT_EQ(BFloat16(std::bit_cast<float>(middle + 1)).bits(), upper) << low;
    }
}

/// To nearest even by distances, in double.
std::uint16_t nearest(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | 0x7FC0);
  const auto low = bits >> 16, high = low + 1;
  if ((low & 0x7FFF) == 0x7F80) return static_cast<std::uint16_t>(low);
  // Beyond the largest number the next would be 2^128.
  const double above = (high & 0x7FFF) == 0x7F80 ? std::copysign(0x1p128, x) : wide(high);
  const double to_low = std::abs(x - static_cast<double>(wide(low))), to_high = std::abs(above - x);
  if (to_low == to_high) return static_cast<std::uint16_t>(low % 2 == 0 ? low : high);
  return static_cast<std::uint16_t>(to_low < to_high ? low : high);
}

TEST(BFloat16, f32_rounds_to_the_nearest) {
  for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 16411) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    ASSERT_EQ(BFloat16(x).bits(), nearest(x)) << x;
  }
  for (std::uint32_t payload = 1; payload < 1u << 23; payload += 1021) {
    ASSERT_EQ(BFloat16(std::bit_cast<float>(0x7F800000 | payload)).bits(), 0x7FC0);
    ASSERT_EQ(BFloat16(std::bit_cast<float>(0xFF800000 | payload)).bits(), 0xFFC0);
  }
}

TEST(BFloat16, f64_rounds_once) {
  // A hair beside a midpoint: by way of f32 it would become the midpoint, then the even neighbour.
  for (std::uint32_t low = 0; low < 0x7F7F; low += 7)
    for (const double sign : {1.0, -1.0}) {
      const double middle = std::bit_cast<float>(low << 16 | 0x8000);
      const auto mark = sign < 0 ? 0x8000u : 0u;
      ASSERT_EQ(BFloat16(sign * std::nextafter(middle, HUGE_VAL)).bits(), (low + 1) | mark) << low;
      ASSERT_EQ(BFloat16(sign * std::nextafter(middle, 0.0)).bits(), low | mark) << low;
      ASSERT_EQ(BFloat16(sign * middle).bits(), (low % 2 == 0 ? low : low + 1) | mark) << low;
    }
  EXPECT_EQ(BFloat16(1e300).bits(), 0x7F80);
  EXPECT_EQ(BFloat16(-1e300).bits(), 0xFF80);
  EXPECT_EQ(BFloat16(0x1p-134).bits(), 0);  // half of the least number: to even
  EXPECT_EQ(BFloat16(std::nextafter(0x1p-134, 1.0)).bits(), 1);
  EXPECT_EQ(BFloat16(5e-324).bits(), 0);
  EXPECT_EQ(BFloat16(-5e-324).bits(), 0x8000);
  EXPECT_EQ(BFloat16(std::nextafter(0x1.FFp127, 0.0)).bits(), 0x7F7F);
  EXPECT_EQ(BFloat16(0x1.FFp127).bits(), 0x7F80);
}

TEST(BFloat16, i64_rounds_once) {
  for (int shift = 0; shift <= 54; ++shift)
    for (const std::int64_t odd : {257, 259, 381, 511}) {
      const std::int64_t middle = odd << shift;  // between odd - 1 and odd + 1, in steps of 2 << shift
      const auto below = static_cast<double>(odd - 1) * std::ldexp(1.0, shift);
      const auto above = static_cast<double>(odd + 1) * std::ldexp(1.0, shift);
      const auto even = odd % 4 == 1 ? below : above;
      const auto value = [](std::int64_t x) { return static_cast<double>(BFloat16(x)); };
      ASSERT_EQ(value(middle), even) << middle;
      ASSERT_EQ(value(-middle), -even) << middle;
      if (shift == 0) continue;
      ASSERT_EQ(value(middle - 1), below) << middle;
      ASSERT_EQ(value(middle + 1), above) << middle;
      ASSERT_EQ(value(-middle - 1), -above) << middle;
      // A tensor's conversion, a constant and a fed number take the same way.
      EXPECT_EQ(convert(Tensor::full({i64, {}}, middle + 1), bf16).item(), above);
      EXPECT_EQ(Tensor::full({bf16, {}}, middle + 1).item(), above);
      EXPECT_EQ(Tensor::from<std::int64_t>({1}, {middle + 1}, bf16).text(),
                convert(Tensor::full({f64, {1}}, above), bf16).text());
    }
  EXPECT_EQ(static_cast<double>(BFloat16(std::numeric_limits<std::int64_t>::min())), -0x1p63);
  EXPECT_EQ(static_cast<double>(BFloat16(std::numeric_limits<std::int64_t>::max())), 0x1p63);
  EXPECT_EQ(BFloat16(std::int64_t{0}).bits(), 0);
}

TEST(BFloat16, printed_numbers_read_back) {
  const auto numbers = all_numbers();
  const auto& type = numbers.type();
  for (std::uint32_t bits = 0; bits < count; bits += 3) {
    if ((bits & 0x7FFF) >= 0x7F80) continue;
    const auto x = BFloat16::from_bits(static_cast<std::uint16_t>(bits));
    const auto text = Tensor::single({type.element, {}}, &x).text();
    double read = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), read).ptr;
    ASSERT_EQ(end, text.data() + text.size()) << text;
    ASSERT_EQ(BFloat16(read).bits(), bits) << text;
  }
  EXPECT_EQ(Tensor::from<double>({5}, {0.1, 1.0 / 3, 3.14159, 256, -0.0}, bf16).text(), "[0.1, 0.334, 3.14, 256, -0]");
  EXPECT_EQ(Tensor::from<double>({3}, {HUGE_VAL, -HUGE_VAL, NAN}, bf16).text(), "[inf, -inf, NaN]");
}

/// f over bf16 must be f over f32, rounded once.
template <class F>
void expect_through_f32(const char* name, const Tensor& x, F&& f) {
  EXPECT_TRUE(bits_agree(f(x), convert(f(convert(x, f32)), bf16))) << name;
}
template <class F>
void expect_through_f32(const char* name, const Tensor& a, const Tensor& b, F&& f) {
  EXPECT_TRUE(bits_agree(f(a, b), convert(f(convert(a, f32), convert(b, f32)), bf16))) << name;
}

TEST(BFloat16, arithmetic_is_that_of_f32_rounded_once) {
  const auto row = sampled_numbers();
  const auto n = row.volume();
  const auto a = broadcast_along(row, 1, n), b = broadcast_along(row, 0, n);
  using T = const Tensor&;
  expect_through_f32("add", a, b, [](T x, T y) { return x + y; });
  expect_through_f32("subtract", a, b, [](T x, T y) { return x - y; });
  expect_through_f32("multiply", a, b, [](T x, T y) { return x * y; });
  expect_through_f32("divide", a, b, [](T x, T y) { return x / y; });
  expect_through_f32("maximum", a, b, [](T x, T y) { return maximum(x, y); });
  expect_through_f32("minimum", a, b, [](T x, T y) { return minimum(x, y); });
  expect_through_f32("power", a, b, [](T x, T y) { return power(x, y); });
  for (const auto direction :
       {Direction::eq, Direction::ne, Direction::lt, Direction::le, Direction::gt, Direction::ge})
    EXPECT_TRUE(bits_agree(compare(a, b, direction), compare(convert(a, f32), convert(b, f32), direction)));
}

struct Named {
  const char* name;
  Tensor (*eager)(const Tensor&);
  Value (*recorded)(const Value&);
};
#define NAMED(function) \
  {#function, [](const Tensor& x) { return function(x); }, [](const Value& x) { return function(x); }}
const std::array<Named, 16> functions{
    {{"negate", [](const Tensor& x) { return -x; }, [](const Value& x) { return -x; }},
     NAMED(abs),
     NAMED(sign),
     NAMED(exp),
     NAMED(expm1),
     NAMED(log),
     NAMED(log1p),
     NAMED(sqrt),
     NAMED(rsqrt),
     NAMED(tanh),
     NAMED(sin),
     NAMED(cos),
     NAMED(erf),
     NAMED(erf_derivative),
     NAMED(logistic),
     NAMED(softplus)}};
#undef NAMED

TEST(BFloat16, functions_of_every_number_are_those_of_f32_rounded) {
  const auto x = all_numbers();
  for (const auto& [name, eager, recorded] : functions) {
    expect_through_f32(name, x, eager);
    Tape tape(bf16);
    const Symbol out = recorded(tape.input(x));
    const auto network = std::move(tape).into_network();
    const auto plan = network.entry({out}).lower();
    EXPECT_TRUE(bits_agree(plan.forward(network.parameters()).of(out), eager(x))) << name << " by its kernel";
  }
}

TEST(BFloat16, sums_products_scatters_and_folds_add_in_f32) {
  Random random(5);
  using T = const Tensor&;
  for (const Extent n : {1, 17, 255, 700}) {
    const auto rows = random.tensor({bf16, {3, n}}, -1, 1);
    expect_through_f32("sum", rows, [](T x) { return sum(x, {1}); });
    expect_through_f32("sum of columns", rows, [](T x) { return sum(x, {0}); });
    expect_through_f32("sum of all", rows, [](T x) { return sum(x); });
    const auto right = random.tensor({bf16, {n, 4}}, -1, 1);
    expect_through_f32("matmul", rows, right, [](T x, T y) { return matmul(x, y); });
    const auto places = random.indices({n}, 3);
    const auto numbers = random.tensor({bf16, {n, 2}}, -1, 1);
    expect_through_f32("scatter", numbers, [&](T x) { return scatter(x, places, 3); });
    const auto taps = random.tensor({bf16, {n, 3}}, -1, 1);
    expect_through_f32("fold", taps, [&](T x) { return fold(x, 0, 3, 1, 1, n + 2); });
    expect_through_f32("max_along", rows, [](T x) { return max_along(x, 1); });
  }
  // A chain of 4096 ones reaches 4096; added in bf16 it would stay at 256.
  EXPECT_EQ(sum(Tensor::full({bf16, {4096}}, 1)).item(), 4096);
  const auto product = matmul(Tensor::full({bf16, {1, 4096}}, 1), Tensor::full({bf16, {4096, 1}}, 1));
  EXPECT_EQ(reshape(product, {}).item(), 4096);
  EXPECT_EQ(reshape(product, {}).text(), "4100");  // the shortest digits that read back
  const auto table = scatter(Tensor::full({bf16, {4096}}, 1), Tensor::full({i64, {4096}}, 0), 1);
  EXPECT_EQ(reshape(table, {}).item(), 4096);
}

TEST(BFloat16, a_module_spells_it) {
  Tape tape(bf16);
  const auto w = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
  const auto x = tape.input({{1.0, 2.0}});
  std::vector<double> many(300, 0.5);
  many[1] = 2;
  const auto constant = tape.leaf(Tensor::from({300}, many, bf16));
  const auto product = matmul(x, w);
  const auto hidden = tanh(product);
  const auto total = sum(constant);
  const auto spread = broadcast(total, {1, 2});
  const auto scaled = hidden * spread;
  const auto master = convert(scaled, f32);
  const Symbol out = master;
  const auto network = std::move(tape).into_network();
  const auto text = emitted(network.entry({out}).lower());
  EXPECT_NE(text.find("%arg0: tensor<2x2xbf16>, %arg1: tensor<1x2xbf16>"), std::string::npos) << text;
  EXPECT_NE(text.find("stablehlo.tanh %v3 : tensor<1x2xbf16>"), std::string::npos) << text;
  // Products and sums add in f32, as ours do, and are rounded once.
  EXPECT_NE(text.find("(tensor<1x2xbf16>, tensor<2x2xbf16>) -> tensor<1x2xf32>"), std::string::npos) << text;
  EXPECT_NE(text.find("(tensor<300xf32>, tensor<f32>) -> tensor<f32>"), std::string::npos) << text;
  EXPECT_NE(text.find("(tensor<1x2xbf16>) -> tensor<1x2xf32>"), std::string::npos) << text;
  // 0.5 is 0x3F00 and 2 is 0x4000, two bytes each, the low one first.
  EXPECT_NE(text.find("dense<\"0x003F0040003F003F"), std::string::npos) << text.substr(0, 400);
  EXPECT_NE(text.find("003F\"> : tensor<300xbf16>"), std::string::npos) << text.substr(0, 400);
}

}  // namespace
}  // namespace topos::test
