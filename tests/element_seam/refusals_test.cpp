// What a number lacks is an error at the line that records it; so is a name that is not its own.
#include <gtest/gtest.h>

#include "element_seam/numbers.h"
#include "support/emitted.h"
#include "support/error.h"

namespace other {

/// As large as seam::Fixed, and of its name.
struct Fixed {
  std::int16_t raw;
};
struct Double {
  double value;
};
struct Wide {
  double value, rest;
};
struct Negative {
  std::int32_t raw;
};
struct Nameless {
  float value;
};
/// An order and nothing else.
struct Rank {
  std::int32_t raw;
};
template <class T>
struct Traits : topos::NumberTraits<T> {
  static T from_double(double) { return T{}; }
  static double to_double(const T&) { return 0; }
};

}  // namespace other

template <>
struct topos::ElementTraits<other::Fixed> : other::Traits<other::Fixed> {
  static constexpr std::string_view name = "fixed";
};
template <>
struct topos::ElementTraits<other::Double> : other::Traits<other::Double> {
  static constexpr std::string_view name = "f64";
};
template <>
struct topos::ElementTraits<other::Wide> : other::Traits<other::Wide> {
  static constexpr std::string_view name = "fixed";
};
template <>
struct topos::ElementTraits<other::Negative> : other::Traits<other::Negative> {
  static constexpr std::string_view name = "negative";
  static other::Negative from_double(double) { return {-1}; }
};
template <>
struct topos::ElementTraits<other::Nameless> : other::Traits<other::Nameless> {
  static constexpr std::string_view name = "";
};
template <>
struct topos::ElementTraits<other::Rank> : topos::NumberTraits<other::Rank> {
  static constexpr std::string_view name = "rank";
  static other::Rank from_double(double x) { return {static_cast<std::int32_t>(x)}; }
  static double to_double(const other::Rank& x) { return x.raw; }
  static bool less(const other::Rank& a, const other::Rank& b) { return a.raw < b.raw; }
  static bool equal(const other::Rank& a, const other::Rank& b) { return a.raw == b.raw; }
};

namespace topos::test {
namespace {

TEST(NumberRefusals, names_belong_to_one_number) {
  ASSERT_EQ(element_of<seam::Fixed>().name(), "fixed");
  const auto refused = [](auto get, std::string why) {
    return throws(get, {.kind = ErrorKind::argument, .operation = "ElementTraits", .words = {why}});
  };
  EXPECT_TRUE(refused([] { element_of<other::Fixed>(); }, "\"fixed\" is another number's"));
  EXPECT_TRUE(refused([] { element_of<other::Wide>(); }, "\"fixed\" is another number's"));
  EXPECT_TRUE(refused([] { element_of<other::Double>(); }, "\"f64\" is a built-in element's"));
  EXPECT_TRUE(refused([] { element_of<other::Nameless>(); }, "is empty"));
  EXPECT_TRUE(refused([] { element_of<other::Negative>(); }, "must give zero bytes"));
  EXPECT_TRUE(refused([] { element_of<other::Negative>(); }, "must give zero bytes")) << "the second time too";
}

/// One line that must be refused at the recording, naming the operation, the element and what its traits need.
struct Lacking {
  std::string operation, needs;
  std::function<void(const Value&)> record;
};

void expect_refused(ElementType element, const std::vector<Lacking>& all) {
  Tape tape(element);
  const auto x = tape.input({{1, 2}, {3, 4}});
  for (const auto& lacking : all) {
    const auto size = tape.size();
    EXPECT_TRUE(throws([&] { lacking.record(x); },
                       {.kind = ErrorKind::type,
                        .operation = lacking.operation,
                        .words = {std::string(element.name()) + "[2, 2]", "its ElementTraits need " + lacking.needs}}))
        << lacking.operation;
    EXPECT_EQ(tape.size(), size);
  }
}

TEST(NumberRefusals, a_missing_function_is_named_where_it_is_recorded) {
  expect_refused(element_of<seam::Score>(), {{"Mul", "multiply", [](const Value& x) { x* x; }},
                                             {"Sub", "subtract", [](const Value& x) { x - x; }},
                                             {"Neg", "negate", [](const Value& x) { -x; }},
                                             {"Abs", "less and negate, or absolute", [](const Value& x) { abs(x); }},
                                             {"MatMul", "add and multiply", [](const Value& x) { matmul(x, x); }}});
  expect_refused(element_of<seam::Fixed>(),
                 {{"Exp", "exp", [](const Value& x) { exp(x); }},
                  {"Tanh", "tanh", [](const Value& x) { tanh(x); }},
                  {"ErfDerivative", "erf_derivative", [](const Value& x) { erf_derivative(x); }},
                  {"Power", "power", [](const Value& x) { power(x, x); }},
                  {"Softmax", "add, subtract, divide, less, equal, exp and log", [](const Value& x) { softmax(x, 1); }},
                  {"LogSoftmax", "add, subtract", [](const Value& x) { log_softmax(x, 1); }},
                  {"LogSumExp", "add, subtract", [](const Value& x) { logsumexp(x, 1); }},
                  {"Not", "nothing", [](const Value& x) { logical_not(x); }}});
  expect_refused(element_of<seam::Pair>(),
                 {{"Compare", "less and equal", [](const Value& x) { compare(x, x, Direction::lt); }},
                  {"Maximum", "less, or maximum", [](const Value& x) { maximum(x, x); }},
                  {"Minimum", "less, or minimum", [](const Value& x) { minimum(x, x); }},
                  {"MaxAlong", "less, or maximum", [](const Value& x) { max_along(x, 0); }},
                  {"ArgMaxAlong", "less and equal", [](const Value& x) { argmax_along(x, 0); }},
                  {"Sign", "less, or sign", [](const Value& x) { sign(x); }},
                  {"Div", "divide", [](const Value& x) { x / x; }}});
}

TEST(NumberRefusals, equality_needs_no_order) {
  const auto pair = Tensor::from<double>({3}, {1, 2, 3}, element_of<seam::Pair>());
  EXPECT_EQ(compare(pair, full_like(pair, 2), Direction::eq).text(), "[false, true, false]");
  EXPECT_EQ(compare(pair, full_like(pair, 2), Direction::ne).text(), "[true, false, true]");
}

TEST(NumberRefusals, a_derivative_that_needs_more_is_refused_by_both_routes) {
  // A gradient begins at zero and adds: a number without an addition has none.
  {
    Tape tape(element_of<other::Rank>());
    const auto w = tape.parameter(1.0);
    const auto larger = maximum(w, w);
    const Misuse misuse{.kind = ErrorKind::type, .operation = "Add", .words = {"rank[] has no addition", "need add"}};
    const auto size = tape.size();
    EXPECT_TRUE(throws([&] { tape.differentiate(larger, {w}); }, misuse));
    EXPECT_EQ(tape.size(), size);
    const Symbol loss = larger;
    const auto network = std::move(tape).into_network();
    const auto run = network.forward(network.parameters());
    EXPECT_EQ(run.of(loss).text(), "1");
    EXPECT_TRUE(throws([&] { run.backward(loss); }, misuse));
  }
  // An order and an addition are all that a maximum needs.
  Tape tape(element_of<seam::Score>());
  const auto w = tape.parameter(1.0);
  const auto larger = maximum(w, w);
  const auto adjoints = tape.differentiate(larger, {w});
  const Symbol loss = larger, parameter = w, gradient = adjoints.of(w);
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(gradient).text(), "#1");
  EXPECT_EQ(run.backward(loss).of(parameter).text(), "#1");
}

TEST(NumberRefusals, elements_do_not_mix_by_themselves) {
  Tape tape(element_of<seam::Fixed>());
  const auto fixed = tape.input(1.0);
  const auto real = tape.input(Tensor::full({f32, {}}, 1));
  EXPECT_TRUE(
      throws([&] { fixed + real; }, {.kind = ErrorKind::type, .operation = "Add (C1)", .types = {"fixed[]", "f32[]"}}));
  EXPECT_TRUE(throws([&] { tape.parameter(1, i64); }, {.kind = ErrorKind::type, .operation = "Parameter"}));
  EXPECT_TRUE(throws([&] { Tensor::full({f32, {}}, 1).scalar<seam::Fixed>(); },
                     {.kind = ErrorKind::type, .words = {"does not hold fixed"}}));
}

TEST(NumberRefusals, emission_names_the_node_and_the_element) {
  const auto refused = [](Tape tape, const Value& root, std::string node) {
    const Symbol symbol = root;
    const auto network = std::move(tape).into_network();
    const auto plan = network.entry({symbol}).lower();
    return throws([&] { emitted(plan); },
                  {.kind = ErrorKind::emission, .words = {node, "the element fixed has no StableHLO spelling"}});
  };
  {
    Tape tape(element_of<seam::Fixed>());
    const auto w = tape.parameter(1.0);
    const auto twice = w + w;
    EXPECT_TRUE(refused(std::move(tape), twice, "node 0"));
  }
  {
    Tape tape;
    const auto x = tape.input(1.0);
    const auto moved = convert(x, element_of<seam::Fixed>());
    EXPECT_TRUE(refused(std::move(tape), moved, "node 1"));
  }
  {
    Tape tape;
    const auto leaf = tape.leaf(1.0, element_of<seam::Fixed>());
    EXPECT_TRUE(refused(std::move(tape), leaf, "node 0"));
  }
}

}  // namespace
}  // namespace topos::test
