#include "topos/op/elementary.h"

#include <fmt/format.h>

#include <span>

namespace topos::op {
namespace {

/// `%vN_word = stablehlo.operation operands : type of the node`.
std::string helper(stablehlo::Writer& writer, const Lowering& node, std::string_view word, std::string_view operation,
                   const std::string& operands) {
  return writer.line(fmt::format("{}_{}", node.name, word), operation, operands, stablehlo::type_text(node.type));
}

/// Polynomials for erf, lowest power first, fitted so that the largest relative error of the result is least.
struct ErfParts {
  std::span<const std::string_view> inner;  // erf(x) / x - 1 in x * x, up to |x| = 1
  std::span<const std::string_view> outer;  // log(1 - erf(|x|)) in |x|, from 1 on
  std::string_view saturated;               // from here on erf(|x|) rounds to 1
};

constexpr std::string_view inner_f32[] = {
    "0.12837917", "-0.37612626", "0.112835854", "-0.026853815", "0.0051883305", "-0.00080102024", "7.85385e-5",
};
constexpr std::string_view outer_f32[] = {
    "-0.0003415318", "-1.1270891", "-0.6381449", "-0.103106685", "0.021838026", "-0.0029476478", "0.00018637803",
};
constexpr std::string_view inner_f64[] = {
    "0.12837916709551256",   "-0.3761263890318352",    "0.11283791670944185",    "-0.026866170643111482",
    "0.005223977606118614",  "-0.000854832592932217",  "0.00012055293577152762", "-1.4924712307185837e-5",
    "1.6447131638251597e-6", "-1.6206314289113782e-7", "1.3710982748678367e-8",  "-7.779472948426816e-10",
};
constexpr std::string_view outer_f64[] = {
    "-1.7960712813579877e-7", "-1.1283773293911787",    "-0.636628488345312",     "-0.10274725370778096",
    "0.01907815795834391",    "0.000280485706748988",   "-0.0017689977618156794", "0.0006411704345115656",
    "-4.4821074927401757e-5", "-7.036728328554898e-5",  "4.503760210324797e-5",   "-1.6514000334304407e-5",
    "4.32705690710816e-6",    "-8.50577784111085e-7",   "1.257057052585039e-7",   "-1.3626823423629096e-8",
    "1.0257134757432886e-9",  "-4.796115774712426e-11", "1.0496428575103155e-12",
};

/// erf in StableHLO's own operations, within 1.5 units in the last place where exp is within 1. NaN passes through both
/// branches, and for everything else both are finite: the select discards nothing strange.
class PortableErf {
 public:
  PortableErf(stablehlo::Writer& writer, const Lowering& node)
      : writer_(writer),
        node_(node),
        type_{stablehlo::accumulator_of(node.type.element), node.type.shape},
        parts_(type_.element == f64 ? ErfParts{inner_f64, outer_f64, "6.0"} : ErfParts{inner_f32, outer_f32, "4.0"}) {}

  std::string write() {
    const bool direct = type_.element == node_.type.element;
    const auto x =
        direct ? node_.operands[0] : writer_.convert(name("promoted"), node_.operands[0], node_.type, type_.element);
    const auto bound = writer_.constant(name("bound"), parts_.saturated, type_);
    const auto bounded = line("bounded", "minimum", line("magnitude", "abs", x), bound);
    const auto squared = line("squared", "multiply", bounded, bounded);
    const auto scaled = line("scaled", "multiply", bounded, polynomial("inner", squared, parts_.inner));
    const auto inside = line("inside", "add", bounded, scaled);
    const auto rest = line("rest", "exponential", polynomial("outer", bounded, parts_.outer));
    const auto one = writer_.constant(name("one"), stablehlo::one_of(type_.element), type_);
    const auto outside = line("outside", "subtract", one, rest);
    const TensorType predicate{boolean, type_.shape};
    const TensorType* compared[] = {&type_, &type_};
    const auto small = writer_.line(
        name("small"), "compare", fmt::format("LT, {}, {}, {}", bounded, one, stablehlo::comparison_of(type_.element)),
        stablehlo::signature(compared, predicate));
    const auto chosen =
        writer_.line(name("chosen"), "select", fmt::format("{}, {}, {}", small, inside, outside),
                     fmt::format("{}, {}", stablehlo::type_text(predicate), stablehlo::type_text(type_)));
    const auto sign = line("sign", "sign", x);
    const auto result = writer_.line(direct ? node_.name : name("wide"), "multiply",
                                     fmt::format("{}, {}", sign, chosen), stablehlo::type_text(type_));
    return direct ? result : writer_.convert(node_.name, result, type_, node_.type.element);
  }

 private:
  std::string name(std::string_view word) const { return fmt::format("{}_{}", node_.name, word); }
  template <class... More>
  std::string line(std::string_view word, std::string_view operation, const std::string& x, const More&... more) {
    auto operands = x;
    (operands.append(", ").append(more), ...);
    return writer_.line(name(word), operation, operands, stablehlo::type_text(type_));
  }
  /// Horner's scheme, from the highest power down: `name_wordK` holds the sum from power K on, divided by that power.
  std::string polynomial(const std::string& word, const std::string& x,
                         std::span<const std::string_view> coefficients) {
    auto k = coefficients.size() - 1;
    auto sum = writer_.constant(name(fmt::format("{}{}", word, k)), coefficients[k], type_);
    while (k-- > 0) {
      const auto product = line(fmt::format("{}{}_product", word, k), "multiply", sum, x);
      const auto coefficient = writer_.constant(name(fmt::format("{}{}_part", word, k)), coefficients[k], type_);
      sum = line(fmt::format("{}{}", word, k), "add", product, coefficient);
    }
    return sum;
  }

  stablehlo::Writer& writer_;
  const Lowering& node_;
  TensorType type_;
  ErfParts parts_;
};

}  // namespace

std::string Erf::lower(stablehlo::Writer& writer, const Lowering& node) const {
  if (node.portable) return PortableErf(writer, node).write();
  writer.verbatim(fmt::format("{} = chlo.erf {} : {} -> {}", node.name, node.operands[0],
                              stablehlo::type_text(node.type), stablehlo::type_text(node.type)));
  return node.name;
}

std::string ErfDerivative::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& x = node.operands[0];
  const auto squared = helper(writer, node, "squared", "multiply", fmt::format("{}, {}", x, x));
  const auto negated = helper(writer, node, "negated", "negate", squared);
  const auto bell = helper(writer, node, "bell", "exponential", negated);
  const auto scale = writer.constant(node.name + "_scale", "1.1283791670955126", node.type);
  return writer.line(node.name, "multiply", fmt::format("{}, {}", bell, scale), stablehlo::type_text(node.type));
}

std::string Softplus::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& x = node.operands[0];
  const auto zero = writer.constant(node.name + "_zero", stablehlo::zero_of(node.type.element), node.type);
  const auto positive = helper(writer, node, "positive", "maximum", fmt::format("{}, {}", x, zero));
  const auto magnitude = helper(writer, node, "magnitude", "abs", x);
  const auto negated = helper(writer, node, "negated", "negate", magnitude);
  const auto powers = helper(writer, node, "exp", "exponential", negated);
  const auto rest = helper(writer, node, "rest", "log_plus_one", powers);
  return writer.line(node.name, "add", fmt::format("{}, {}", positive, rest), stablehlo::type_text(node.type));
}

}  // namespace topos::op
