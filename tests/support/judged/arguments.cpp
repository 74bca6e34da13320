#include "support/judged/arguments.h"

#include <cmath>
#include <limits>
#include <set>

#include "support/random.h"
#include "topos/execute/compiled_plan.h"

namespace topos::test {
namespace {

bool all_equal(const Tensor& x) {
  const auto numbers = convert(x, f64).values<double>();
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (!(numbers[i] == numbers[0])) return false;
  return numbers.size() > 0;
}

/// Zeros become numbers of both signs; another number, numbers around it, so that a variance stays positive.
Tensor varied(const Tensor& x, Random& random) {
  const double number = x.volume() == 0 ? 1 : convert(x, f64).values<double>()[0];
  if (!std::isfinite(number) || !all_equal(x) || (x.volume() == 1 && number != 0)) return x;
  if (number == 0) return random.tensor(x.type(), -1, 1);
  return random.tensor(x.type(), number < 0 ? 1.5 * number : 0.5 * number, number < 0 ? 0.5 * number : 1.5 * number);
}

/// The rows of the smallest table that the plan looks up or adds to.
Extent smallest_table(const Plan& plan) {
  Extent smallest = 3;
  const auto& schedule = plan.compiled().schedule;
  const auto& graph = schedule.spec().graph;
  bool found = false;
  for (const auto i : schedule.nodes()) {
    Extent rows = 0;
    if (graph.is<op::Gather>(i)) rows = graph.type(graph.operands(i)[0]).shape[0];
    if (graph.is<op::Scatter>(i)) rows = graph.type(i).shape[0];
    if (rows == 0) continue;
    smallest = found ? std::min(smallest, rows) : rows;
    found = true;
  }
  return smallest;
}

ArgumentSet arguments(const Plan& plan, bool seeded_indices) {
  ArgumentSet set{"recorded", {}};
  const auto& spec = plan.compiled().schedule.spec();
  const auto extent = smallest_table(plan);
  Random random(2026);
  for (const auto symbol : plan.arguments()) {
    auto payload = *payload_of(spec, symbol.index());
    if (payload.element().is_floating())
      payload = varied(payload, random);
    else if (seeded_indices && payload.element() == i64 && payload.volume() > 1 && all_equal(payload))
      payload = random.indices(payload.shape(), extent);
    set.tensors.push_back(std::move(payload));
  }
  return set;
}

template <class T>
std::vector<double> numbers_of_format(int digits) {
  using Limits = std::numeric_limits<T>;
  const double unit = std::ldexp(1.0, 1 - digits);  // the step above 1
  const double subnormal = std::ldexp(static_cast<double>(Limits::min()), 1 - digits);
  const double normal = Limits::min(), largest = static_cast<double>(Limits::max());
  const double top = std::ldexp(2 - unit, Limits::max_exponent - 1);
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  return {0.0,
          -0.0,
          1,
          -1,
          infinity,
          -infinity,
          std::numeric_limits<double>::quiet_NaN(),
          subnormal,
          -subnormal,
          normal - subnormal,
          subnormal - normal,
          normal,
          -normal,
          std::min(top, largest),
          -std::min(top, largest),
          0.5,
          -0.5,
          2,
          -2,
          1.5,
          -1.5,
          2.5,
          3,
          1 + unit,
          1 - unit / 2,
          -1 - unit,
          0x1p-20,
          -0x1p20,
          0x1p100,
          0x1p-100,
          10,
          -10,
          0.75,
          88,
          -104,
          1 / unit,
          1 / unit + 1};
}

}  // namespace

std::vector<double> special_numbers(ElementType element) {
  if (element == f64) return numbers_of_format<double>(53);
  return numbers_of_format<float>(element == f32 ? 24 : 8);
}

ArgumentSet recorded_arguments(const Plan& plan) { return arguments(plan, true); }
ArgumentSet plainly_recorded_arguments(const Plan& plan) { return arguments(plan, false); }

std::optional<ArgumentSet> special_arguments(const Plan& plan) {
  static const std::set<std::string_view> excluded{"MatMul",    "Sum",  "Softmax", "LogSoftmax",
                                                   "LogSumExp", "Fold", "Gather",  "Scatter"};
  for (const auto& node : plan.nodes())
    if (excluded.contains(node.opcode().name())) return std::nullopt;
  ArgumentSet set{"specials", {}};
  bool floating = false;
  for (const auto symbol : plan.arguments()) {
    const auto type = plan.node(symbol).type();
    if (type.element == i64) return std::nullopt;
    const auto k = set.tensors.size();
    std::vector<double> values(static_cast<std::size_t>(type.shape.volume()));
    const auto pool = type.element == boolean ? std::vector<double>{0, 1, 1} : special_numbers(type.element);
    const auto n = pool.size();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = pool[(i * (2 * k + 1) + k * (i / n) + 7 * k) % n];
    floating = floating || type.element.is_floating();
    set.tensors.push_back(Tensor::from(type.shape, values, type.element));
  }
  if (!floating) return std::nullopt;
  return set;
}

}  // namespace topos::test
