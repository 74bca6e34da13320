// Random recordings: types, views and graphs drawn from a seed, over every computed opcode.
#pragma once
#include <algorithm>

#include "support/program.h"

namespace topos::test {

/// Draws one recording. Values may be anything, infinities and NaN included.
class RandomProgram {
 public:
  RandomProgram(Tape& tape, Random random) : tape_(tape), random_(random) {}

  Recorded record() {
    const auto sources = 2 + random_.below(3);
    for (std::size_t i = 0; i < sources; ++i) add_source();
    const auto nodes = 10 + random_.below(50);
    for (std::size_t tries = 0; tape_.size() < nodes && tries < 500; ++tries) step();
    Recorded recorded{wrt_, pool_.back()};
    // The output mixes some of the last values, so that most of the graph counts.
    std::optional<Value> total;
    for (std::size_t i = 0; i < 4 && i < pool_.size(); ++i) {
      const auto value = pool_[pool_.size() - 1 - i];
      const auto number = convert(value, tape_.element());
      const auto part = sum(number);
      total = total ? *total + part : part;
    }
    recorded.output = *total;
    return recorded;
  }

 private:
  static constexpr Extent largest = 300;

  Shape shape() {
    auto shape = Shape::zeros(random_.below(4));
    for (auto& extent : shape) extent = random_.below(12) == 0 ? 0 : 1 + static_cast<Extent>(random_.below(4));
    return shape;
  }
  ElementType floating() {
    constexpr ElementType others[] = {f32, f64, bf16};
    return random_.below(6) == 0 ? others[random_.below(3)] : tape_.element();
  }
  void add_source() {
    const auto payload = random_.tensor({floating(), shape()}, -2, 2);
    const auto kind = random_.below(3);
    const auto source = kind == 0 ? tape_.input(payload) : kind == 1 ? tape_.leaf(payload) : tape_.parameter(payload);
    wrt_.push_back(source);
    pool_.push_back(source);
  }
  /// A value of the pool, late ones more often.
  Value pick() {
    const auto n = pool_.size();
    return pool_[std::max(random_.below(n), random_.below(n))];
  }
  /// Another value of x's type, x itself or a constant.
  Value like(const Value& x) {
    std::vector<Value> fitting;
    for (const auto& value : pool_)
      if (value.type() == x.type()) fitting.push_back(value);
    if (fitting.empty() || random_.below(5) == 0) return full_like(x, random_.between(-2, 2));
    return fitting[random_.below(fitting.size())];
  }
  Extent axis_of(const Value& x) { return static_cast<Extent>(random_.below(x.shape().rank())); }
  void keep(const Value& x) { pool_.push_back(x); }

  void step() {
    const auto x = pick();
    switch (random_.below(7)) {
      case 0: return arithmetic(x);
      case 5: return windows(x);
      case 1: return elementary(x);
      case 2: return choice(x);
      case 3: return contraction(x);
      case 4: return movement(x);
      default: return indexing(x);
    }
  }
  void arithmetic(const Value& x) {
    const auto y = like(x);
    switch (random_.below(10)) {
      case 0: return keep(x + y);
      case 1: return keep(x - y);
      case 2: return keep(x * y);
      case 3: return keep(x / y);
      case 4: return keep(maximum(x, y));
      case 5: return keep(minimum(x, y));
      case 6: return keep(power(x, y));
      case 7: return keep(abs(x));
      case 8: return keep(sign(x));
      default: return keep(-x);
    }
  }
  void elementary(const Value& x) {
    switch (random_.below(16)) {
      case 0: return keep(exp(x));
      case 1: return keep(log(x));
      case 2: return keep(sqrt(x));
      case 3: return keep(expm1(x));
      case 4: return keep(log1p(x));
      case 5: return keep(rsqrt(x));
      case 6: return keep(sin(x));
      case 7: return keep(cos(x));
      case 8: return keep(erf(x));
      case 9: return keep(erf_derivative(x));
      case 10: return keep(logistic(x));
      case 11: return keep(softplus(x));
      case 12: return keep(stop_gradient(x));
      case 13: return keep(convert(x, floating()));
      default: return keep(tanh(x));
    }
  }
  void choice(const Value& x) {
    const auto y = like(x);
    auto test = compare(x, y, static_cast<Direction>(random_.below(6)));
    const auto other = compare(x, 0.5, Direction::lt);
    if (random_.coin()) test = random_.coin() ? logical_and(test, other) : logical_or(other, test);
    if (random_.coin()) test = logical_not(test);
    if (random_.below(4) == 0) return keep(convert(test, floating()));
    keep(select(test, x, y));
  }
  void contraction(const Value& x) {
    const auto rank = x.shape().rank();
    if (rank >= 2 && random_.coin()) {
      const auto turned = permute(x, turned_axes(rank));
      const auto last = x.shape()[rank - 2];
      if (x.shape().volume() * last > largest) return;
      return keep(random_.coin() ? matmul(x, turned) : matmul(turned, x));
    }
    if (rank == 0) return keep(sum(x));
    const auto axis = axis_of(x);
    if (random_.coin()) {
      auto axes = Shape{axis};
      if (rank > 1 && random_.coin()) axes = axis == 0 ? Shape{1, 0} : Shape{0, axis};
      return keep(sum(x, axes));
    }
    if (x.shape().at(axis) == 0) return;
    switch (random_.below(5)) {
      case 0: return keep(softmax(x, axis));
      case 1: return keep(log_softmax(x, axis));
      case 2: return keep(max_along(x, axis));
      case 3: return keep(convert(argmax_along(x, axis), floating()));
      default: return keep(logsumexp(x, axis));
    }
  }
  static Shape turned_axes(std::size_t rank) {
    auto order = Shape::counting(rank);
    std::swap(order[rank - 1], order[rank - 2]);
    return order;
  }
  void movement(const Value& x) {
    const auto rank = x.shape().rank();
    const auto kind = random_.below(7);
    if (kind == 0 && x.shape().volume() == 1) return keep(broadcast(x, shape()));
    if (kind <= 1) {
      const auto extent = static_cast<Extent>(random_.below(4));
      if (rank > 4 || x.shape().volume() * extent > largest) return;
      return keep(broadcast_along(x, static_cast<Extent>(random_.below(rank + 1)), extent));
    }
    if (kind == 2) return keep(reshape(x, random_.coin() ? Shape{x.shape().volume()} : x.shape().with(0, 1)));
    if (rank == 0) return keep(reshape(x, {1}));
    const auto axis = axis_of(x);
    const auto extent = x.shape().at(axis);
    if (kind == 3) return keep(permute(x, shuffled(rank)));
    if (kind == 4) {
      const auto start = static_cast<Extent>(random_.below(static_cast<std::size_t>(extent) + 1));
      return keep(
          narrow(x, axis, start, static_cast<Extent>(random_.below(static_cast<std::size_t>(extent - start) + 1))));
    }
    if (kind == 5) {
      const auto start = static_cast<Extent>(random_.below(3));
      return keep(pad(x, axis, start, start + extent + static_cast<Extent>(random_.below(3))));
    }
    if (x.shape().volume() * 2 > largest) return;
    const auto beside = like(x);
    keep(topos::concat({x, beside}, axis));
  }
  void windows(const Value& x) {
    const auto rank = x.shape().rank();
    if (rank == 0) return;
    const auto axis = axis_of(x);
    const auto extent = x.shape().at(axis);
    const auto step = 1 + static_cast<Extent>(random_.below(3)), dilation = 1 + static_cast<Extent>(random_.below(2));
    const auto next = axis + 1;
    if (next < static_cast<Extent>(rank) && random_.coin() && extent > 0 && x.shape().at(next) > 0) {
      const auto whole = (extent - 1) * step + (x.shape().at(next) - 1) * dilation + 1;
      return keep(fold(x, axis, x.shape().at(next), step, dilation, whole));
    }
    const auto size = 1 + static_cast<Extent>(random_.below(3));
    if (rank > 4 || (size - 1) * dilation + 1 > extent || x.shape().volume() * size > largest) return;
    keep(unfold(x, axis, size, step, dilation));
  }
  Shape shuffled(std::size_t rank) {
    auto order = Shape::counting(rank);
    for (std::size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    return order;
  }
  void indexing(const Value& x) {
    const auto rank = x.shape().rank();
    if (rank == 0) return keep(scatter(x, tape_.leaf(2, i64), 4));
    const auto rows = x.shape()[0];
    if (random_.below(4) == 0) {
      const auto count = iota_like(x, axis_of(x));
      const auto number = convert(count, x.element());
      return keep(number * x);
    }
    if (random_.coin()) {
      const auto extent = 1 + static_cast<Extent>(random_.below(5));
      const auto places = tape_.input(random_.indices({rows}, extent));
      return keep(scatter(x, places, extent));
    }
    if (rows == 0 || x.shape().volume() > largest / 2) return;
    const auto places = tape_.input(random_.indices(random_.coin() ? Shape{3} : Shape{2, 2}, rows));
    if (rank < 4) keep(gather(x, places));
  }

  Tape& tape_;
  Random random_;
  std::vector<Value> pool_, wrt_;
};

inline Sample random_sample(std::uint64_t seed) {
  return {"random program " + std::to_string(seed),
          [seed](Tape& tape) { return RandomProgram(tape, Random(seed)).record(); }};
}

}  // namespace topos::test
