// The table of docs/conventions.md that says what each element does: which operations it has, and how integers behave.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/edges.h"
#include "support/error.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

/// Every operation over operands of one element, x and y of [2, 2], test boolean, places i64.
const std::map<std::string, std::function<Value(const Value& x, const Value& y)>>& operations() {
  static const std::map<std::string, std::function<Value(const Value&, const Value&)>> all{
      {"Add", [](const Value& x, const Value& y) { return x + y; }},
      {"Sub", [](const Value& x, const Value& y) { return x - y; }},
      {"Mul", [](const Value& x, const Value& y) { return x * y; }},
      {"Div", [](const Value& x, const Value& y) { return x / y; }},
      {"Power", [](const Value& x, const Value& y) { return power(x, y); }},
      {"Maximum", [](const Value& x, const Value& y) { return maximum(x, y); }},
      {"Minimum", [](const Value& x, const Value& y) { return minimum(x, y); }},
      {"Neg", [](const Value& x, const Value&) { return -x; }},
      {"Abs", [](const Value& x, const Value&) { return abs(x); }},
      {"Sign", [](const Value& x, const Value&) { return sign(x); }},
      {"Exp", [](const Value& x, const Value&) { return exp(x); }},
      {"Expm1", [](const Value& x, const Value&) { return expm1(x); }},
      {"Log", [](const Value& x, const Value&) { return log(x); }},
      {"Log1p", [](const Value& x, const Value&) { return log1p(x); }},
      {"Sqrt", [](const Value& x, const Value&) { return sqrt(x); }},
      {"Rsqrt", [](const Value& x, const Value&) { return rsqrt(x); }},
      {"Tanh", [](const Value& x, const Value&) { return tanh(x); }},
      {"Sin", [](const Value& x, const Value&) { return sin(x); }},
      {"Cos", [](const Value& x, const Value&) { return cos(x); }},
      {"Erf", [](const Value& x, const Value&) { return erf(x); }},
      {"ErfDerivative", [](const Value& x, const Value&) { return erf_derivative(x); }},
      {"Logistic", [](const Value& x, const Value&) { return logistic(x); }},
      {"Softplus", [](const Value& x, const Value&) { return softplus(x); }},
      {"Compare EQ", [](const Value& x, const Value& y) { return equal(x, y); }},
      {"Compare NE", [](const Value& x, const Value& y) { return not_equal(x, y); }},
      {"Compare LT", [](const Value& x, const Value& y) { return less(x, y); }},
      {"Compare GE", [](const Value& x, const Value& y) { return greater_equal(x, y); }},
      {"And", [](const Value& x, const Value& y) { return logical_and(x, y); }},
      {"Or", [](const Value& x, const Value& y) { return logical_or(x, y); }},
      {"Not", [](const Value& x, const Value&) { return logical_not(x); }},
      {"MatMul", [](const Value& x, const Value& y) { return matmul(x, y); }},
      {"Sum", [](const Value& x, const Value&) { return sum(x); }},
      {"Softmax", [](const Value& x, const Value&) { return softmax(x, 0); }},
      {"LogSoftmax", [](const Value& x, const Value&) { return log_softmax(x, 0); }},
      {"LogSumExp", [](const Value& x, const Value&) { return logsumexp(x, 0); }},
      {"MaxAlong", [](const Value& x, const Value&) { return max_along(x, 0); }},
      {"ArgMaxAlong", [](const Value& x, const Value&) { return argmax_along(x, 0); }}};
  return all;
}
const std::set<std::string> integer_operations{"Add",    "Sub",        "Mul",  "Div",        "Maximum",    "Minimum",
                                               "Neg",    "Abs",        "Sign", "Compare EQ", "Compare NE", "Compare LT",
                                               "MatMul", "Compare GE", "Sum",  "MaxAlong",   "ArgMaxAlong"};
const std::set<std::string> boolean_operations{"Compare EQ", "Compare NE", "And", "Or", "Not"};

TEST(Elements, have_the_operations_of_the_table_and_refuse_the_others_at_recording) {
  for (const auto element : {f32, f64, bf16, i64, boolean}) {
    Tape tape;
    const auto x = tape.input(Tensor::full({element, {2, 2}}, 1));
    const auto y = tape.input(Tensor::full({element, {2, 2}}, 1));
    for (const auto& [name, record] : operations()) {
      SCOPED_TRACE(name + " over " + std::string(element.name()));
      const bool logical = name == "And" || name == "Or" || name == "Not";
      const bool allowed = element == i64       ? integer_operations.contains(name)
                           : element == boolean ? boolean_operations.contains(name)
                                                : !logical;
      const auto size = tape.size();
      const auto error = caught([&, &record = record] { record(x, y); });
      EXPECT_EQ(!error, allowed) << (error ? error->what() : "");
      if (!error) continue;
      EXPECT_EQ(error->kind(), ErrorKind::type);
      EXPECT_TRUE(error->operation().starts_with(name.substr(0, name.find(' ')))) << error->operation();
      EXPECT_TRUE(error->site().known());
      EXPECT_EQ(tape.size(), size);
    }
  }
}

TEST(Elements, all_choose_move_gather_and_convert) {
  for (const auto element : {f32, f64, bf16, i64, boolean}) {
    SCOPED_TRACE(std::string(element.name()));
    const auto x = Tensor::from({3}, std::vector<double>{1, 0, 1}, f64);
    const auto of = [&](const ValueFunction& f) {
      return value_of([&](const In& in) { return f({convert(in[0], element), in[1], in[2]}); },
                      {x, Tensor::from({2}, std::vector<std::int64_t>{2, 1}),
                       Tensor::from({3}, std::vector<bool>{true, false, false})});
    };
    const auto as = [&](std::initializer_list<double> values) { return convert(row(values, f64), element); };
    EXPECT_TRUE(bits_agree(of([](const In& in) { return gather(in[0], in[1]); }), as({1, 0})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return narrow(in[0], 0, 1, 2); }), as({0, 1})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return pad(in[0], 0, 1, 4); }), as({0, 1, 0, 1})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return concat({in[0], in[0]}, 0); }), as({1, 0, 1, 1, 0, 1})));
    EXPECT_TRUE(
        bits_agree(of([](const In& in) { return unfold(in[0], 0, 2, 1, 1); }), reshape(as({1, 0, 0, 1}), {2, 2})));
    EXPECT_TRUE(bits_agree(of([](const In& in) {
                             const auto other = permute(in[0], {0});
                             return select(in[2], in[0], other);
                           }),
                           as({1, 0, 1})));
    EXPECT_TRUE(bits_agree(of([](const In& in) { return convert(in[0], f32); }), row({1, 0, 1})));
  }
}

TEST(Elements, integers_wrap_and_order_themselves) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  const auto x = Tensor::from({2, 2}, std::vector<std::int64_t>{lowest, 3, highest, -3});
  const auto of = [&](const ValueFunction& f) { return value_of(f, {x}).text(); };
  EXPECT_EQ(of([](const In& in) { return abs(in[0]); }), "[[-9223372036854775808, 3], [9223372036854775807, 3]]");
  EXPECT_EQ(of([](const In& in) { return sign(in[0]); }), "[[-1, 1], [1, -1]]");
  EXPECT_EQ(of([](const In& in) { return maximum(in[0], 0); }), "[[0, 3], [9223372036854775807, 0]]");
  EXPECT_EQ(of([](const In& in) { return minimum(in[0], 0); }), "[[-9223372036854775808, 0], [0, -3]]");
  EXPECT_EQ(of([](const In& in) { return max_along(in[0], 0); }), "[9223372036854775807, 3]");
  EXPECT_EQ(of([](const In& in) { return argmax_along(in[0], 1); }), "[1, 0]");
  EXPECT_EQ(of([](const In& in) { return in[0] - 1; }), "[[9223372036854775807, 2], [9223372036854775806, -4]]");
  // 2 * highest wraps to -2; the row sums of a product wrap too.
  EXPECT_EQ(of([](const In& in) {
              const auto twos = full_like(in[0], 2);
              return matmul(in[0], twos);
            }),
            "[[6, 6], [-8, -8]]");
  EXPECT_EQ(of([](const In& in) {
              const auto places = iota_like(in[0], 1);
              const auto row = narrow(places, 0, 0, 1);
              const auto flat = reshape(row, {2});
              const auto none = flat * 0;
              return scatter(in[0], none, 1);
            }),
            "[[-1, 0]]");
}

TEST(Elements, every_convert_rounds_once) {
  const auto to = [](ElementType element) { return [element](const In& in) { return convert(in[0], element); }; };
  // Just above the middle of two bf16 neighbours: by way of f32 it would fall on the middle and round to even, down.
  const double above = 1 + 0x1p-8 + 0x1p-30;
  EXPECT_TRUE(
      bits_agree(value_of(to(bf16), {row({above, -above, 1 + 0x1p-8}, f64)}), row({1 + 0x1p-7, -1 - 0x1p-7, 1}, bf16)));
  const auto whole = Tensor::from({2}, std::vector<std::int64_t>{(std::int64_t{1} << 40) + (std::int64_t{1} << 32) + 1,
                                                                 (std::int64_t{1} << 40) + (std::int64_t{1} << 32)});
  EXPECT_TRUE(bits_agree(value_of(to(bf16), {whole}), row({0x1p40 + 0x1p33, 0x1p40}, bf16)));
  EXPECT_TRUE(bits_agree(value_of(to(bf16), {row({3.4e38, -1e39, nan, 1e-45, -0.0}, f64)}),
                         row({infinity, -infinity, nan, 0, -0.0}, bf16)));
  EXPECT_EQ(value_of(to(i64), {row({1.5, -2.5, nan, infinity}, bf16)}).text(), "[1, -2, 0, 9223372036854775807]");
  EXPECT_EQ(value_of(to(boolean), {row({0.0, -0.0, nan, 1e-30}, bf16)}).text(), "[false, false, true, true]");
}

TEST(Elements, what_carries_no_cotangent_is_asked_for_in_vain) {
  for (const auto element : {i64, boolean}) {
    Tape tape;
    const auto data = tape.input(Tensor::full({element, {2}}, 1));
    const auto x = tape.parameter({1, 2});
    const auto number = convert(data, f32);
    const auto product = x * number;
    const auto loss = sum(product);
    const auto size = tape.size();
    EXPECT_TRUE(throws([&] { tape.differentiate(loss, {data}); },
                       {ErrorKind::type, "differentiate", {data.type().text()}, {"no cotangent"}, __LINE__}));
    EXPECT_EQ(tape.size(), size);
    EXPECT_TRUE(throws([&] { tape.parameter(Tensor::full({element, {2}}, 1)); }, {ErrorKind::type}));
    const Symbol names[] = {data, loss};
    const auto network = std::move(tape).into_network();
    const auto field = network.forward(network.parameters()).backward(names[1]);
    EXPECT_TRUE(throws([&] { field.of(names[0]); }, {ErrorKind::type, "Field::of", {}, {"no cotangent"}}));
  }
}

}  // namespace
}  // namespace topos::test
