// The second opinion on derivatives: an algebra in 113-bit floats, with its own elementary functions.
#pragma once
#include <cmath>
#include <map>
#include <utility>

#include "topos/custom.h"

namespace topos::test {

__extension__ using quad = __float128;

inline quad quad_sqrt(quad x) {
  if (!(x > 0)) return x == 0 ? x : quad(std::sqrt(static_cast<double>(x)));
  quad root = std::sqrt(static_cast<double>(x));
  for (int i = 0; i < 3; ++i) root = (root + x / root) / 2;  // each step doubles the digits
  return root;
}
inline quad quad_exp(quad x) {
  if (!(x < 11000 && x > -11000)) return quad(std::exp(static_cast<double>(x)));
  // x = count * log 2 + rest, then a series at rest / 256 and eight squarings.
  const quad log_2 = quad(0x1.62e42fefa39efp-1) + quad(0x1.abc9e3b39803fp-56) + quad(0x1.7b57a079a1934p-111);
  const int count = static_cast<int>(std::nearbyint(static_cast<double>(x) / 0.6931471805599453));
  const quad rest = (x - quad(count) * log_2) / 256;
  quad term = 1, total = 0;
  for (int k = 1; k < 18; ++k) {
    term *= rest / k;
    total += term;
  }
  for (int i = 0; i < 8; ++i) total = total * (total + 2);  // exp(2r) - 1 of exp(r) - 1
  quad result = total + 1;
  for (int i = 0; i < count; ++i) result *= 2;
  for (int i = 0; i > count; --i) result /= 2;
  return result;
}
inline quad quad_log(quad x) {
  if (!(x > 0)) return quad(std::log(static_cast<double>(x)));
  quad y = std::log(static_cast<double>(x));
  for (int i = 0; i < 2; ++i) {
    const quad power = quad_exp(y);
    y += 2 * (x - power) / (x + power);  // Halley: each step triples the digits
  }
  return y;
}
inline quad quad_tanh(quad x) {
  if (x > 40 || x < -40) return x > 0 ? 1 : -1;  // the rest is below the last digit
  const quad square = quad_exp(2 * x);
  return (square - 1) / (square + 1);
}

/// Row-major numbers of a type; predicates are 0 and 1, integers whole.
class Quad {
 public:
  Quad(TensorType type, std::vector<quad> values) : type_(std::move(type)), values_(std::move(values)) {}
  static Quad of(const Tensor& tensor) {
    const auto wide = convert(tensor, f64);  // exact for every number that the tests use
    std::vector<quad> values;
    for (const double value : wide.values<double>()) values.push_back(value);
    return {tensor.type(), std::move(values)};
  }
  const TensorType& type() const { return type_; }
  std::size_t size() const { return values_.size(); }
  quad operator[](std::size_t i) const { return values_[i]; }
  quad& operator[](std::size_t i) { return values_[i]; }

 private:
  TensorType type_;
  std::vector<quad> values_;
};

template <class F>
Quad quad_map(TensorType type, F f) {
  std::vector<quad> values(static_cast<std::size_t>(type.shape.volume()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(i);
  return {std::move(type), std::move(values)};
}
inline Quad operator+(const Quad& a, const Quad& b) {
  return quad_map(a.type() + b.type(), [&](std::size_t i) { return a[i] + b[i]; });
}
inline Quad operator-(const Quad& a, const Quad& b) {
  return quad_map(a.type() - b.type(), [&](std::size_t i) { return a[i] - b[i]; });
}
inline Quad operator*(const Quad& a, const Quad& b) {
  return quad_map(a.type() * b.type(), [&](std::size_t i) { return a[i] * b[i]; });
}
inline Quad operator/(const Quad& a, const Quad& b) {
  return quad_map(a.type() / b.type(), [&](std::size_t i) { return a[i] / b[i]; });
}
inline Quad operator-(const Quad& x) {
  return quad_map(-x.type(), [&](std::size_t i) { return -x[i]; });
}
inline Quad maximum(const Quad& a, const Quad& b) {
  return quad_map(maximum(a.type(), b.type()), [&](std::size_t i) { return a[i] > b[i] ? a[i] : b[i]; });
}
inline Quad exp(const Quad& x) {
  return quad_map(exp(x.type()), [&](std::size_t i) { return quad_exp(x[i]); });
}
inline Quad log(const Quad& x) {
  return quad_map(log(x.type()), [&](std::size_t i) { return quad_log(x[i]); });
}
inline Quad sqrt(const Quad& x) {
  return quad_map(sqrt(x.type()), [&](std::size_t i) { return quad_sqrt(x[i]); });
}
inline Quad tanh(const Quad& x) {
  return quad_map(tanh(x.type()), [&](std::size_t i) { return quad_tanh(x[i]); });
}
inline Quad compare(const Quad& a, const Quad& b, Direction direction) {
  const auto holds = [direction](quad x, quad y) {
    switch (direction) {
      case Direction::eq: return x == y;
      case Direction::ne: return x != y;
      case Direction::lt: return x < y;
      case Direction::le: return x <= y;
      case Direction::gt: return x > y;
      case Direction::ge: return x >= y;
    }
    return false;
  };
  return quad_map(compare(a.type(), b.type(), direction), [&](std::size_t i) { return quad(holds(a[i], b[i])); });
}
inline Quad logical_and(const Quad& a, const Quad& b) {
  return quad_map(a.type(), [&](std::size_t i) { return quad(a[i] != 0 && b[i] != 0); });
}
inline Quad logical_or(const Quad& a, const Quad& b) {
  return quad_map(a.type(), [&](std::size_t i) { return quad(a[i] != 0 || b[i] != 0); });
}
inline Quad logical_not(const Quad& x) {
  return quad_map(x.type(), [&](std::size_t i) { return quad(x[i] == 0); });
}
inline Quad select(const Quad& predicate, const Quad& a, const Quad& b) {
  return quad_map(a.type(), [&](std::size_t i) { return predicate[i] != 0 ? a[i] : b[i]; });
}
inline Quad full_like(const Quad& x, Number value) {
  const quad number = value.real();
  return quad_map(x.type(), [&](std::size_t) { return number; });
}
inline Quad convert(const Quad& x, ElementType element) {
  // A float keeps all of its digits: the other width rounds, which the tolerance allows for.
  return quad_map(convert(x.type(), element), [&](std::size_t i) {
    if (element == i64) return quad(static_cast<std::int64_t>(x[i]));
    return element == boolean ? quad(x[i] != 0) : x[i];
  });
}

/// Calls f(place in the result, its index along every axis).
template <class F>
void each_index(const Shape& shape, F f) {
  auto index = Shape::zeros(shape.rank());
  const auto volume = static_cast<std::size_t>(shape.volume());
  for (std::size_t i = 0; i < volume; ++i) {
    f(i, index);
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}
inline std::size_t place_of(const Shape& shape, const Shape& index) {
  Extent place = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) place = place * shape[axis] + index[axis];
  return static_cast<std::size_t>(place);
}
/// A result whose element at `index` is x's at `from(index)`.
template <class F>
Quad quad_moved(const Quad& x, TensorType type, F from) {
  auto result = quad_map(std::move(type), [](std::size_t) { return quad(0); });
  each_index(result.type().shape,
             [&](std::size_t i, const Shape& index) { result[i] = x[place_of(x.type().shape, from(index))]; });
  return result;
}

inline Quad sum(const Quad& x, const Shape& axes) {
  auto result = quad_map(sum(x.type(), axes), [](std::size_t) { return quad(0); });
  each_index(x.type().shape, [&](std::size_t i, const Shape& index) {
    auto kept = index;
    for (std::size_t k = axes.size(); k-- > 0;) kept = kept.without(axes[k]);
    result[place_of(result.type().shape, kept)] += x[i];
  });
  return result;
}
inline Quad matmul(const Quad& a, const Quad& b) {
  auto result = quad_map(matmul(a.type(), b.type()), [](std::size_t) { return quad(0); });
  const auto& shape = result.type().shape;
  const auto rank = shape.rank();
  const auto m = static_cast<std::size_t>(shape[rank - 2]), n = static_cast<std::size_t>(shape[rank - 1]);
  const auto depth = static_cast<std::size_t>(a.type().shape[rank - 1]);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto batch = i / (m * n), row = i / n % m, column = i % n;
    for (std::size_t k = 0; k < depth; ++k)
      result[i] += a[(batch * m + row) * depth + k] * b[(batch * depth + k) * n + column];
  }
  return result;
}
inline Quad broadcast(const Quad& x, const Shape& shape) {
  return quad_map(broadcast(x.type(), shape), [&](std::size_t) { return x[0]; });
}
inline Quad broadcast_along(const Quad& x, Extent axis, Extent extent) {
  return quad_moved(x, broadcast_along(x.type(), axis, extent),
                    [&](const Shape& index) { return index.without(axis); });
}
inline Quad reshape(const Quad& x, const Shape& shape) {
  return quad_map(reshape(x.type(), shape), [&](std::size_t i) { return x[i]; });
}
inline Quad permute(const Quad& x, const Shape& order) {
  return quad_moved(x, permute(x.type(), order), [&](const Shape& index) {
    auto from = index;
    for (std::size_t i = 0; i < order.size(); ++i) from[static_cast<std::size_t>(order[i])] = index[i];
    return from;
  });
}
inline Quad narrow(const Quad& x, Extent axis, Extent start, Extent length) {
  return quad_moved(x, narrow(x.type(), axis, start, length), [&](Shape index) {
    index[static_cast<std::size_t>(axis)] += start;
    return index;
  });
}
inline Quad pad(const Quad& x, Extent axis, Extent start, Extent full_extent) {
  auto result = quad_map(pad(x.type(), axis, start, full_extent), [](std::size_t) { return quad(0); });
  each_index(x.type().shape, [&](std::size_t i, Shape index) {
    index[static_cast<std::size_t>(axis)] += start;
    result[place_of(result.type().shape, index)] = x[i];
  });
  return result;
}
inline Quad concat(std::span<const Quad* const> operands, Extent axis) {
  std::vector<const TensorType*> types;
  for (const auto* operand : operands) types.push_back(&operand->type());
  auto result = quad_map(concat(std::span<const TensorType* const>(types), axis), [](std::size_t) { return quad(0); });
  Extent start = 0;
  for (const auto* operand : operands) {
    each_index(operand->type().shape, [&](std::size_t i, Shape index) {
      index[static_cast<std::size_t>(axis)] += start;
      result[place_of(result.type().shape, index)] = (*operand)[i];
    });
    start += operand->type().shape.at(axis);
  }
  return result;
}
inline Quad iota_like(const Quad& x, Extent axis) {
  auto result = quad_map(iota_like(x.type(), axis), [](std::size_t) { return quad(0); });
  each_index(x.type().shape, [&](std::size_t i, const Shape& index) { result[i] = quad(index.at(axis)); });
  return result;
}

inline Quad gather(const Quad& table, const Quad& indices) {
  const auto type = gather(table.type(), indices.type());
  const auto width = indices.size() == 0 ? 1 : static_cast<std::size_t>(type.shape.volume()) / indices.size();
  return quad_map(
      type, [&](std::size_t i) { return table[static_cast<std::size_t>(indices[i / width]) * width + i % width]; });
}
inline Quad scatter(const Quad& rows, const Quad& indices, Extent extent) {
  auto result = quad_map(scatter(rows.type(), indices.type(), extent), [](std::size_t) { return quad(0); });
  const auto width = indices.size() == 0 ? 1 : rows.size() / indices.size();
  for (std::size_t i = 0; i < rows.size(); ++i)
    result[static_cast<std::size_t>(indices[i / width]) * width + i % width] += rows[i];
  return result;
}

/// The largest of each lane, repeated along it.
inline Quad lane_peaks(const Quad& x, Extent axis) {
  std::map<std::size_t, quad> peaks;
  const auto reduced = x.type().shape.without(axis);
  each_index(x.type().shape, [&](std::size_t i, const Shape& index) {
    const auto [at, fresh] = peaks.try_emplace(place_of(reduced, index.without(axis)), x[i]);
    if (!fresh && x[i] > at->second) at->second = x[i];
  });
  auto result = x;
  each_index(x.type().shape,
             [&](std::size_t i, const Shape& index) { result[i] = peaks[place_of(reduced, index.without(axis))]; });
  return result;
}
inline Quad softmax(const Quad& x, Extent axis) {
  const auto powers = exp(x - lane_peaks(x, axis));
  return powers / broadcast_along(sum(powers, {axis}), axis, x.type().shape.at(axis));
}
inline Quad log_softmax(const Quad& x, Extent axis) {
  const auto centered = x - lane_peaks(x, axis);
  const auto total = log(sum(exp(centered), {axis}));
  return centered - broadcast_along(total, axis, x.type().shape.at(axis));
}
inline Quad logsumexp(const Quad& x, Extent axis) {
  const auto peaks = lane_peaks(x, axis);
  const auto total = log(sum(exp(x - peaks), {axis}));
  const auto peak = narrow(peaks, axis, 0, 1);
  return total + reshape(peak, total.type().shape);
}

}  // namespace topos::test
