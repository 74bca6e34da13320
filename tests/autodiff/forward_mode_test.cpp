// Forward mode, an algebra of the user's, against reverse mode: <w, J v> = <J^T w, v> for every opcode.
#include <set>

#include <gtest/gtest.h>

#include "examples/models/dual_algebra.h"
#include "support/bits.h"
#include "support/error.h"
#include "support/models.h"

namespace topos::test {
namespace {

using examples::Dual;

/// A sample's network, what moves, and along which direction.
struct Moving {
  Program program;
  Parameters parameters;
  std::vector<std::pair<Symbol, Tensor>> directions;

  const Tensor* direction(Symbol symbol) const {
    for (const auto& [moving, direction] : directions)
      if (moving == symbol) return &direction;
    return nullptr;
  }
};

/// Quarters: products and sums of few of them are exact in f64.
Tensor quarters(const Tensor& x) {
  const auto numbers = convert(x * 4.0, i64);
  return convert(numbers, x.element()) / 4.0;
}

Moving moving(const Sample& sample, ElementType element, bool dyadic) {
  auto program = build(sample, element, 1);
  auto parameters = program.network.parameters();
  if (dyadic) parameters = parameters.map(quarters);
  Random random(71);
  std::vector<std::pair<Symbol, Tensor>> directions;
  for (const auto wrt : program.wrt) {
    const auto direction = random.tensor(program.network.node(wrt).type(), -2, 2);
    directions.emplace_back(wrt, quarters(direction));
  }
  return {std::move(program), std::move(parameters), std::move(directions)};
}

std::vector<Dual<Tensor>> eager(const Moving& m) {
  return walk<Dual<Tensor>>(m.program.network, m.parameters, [&](Symbol symbol, const Tensor& payload) {
    const auto* direction = m.direction(symbol);
    return direction != nullptr ? Dual<Tensor>(payload, *direction) : Dual<Tensor>(payload);
  });
}

/// The tangents of the nodes that have one, recorded over a tape of their own and run by a plan.
std::vector<std::optional<Tensor>> recorded(const Moving& m) {
  Tape tape(m.program.network.element());
  const auto duals = walk<Dual<Value>>(m.program.network, m.parameters, [&](Symbol symbol, const Tensor& payload) {
    const auto value = tape.input(payload);
    const auto* direction = m.direction(symbol);
    if (direction == nullptr) return Dual<Value>(value);
    const auto tangent = tape.input(*direction);
    return Dual<Value>(value, tangent);
  });
  std::vector<Symbol> roots;
  for (const auto& dual : duals)
    if (dual.tangent()) roots.push_back(*dual.tangent());
  const auto network = std::move(tape).into_network();
  const auto run = network.entry(roots).lower().forward(network.parameters());
  std::vector<std::optional<Tensor>> tangents;
  std::size_t next = 0;
  for (const auto& dual : duals)
    tangents.push_back(dual.tangent() ? std::optional(run.of(roots[next++])) : std::nullopt);
  return tangents;
}

/// <J^T w, v> by the reverse scan, with the sum of the magnitudes beside it.
std::pair<double, double> by_reverse(const Moving& m) {
  const auto field = m.program.network.forward(m.parameters).backward(m.program.loss);
  double total = 0, size = 0;
  for (const auto& [wrt, direction] : m.directions) {
    const auto products = convert(field.of(wrt) * direction, f64);
    for (const auto product : products.values<double>()) {
      total += product;
      size += product < 0 ? -product : product;
    }
  }
  return {total, size};
}

double forward_slope(const Moving& m) {
  return convert(eager(m)[m.program.loss.index()].tangent_or_zero(), f64).item();
}

TEST(ForwardMode, slopes_are_those_of_the_reverse_scan) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(sample.name);
    const auto m = moving(sample, f64, false);
    const auto [reverse, size] = by_reverse(m);
    // Two orders of summation over a few thousand terms; through f32 numbers their rounding shows.
    const double tolerance = (sample.through_f32 ? 1e-5 : 1e-11) * (size + 1);
    EXPECT_NEAR(forward_slope(m), reverse, tolerance);
  }
}

TEST(ForwardMode, slopes_at_dyadic_numbers_are_the_very_ones) {
  const std::set<std::string_view> exact{
      "Leaf",   "Parameter", "Input",          "Add",     "Sub",          "Mul",     "Neg",    "Maximum", "Minimum",
      "Abs",    "Sign",      "Compare",        "And",     "Or",           "Not",     "Select", "MatMul",  "Sum",
      "Concat", "Broadcast", "BroadcastAlong", "Reshape", "Permute",      "Narrow",  "Pad",    "Unfold",  "Fold",
      "Gather", "Scatter",   "Iota",           "Convert", "StopGradient", "MaxAlong"};
  const auto names = opcode_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!exact.contains(names[i])) continue;
    for (const auto& sample : samples_by_opcode()[i]) {
      SCOPED_TRACE(sample.name);
      const auto m = moving(sample, f64, true);
      EXPECT_EQ(forward_slope(m), by_reverse(m).first);
    }
  }
}

TEST(ForwardMode, recorded_tangents_are_the_eager_ones) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(sample.name);
    const auto m = moving(sample, f32, false);
    const auto duals = eager(m);
    const auto tangents = recorded(m);
    ASSERT_EQ(duals.size(), tangents.size());
    for (std::size_t i = 0; i < duals.size(); ++i) {
      ASSERT_EQ(duals[i].tangent().has_value(), tangents[i].has_value());
      if (!tangents[i]) continue;
      ASSERT_TRUE(bits_agree(*duals[i].tangent(), *tangents[i])) << i;
    }
  }
}

TEST(ForwardMode, values_are_the_interpreters) {
  for (const auto& sample : all_samples()) {
    SCOPED_TRACE(sample.name);
    const auto m = moving(sample, f32, false);
    const auto duals = eager(m);
    const auto run = m.program.network.forward(m.parameters);
    for (const auto& node : m.program.network.nodes())
      ASSERT_TRUE(bits_agree(duals[node.symbol().index()].value(), run.of(node.symbol()))) << node.text();
  }
}

TEST(ForwardMode, data_has_no_tangent) {
  const auto m = moving({"integers",
                         [](Tape& tape) {
                           const auto w = tape.parameter({0.5, 2.0});
                           const auto place = argmax_along(w, 0);
                           const auto positive = compare(w, 0.0, Direction::gt);
                           const auto fixed = stop_gradient(w);
                           const auto side = sign(w);
                           const auto picked = select(positive, fixed, side);
                           const auto number = convert(place, tape.element());
                           const auto spread = broadcast(number, {2});
                           return Recorded{{w}, picked * spread};
                         }},
                        f64, false);
  EXPECT_FALSE(eager(m)[m.program.loss.index()].tangent());
}

/// An algebra with little in it: what it lacks is named by the walk.
struct Poor {
  TensorType shape;
  const TensorType& type() const { return shape; }
};
Poor operator+(const Poor& a, const Poor&) { return a; }

TEST(ForwardMode, an_algebra_that_lacks_a_function_is_told_which) {
  const auto [network, x] = Tape::record([](Tape& tape) {
    const auto x = tape.parameter({1.0, 2.0});
    const auto sum = x + x;
    return tanh(sum);
  });
  const auto error = caught([&, &network = network] {
    walk<Poor>(network, network.parameters(), [](Symbol, const Tensor& payload) { return Poor{payload.type()}; });
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::argument);
  EXPECT_EQ(error->operation(), "Tanh");
  EXPECT_TRUE(error->site().known());
  EXPECT_NE(std::string(error->what()).find("has no tanh(x)"), std::string::npos) << error->what();
  EXPECT_NE(std::string(error->what()).find("Poor"), std::string::npos) << error->what();
}

}  // namespace
}  // namespace topos::test
