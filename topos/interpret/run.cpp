#include "topos/interpret/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "topos/autodiff/reverse.h"
#include "topos/base/float_environment.h"
#include "topos/interpret/run_state.h"

namespace topos {

const Tensor* RunState::find(Index node) const {
  if (!nodes) return node < payloads.size() ? &payloads[node] : nullptr;
  if (positions) return (*positions)[node] == nowhere ? nullptr : &payloads[(*positions)[node]];
  const auto at = std::find(nodes->begin(), nodes->end(), node);
  return at == nodes->end() ? nullptr : &payloads[static_cast<std::size_t>(at - nodes->begin())];
}

Run::Run(const Run& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->holders.fetch_add(1, std::memory_order_relaxed);
}

Run::~Run() {
  if (state_ == nullptr || state_->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (state_->home != nullptr)
    state_->home->give_back(state_);
  else
    delete state_;
}

const Tensor& Run::of(Symbol symbol) const {
  if (symbol.family() != state_->spec->graph.family())
    throw Error(ErrorKind::family, "Run::of", "the symbol belongs to a different network");
  if (symbol.index() >= state_->size)
    throw Error(ErrorKind::coverage, "Run::of", fmt::format("node {} was allocated after this run", symbol.index()));
  const auto& nodes = state_->nodes;
  if (!nodes) return state_->payloads[symbol.index()];
  for (std::size_t k = 0; k < state_->readable; ++k)
    if ((*nodes)[k] == symbol.index()) return state_->payloads[k];
  const auto& graph = state_->spec->graph;
  const auto label = graph.label(symbol.index());
  throw Error(ErrorKind::coverage, "Run::of",
              fmt::format("node {}{}{} was not computed for reading: declare it with observe", symbol.index(),
                          label.empty() ? "" : " ", label),
              {graph.type(symbol.index()).text()}, graph.site(symbol.index()));
}

Field Run::backward(Symbol target) const {
  const auto& value = of(target);
  const auto& graph = state_->spec->graph;
  if (!state_->backward)
    throw Error(ErrorKind::coverage, "Run::backward",
                "this plan freed what backward needs: declare the posture with entry(...).backward()");
  if (!value.element().is_floating() || value.shape().rank() != 0)
    throw Error(ErrorKind::type, "Run::backward",
                fmt::format("the target is {}, not a floating scalar: reduce it with sum", value.type().text()),
                {value.type().text()});
  const FloatEnvironment exact;
  // What no rule reads was not kept; a constant of its type stands in while a rule runs.
  std::list<Tensor> stand_ins;
  const auto payload = [&](Index i) -> const Tensor& {
    if (const auto* kept = state_->find(i)) return *kept;
    return stand_ins.emplace_back(Tensor::full(graph.type(i), 0));
  };
  auto cotangents =
      reverse<Tensor>(graph, target.index(), full_like(value, 1.0), payload, [&](Index) { stand_ins.clear(); });
  return {state_->spec, std::move(cotangents), state_->size};
}

Parameters Run::recorded_gradients(const Adjoints& adjoints) const {
  const auto& graph = state_->spec->graph;
  const auto family = graph.family();
  const auto& nodes = *state_->parameter_nodes;
  std::vector<Tensor> payloads;
  payloads.reserve(nodes.size());
  for (const auto node : nodes) {
    const Tensor* gradient = nullptr;
    for (const auto& [wrt, symbol] : adjoints.pairs())
      if (wrt == Symbol{family, node}) gradient = &of(symbol);
    payloads.push_back(gradient != nullptr ? *gradient : Tensor::full(graph.type(node), 0));
    if (gradient != nullptr && !(gradient->type() == graph.type(node)))
      throw Error(ErrorKind::type, "Run::recorded_gradients",
                  fmt::format("the gradient of parameter {} is {}, the parameter {}", node, gradient->type().text(),
                              graph.type(node).text()),
                  {gradient->type().text(), graph.type(node).text()});
  }
  for (const auto& [wrt, symbol] : adjoints.pairs()) {
    if (wrt.family() != family)
      throw Error(ErrorKind::family, "Run::recorded_gradients", "the adjoints belong to a different network");
    if (!std::binary_search(nodes.begin(), nodes.end(), wrt.index()))
      throw Error(ErrorKind::coverage, "Run::recorded_gradients",
                  fmt::format("node {} is not a parameter: read its gradient with of", wrt.index()));
  }
  return {family, state_->parameter_nodes, std::move(payloads)};
}

Field::Field(std::shared_ptr<const Spec> spec, std::vector<std::optional<Tensor>> payloads, std::size_t size)
    : spec_(std::move(spec)), payloads_(std::move(payloads)), size_(size) {}

Tensor Field::of(Symbol symbol) const {
  if (symbol.family() != spec_->graph.family())
    throw Error(ErrorKind::family, "Field::of", "the symbol belongs to a different network");
  if (symbol.index() >= size_)
    throw Error(ErrorKind::coverage, "Field::of",
                fmt::format("node {} was allocated after this field was produced", symbol.index()));
  const auto& type = spec_->graph.type(symbol.index());
  if (!type.element.is_floating())
    throw Error(ErrorKind::type, "Field::of",
                fmt::format("node {} is {}: it carries no cotangent", symbol.index(), type.text()), {type.text()});
  if (symbol.index() < payloads_.size() && payloads_[symbol.index()]) return *payloads_[symbol.index()];
  return Tensor::full(type, 0);
}

Parameters Field::parameters(const Parameters& like) const {
  if (like.family() != spec_->graph.family())
    throw Error(ErrorKind::family, "Field::parameters", "the parameters belong to a different network");
  std::vector<Tensor> payloads;
  payloads.reserve(like.size());
  for (std::size_t slot = 0; slot < like.size(); ++slot) {
    const auto node = like.symbol(slot).index();
    if (node >= size_)
      throw Error(ErrorKind::coverage, "Field::parameters",
                  fmt::format("this field is stale: it does not reach parameter {}", node));
    const bool reached = node < payloads_.size() && payloads_[node];
    payloads.push_back(reached ? *payloads_[node] : Tensor::full(spec_->graph.type(node), 0));
  }
  return {like.family(), like.nodes(), std::move(payloads)};
}

Field Field::scale(double factor) const {
  auto payloads = payloads_;
  for (auto& payload : payloads)
    if (payload) *payload = *payload * factor;
  return {spec_, std::move(payloads), size_};
}

Field operator+(const Field& a, const Field& b) {
  if (a.spec_->graph.family() != b.spec_->graph.family() || a.size_ != b.size_)
    throw Error(ErrorKind::family, "Field", "the fields belong to different networks or runs");
  auto payloads = a.payloads_;
  payloads.resize(std::max(payloads.size(), b.payloads_.size()));
  for (std::size_t i = 0; i < b.payloads_.size(); ++i) {
    if (!b.payloads_[i]) continue;
    payloads[i] = payloads[i] ? *payloads[i] + *b.payloads_[i] : *b.payloads_[i];
  }
  return {a.spec_, std::move(payloads), a.size_};
}

}  // namespace topos
