// Owns the tests of the random numbers: stored bits of the stream and correct rounding of its logarithm and cosine.
#include "topos/neural/random.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <gtest/gtest.h>
#include <mpfr.h>

#include "topos/neural/rounded.h"

namespace topos {
namespace {

using Bits = std::array<std::uint64_t, 4>;

template <class Draw>
Bits four_bits(Draw draw) {
  Bits result{};
  for (std::uint64_t& bits : result) bits = std::bit_cast<std::uint64_t>(draw());
  return result;
}

/// The nearest double to a function of x, by a 53-bit evaluation, which rounds once.
class Truth {
 public:
  Truth() {
    mpfr_init2(argument_, 53);
    mpfr_init2(result_, 53);
  }
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;
  ~Truth() {
    mpfr_clear(argument_);
    mpfr_clear(result_);
  }

  double operator()(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double x) {
    mpfr_set_d(argument_, x, MPFR_RNDN);
    function(result_, argument_, MPFR_RNDN);
    return mpfr_get_d(result_, MPFR_RNDN);
  }

 private:
  mpfr_t argument_;
  mpfr_t result_;
};

TEST(random, raw_outputs_have_their_golden_bits) {
  Random random(7);
  const Bits golden = {0x63cbe1e459320dd7, 0x044c3cd7f43c661c, 0xe6984080bab12a02, 0x953aeb70673e29cb};
  EXPECT_EQ(four_bits([&] { return random.next(); }), golden);
}

TEST(random, uniform_values_have_their_golden_bits) {
  Random random(7);
  const Bits golden = {0xbfcc341e1ba6cdf8, 0xbfeeecf0ca02f0e8, 0x3fe9a610202eac4a, 0x3fc53aeb70673e28};
  EXPECT_EQ(four_bits([&] { return random.unit() * 2.0 - 1.0; }), golden);
}

TEST(random, normal_values_have_their_golden_bits) {
  Random random(7);
  const Bits golden = {0x3fffa194ec47d228, 0xc00dd3fde5949e97, 0x3f800ea29c8645d7, 0xbff0efc91ba890b4};
  EXPECT_EQ(four_bits([&] { return random.normal() * 2.0; }), golden);
}

TEST(random, xavier_values_have_their_golden_bits) {
  Random random(7);
  const double bound = std::sqrt(6.0 / (2.0 + 2.0));
  const Bits golden = {0xbfd14566a85c9c0a, 0xbff2f01dbe7ab6a2, 0x3fef69c081567c5c, 0x3fca0063d7a5b7aa};
  EXPECT_EQ(four_bits([&] { return (random.unit() * 2.0 - 1.0) * bound; }), golden);
}

TEST(random, kaiming_values_have_their_golden_bits) {
  Random random(7);
  const double deviation = std::sqrt(2.0 / 2.0);
  const Bits golden = {0x3fefa194ec47d228, 0xbffdd3fde5949e97, 0x3f700ea29c8645d7, 0xbfe0efc91ba890b4};
  EXPECT_EQ(four_bits([&] { return random.normal() * deviation; }), golden);
}

TEST(random, a_long_stream_keeps_its_bits) {
  Random random(11);
  std::uint64_t digest = 0xcbf29ce484222325;
  for (int i = 0; i < 100'000; ++i) {
    digest = (digest ^ std::bit_cast<std::uint64_t>(random.normal())) * 0x100000001b3;
  }
  EXPECT_EQ(digest, 0xc22404814520434d);
}

TEST(random, unit_stays_in_its_half_open_interval) {
  Random random(3);
  for (int i = 0; i < 10'000; ++i) {
    const double value = random.unit();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
  }
}

TEST(random, logarithm_is_correctly_rounded) {
  Truth truth;
  Random random(5);
  for (int i = 0; i < 50'000; ++i) {
    const double x = 1.0 - random.unit();
    ASSERT_EQ(rounded::log(x), truth(mpfr_log, x)) << std::hexfloat << x;
  }
}

TEST(random, logarithm_is_correctly_rounded_near_its_ends) {
  Truth truth;
  for (int i = 1; i <= 2'000; ++i) {
    for (const double x : {i * 0x1p-53, 1.0 - i * 0x1p-53, 0.5 + i * 0x1p-53, 0.5 - i * 0x1p-53}) {
      ASSERT_EQ(rounded::log(x), truth(mpfr_log, x)) << std::hexfloat << x;
    }
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(rounded::log(1.0)), 0u);
}

TEST(random, cosine_is_correctly_rounded) {
  Truth truth;
  Random random(6);
  for (int i = 0; i < 50'000; ++i) {
    const double x = 2.0 * std::numbers::pi * random.unit();
    ASSERT_EQ(rounded::cos(x), truth(mpfr_cos, x)) << std::hexfloat << x;
  }
}

TEST(random, cosine_is_correctly_rounded_near_every_quarter_turn) {
  Truth truth;
  for (int quarter = 0; quarter <= 4; ++quarter) {
    for (int i = -500; i <= 500; ++i) {
      const double x = 2.0 * std::numbers::pi * (quarter * 0.25 + i * 0x1p-53);
      if (x >= 0.0) {
        ASSERT_EQ(rounded::cos(x), truth(mpfr_cos, x)) << std::hexfloat << x;
      }
    }
  }
}

TEST(random, both_widths_of_the_series_round_alike) {
  Random random(8);
  for (int i = 0; i < 5'000; ++i) {
    const double x = 1.0 - random.unit();
    ASSERT_EQ(rounded::nearest_double(rounded::negated_log<4>(x)), -rounded::log(x)) << std::hexfloat << x;
    const double angle = 2.0 * std::numbers::pi * random.unit();
    const auto wide = rounded::cosine<4>(angle);
    const double nearest = rounded::nearest_double(wide.magnitude);
    ASSERT_EQ(wide.negative ? -nearest : nearest, rounded::cos(angle)) << std::hexfloat << angle;
  }
}

TEST(random, the_error_bound_of_the_narrow_series_holds) {
  Random random(9);
  const auto bound = rounded::power_of_half<2>(128 - rounded::error_bits + 1);  // half of what is assumed
  for (int i = 0; i < 20'000; ++i) {
    const double x = 1.0 - random.unit();
    const auto narrow = rounded::negated_log<2>(x);
    const auto wide = rounded::negated_log<4>(x).cut<2>();
    ASSERT_LT(narrow < wide ? wide - narrow : narrow - wide, bound) << std::hexfloat << x;
    const double angle = 2.0 * std::numbers::pi * random.unit();
    const auto near = rounded::cosine<2>(angle).magnitude;
    const auto far = rounded::cosine<4>(angle).magnitude.cut<2>();
    ASSERT_LT(near < far ? far - near : near - far, bound) << std::hexfloat << angle;
  }
}

}  // namespace
}  // namespace topos
