// Recording: sources, derivatives and the way to a sealed network.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "topos/spec/adjoints.h"
#include "topos/spec/network.h"
#include "topos/spec/node.h"
#include "topos/spec/value.h"

namespace topos {

/// An append-only list of operations, each checked at the line that records it. Move-only; belongs to one thread at a
/// time. A failed recording leaves it as it was.
class Tape {
 public:
  /// An empty tape. `working` is the element of numbers and braces that name no other.
  explicit Tape(ElementType working = f32);
  Tape(Tape&&) noexcept;
  Tape& operator=(Tape&&) noexcept;
  ~Tape();

  /// A trainable source with its initial payload.
  Value parameter(const Literal& initial, Site site = Site::current());
  Value parameter(const Literal& initial, ElementType element, Site site = Site::current());
  /// A source fed for each run; the payload is the default of a run that does not feed it, and its type.
  Value input(const Literal& otherwise, Site site = Site::current());
  Value input(const Literal& otherwise, ElementType element, Site site = Site::current());
  /// A constant.
  Value leaf(const Literal& constant, Site site = Site::current());
  Value leaf(const Literal& constant, ElementType element, Site site = Site::current());
  /// 0, 1, 2, ... along `axis`, i64.
  Value iota(const Shape& shape, Extent axis, Site site = Site::current());

  /// A live value for a recorded node, after reopening for example. Throws Error(family) or Error(coverage).
  Value resolve(Symbol symbol);

  /// Records the gradient of a scalar with respect to each of `wrt` as further nodes, by the rules that the engine
  /// scan computes with. The result is differentiable again. Throws Error(type) for a loss that is not a floating
  /// scalar or a wrt that carries no cotangent. Defined in autodiff/.
  Adjoints differentiate(Symbol loss, const std::vector<Symbol>& wrt, Site site = Site::current());
  /// The same from a cotangent of the target's type, which is taken as a constant weight.
  Adjoints vjp(Symbol target, const Value& cotangent, const std::vector<Symbol>& wrt, Site site = Site::current());

  ElementType element() const;
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  Node node(Symbol symbol) const;
  std::vector<Node> nodes() const;
  /// What a leaf, parameter or input holds; nothing for a computed node.
  std::optional<Tensor> payload(Symbol symbol) const;
  /// One line a node, then the counts.
  std::string describe() const;

  /// Seals: moves the columns, copies nothing. Values of this tape are stale from here on.
  Network into_network() &&;

  /// Records `f(tape)` on a fresh tape and seals it. The values that f returns come back as symbols behind the
  /// network, one level of tuple flattened: `auto [network, w, loss] = Tape::record(f64, ...)`.
  template <class F>
  static auto record(ElementType working, F&& f);
  template <class F>
  static auto record(F&& f) {
    return record(f32, std::forward<F>(f));
  }

  /// For composites and autodiff/.
  Recorder& recorder() const;

 private:
  friend class Network;
  explicit Tape(std::unique_ptr<Recorder> recorder);
  std::unique_ptr<Recorder> recorder_;
};

/// What leaves a recording: a value as its symbol, anything else as it is.
inline Symbol detach(const Value& value) { return value.symbol(); }
inline std::vector<Symbol> detach(const std::vector<Value>& values) { return {values.begin(), values.end()}; }
template <std::size_t N>
std::array<Symbol, N> detach(const std::array<Value, N>& values) {
  std::array<Symbol, N> symbols;
  for (std::size_t i = 0; i < N; ++i) symbols[i] = values[i].symbol();
  return symbols;
}
template <class T>
T detach(T other) {
  return other;
}

namespace detail {

template <class T>
auto names_of(T&& recorded) {
  if constexpr (requires { std::tuple_size<std::remove_cvref_t<T>>::value; })
    return std::apply([](auto&&... each) { return std::tuple(detach(std::forward<decltype(each)>(each))...); },
                      std::forward<T>(recorded));
  else
    return std::tuple(detach(std::forward<T>(recorded)));
}

}  // namespace detail

template <class F>
auto Tape::record(ElementType working, F&& f) {
  Tape tape(working);
  if constexpr (std::is_void_v<decltype(f(tape))>) {
    f(tape);
    return std::tuple<Network>(std::move(tape).into_network());
  } else {
    auto names = detail::names_of(f(tape));
    return std::tuple_cat(std::tuple<Network>(std::move(tape).into_network()), std::move(names));
  }
}

}  // namespace topos
