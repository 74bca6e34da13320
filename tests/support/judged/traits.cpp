#include "support/judged/traits.h"

#include <algorithm>
#include <map>
#include <set>

#include "topos/execute/compiled_plan.h"
#include "topos/plan/election.h"

namespace topos::test {

std::string snake_name(PatternKind kind) {
  std::string out;
  for (const char letter : name_of(kind)) {
    const bool upper = letter >= 'A' && letter <= 'Z';
    if (upper && !out.empty()) out += '_';
    out += upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return out;
}

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Evaluated by a C library in double precision, one operation of the text or several.
bool is_function(std::string_view name) {
  return is_one_of(name, {"Exp", "Expm1", "Log", "Log1p", "Rsqrt", "Tanh", "Sin", "Cos", "Power", "Logistic",
                          "Softplus", "ErfDerivative", "Softmax", "LogSoftmax", "LogSumExp"});
}
bool is_sum(std::string_view name) { return is_one_of(name, {"MatMul", "Sum", "Softmax", "LogSoftmax", "LogSumExp"}); }
/// The library rounds their function once, the text has its formula.
bool is_formula(std::string_view name) { return is_one_of(name, {"Logistic", "Softplus", "ErfDerivative"}); }

double work_of(const Graph& graph, Index i) {
  const auto name = name_of(graph.op(i));
  const auto volume = [](const TensorType& type) { return static_cast<double>(type.shape.volume()); };
  if (name == "MatMul") {
    const auto& left = graph.type(graph.operands(i)[0]);
    return volume(graph.type(i)) * static_cast<double>(left.shape[left.rank() - 1]);
  }
  if (name == "Unfold") return volume(graph.type(i));
  const bool reads = is_sum(name) || is_one_of(name, {"Fold", "Scatter", "MaxAlong", "ArgMaxAlong"});
  return reads ? volume(graph.type(graph.operands(i)[0])) : 0;
}

/// Names of a set, each a bit.
class Reasons {
 public:
  std::uint64_t bit(const std::string& reason) {
    const auto [at, added] = places_.emplace(reason, names_.size());
    if (added) names_.push_back(reason);
    return std::uint64_t{1} << (at->second % 64);
  }
  std::vector<std::string> names(std::uint64_t bits) const {
    std::vector<std::string> out;
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (bits >> (k % 64) & 1) out.push_back(names_[k]);
    return out;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
};

std::uint64_t own_reasons(const Graph& graph, Index i, Reasons& reasons) {
  const auto name = name_of(graph.op(i));
  const auto element = graph.type(i).element;
  std::uint64_t bits = 0;
  if (name == "Erf" || (element == f64 && is_function(name)))
    bits |= reasons.bit(std::string(name) + " over " + std::string(element.name()));
  return bits;
}

}  // namespace

ModuleTraits traits_of(const Plan& plan, const EmitOptions& options) {
  const auto& schedule = plan.compiled().schedule;
  const auto& graph = schedule.spec().graph;
  ModuleTraits traits;
  Reasons reasons;
  std::vector<std::uint64_t> bits(schedule.reach());
  std::vector<bool> ordered(schedule.reach());
  std::set<std::string> opcodes, elements, raised;
  if (options.raise) {
    for (const auto k : elect_raised(schedule.candidates(), schedule)) {
      const auto& pattern = schedule.candidates()[k];
      const auto name = snake_name(pattern.kind);
      raised.insert(name);
      if (pattern.kind == PatternKind::reduce_window) continue;  // a largest number has no order
      bits[pattern.root] |= reasons.bit(name);
      for (const auto i : pattern.named) bits[i] |= reasons.bit(name);
    }
  }
  for (const auto i : schedule.nodes()) {
    const auto name = name_of(graph.op(i));
    opcodes.emplace(name);
    elements.emplace(graph.type(i).element.name());
    traits.multiply_adds += work_of(graph, i);
    bits[i] |= own_reasons(graph, i, reasons);
    const bool twice_rounded = graph.type(i).element == bf16 && is_function(name);
    ordered[i] = is_sum(name) || is_formula(name) || twice_rounded || bits[i] != 0;
    for (const auto operand : graph.operands(i)) {
      bits[i] |= bits[operand];
      ordered[i] = ordered[i] || ordered[operand];
    }
  }
  for (const auto i : schedule.results()) traits.results.push_back({ordered[i], reasons.names(bits[i])});
  traits.opcodes.assign(opcodes.begin(), opcodes.end());
  traits.elements.assign(elements.begin(), elements.end());
  traits.raised.assign(raised.begin(), raised.end());
  return traits;
}

}  // namespace topos::test
