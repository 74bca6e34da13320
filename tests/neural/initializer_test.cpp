// Tests of the initialisers: golden bits, rounding, streams, and what they refuse.
#include "topos/neural/initializer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/support/bits.h"
#include "tests/support/error.h"
#include "topos/neural/activation.h"

namespace topos {
namespace {

using test::Misuse;
using test::throws;
using Bits = std::vector<std::uint64_t>;

Bits bits64(const Tensor& x) {
  Bits bits;
  for (const double value : x.values<double>()) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

struct Golden {
  const char* name;
  Initializer initializer;
  Shape shape;
  Bits bits;
};

std::vector<Golden> goldens() {
  return {{"uniform",
           init::uniform(7, 1),
           {4},
           {0xbfcc341e1ba6cdf8, 0xbfeeecf0ca02f0e8, 0x3fe9a610202eac4a, 0x3fc53aeb70673e28}},
          {"normal",
           init::normal(7, 2),
           {4},
           {0x3fffa194ec47d228, 0xc00dd3fde5949e97, 0x3f800ea29c8645d7, 0xbff0efc91ba890b4}},
          {"xavier",
           init::xavier(7),
           {2, 2},
           {0xbfd14566a85c9c0a, 0xbff2f01dbe7ab6a2, 0x3fef69c081567c5c, 0x3fca0063d7a5b7aa}},
          {"kaiming",
           init::kaiming(7),
           {2, 2},
           {0x3fefa194ec47d228, 0xbffdd3fde5949e97, 0x3f700ea29c8645d7, 0xbfe0efc91ba890b4}}};
}

TEST(initializer, golden_bits_in_f64) {
  for (auto& [name, initializer, shape, bits] : goldens()) EXPECT_EQ(bits64(initializer(shape, f64)), bits) << name;
}

TEST(initializer, f32_is_each_number_rounded_once) {
  for (auto& [name, initializer, shape, bits] : goldens()) {
    const auto tensor = initializer(shape);
    ASSERT_EQ(tensor.type(), (TensorType{f32, shape})) << name;
    const auto values = tensor.values<float>();
    for (std::size_t i = 0; i < bits.size(); ++i)
      EXPECT_EQ(values[i], static_cast<float>(std::bit_cast<double>(bits[i]))) << name << " " << i;
  }
}

TEST(initializer, scaled_is_kaiming_with_the_gain_of_relu_and_another_rounding) {
  auto kaiming = init::kaiming(5);
  auto scaled = init::scaled(5, gain(Activation::relu));
  const auto a = kaiming({30, 20}, f64);
  const auto b = scaled({30, 20}, f64);
  const auto x = a.values<double>();
  const auto y = b.values<double>();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 6e-16 * std::abs(x[i]));  // five roundings
}

TEST(initializer, a_stream_goes_on_and_a_copy_goes_its_own_way) {
  auto stream = init::normal(3, 1);
  const auto first = stream({2, 3}, f64);
  auto copy = stream;
  const auto second = stream({2, 3}, f64);
  EXPECT_FALSE(same_bits(first, second));
  EXPECT_TRUE(test::bits_agree(copy({2, 3}, f64), second));
  auto whole = init::normal(3, 1);
  EXPECT_TRUE(test::bits_agree(whole({12}, f64), Tensor::from({12}, [&] {
                                 auto values = first.values<double>().to_vector();
                                 for (const double value : second.values<double>()) values.push_back(value);
                                 return values;
                               }())));
}

TEST(initializer, a_bias_is_zeros_and_draws_nothing) {
  for (auto make : {init::xavier, init::kaiming}) {
    auto with_bias = make(9);
    auto without = make(9);
    EXPECT_TRUE(test::bits_agree(with_bias({5}, f64), Tensor::full({f64, {5}}, 0)));
    EXPECT_TRUE(test::bits_agree(with_bias({2, 2}, f64), without({2, 2}, f64)));
  }
  auto scaled = init::scaled(9, 2.0);
  EXPECT_TRUE(test::bits_agree(scaled({3}), Tensor::full({f32, {3}}, 0)));
}

TEST(initializer, takes_empty_shapes_and_any_rank_where_fans_do_not_matter) {
  EXPECT_EQ(init::uniform(1, 1)({}).type(), (TensorType{f32, {}}));
  EXPECT_EQ(init::normal(1, 1)({2, 0, 3}).volume(), 0);
  EXPECT_EQ(init::xavier(1)({0, 3}).volume(), 0);
  EXPECT_EQ(init::kaiming(1)({0, 3}).volume(), 0);
  EXPECT_EQ(init::uniform(1, 1)({2, 2, 2, 2, 2}).volume(), 32);
}

TEST(initializer, refuses_shapes_without_fans) {
  const std::pair<const char*, Initializer> by_fans[] = {
      {"init::xavier", init::xavier(1)}, {"init::kaiming", init::kaiming(1)}, {"init::scaled", init::scaled(1, 1)}};
  for (auto [name, initializer] : by_fans) {
    EXPECT_TRUE(throws([&] { initializer({2, 3, 4}); }, Misuse{ErrorKind::argument, name, {}, {"[2, 3, 4]"}}));
    EXPECT_TRUE(throws([&] { initializer({}); }, Misuse{ErrorKind::argument, name, {}, {"[]"}}));
  }
}

TEST(initializer, refuses_elements_without_fractions_and_negative_extents) {
  EXPECT_TRUE(throws([] { init::uniform(1, 1)({3}, i64); }, Misuse{ErrorKind::type, "init::uniform", {"i64[3]"}}));
  EXPECT_TRUE(throws([] { init::normal(1, 1)({2, -1}); }, Misuse{ErrorKind::argument, "init::normal"}));
}

}  // namespace
}  // namespace topos
