// The recorded derivative: the reverse scan over values, which appends the chain rule to the tape.
#include <fmt/format.h>

#include <list>

#include "topos/autodiff/reverse.h"
#include "topos/spec/composite.h"
#include "topos/spec/recorder.h"
#include "topos/spec/tape.h"
#include "topos/spec/verify.h"

namespace topos {
namespace {

/// While a rule records, its nodes carry the forward node's line and number.
class Provenance {
 public:
  Provenance(Recorder& recorder, const Site& site) : recorder_(recorder), outer_(recorder.ambient), site_(site) {
    recorder_.ambient = &site_;
  }
  ~Provenance() {
    recorder_.ambient = outer_;
    recorder_.origin = nowhere;
  }
  Provenance(const Provenance&) = delete;
  Provenance& operator=(const Provenance&) = delete;
  void enter(Index node) {
    site_ = recorder_.spec->graph.site(node);
    recorder_.origin = node;
  }

 private:
  Recorder& recorder_;
  const Site* outer_;
  Site site_;
};

[[noreturn]] void refuse(std::string_view operation, const std::string& text, const TensorType& type,
                         const Site& site) {
  throw Error(ErrorKind::type, std::string(operation), text, {type.text()}, site);
}

/// The nodes that are asked for. Data carries no cotangent: asking for one is a mistake.
std::vector<Index> asked(const Recorder& recorder, const std::vector<Symbol>& wrt, std::string_view operation,
                         const Site& site) {
  std::vector<Index> nodes;
  for (const auto symbol : wrt) {
    nodes.push_back(recorder.own(symbol, operation));
    const auto& type = recorder.spec->graph.type(nodes.back());
    if (!type.element.is_floating())
      refuse(operation, fmt::format("node {} is {}: it carries no cotangent", nodes.back(), type.text()), type, site);
  }
  return nodes;
}

Adjoints record_reverse(Recorder& recorder, Index target, const Value& seed, const std::vector<Index>& wrt,
                        Provenance& provenance) {
  [[maybe_unused]] const auto first = recorder.spec->graph.size();
  std::list<Value> live;
  const auto payload = [&](Index i) -> const Value& { return live.emplace_back(recorder.value(i)); };
  const auto enter = [&](Index i) {
    live.clear();
    provenance.enter(i);
  };
  const auto cotangents = reverse<Value>(recorder.spec->graph, target, seed, payload, enter);
  std::vector<std::pair<Symbol, Symbol>> pairs;
  for (const auto node : wrt) {
    provenance.enter(node);
    const bool reached = node <= target && cotangents[node];
    const auto gradient = reached ? *cotangents[node] : full_like(recorder.value(node), 0.0);
    pairs.emplace_back(recorder.value(node).symbol(), gradient.symbol());
  }
#ifndef NDEBUG
  verify(*recorder.spec, first);
#endif
  return {recorder.value(target).symbol(), std::move(pairs)};
}

}  // namespace

Adjoints Tape::differentiate(Symbol loss, const std::vector<Symbol>& wrt, Site site) {
  auto& recorder = this->recorder();
  const auto target = recorder.own(loss, "differentiate");
  const auto& type = recorder.spec->graph.type(target);
  if (!type.element.is_floating())
    refuse("differentiate", "the loss is " + type.text() + ": it has no gradient", type, site);
  if (type.rank() != 0)
    refuse("differentiate", "the loss is " + type.text() + ", not a scalar: reduce it with sum", type, site);
  const auto nodes = asked(recorder, wrt, "differentiate", site);
  Composite scope(recorder, site);
  Provenance provenance(recorder, site);
  provenance.enter(target);
  const auto seed = full_like(recorder.value(target), 1.0);
  return record_reverse(recorder, target, seed, nodes, provenance);
}

Adjoints Tape::vjp(Symbol target, const Value& cotangent, const std::vector<Symbol>& wrt, Site site) {
  auto& recorder = this->recorder();
  const auto node = recorder.own(target, "vjp");
  recorder.own(cotangent, "vjp", site);
  const auto& type = recorder.spec->graph.type(node);
  if (!type.element.is_floating()) refuse("vjp", "the target is " + type.text() + ": it has no gradient", type, site);
  if (!(cotangent.type() == type))
    throw Error(ErrorKind::type, "vjp",
                fmt::format("the cotangent is {}, the target {}", cotangent.type().text(), type.text()),
                {cotangent.type().text(), type.text()}, site);
  const auto nodes = asked(recorder, wrt, "vjp", site);
  Composite scope(recorder, site);
  Provenance provenance(recorder, site);
  return record_reverse(recorder, node, cotangent, nodes, provenance);
}

}  // namespace topos
