#include "topos/spec/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/spec/network.h"

namespace topos {

Parameters::Parameters(std::uint64_t family, Nodes nodes, std::vector<Tensor> payloads)
    : family_(family), nodes_(std::move(nodes)), payloads_(std::move(payloads)) {}

std::size_t Parameters::slot_of(Symbol symbol, std::string_view operation) const {
  if (symbol.family() != family_)
    throw Error(ErrorKind::family, std::string(operation), "the symbol belongs to a different network");
  const auto end = nodes_->begin() + static_cast<std::ptrdiff_t>(size());
  const auto at = std::lower_bound(nodes_->begin(), end, symbol.index());  // recording order is ascending
  if (at == end || *at != symbol.index())
    throw Error(ErrorKind::coverage, std::string(operation),
                fmt::format("node {} is not a parameter that this state carries", symbol.index()));
  return static_cast<std::size_t>(at - nodes_->begin());
}

const Tensor& Parameters::of(Symbol symbol) const { return payloads_[slot_of(symbol, "Parameters::of")]; }

void Parameters::check_same_slots(const Parameters& other, std::string_view operation) const {
  if (other.family_ != family_)
    throw Error(ErrorKind::family, std::string(operation), "the other parameters belong to a different network");
  if (other.size() != size())
    throw Error(
        ErrorKind::family, std::string(operation),
        fmt::format("{} slots meet {}: carry the older state over with Parameters::carried", size(), other.size()));
}

void Parameters::check_type(std::size_t slot, const Tensor& next, std::string_view operation) const {
  const auto& type = payloads_[slot].type();
  if (next.type() == type) return;
  throw Error(ErrorKind::type, std::string(operation),
              fmt::format("parameter {} is {} and would become {}", (*nodes_)[slot], type.text(), next.type().text()),
              {type.text(), next.type().text()});
}

Parameters Parameters::scale(double factor) const {
  return map([&](const Tensor& x) { return x * factor; });
}

Parameters Parameters::with(std::span<const std::pair<Symbol, Tensor>> replaced) const {
  auto next = payloads_;
  for (const auto& [symbol, payload] : replaced) {
    const auto slot = slot_of(symbol, "Parameters::with");
    check_type(slot, payload, "Parameters::with");
    next[slot] = payload;
  }
  return {family_, nodes_, std::move(next)};
}

Parameters Parameters::carried(const Network& network) const {
  const auto fresh = network.parameters();
  if (fresh.family() != family_)
    throw Error(ErrorKind::family, "Parameters::carried", "the network belongs to a different family");
  if (fresh.size() < size())
    throw Error(ErrorKind::coverage, "Parameters::carried",
                fmt::format("this state has {} slots, the network only {}", size(), fresh.size()));
  auto next = payloads_;
  next.insert(next.end(), fresh.payloads().begin() + static_cast<std::ptrdiff_t>(size()), fresh.payloads().end());
  return {family_, fresh.nodes(), std::move(next)};
}

}  // namespace topos
