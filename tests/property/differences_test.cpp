// Gradients of both orders against central differences of the same network in 113-bit floats.
#include <gtest/gtest.h>

#include "support/models.h"
#include "support/quad.h"
#include "support/sanitized.h"

namespace topos::test {
namespace {

/// A source moved by step * direction.
struct Move {
  Symbol source;
  std::vector<double> direction;
};

quad evaluate(const Network& network, Symbol target, const Move& move, quad step) {
  const auto values = walk<Quad>(network, network.parameters(), [&](Symbol symbol, const Tensor& payload) {
    auto lifted = Quad::of(payload);
    if (symbol == move.source)
      for (std::size_t i = 0; i < lifted.size(); ++i) lifted[i] += step * quad(move.direction[i]);
    return lifted;
  });
  return values[target.index()][0];
}

double difference(const Network& network, Symbol target, const Move& move) {
  // The error of a central difference is of the order step^2: below 1e-22, and rounding adds 1e-33 / step. Kinks are
  // 1e-6 away.
  const quad step = 1e-11;
  return static_cast<double>((evaluate(network, target, move, step) - evaluate(network, target, move, -step)) /
                             (2 * step));
}

/// Each element by itself where they are few, else a few directions that mix all of them; one alone under a sanitizer,
/// which looks at how numbers are reached, not at what they are.
std::vector<Move> moves_of(Symbol source, std::size_t count, Random& random) {
  std::vector<Move> moves;
  if (count <= 6 && !TOPOS_TEST_SANITIZED)
    for (std::size_t i = 0; i < count; ++i) {
      moves.push_back({source, std::vector<double>(count, 0.0)});
      moves.back().direction[i] = 1;
    }
  else
    for (int k = 0; k < (TOPOS_TEST_SANITIZED ? 1 : 2); ++k) {
      moves.push_back({source, std::vector<double>(count)});
      for (auto& part : moves.back().direction) part = random.between(-1, 1);
    }
  return moves;
}

/// The relative error that an element's rounding leaves in a chain of some dozen operations over numbers near 1.
double tolerance_of(const Sample& sample, ElementType element) {
  return element == f64 && !sample.through_f32 ? 1e-12 : 2e-5;
}

void expect_gradients(const Sample& sample, ElementType element, const Program& program, const Run& run, Symbol target,
                      const Adjoints& adjoints) {
  Random random(71);
  for (const auto& [wrt, gradient] : adjoints.pairs()) {
    const auto wide = convert(run.of(gradient), f64);
    const auto numbers = wide.values<double>();
    for (const auto& move : moves_of(wrt, numbers.size(), random)) {
      double slope = 0, scale = 1;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        slope += numbers[i] * move.direction[i];
        scale += std::abs(numbers[i] * move.direction[i]);
      }
      EXPECT_NEAR(slope, difference(program.network, target, move), tolerance_of(sample, element) * scale)
          << "node " << wrt.index();
    }
  }
}

/// A long recording costs seconds in software floats and shows nothing that a short one does not.
bool is_short(const Sample& sample) { return sample.name.find("two blocks") == std::string::npos; }

/// Where a rule passes nothing on purpose, differences see more than it says.
bool is_differentiable(const Sample& sample) { return sample.name.find("StopGradient") == std::string::npos; }

class Differences : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Floats, Differences, testing::Values(f32, f64),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Differences, agree_with_gradients_of_both_orders) {
  for (const auto& sample : all_samples()) {
    if (!is_short(sample) || !is_differentiable(sample)) continue;
    SCOPED_TRACE(case_name(sample, GetParam()));
    const auto program = build(sample, GetParam(), 2);
    if (program.wrt.empty()) continue;
    const auto run = program.network.forward(program.network.parameters());
    expect_gradients(sample, GetParam(), program, run, program.loss, *program.first);
    expect_gradients(sample, GetParam(), program, run, program.slope, *program.second);
  }
}

TEST_P(Differences, values_agree_too) {
  for (const auto& sample : all_samples()) {
    if (!is_short(sample)) continue;
    const auto program = build(sample, GetParam(), 0);
    const auto run = program.network.forward(program.network.parameters());
    const auto wanted = static_cast<double>(evaluate(program.network, program.loss, Move{Symbol{}, {}}, 0));
    EXPECT_NEAR(run.of(program.loss).item(), wanted, tolerance_of(sample, GetParam()) * (1 + std::abs(wanted)) * 10)
        << case_name(sample, GetParam());
  }
}

TEST(Quad, elementary_functions_keep_thirty_digits) {
  // Identities between them: an error in one would have to be undone by another.
  for (const double x : {0.03125, 0.5, 1.0, 1.75, 3.0, 20.0}) {
    const auto close = [](quad a, quad b) { return (a > b ? a - b : b - a) < quad(1e-30) * (b > 0 ? b : -b); };
    EXPECT_TRUE(close(quad_log(quad_exp(x)), x)) << x;
    EXPECT_TRUE(close(quad_exp(quad(x) / 2) * quad_exp(quad(x) / 2), quad_exp(x))) << x;
    EXPECT_TRUE(close(quad_exp(x) * quad_exp(-quad(x)), 1)) << x;
    EXPECT_TRUE(close(quad_sqrt(x) * quad_sqrt(x), x)) << x;
    const quad t = quad_tanh(x), half = quad_tanh(quad(x) / 2);
    EXPECT_TRUE(close(t * (1 + half * half), 2 * half)) << x;
  }
  // e to 34 digits, as a sum of two doubles.
  const quad e = quad(0x1.5bf0a8b145769p+1) + quad(0x1.4d57ee2b1013ap-53);
  EXPECT_LT(static_cast<double>(quad_exp(1) - e), 1e-31);
  EXPECT_GT(static_cast<double>(quad_exp(1) - e), -1e-31);
}

}  // namespace
}  // namespace topos::test
