// A watched run names the node where a NaN or an infinity first appears, and where it comes from.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The message of the error that a watched run throws, which interpreter, entry and plan must share; empty if none.
std::string reported(const Network& network, Symbol root, Watch watch, FeedList feeds = {}) {
  const auto parameters = network.parameters();
  const auto entry = network.entry({root});
  const auto message = [&](auto&& run) -> std::string {
    try {
      run();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::number);
      return error.what();
    }
    return "";
  };
  const auto interpreted = message([&] { (void)entry.interpret(parameters, feeds, watch); });
  EXPECT_EQ(message([&] { (void)entry.lower().forward(parameters, feeds, watch); }), interpreted);
  return interpreted;
}

TEST(Watch, names_the_node_the_ranges_and_the_place) {
  const auto [network, x, out] = Tape::record([](Tape& tape) {
    const auto x = tape.input({1.0, 2.0, -3.0});
    const auto shifted = (x - 1.0).label("shifted");
    const auto logs = log(shifted);
    const auto total = sum(logs);
    return std::tuple(x, total);
  });
  const auto parameters = network.parameters();
  const auto line = std::to_string(__LINE__ - 5);
  EXPECT_THAT(reported(network, out, Watch::nan),
              AllOf(HasSubstr("Log: node Log 3 holds NaN at element 2"), HasSubstr("Sub 2 shifted is from -4 to 1"),
                    HasSubstr("recorded at watch_test.cpp:" + line)));
  EXPECT_THAT(reported(network, out, Watch::infinity),
              AllOf(HasSubstr("node Log 3 holds an infinity at element 0"), HasSubstr("is from -4 to 1")));
  EXPECT_THROW((void)network.forward(parameters, {}, Watch::nan), Error);
  EXPECT_EQ(reported(network, out, Watch::nan, {{x, Tensor::from<float>({3}, {2, 3, 4})}}), "");
}

TEST(Watch, reports_the_first_node_alone_and_what_a_select_discards) {
  const auto [network, out] = Tape::record([](Tape& tape) {
    const auto x = tape.input({0.0, 1.0});
    const auto quotient = x / x;
    const auto doubled = quotient + quotient;  // holds NaN because its operand does
    const auto positive = greater(x, tape.leaf({0.0, 0.0}));
    return select(positive, doubled, 0.0);
  });
  EXPECT_THAT(reported(network, out, Watch::nan), HasSubstr("node Div 1 holds NaN at element 0"));
}

TEST(Watch, sources_that_are_given_a_nan_are_named) {
  const auto [network, x, w, out] = Tape::record([](Tape& tape) {
    const auto x = tape.input({1.0, 2.0});
    const auto w = tape.parameter({1.0, nan});
    const auto product = x * w;
    return std::tuple(x, w, product);
  });
  EXPECT_THAT(reported(network, out, Watch::nan), HasSubstr("node Parameter 1 holds NaN at element 1"));
  EXPECT_THAT(reported(network, out, Watch::nan, {{x, Tensor::from<float>({2}, {float(nan), 0})}}),
              HasSubstr("node Input 0 holds NaN at element 0"));
}

TEST(Watch, an_infinity_that_the_program_wrote_is_meant) {
  const auto [network, x, out] = Tape::record([](Tape& tape) {
    const auto x = tape.input({1.0, 2.0});
    const auto mask = tape.leaf({0.0, -infinity});
    const auto masked = x + mask;
    return std::tuple(x, softmax(masked, 0));
  });
  EXPECT_EQ(reported(network, out, Watch::infinity), "");
  EXPECT_THAT(reported(network, out, Watch::infinity, {{x, Tensor::from<float>({2}, {float(infinity), 0})}}),
              HasSubstr("node Input 0 holds an infinity"));
}

TEST(Watch, looks_at_every_float_element_and_at_scheduled_nodes_alone) {
  for (const auto element : {f32, f64, bf16}) {
    const auto [network, unused, out] = Tape::record(element, [](Tape& tape) {
      const auto x = tape.input({-1.0, 4.0});
      const auto unused = log(x);
      return std::tuple(unused, x * x);
    });
    EXPECT_EQ(reported(network, out, Watch::nan), "");
    EXPECT_THAT(reported(network, unused, Watch::nan), HasSubstr("node Log 1 holds NaN at element 0"));
  }
}

TEST(Watch, a_view_and_a_constant_are_read_in_row_major_order) {
  const auto [network, out] = Tape::record([](Tape& tape) {
    const auto x = tape.input(Tensor::from<float>({2, 3}, {1, 1, 1, 1, float(nan), 1}));
    return transpose(x);
  });
  EXPECT_THAT(reported(network, out, Watch::nan), HasSubstr("at element 4"));
  const auto [single, spread] = Tape::record([](Tape& tape) {
    const auto x = tape.leaf(nan);
    return broadcast(x, {2, 2});
  });
  EXPECT_THAT(reported(single, spread, Watch::nan), HasSubstr("node Leaf 0 holds NaN at element 0"));
}

/// z = x / y at y = 0, differentiated twice.
TEST(Traps, T16_a_nan_of_a_second_backward_names_the_forward_division) {
  Tape tape(f64);
  const auto x = tape.parameter(0.4);
  const auto y = tape.parameter(0.0);
  const auto z = x / y;
  const auto first = tape.differentiate(z, {y});
  const auto second = tape.differentiate(first.of(y), {y});
  const Symbol value = z, slope = first.of(y), curvature = second.of(y);
  const auto network = std::move(tape).into_network();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(value).item(), infinity);
  EXPECT_EQ(run.of(slope).item(), -infinity);
  EXPECT_NE(run.of(curvature).item(), 0.0);
  EXPECT_THAT(reported(network, curvature, Watch::infinity), HasSubstr("node Div 2 holds an infinity"));
  // The slope -1e30 is finite in f32, the curvature 2e45 is not: both levels lead to the division.
  Tape other(f32);
  const auto b = other.parameter(1e-15);
  const auto quotient = 1.0 / b;
  const auto line = std::to_string(__LINE__ - 1);
  const auto once = other.differentiate(quotient, {b});
  const auto twice = other.differentiate(once.of(b), {b});
  const Symbol shallow = once.of(b), deep = twice.of(b);
  const auto sealed = std::move(other).into_network();
  EXPECT_EQ(reported(sealed, shallow, Watch::infinity), "");
  const auto message = reported(sealed, deep, Watch::infinity);
  EXPECT_THAT(message, AllOf(HasSubstr("holds an infinity"), HasSubstr("it belongs to the derivative of Div 2"),
                             HasSubstr("recorded at watch_test.cpp:" + line)));
  const auto first_level = message.find("derivative of");
  EXPECT_NE(message.find("derivative of", first_level + 1), std::string::npos) << message;
}

}  // namespace
}  // namespace topos::test
