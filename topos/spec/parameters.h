// A payload for every parameter: weights, gradients, moments. The caller's state; no network ever holds it.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "topos/spec/symbol.h"
#include "topos/tensor/algebra.h"
#include "topos/tensor/literal.h"

namespace topos {

class Network;

/// An immutable value with one tensor a parameter, in recording order. A copy shares the numbers. A training step is
/// a pure transform: `parameters = parameters.step(gradients, rule)`.
class Parameters {
 public:
  using Nodes = std::shared_ptr<const std::vector<Index>>;
  Parameters(std::uint64_t family, Nodes nodes, std::vector<Tensor> payloads);

  std::size_t size() const { return payloads_.size(); }
  bool empty() const { return payloads_.empty(); }
  std::span<const Tensor> payloads() const { return payloads_; }
  std::uint64_t family() const { return family_; }
  const Nodes& nodes() const { return nodes_; }
  /// The name of a slot.
  Symbol symbol(std::size_t slot) const { return {family_, (*nodes_)[slot]}; }
  /// The payload of one parameter. Throws Error(family) or Error(coverage).
  const Tensor& of(Symbol symbol) const;

  /// Each payload becomes rule(payload, direction's payload). Throws Error(family) for a direction of another network
  /// or another number of slots, and Error(type) when the rule changes a type.
  template <class Rule>
  Parameters step(const Parameters& direction, Rule&& rule) const {
    return step_each(direction, [&](Symbol, const Tensor& x, const Tensor& d) { return rule(x, d); });
  }
  /// The same; the rule is also told which parameter it steps. Called once a slot, in slot order.
  template <class Rule>
  Parameters step_each(const Parameters& direction, Rule&& rule) const {
    check_same_slots(direction, "Parameters::step");
    std::vector<Tensor> next;
    next.reserve(size());
    for (std::size_t slot = 0; slot < size(); ++slot) {
      next.push_back(rule(symbol(slot), payloads_[slot], direction.payloads_[slot]));
      check_type(slot, next.back(), "Parameters::step");
    }
    return {family_, nodes_, std::move(next)};
  }
  /// Each payload becomes f(payload); types may change.
  template <class F>
  Parameters map(F&& f) const {
    std::vector<Tensor> next;
    next.reserve(size());
    for (const auto& payload : payloads_) next.push_back(f(payload));
    return {family_, nodes_, std::move(next)};
  }
  /// Slot by slot f(this, other). Throws Error(family) for another network or number of slots.
  template <class F>
  Parameters zip(const Parameters& other, F&& f) const {
    check_same_slots(other, "Parameters::zip");
    std::vector<Tensor> next;
    next.reserve(size());
    for (std::size_t slot = 0; slot < size(); ++slot) next.push_back(f(payloads_[slot], other.payloads_[slot]));
    return {family_, nodes_, std::move(next)};
  }
  friend Parameters operator+(const Parameters& a, const Parameters& b) {
    return a.zip(b, [](const Tensor& x, const Tensor& y) { return x + y; });
  }
  Parameters scale(double factor) const;

  /// Named payloads replaced; the last of several for one symbol wins. Throws Error(family), Error(coverage), or
  /// Error(type) when a type changes.
  Parameters with(std::span<const std::pair<Symbol, Tensor>> replaced) const;
  Parameters with(std::initializer_list<std::pair<Symbol, Tensor>> replaced) const {
    return with(std::span(replaced.begin(), replaced.size()));
  }
  /// This state for a network that was reopened and has grown: its slots keep their payloads, later ones start from
  /// their initials. Throws Error(family), or Error(coverage) when the network has fewer slots.
  Parameters carried(const Network& network) const;

 private:
  std::size_t slot_of(Symbol symbol, std::string_view operation) const;
  void check_same_slots(const Parameters& other, std::string_view operation) const;
  void check_type(std::size_t slot, const Tensor& next, std::string_view operation) const;

  std::uint64_t family_;
  Nodes nodes_;
  std::vector<Tensor> payloads_;
};

/// What a run is fed: an input by name and its payload. A number or braces take the input's element; a number spreads
/// over its shape.
struct Feed {
  Symbol input;
  Literal value;
};
/// Feeds written in a call, and feeds kept somewhere: a class over both would dangle.
using FeedList = std::initializer_list<Feed>;
using Feeds = std::span<const Feed>;

}  // namespace topos
