// What every forward operation gives at its edges, by interpreter and plan alike.
#include <cmath>

#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

class Edges : public testing::TestWithParam<ElementType> {
 protected:
  Tensor make(std::initializer_list<double> values) const { return row(values, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Floats, Edges, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Edges, maximum_is_nan_beside_nan_and_puts_plus_zero_above_minus_zero) {
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return maximum(in[0], in[1]); },
                                  {make({nan, 1, nan, 0.0, -0.0, -0.0, infinity, -infinity}),
                                   make({1, nan, nan, -0.0, 0.0, -0.0, 2, -3})}),
                         make({nan, nan, nan, 0.0, 0.0, -0.0, infinity, -3})));
}

TEST_P(Edges, compare_is_false_beside_nan_except_ne) {
  const auto a = make({nan, 1, nan, -0.0, 1, 2});
  const auto b = make({1, nan, nan, 0.0, 2, 1});
  const auto by = [&](Direction direction) {
    return value_of([=](const In& in) { return compare(in[0], in[1], direction); }, {a, b}).text();
  };
  EXPECT_EQ(by(Direction::eq), "[false, false, false, true, false, false]");
  EXPECT_EQ(by(Direction::ne), "[true, true, true, false, true, true]");
  EXPECT_EQ(by(Direction::lt), "[false, false, false, false, true, false]");
  EXPECT_EQ(by(Direction::le), "[false, false, false, true, true, false]");
  EXPECT_EQ(by(Direction::gt), "[false, false, false, false, false, true]");
  EXPECT_EQ(by(Direction::ge), "[false, false, false, true, false, true]");
}

TEST_P(Edges, select_discards_what_it_does_not_choose) {
  const auto test = Tensor::from({4}, std::vector<bool>{true, false, true, false});
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return select(in[0], in[1], in[2]); },
                                  {test, make({1, nan, -0.0, infinity}), make({nan, 2, infinity, nan})}),
                         make({1, 2, -0.0, nan})));
}

TEST_P(Edges, division_and_functions_follow_ieee) {
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return in[0] / in[1]; },
                                  {make({1, -1, 0, 1, infinity}), make({0.0, 0.0, 0, -0.0, infinity})}),
                         make({infinity, -infinity, nan, -infinity, nan})));
  EXPECT_TRUE(bits_agree(
      value_of([](const In& in) { return log(in[0]); }, {make({0.0, -0.0, -1, infinity, nan, 1, -infinity})}),
      make({-infinity, -infinity, nan, infinity, nan, 0, nan})));
  EXPECT_TRUE(bits_agree(
      value_of([](const In& in) { return sqrt(in[0]); }, {make({0.0, -0.0, -1, infinity, nan, 4, -infinity})}),
      make({0.0, -0.0, nan, infinity, nan, 2, nan})));
  EXPECT_TRUE(bits_agree(
      value_of([](const In& in) { return exp(in[0]); }, {make({0.0, -0.0, -infinity, infinity, nan, 1e5, -1e5})}),
      make({1, 1, 0, infinity, nan, infinity, 0})));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return tanh(in[0]); }, {make({0.0, -0.0, -infinity, infinity, nan, 1e5})}),
                 make({0.0, -0.0, -1, 1, nan, 1})));
}

TEST_P(Edges, softmax_of_a_masked_lane_is_zero_and_of_infinity_nan) {
  const auto x = reshape(make({-infinity, -infinity, 0, infinity, 0, -infinity, nan, 0}), {4, 2});
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return softmax(in[0], 1); }, {x}),
                         reshape(make({0, 0, nan, nan, 1, 0, nan, nan}), {4, 2})));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return logsumexp(in[0], 1); }, {x}), make({-infinity, infinity, 0, nan})));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return log_softmax(in[0], 1); }, {x}),
                         reshape(make({nan, nan, nan, nan, 0, -infinity, nan, nan}), {4, 2})));
}

TEST_P(Edges, softmax_does_not_overflow) {
  const auto x = make({1e4, 1e4});
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return softmax(in[0], 0); }, {x}), make({0.5, 0.5})));
  const auto wide = value_of([](const In& in) { return logsumexp(in[0], 0); }, {x});
  const double step = GetParam() == bf16 ? 64 : 1e-3;  // of numbers of this size
  EXPECT_NEAR(wide.item(), 1e4 + std::log(2.0), step);
}

TEST_P(Edges, masked_places_change_no_bit) {
  Random random(91);
  for (int i = 0; i < 20; ++i) {
    const auto n = static_cast<Extent>(1 + random.below(40));
    const auto x = random.tensor({GetParam(), {n}}, -4, 4);
    const auto hidden = Tensor::full({GetParam(), {7}}, -infinity);
    const auto masked = concat(std::vector<const Tensor*>{&x, &hidden}, 0);
    const auto soft = [](const In& in) { return softmax(in[0], 0); };
    EXPECT_TRUE(bits_agree(narrow(value_of(soft, {masked}), 0, 0, n), value_of(soft, {x})));
    const auto padded = pad(x, 0, 0, n + 300);
    const auto total = [](const In& in) { return sum(in[0]); };
    EXPECT_TRUE(bits_agree(value_of(total, {padded}), value_of(total, {x})));
  }
}

TEST_P(Edges, sums_of_nothing_and_of_minus_zero_are_plus_zero) {
  const auto total = [](const In& in) { return sum(in[0]); };
  const auto zero = Tensor::full({GetParam(), {}}, 0.0);
  EXPECT_TRUE(bits_agree(value_of(total, {make({-0.0, -0.0, -0.0})}), zero));
  EXPECT_TRUE(bits_agree(value_of(total, {make({-0.0})}), zero));
  EXPECT_TRUE(bits_agree(value_of(total, {Tensor::full({GetParam(), {}}, -0.0)}), zero));
  EXPECT_TRUE(bits_agree(value_of(total, {Tensor::full({GetParam(), {0, 3}}, 1)}), zero));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return sum(in[0], {0}); }, {Tensor::full({GetParam(), {0, 3}}, 1)}),
                 Tensor::full({GetParam(), {3}}, 0.0)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return mean(in[0]); }, {Tensor::full({GetParam(), {0}}, 1)}),
                         Tensor::full({GetParam(), {}}, nan)));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return matmul(in[0], in[1]); },
                                  {Tensor::full({GetParam(), {2, 0}}, 1), Tensor::full({GetParam(), {0, 3}}, 1)}),
                         Tensor::full({GetParam(), {2, 3}}, 0.0)));
}

TEST_P(Edges, a_row_of_a_product_does_not_know_its_batch) {
  Random random(92);
  const auto a = random.tensor({GetParam(), {9, 37}}, -1, 1);
  const auto b = random.tensor({GetParam(), {37, 21}}, -1, 1);
  const auto product = [](const In& in) { return matmul(in[0], in[1]); };
  const auto whole = value_of(product, {a, b});
  for (Extent i = 0; i < 9; ++i)
    EXPECT_TRUE(bits_agree(value_of(product, {narrow(a, 0, i, 1), b}), narrow(whole, 0, i, 1)));
}

TEST_P(Edges, gather_and_scatter_take_repeated_rows_in_order) {
  const auto places = Tensor::from({4}, std::vector<std::int64_t>{1, 0, 1, 1});
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return gather(in[0], in[1]); }, {make({5, 7}), places}),
                         make({7, 5, 7, 7})));
  // 1 + 2^60 - 2^60 is 0 when added in ascending order of rows.
  EXPECT_TRUE(bits_agree(
      value_of([](const In& in) { return scatter(in[0], in[1], 3); }, {make({1, -0.0, 0x1p60, -0x1p60}), places}),
      make({0, 0, 0})));
}

TEST(Edges, convert_rounds_once_saturates_and_drops_nan) {
  const auto to = [](ElementType element) { return [element](const In& in) { return convert(in[0], element); }; };
  const auto integers =
      value_of(to(i64), {row({1.9, -1.9, 1e300, -1e300, infinity, -infinity, nan, -0.0, 0x1p63}, f64)});
  EXPECT_EQ(integers.text(),
            "[1, -1, 9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, 0, 0, "
            "9223372036854775807]");
  EXPECT_EQ(value_of(to(i64), {row({2.5, -3e38, nan}, f32)}).text(), "[2, -9223372036854775808, 0]");
  EXPECT_EQ(value_of(to(boolean), {row({0.0, -0.0, nan, 1e-30, -infinity}, f32)}).text(),
            "[false, false, true, true, true]");
  EXPECT_TRUE(bits_agree(value_of(to(f32), {row({1e39, -1e39, nan, 16777217, 1e-46, -0.0}, f64)}),
                         row({infinity, -infinity, nan, 16777216, 0, -0.0}, f32)));
  EXPECT_TRUE(bits_agree(value_of(to(f64), {row({0.1, nan, infinity}, f32)}), row({0.1f, nan, infinity}, f64)));
  const auto large = Tensor::from({3}, std::vector<std::int64_t>{9007199254740993, 16777217, -1});
  EXPECT_TRUE(bits_agree(value_of(to(f64), {large}), row({9007199254740992, 16777217, -1}, f64)));
  EXPECT_TRUE(bits_agree(value_of(to(f32), {large}), row({9007199254740992, 16777216, -1}, f32)));
  EXPECT_EQ(value_of(to(boolean), {large}).text(), "[true, true, true]");
  const auto flags = Tensor::from({2}, std::vector<bool>{true, false});
  EXPECT_TRUE(bits_agree(value_of(to(f32), {flags}), row({1, 0}, f32)));
  EXPECT_TRUE(bits_agree(value_of(to(f64), {flags}), row({1, 0}, f64)));
  EXPECT_EQ(value_of(to(i64), {flags}).text(), "[1, 0]");
}

TEST(Edges, i64_wraps_and_truncates) {
  const auto min = std::numeric_limits<std::int64_t>::min(), max = std::numeric_limits<std::int64_t>::max();
  const auto a = Tensor::from({4}, std::vector<std::int64_t>{max, min, 7, -7});
  const auto b = Tensor::from({4}, std::vector<std::int64_t>{1, -1, -2, 2});
  EXPECT_EQ(value_of([](const In& in) { return in[0] + in[1]; }, {a, b}).text(),
            "[-9223372036854775808, 9223372036854775807, 5, -5]");
  EXPECT_EQ(value_of([](const In& in) { return in[0] / in[1]; }, {a, b}).text(),
            "[9223372036854775807, -9223372036854775808, -3, -3]");
  EXPECT_EQ(value_of([](const In& in) { return in[0] * in[1]; }, {a, b}).text(),
            "[9223372036854775807, -9223372036854775808, -14, -14]");
  EXPECT_EQ(value_of([](const In& in) { return -in[0]; }, {a}).text(),
            "[-9223372036854775807, -9223372036854775808, -7, 7]");
  EXPECT_EQ(value_of([](const In& in) { return sum(in[0]); }, {a}).text(), "-1");
}

/// The error of both executors at a run, which names the line that recorded the node.
void expect_at_the_run(const std::function<Value(Tape&)>& record, Misuse wanted) {
  Tape tape;
  const Symbol out = record(tape);
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  EXPECT_TRUE(throws([&] { network.forward(parameters); }, wanted)) << "interpreter";
  const auto plan = network.entry({out}).lower();
  EXPECT_TRUE(throws([&] { plan.forward(parameters); }, wanted)) << "plan";
}

TEST(Edges, i64_division_by_zero_is_an_error_at_the_run) {
  expect_at_the_run(
      [](Tape& tape) {
        const auto a = tape.input({1, 2}, i64);
        const auto b = tape.input({1, 0}, i64);
        return a / b;
      },
      {ErrorKind::argument, "Div", {}, {"zero"}, __LINE__ - 2});
}

TEST(Edges, an_index_out_of_range_names_itself_its_place_and_the_extent) {
  for (const std::int64_t wrong : {std::int64_t{5}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    const auto places = Tensor::from({3}, std::vector<std::int64_t>{0, 4, wrong});
    const std::vector<std::string> words{"index " + std::to_string(wrong), "place 2", "5"};
    expect_at_the_run(
        [&](Tape& tape) {
          const auto table = tape.input(Tensor::full({f32, {5, 2}}, 0));
          const auto indices = tape.input(places);
          return gather(table, indices);
        },
        {ErrorKind::index, "Gather", {}, words, __LINE__ - 2});
    expect_at_the_run(
        [&](Tape& tape) {
          const auto rows = tape.input(Tensor::full({f32, {3, 2}}, 0));
          const auto indices = tape.input(places);
          return scatter(rows, indices, 5);
        },
        {ErrorKind::index, "Scatter", {}, words, __LINE__ - 2});
  }
}

TEST(Edges, boolean_values_print_as_words) {
  const auto flags =
      value_of([](const In& in) { return logical_not(in[0]); }, {Tensor::from({2}, std::vector<bool>{true, false})});
  EXPECT_EQ(flags.text(), "[false, true]");
}

}  // namespace
}  // namespace topos::test
