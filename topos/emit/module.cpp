// The module walker: arguments, the schedule's nodes line by line, results.
#include <fmt/format.h>

#include "topos/emit/literal.h"
#include "topos/execute/compiled_plan.h"
#include "topos/stablehlo/writer.h"

namespace topos {
namespace {

class Module {
 public:
  explicit Module(const Schedule& schedule)
      : schedule_(schedule), spec_(schedule.spec()), graph_(spec_.graph), names_(schedule.reach()) {}

  std::string text() && {
    for (const auto i : schedule_.nodes())
      if (graph_.is<op::Parameter>(i)) add_argument(i);
    for (const auto i : schedule_.nodes())
      if (graph_.is<op::Input>(i)) add_argument(i);
    for (const auto i : schedule_.nodes())
      if (names_[i].empty()) add_node(i);
    std::vector<std::string> results, types;
    for (const auto i : schedule_.results()) {
      results.push_back(names_[i]);
      types.push_back(stablehlo::type_text(graph_.type(i)));
    }
    const auto returned = fmt::format("{}", fmt::join(types, ", "));
    return fmt::format("module @topos {{\n  func.func @main({}) -> ({}) {{\n{}    return{}{}{}{}\n  }}\n}}\n",
                       fmt::join(arguments_, ", "), returned, writer_.body(), results.empty() ? "" : " ",
                       fmt::join(results, ", "), results.empty() ? "" : " : ", returned);
  }

 private:
  void add_argument(Index i) {
    names_[i] = fmt::format("%arg{}", arguments_.size());
    arguments_.push_back(fmt::format("{}: {}", names_[i], typed(i)));
  }

  void add_node(Index i) {
    std::vector<std::string> operands;
    for (const auto operand : graph_.operands(i)) operands.push_back(names_[operand]);
    std::string literal;
    if (graph_.is<op::Leaf>(i))
      literal = located(i, [&] { return dense_literal(spec_.slots.constants[graph_.slot(i)]); });
    const Lowering node{fmt::format("%v{}", i), graph_.type(i), operands, graph_.operand_types(i, types_), literal};
    names_[i] = located(i, [&] { return lower(graph_.op(i), writer_, node); });
  }

  std::string typed(Index i) const {
    return located(i, [&] { return stablehlo::type_text(graph_.type(i)); });
  }
  /// An emission error names the node and the place that recorded it.
  template <class F>
  std::string located(Index i, F&& f) const {
    try {
      return f();
    } catch (const Error& error) {
      throw Error(ErrorKind::emission, std::string(name_of(graph_.op(i))), fmt::format("node {}: {}", i, error.text()),
                  error.types(), graph_.site(i));
    }
  }

  const Schedule& schedule_;
  const Spec& spec_;
  const Graph& graph_;
  stablehlo::Writer writer_;
  std::vector<std::string> names_;
  std::vector<std::string> arguments_;
  std::vector<const TensorType*> types_;
};

}  // namespace

std::string Plan::emit_stablehlo() const { return Module(compiled_->schedule).text(); }

}  // namespace topos
