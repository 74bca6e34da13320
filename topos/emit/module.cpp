// The module walker: arguments, what the results need line by line, results.
#include <fmt/format.h>

#include <unordered_map>

#include "topos/emit/literal.h"
#include "topos/emit/raise.h"
#include "topos/emit/target.h"
#include "topos/execute/compiled_plan.h"
#include "topos/plan/election.h"
#include "topos/stablehlo/writer.h"

namespace topos {
namespace {

class Module {
 public:
  Module(const CompiledPlan& plan, const EmitOptions& options)
      : plan_(plan),
        options_(options),
        schedule_(plan.schedule),
        spec_(schedule_.spec()),
        graph_(spec_.graph),
        names_(schedule_.reach()),
        needed_(schedule_.reach()) {
    if (options.raise) {
      const auto& pool = schedule_.candidates();
      for (const auto k : elect_raised(pool, schedule_)) {
        raised_.emplace(pool[k].root, &pool[k]);
        for (const auto i : pool[k].named) root_of_.emplace(i, pool[k].root);
      }
    }
    demand(schedule_.results());
  }

  std::string text() && {
    const auto places = replaced_places();
    for (const auto i : schedule_.arguments()) {
      const auto place = places.find(i);
      add_argument(i, place == places.end() ? "" : fmt::format(" {{tf.aliasing_output = {} : i32}}", place->second));
    }
    for (const auto i : schedule_.nodes())
      if (needed_[i] && names_[i].empty()) add(i);
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
  void add_argument(Index i, std::string_view attributes) {
    names_[i] = fmt::format("%arg{}", arguments_.size());
    arguments_.push_back(fmt::format("{}: {}{}", names_[i], typed(i), attributes));
  }

  /// A replaced source to the place of its value among the results.
  std::unordered_map<Index, std::size_t> replaced_places() const {
    std::unordered_map<Index, std::size_t> result_places, places;
    for (const auto i : schedule_.results()) result_places.emplace(i, result_places.size());
    for (const auto& [source, value] : plan_.replaced) places.emplace(source.index(), result_places.at(value.index()));
    return places;
  }

  /// Marks what the text will hold: from the results, through what each reads. A raised composition reads past its
  /// interiors, which so vanish unless somebody else needs them.
  void demand(std::vector<Index> pending) {
    const auto want = [&](Index i) {
      if (const auto home = root_of_.find(i); home != root_of_.end()) i = home->second;
      if (needed_[i]) return;
      needed_[i] = true;
      pending.push_back(i);
    };
    const auto results = std::exchange(pending, {});
    for (const auto i : results) want(i);
    while (!pending.empty()) {
      const auto i = pending.back();
      pending.pop_back();
      if (const auto found = raised_.find(i); found != raised_.end()) {
        for (const auto read : reads_of(*found->second)) want(read);
      } else {
        for (const auto operand : graph_.operands(i)) want(operand);
      }
    }
  }

  void add(Index i) {
    const auto found = raised_.find(i);
    if (found == raised_.end()) return add_node(i);
    const auto& pattern = *found->second;
    std::string epsilon;
    if (pattern.reads.size() > 3) epsilon = dense_literal(spec_.slots.constants[graph_.slot(pattern.reads[3])]);
    const auto names = located(i, [&] { return raise({graph_, writer_, pattern, names_, epsilon}); });
    names_[i] = names[0];
    for (std::size_t k = 0; k < pattern.named.size(); ++k) names_[pattern.named[k]] = names[k + 1];
  }

  void add_node(Index i) {
    std::vector<std::string> operands;
    for (const auto operand : graph_.operands(i)) operands.push_back(names_[operand]);
    std::string literal;
    if (graph_.is<op::Leaf>(i))
      literal = located(i, [&] { return dense_literal(spec_.slots.constants[graph_.slot(i)]); });
    const Lowering node{fmt::format("%v{}", i),          graph_.type(i), operands,
                        graph_.operand_types(i, types_), literal,        !options_.target.empty()};
    names_[i] = located(i, [&] { return lower(graph_.op(i), writer_, node); });
  }

  std::string typed(Index i) const {
    return located(i, [&] { return stablehlo::type_text(graph_.type(i)); });
  }
  /// An emission error names the node and the place that recorded it.
  template <class F>
  std::invoke_result_t<F&> located(Index i, F&& f) const {
    try {
      return f();
    } catch (const Error& error) {
      throw Error(ErrorKind::emission, std::string(name_of(graph_.op(i))), fmt::format("node {}: {}", i, error.text()),
                  error.types(), graph_.site(i));
    }
  }

  const CompiledPlan& plan_;
  const EmitOptions& options_;
  const Schedule& schedule_;
  const Spec& spec_;
  const Graph& graph_;
  stablehlo::Writer writer_;
  std::vector<std::string> names_;
  std::vector<bool> needed_;
  std::unordered_map<Index, const Pattern*> raised_;  // by root
  std::unordered_map<Index, Index> root_of_;          // of a further result of a raised composition
  std::vector<std::string> arguments_;
  std::vector<const TensorType*> types_;
};

}  // namespace

std::string Plan::emit_stablehlo(const EmitOptions& options) const {
  check_target(options.target);
  return Module(*compiled_, options).text();
}

}  // namespace topos
