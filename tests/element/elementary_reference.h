// The other side of the tests of the elementary functions: MPFR as the truth, seeded inputs, digests of result bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>

#include "exhaustive/truth.h"
#include "support/splitmix.h"

namespace topos::test {

using Truth = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

inline std::uint32_t bits(float x) { return x == x ? std::bit_cast<std::uint32_t>(x) : 0x7fc00000; }
inline std::uint64_t bits(double x) { return x == x ? std::bit_cast<std::uint64_t>(x) : 0x7ff8000000000000; }

using test::next;

inline double unit(std::uint64_t& state) { return static_cast<double>(next(state) >> 11) * 0x1p-53; }

/// Half of the inputs are any bit pattern, half lie evenly in [low, high].
template <class Float>
std::vector<Float> seeded_inputs(int count, double low, double high, std::uint64_t seed) {
  using Bits = decltype(bits(Float{}));
  std::vector<Float> inputs;
  while (static_cast<int>(inputs.size()) < count) {
    inputs.push_back(std::bit_cast<Float>(static_cast<Bits>(next(seed))));
    inputs.push_back(static_cast<Float>(low + (high - low) * unit(seed)));
  }
  return inputs;
}

/// The twenty neighbours of `place` on either side, and their negatives.
template <class Float>
std::vector<Float> neighbours(double place) {
  using Bits = decltype(bits(Float{}));
  std::vector<Float> inputs;
  const Bits middle = bits(static_cast<Float>(place));
  for (int step = -20; step <= 20; ++step) {
    const Float x = std::bit_cast<Float>(middle + static_cast<Bits>(step));
    inputs.push_back(x);
    inputs.push_back(-x);
  }
  return inputs;
}

/// The stored inputs whose results lie nearest to a tie.
inline std::vector<float> hard_inputs(const std::string& name) {
  std::ifstream file(std::string(TOPOS_TEST_DATA) + "/element/data/hard_" + name + ".txt");
  std::vector<float> inputs;
  std::uint32_t pattern = 0;
  while (file >> std::hex >> pattern) inputs.push_back(std::bit_cast<float>(pattern));
  return inputs;
}

/// While it lives, the range of MPFR numbers is [2^(lowest - 1), 2^highest).
class ExponentRange {
 public:
  ExponentRange(mpfr_exp_t lowest, mpfr_exp_t highest) : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    mpfr_set_emin(lowest);
    mpfr_set_emax(highest);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;
  ~ExponentRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }

 private:
  mpfr_exp_t emin_;
  mpfr_exp_t emax_;
};

/// The nearest float of a function, subnormal floats and infinity included.
class FloatTruth {
 public:
  FloatTruth() : range_(-148, 128) { mpfr_inits2(24, x_, y_, nullptr); }
  FloatTruth(const FloatTruth&) = delete;
  FloatTruth& operator=(const FloatTruth&) = delete;
  ~FloatTruth() { mpfr_clears(x_, y_, nullptr); }

  float operator()(Truth truth, float x) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    return nearest(truth(x_, x_, MPFR_RNDN));
  }

  float power(float x, float y) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    mpfr_set_flt(y_, y, MPFR_RNDN);
    return nearest(mpfr_pow(x_, x_, y_, MPFR_RNDN));
  }

 private:
  float nearest(int direction) {
    mpfr_subnormalize(x_, direction, MPFR_RNDN);
    return mpfr_get_flt(x_, MPFR_RNDN);
  }

  ExponentRange range_;
  mpfr_t x_;
  mpfr_t y_;
};

/// `compute(value)` replaces value, the operand in 256 bits, by the result; rounded once.
template <class Compute>
int round_once(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding, Compute compute) {
  int direction = 0;
  {
    const ExponentRange widest(mpfr_get_emin_min(), mpfr_get_emax_max());
    mpfr_t value;
    mpfr_init2(value, 256);
    mpfr_set(value, x, MPFR_RNDN);
    compute(value);
    direction = mpfr_set(result, value, rounding);
    mpfr_clear(value);
  }
  return mpfr_check_range(result, direction, rounding);
}

inline int true_logistic(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return round_once(result, x, rounding, exhaustive::true_logistic);
}
inline int true_softplus(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return round_once(result, x, rounding, exhaustive::true_softplus);
}
inline int true_erf_derivative(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return round_once(result, x, rounding, exhaustive::true_erf_derivative);
}

inline void expect_correctly_rounded(float (*function)(float), Truth truth, const std::vector<float>& inputs) {
  FloatTruth nearest;
  for (const float x : inputs) {
    ASSERT_EQ(bits(function(x)), bits(nearest(truth, x))) << std::hexfloat << x;
  }
}

/// |value - exact| in units of the last place of exact, which is regular; the place of a subnormal is 2^-1074.
inline double error_in_ulp(double value, mpfr_ptr exact) {
  const mpfr_exp_t ulp = std::max<mpfr_exp_t>(mpfr_get_exp(exact) - 53, -1074);
  mpfr_sub_d(exact, exact, value, MPFR_RNDN);
  mpfr_mul_2si(exact, exact, -ulp, MPFR_RNDN);
  return std::fabs(mpfr_get_d(exact, MPFR_RNDN));
}

/// The largest error in units of the last place of the exact result, over inputs whose result is finite.
inline double largest_error(double (*function)(double), Truth truth, const std::vector<double>& inputs) {
  mpfr_t exact;
  mpfr_init2(exact, 100);
  double largest = 0.0;
  for (const double x : inputs) {
    const double value = function(x);
    mpfr_set_d(exact, x, MPFR_RNDN);
    truth(exact, exact, MPFR_RNDN);
    if (!std::isfinite(value) || mpfr_regular_p(exact) == 0) {
      EXPECT_EQ(bits(value), bits(mpfr_get_d(exact, MPFR_RNDN))) << std::hexfloat << x;
      continue;
    }
    largest = std::max(largest, error_in_ulp(value, exact));
  }
  mpfr_clear(exact);
  return largest;
}

template <class Float>
std::uint64_t digest(Float (*function)(Float), const std::vector<Float>& inputs) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (const Float x : inputs) state = (state ^ bits(function(x))) * 0x100000001b3;
  return state;
}

template <class Float>
void expect_same(Float value, Float expected) {
  EXPECT_EQ(bits(value), bits(expected)) << value << " for " << expected;
}

}  // namespace topos::test
