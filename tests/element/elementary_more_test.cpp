// Owns the tests of expm1, log1p, sin, cos, rsqrt, erf, its derivative, logistic and softplus: rounding against MPFR,
// special values, symmetry and digests of result bits.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "element/elementary_reference.h"
#include "topos/element/elementary.h"

namespace topos {
namespace {

using namespace test;

template <class Float>
struct Wrapped {
  static Float expm1(Float x) { return elementary::expm1(x); }
  static Float log1p(Float x) { return elementary::log1p(x); }
  static Float sin(Float x) { return elementary::sin(x); }
  static Float cos(Float x) { return elementary::cos(x); }
  static Float rsqrt(Float x) { return elementary::rsqrt(x); }
  static Float erf(Float x) { return elementary::erf(x); }
  static Float erf_derivative(Float x) { return elementary::erf_derivative(x); }
  static Float logistic(Float x) { return elementary::logistic(x); }
  static Float softplus(Float x) { return elementary::softplus(x); }
};
using F32 = Wrapped<float>;
using F64 = Wrapped<double>;

/// One function of both elements; inputs are drawn from all bit patterns and from [low, high].
struct Subject {
  std::string name;
  float (*f32)(float);
  double (*f64)(double);
  Truth truth;
  double low;
  double high;
  std::size_t hard_count;
  double bound;  ///< of the f64 error, in ulp
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"expm1", F32::expm1, F64::expm1, mpfr_expm1, -20, 20, 93, 0.79},
      {"log1p", F32::log1p, F64::log1p, mpfr_log1p, -1, 3, 262, 0.55},
      {"sin", F32::sin, F64::sin, mpfr_sin, -100, 100, 418, 0.79},
      {"cos", F32::cos, F64::cos, mpfr_cos, -100, 100, 460, 0.79},
      {"rsqrt", F32::rsqrt, F64::rsqrt, mpfr_rec_sqrt, 0, 4, 767, 0.5001},
      {"erf", F32::erf, F64::erf, mpfr_erf, -6, 6, 484, 0.63},
      {"erf_derivative", F32::erf_derivative, F64::erf_derivative, true_erf_derivative, -11, 11, 20, 0.57},
      {"logistic", F32::logistic, F64::logistic, true_logistic, -40, 40, 747, 0.63},
      {"softplus", F32::softplus, F64::softplus, true_softplus, -40, 40, 93, 0.62},
  };
  return all;
}

/// Where some function changes its path, or its result its kind; each of them serves every function.
constexpr double places[] = {
    0x1p-1022, 0x1p-900, 0x1p-126, 0x1p-30, 0x1p-27, 0x1p-25, 0x1p-13, 0x1p-12, 0x1p-9, 0.03125, 0.25,
    0.0217,    0.40625,  0.5,      0.75,    1.0,     1.5,     2.0,     3.75,    3.95,   3.99,    5.75,
    5.953125,  9.3,      10.1,     11.0,    16.6,    17.4,    26.6,    27.3,    30.0,   36.7,    37.5,
    40.0,      36.0,     87.3,     88.72,   103.9,   114.0,   708.4,   709.78,  745.1,  785e-3,  1.570796,
    3.141593,  0x1p15,   0x1p23,   0x1p24,  0x1p30,  0x1p53,  0x1p60,  0x1p127, 18.5,   0x1p19,
};

template <class Float>
std::vector<Float> near_the_places() {
  std::vector<Float> inputs;
  for (const double place : places) {
    if (static_cast<Float>(place) == 0) continue;
    for (const Float x : neighbours<Float>(place)) inputs.push_back(x);
  }
  return inputs;
}

TEST(elementary_more, f32_is_correctly_rounded_on_hard_inputs) {
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    const auto inputs = hard_inputs(subject.name);
    ASSERT_EQ(inputs.size(), subject.hard_count);
    expect_correctly_rounded(subject.f32, subject.truth, inputs);
  }
}

TEST(elementary_more, f32_is_correctly_rounded_on_seeded_inputs) {
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    expect_correctly_rounded(subject.f32, subject.truth, near_the_places<float>());
    expect_correctly_rounded(subject.f32, subject.truth, seeded_inputs<float>(10'000, subject.low, subject.high, 31));
  }
}

TEST(elementary_more, f32_is_the_rounded_f64_function_where_that_decides) {
  // The f64 functions are held against MPFR below; within 2^-50 of a tie of floats MPFR itself is asked.
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    std::vector<float> undecided;
    for (const float x : seeded_inputs<float>(100'000, subject.low, subject.high, 37)) {
      const double value = subject.f64(x);
      const auto lower = static_cast<float>(value * (1.0 - 0x1p-50));
      const auto upper = static_cast<float>(value * (1.0 + 0x1p-50));
      if (bits(lower) == bits(upper)) {
        ASSERT_EQ(bits(subject.f32(x)), bits(lower)) << std::hexfloat << x;
      } else {
        undecided.push_back(x);
      }
    }
    expect_correctly_rounded(subject.f32, subject.truth, undecided);
  }
}

TEST(elementary_more, f64_stays_within_its_bound) {
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    const auto normal = [&](double x) { return std::fabs(subject.f64(x)) >= 0x1p-1022; };
    std::vector<double> inputs = seeded_inputs<double>(10'000, subject.low, subject.high, 32);
    for (const double x : near_the_places<double>()) inputs.push_back(x);
    for (const double x : seeded_inputs<double>(5'000, -1.0, 1.0, 33)) inputs.push_back(x);
    std::vector<double> subnormal;
    for (const double x : inputs) {
      if (!normal(x)) subnormal.push_back(x);
    }
    std::erase_if(inputs, [&](double x) { return !normal(x); });
    EXPECT_LT(largest_error(subject.f64, subject.truth, inputs), subject.bound);
    EXPECT_LT(largest_error(subject.f64, subject.truth, subnormal), 0.8);
  }
}

TEST(elementary_more, odd_and_even_functions_are_odd_and_even) {
  std::vector<float> inputs = seeded_inputs<float>(20'000, -20.0, 20.0, 34);
  for (const float x : inputs) {
    const double wide = static_cast<double>(x) * 1.000000059;
    ASSERT_EQ(bits(F32::sin(-x)), bits(-F32::sin(x)));
    ASSERT_EQ(bits(F32::cos(-x)), bits(F32::cos(x)));
    ASSERT_EQ(bits(F32::erf(-x)), bits(-F32::erf(x)));
    ASSERT_EQ(bits(F32::erf_derivative(-x)), bits(F32::erf_derivative(x)));
    ASSERT_EQ(bits(F64::sin(-wide)), bits(-F64::sin(wide)));
    ASSERT_EQ(bits(F64::cos(-wide)), bits(F64::cos(wide)));
    ASSERT_EQ(bits(F64::erf(-wide)), bits(-F64::erf(wide)));
    ASSERT_EQ(bits(F64::erf_derivative(-wide)), bits(F64::erf_derivative(wide)));
  }
}

template <class Float>
void expect_special_values_of_odd_and_even_functions() {
  using F = Wrapped<Float>;
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  const Float largest = std::numeric_limits<Float>::max();
  const Float tiniest = std::numeric_limits<Float>::denorm_min();
  const Float zero = 0;
  const Float one = 1;

  for (const auto odd : {F::expm1, F::log1p, F::sin}) {
    expect_same(odd(zero), zero);
    expect_same(odd(-zero), -zero);
    expect_same(odd(tiniest), tiniest);
    expect_same(odd(-tiniest), -tiniest);
  }
  expect_same(F::expm1(-infinity), -one);
  expect_same(F::expm1(-largest), -one);
  expect_same(F::expm1(infinity), infinity);
  expect_same(F::expm1(largest), infinity);

  expect_same(F::log1p(-one), -infinity);
  expect_same(F::log1p(infinity), infinity);
  expect_same(F::log1p(std::nextafter(-one, -infinity)), nan);
  expect_same(F::log1p(-largest), nan);
  expect_same(F::log1p(-infinity), nan);

  expect_same(F::sin(infinity), nan);
  expect_same(F::sin(-infinity), nan);
  expect_same(F::cos(zero), one);
  expect_same(F::cos(-zero), one);
  expect_same(F::cos(tiniest), one);
  expect_same(F::cos(infinity), nan);
  expect_same(F::cos(-infinity), nan);

  expect_same(F::erf(zero), zero);
  expect_same(F::erf(-zero), -zero);
  for (const Float large : {Float{6}, largest, infinity}) {
    expect_same(F::erf(large), one);
    expect_same(F::erf(-large), -one);
  }
}

template <class Float>
void expect_special_values_of_the_others() {
  using F = Wrapped<Float>;
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  const Float largest = std::numeric_limits<Float>::max();
  const Float tiniest = std::numeric_limits<Float>::denorm_min();
  const Float zero = 0;
  const Float one = 1;
  const Float half = static_cast<Float>(0.5);

  expect_same(F::rsqrt(zero), infinity);
  expect_same(F::rsqrt(-zero), -infinity);
  expect_same(F::rsqrt(infinity), zero);
  expect_same(F::rsqrt(4), half);
  for (const Float negative : {-one, -tiniest, -largest, -infinity}) expect_same(F::rsqrt(negative), nan);

  const auto slope = static_cast<Float>(1.1283791670955125739L);
  expect_same(F::erf_derivative(zero), slope);
  expect_same(F::erf_derivative(-tiniest), slope);
  for (const Float large : {Float{28}, largest, infinity}) {
    expect_same(F::erf_derivative(large), zero);
    expect_same(F::erf_derivative(-large), zero);
  }

  expect_same(F::logistic(zero), half);
  expect_same(F::logistic(-zero), half);
  expect_same(F::softplus(zero), static_cast<Float>(0.69314718055994530942L));
  for (const Float large : {Float{750}, largest, infinity}) {
    expect_same(F::logistic(large), one);
    expect_same(F::logistic(-large), zero);
    expect_same(F::softplus(large), large);
    expect_same(F::softplus(-large), zero);
  }

  for (const auto function :
       {F::expm1, F::log1p, F::sin, F::cos, F::rsqrt, F::erf, F::erf_derivative, F::logistic, F::softplus}) {
    expect_same(function(nan), nan);
    expect_same(function(-nan), nan);
  }
}

TEST(elementary_more, special_values_are_exact) {
  expect_special_values_of_odd_and_even_functions<float>();
  expect_special_values_of_odd_and_even_functions<double>();
  expect_special_values_of_the_others<float>();
  expect_special_values_of_the_others<double>();
}

TEST(elementary_more, a_nan_of_any_payload_stays_a_nan) {
  for (const Subject& subject : subjects()) {
    for (const std::uint32_t payload : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu, 0x7fa00000u}) {
      EXPECT_TRUE(std::isnan(subject.f32(std::bit_cast<float>(payload)))) << subject.name;
    }
    for (const std::uint64_t payload : {0x7ff0000000000001u, 0x7fffffffffffffffu, 0xffffffffffffffffu}) {
      EXPECT_TRUE(std::isnan(subject.f64(std::bit_cast<double>(payload)))) << subject.name;
    }
  }
}

TEST(elementary_more, the_double_nearest_to_a_multiple_of_half_pi_keeps_its_bits) {
  // Of all doubles this one comes closest: cancellation leaves the last 61 bits of a window behind the point.
  const double x = 0x1.6ac5b262ca1ffp849;
  EXPECT_LT(largest_error(F64::sin, mpfr_sin, {x, -x}), 0.77);
  EXPECT_LT(largest_error(F64::cos, mpfr_cos, {x, -x}), 0.77);
  EXPECT_LT(std::fabs(F64::cos(x)), 0x1p-60);
}

TEST(elementary_more, doubles_nearest_to_multiples_of_half_pi_stay_within_the_bound) {
  std::vector<double> inputs;
  for (int k = 1; k < 340'000; k += k < 1000 ? 1 : 101) inputs.push_back(k * 0x1.921fb54442d18p0);
  EXPECT_LT(largest_error(F64::sin, mpfr_sin, inputs), 0.79);
  EXPECT_LT(largest_error(F64::cos, mpfr_cos, inputs), 0.79);
}

TEST(elementary_more, result_bits_never_change) {
  ASSERT_EQ(elementary::numerics_version, 1);
  struct Digests {
    std::uint64_t f32;
    std::uint64_t f64;
  };
  const Digests expected[] = {
      {0x389841db4e2a2899, 0x60ae24cccb390310},  // expm1
      {0x95d2571e5d5231fc, 0xeffbfa408bf2ccb1},  // log1p
      {0x3412caea48918bee, 0x77c5758c420ce4d9},  // sin
      {0x66f543205b12841f, 0xab6296b3f69d2cb9},  // cos
      {0x409c30afc8d57ccb, 0xa6dd368b26872d3a},  // rsqrt
      {0x8b71869705d7eac0, 0xc192a5378f217c01},  // erf
      {0x39678e67f0518c63, 0x9ae79c0e9a3a38c0},  // erf_derivative
      {0x2cff4f1ca067b10a, 0x7fb763e95df11cf9},  // logistic
      {0x8cad00763bccc91e, 0x1a6eaa7de01fe122},  // softplus
  };
  for (std::size_t i = 0; i < subjects().size(); ++i) {
    const Subject& subject = subjects()[i];
    SCOPED_TRACE(subject.name);
    EXPECT_EQ(digest(subject.f32, seeded_inputs<float>(50'000, subject.low, subject.high, 35)), expected[i].f32);
    EXPECT_EQ(digest(subject.f64, seeded_inputs<double>(50'000, subject.low, subject.high, 36)), expected[i].f64);
  }
}

}  // namespace
}  // namespace topos
