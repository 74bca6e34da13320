// What every derivative rule gives at its edges, by engine, recorded gradient and plan alike.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

class Slopes : public testing::TestWithParam<ElementType> {
 protected:
  Tensor make(std::initializer_list<double> values) const { return row(values, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Floats, Slopes, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Slopes, a_tie_belongs_to_the_second_operand) {
  const auto larger = [](const In& in) { return maximum(in[0], in[1]); };
  const auto g = cotangents_of(larger, {make({1, 2, 3, nan, 1, 0.0, -0.0}), make({2, 2, 1, 1, nan, -0.0, 0.0})},
                               make({10, 20, 30, 40, 50, 60, 70}));
  EXPECT_TRUE(bits_agree(g[0], make({0, 0, 30, 0, 0, 0, 0})));
  EXPECT_TRUE(bits_agree(g[1], make({10, 20, 0, 40, 50, 60, 70})));
  // So relu has slope 0 at 0.
  const auto slope =
      cotangents_of([](const In& in) { return relu(in[0]); }, {make({-1, 0, 1, -0.0})}, make({1, 1, 1, 1}));
  EXPECT_TRUE(bits_agree(slope[0], make({0, 0, 1, 0})));
}

TEST_P(Slopes, an_infinite_cotangent_goes_where_the_maximum_came_from) {
  const auto g = cotangents_of([](const In& in) { return maximum(in[0], in[1]); }, {make({1, 2}), make({2, 1})},
                               make({infinity, nan}));
  EXPECT_TRUE(bits_agree(g[0], make({0, nan})));
  EXPECT_TRUE(bits_agree(g[1], make({infinity, 0})));
}

TEST_P(Slopes, select_routes_and_never_multiplies) {
  const auto test = Tensor::from({4}, std::vector<bool>{true, false, true, false});
  const auto g = cotangents_of([](const In& in) { return select(in[0], in[1], in[2]); },
                               {test, make({1, infinity, 2, nan}), make({nan, 1, infinity, 2})},
                               make({infinity, nan, -infinity, 7}));
  EXPECT_TRUE(bits_agree(g[0], make({infinity, 0, -infinity, 0})));
  EXPECT_TRUE(bits_agree(g[1], make({0, nan, 0, 7})));
}

TEST_P(Slopes, a_zero_cotangent_stays_zero_at_a_singular_point) {
  const auto root = cotangents_of([](const In& in) { return sqrt(in[0]); }, {make({0, 0, -0.0, 4, 4, infinity})},
                                  make({0, 1, 0, 0, 1, 1}));
  EXPECT_TRUE(bits_agree(root[0], make({0, infinity, 0, 0, 0.25, 0})));
  const auto logarithm =
      cotangents_of([](const In& in) { return log(in[0]); }, {make({0, 0, -0.0, 4, 4, -2})}, make({0, 1, 0, 0, 1, 1}));
  EXPECT_TRUE(bits_agree(logarithm[0], make({0, infinity, 0, 0, 0.25, -0.5})));
}

TEST_P(Slopes, a_singular_point_has_second_derivatives_without_nan) {
  // At 0 with cotangent 0 everything is 0; at a regular point a zero cotangent still has its mixed derivative 1 / x.
  const auto logarithm =
      second_cotangents_of([](const In& in) { return log(in[0]); }, {make({0, 2, 2})}, make({0, 0, 3}));
  EXPECT_TRUE(bits_agree(logarithm[0], make({0, 0, -0.75})));
  EXPECT_TRUE(bits_agree(logarithm[1], make({0, 0.5, 0.5})));
  const auto root = second_cotangents_of([](const In& in) { return sqrt(in[0]); }, {make({0, 4, 4})}, make({0, 0, 8}));
  EXPECT_TRUE(bits_agree(root[0], make({0, 0, -0.25})));
  EXPECT_TRUE(bits_agree(root[1], make({0, 0.25, 0.25})));
}

TEST_P(Slopes, a_norm_selected_away_at_zero_has_slope_zero) {
  // sqrt(sum(x^2)) where a select keeps the singular branch out: no NaN reaches x.
  const auto norm = [](const In& in) {
    const auto square = in[0] * in[0];
    const auto total = sum(square);
    const auto root = sqrt(total);
    const auto zero = compare(total, 0.0, Direction::eq);
    return select(zero, 0.0, root);
  };
  const auto g = cotangents_of(norm, {make({0, 0})}, Tensor::full({GetParam(), {}}, 1));
  EXPECT_TRUE(bits_agree(g[0], make({0, 0})));
}

TEST_P(Slopes, softmax_and_logsumexp_of_a_masked_lane_are_flat) {
  const auto x = reshape(make({-infinity, -infinity, 0, -infinity}), {2, 2});
  const auto soft =
      cotangents_of([](const In& in) { return softmax(in[0], 1); }, {x}, reshape(make({1, 2, 3, 4}), {2, 2}));
  EXPECT_TRUE(bits_agree(soft[0], reshape(make({0, 0, 0, 0}), {2, 2})));
  const auto wide = cotangents_of([](const In& in) { return logsumexp(in[0], 1); }, {x}, make({1, 2}));
  EXPECT_TRUE(bits_agree(wide[0], reshape(make({0, 0, 2, 0}), {2, 2})));
}

TEST_P(Slopes, division_forms_no_square) {
  // b * b overflows; (g * (a / b)) / b does not.
  const double big = GetParam() == f64 ? 0x1p600 : 0x1p100;
  const auto g = cotangents_of([](const In& in) { return in[0] / in[1]; }, {make({big}), make({big})}, make({big}));
  EXPECT_TRUE(bits_agree(g[0], make({1})));
  EXPECT_TRUE(bits_agree(g[1], make({-1})));
}

TEST_P(Slopes, repeated_rows_accumulate) {
  const auto places = Tensor::from({4}, std::vector<std::int64_t>{1, 0, 1, 1});
  const auto table =
      cotangents_of([](const In& in) { return gather(in[0], in[1]); }, {make({5, 7, 9}), places}, make({1, 2, 4, 8}));
  EXPECT_TRUE(bits_agree(table[0], make({2, 13, 0})));
  const auto rows = cotangents_of([](const In& in) { return scatter(in[0], in[1], 2); }, {make({1, 2, 3, 4}), places},
                                  make({10, 20}));
  EXPECT_TRUE(bits_agree(rows[0], make({20, 10, 20, 20})));
}

TEST_P(Slopes, a_singular_branch_beside_the_loss_poisons_nothing) {
  Tape tape(GetParam());
  const auto x = tape.parameter({0.0, 1.0});
  const auto singular = x / x;
  const auto square = x * x;
  const Symbol loss = sum(square);
  const Symbol beside = singular, source = x;
  const auto network = std::move(tape).into_network();
  const auto field = network.forward(network.parameters()).backward(loss);
  EXPECT_TRUE(bits_agree(field.of(source), make({0, 2})));
  EXPECT_TRUE(bits_agree(field.of(beside), make({0, 0})));
}

TEST_P(Slopes, choices_have_no_second_derivative) {
  const auto flags = Tensor::from({3}, std::vector<bool>{true, false, true});
  const std::vector<Tensor> numbers{make({1, 2, 3}), make({2, 2, 1})};
  const auto flat = make({0, 0, 0});
  const auto larger =
      second_cotangents_of([](const In& in) { return maximum(in[0], in[1]); }, numbers, make({5, 6, 7}));
  const auto chosen = second_cotangents_of([](const In& in) { return select(in[2], in[0], in[1]); },
                                           {numbers[0], numbers[1], flags}, make({5, 6, 7}));
  for (const auto& second : {larger, chosen}) {
    EXPECT_TRUE(bits_agree(second[0], flat));
    EXPECT_TRUE(bits_agree(second[1], flat));
    EXPECT_TRUE(bits_agree(second[2], make({1, 1, 1})));  // each cotangent goes to one side whole
  }
}

TEST_P(Slopes, division_has_second_derivatives_without_a_square) {
  // Of a / b by b twice: 2 a / b^3; by a and b: -1 / b^2. The sum of both slopes is asked for.
  const auto second =
      second_cotangents_of([](const In& in) { return in[0] / in[1]; }, {make({3, 1}), make({2, -1})}, make({1, 1}));
  EXPECT_TRUE(bits_agree(second[0], make({-0.25, -1})));
  EXPECT_TRUE(bits_agree(second[1], make({0.75 - 0.25, -2 - 1})));
  EXPECT_TRUE(bits_agree(second[2], make({0.5 - 0.75, -1 - 1})));
}

TEST_P(Slopes, rows_by_index_are_linear) {
  const auto places = Tensor::from({3}, std::vector<std::int64_t>{1, 0, 1});
  const auto picked =
      second_cotangents_of([](const In& in) { return gather(in[0], in[1]); }, {make({5, 7}), places}, make({1, 2, 4}));
  EXPECT_TRUE(bits_agree(picked[0], make({0, 0})));
  EXPECT_TRUE(bits_agree(picked[1], make({1, 1, 1})));
  const auto added = second_cotangents_of([](const In& in) { return scatter(in[0], in[1], 2); },
                                          {make({1, 2, 3}), places}, make({1, 2}));
  EXPECT_TRUE(bits_agree(added[0], make({0, 0, 0})));
  EXPECT_TRUE(bits_agree(added[1], make({1, 2})));
}

TEST_P(Slopes, nan_passes_every_operation_of_two_operands) {
  const std::vector<std::pair<const char*, ValueFunction>> functions{
      {"Add", [](const In& in) { return in[0] + in[1]; }},
      {"Sub", [](const In& in) { return in[0] - in[1]; }},
      {"Mul", [](const In& in) { return in[0] * in[1]; }},
      {"Div", [](const In& in) { return in[0] / in[1]; }},
      {"Maximum", [](const In& in) { return maximum(in[0], in[1]); }},
      {"Minimum", [](const In& in) { return minimum(in[0], in[1]); }},
      {"Power", [](const In& in) { return power(in[0], in[1]); }}};
  for (const auto& [name, f] : functions) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(bits_agree(value_of(f, {make({nan, 2, nan}), make({2, nan, nan})}), make({nan, nan, nan})));
    // A cotangent that is NaN reaches whoever gets one.
    const auto g = cotangents_of(f, {make({3}), make({3})}, make({nan}));
    EXPECT_TRUE(bits_agree(g[1], make({nan})));
  }
}

TEST_P(Slopes, nan_passes_contractions_and_lanes) {
  const auto x = make({nan, 1, 2, 3});
  const auto matrix = [](const Tensor& t) { return reshape(t, {2, 2}); };
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return sum(in[0], {1}); }, {matrix(x)}), make({nan, 5})));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return matmul(in[0], in[1]); }, {matrix(x), matrix(make({1, 0, 0, 1}))}),
                 matrix(make({nan, nan, 2, 3}))));
  for (const auto& f : std::vector<ValueFunction>{[](const In& in) { return softmax(in[0], 1); },
                                                  [](const In& in) { return log_softmax(in[0], 1); }}) {
    const auto lanes = convert(value_of(f, {matrix(x)}), f64).values<double>().to_vector();
    const auto slopes = convert(cotangents_of(f, {matrix(x)}, matrix(make({1, 2, 3, 4})))[0], f64);
    const auto numbers = slopes.values<double>();
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(std::isnan(lanes[i]), i < 2) << i;
      EXPECT_EQ(std::isnan(numbers[i]), i < 2) << i;
    }
  }
}

TEST_P(Slopes, an_empty_loss_is_flat) {
  const auto g = cotangents_of([](const In& in) { return tanh(in[0]); }, {Tensor::full({GetParam(), {0, 3}}, 1)},
                               Tensor::full({GetParam(), {0, 3}}, 1));
  EXPECT_EQ(g[0].type(), (TensorType{GetParam(), {0, 3}}));
}

TEST(Slopes, convert_carries_a_cotangent_between_floats_alone) {
  const auto there =
      cotangents_of([](const In& in) { return convert(in[0], f64); }, {row({1, 2}, f32)}, row({0.1, 3}, f64));
  EXPECT_TRUE(bits_agree(there[0], row({0.1, 3}, f32)));
  const auto whole = [](const In& in) {
    const auto integer = convert(in[0], i64);
    return convert(integer, f32);
  };
  EXPECT_TRUE(bits_agree(cotangents_of(whole, {row({1, 2})}, row({1, 1}))[0], row({0, 0})));
}

TEST(Data, carries_no_cotangent) {
  Tape tape;
  const auto table = tape.parameter(Tensor::full({f32, {3, 2}}, 1));
  const auto places = tape.input({0, 1}, i64);
  const auto rows = gather(table, places);
  const auto number = convert(rows, i64);
  const auto back = convert(number, f32);
  const auto test = compare(rows, back, Direction::ge);
  const auto chosen = select(test, rows, back);
  const auto loss = sum(chosen);
  const auto size = tape.size();
  for (const auto& [data, type] : {std::pair(places, "i64[2]"), {number, "i64[2, 2]"}, {test, "boolean[2, 2]"}})
    EXPECT_TRUE(throws([&, data = data] { tape.differentiate(loss, {table, data}); },
                       {ErrorKind::type, "differentiate", {type}, {"no cotangent"}, __LINE__}));
  const auto total = sum(number);
  EXPECT_TRUE(
      throws([&] { tape.differentiate(total, {table}); }, {ErrorKind::type, "differentiate", {"i64[]"}, {}, __LINE__}));
  EXPECT_EQ(tape.size(), size + 1);
  const Symbol names[] = {places, number, test, table, loss};
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  const auto field = run.backward(names[4]);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(throws([&] { field.of(names[i]); }, {ErrorKind::type, "Field::of", {}, {"no cotangent"}}));
  EXPECT_EQ(field.of(names[3]).text(), "[[1, 1], [1, 1], [0, 0]]");
  EXPECT_TRUE(throws([&] { run.backward(names[1]); }, {ErrorKind::type, "Run::backward"}));
}

TEST(Data, does_not_mark_its_ancestors) {
  // exp(x) reaches the loss as an index alone: its gradient records nothing.
  Tape tape;
  const auto x = tape.parameter(1.0);
  const auto table = tape.parameter({1.0, 2.0, 3.0});
  const auto power = exp(x);
  const auto place = convert(power, i64);
  const auto picked = gather(table, place);
  const auto adjoints = tape.differentiate(picked, {x, table});
  const auto text = tape.describe();
  EXPECT_EQ(text.find("Mul"), std::string::npos) << text;
  EXPECT_EQ(tape.payload(adjoints.of(x))->text(), "0");
}

}  // namespace
}  // namespace topos::test
