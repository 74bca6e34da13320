// Axes are signed and count from the end when negative; the recorded attribute is the plain axis.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "support/golden.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

TEST(NegativeAxes, record_what_the_plain_axis_records) {
  const auto recorded = [](Extent last, Extent first) {
    Tape tape;
    const auto x = tape.input(Tensor::full({f32, {1, 3, 4}}, 0));
    softmax(x, last);
    log_softmax(x, first);
    logsumexp(x, last);
    sum(x, Shape{last});
    sum(x, Shape{first, last});
    mean(x, Shape{last});
    narrow(x, last, 1, 2);
    pad(x, first, 1, 3);
    concat({x, x}, last);
    squeeze(x, first);
    tape.iota({1, 3, 4}, last);
    iota_like(x, first);
    return tape.describe();
  };
  std::string negative;
  EXPECT_EQ(caught([&] { negative = recorded(-1, -3); }), std::nullopt);
  EXPECT_TRUE(same_tokens(negative, recorded(2, 0)));
}

TEST(NegativeAxes, work_in_tensor_arithmetic) {
  const auto x = Tensor::from({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto same = [&](auto&& f) {
    std::optional<Tensor> negative;
    const auto error = caught([&] { negative = f(-1); });
    ASSERT_FALSE(error) << error->what();
    EXPECT_TRUE(bits_agree(*negative, f(1)));
  };
  same([&](Extent axis) { return softmax(x, axis); });
  same([&](Extent axis) { return logsumexp(x, axis); });
  same([&](Extent axis) { return sum(x, Shape{axis}); });
  same([&](Extent axis) { return narrow(x, axis, 1, 2); });
  same([&](Extent axis) { return pad(x, axis, 1, 5); });
}

TEST(NegativeAxes, beyond_the_first_are_errors) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {2, 3}}, 0));
  EXPECT_TRUE(throws([&] { softmax(x, -3); }, {ErrorKind::type, "Softmax", {"f32[2, 3]"}, {"-3"}, __LINE__}));
  EXPECT_TRUE(throws([&] { sum(x, Shape{-3}); }, {ErrorKind::type, "Sum", {"f32[2, 3]"}, {"-3"}, __LINE__}));
  EXPECT_EQ(tape.size(), 1u);
}

}  // namespace
}  // namespace topos::test
