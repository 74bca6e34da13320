// The second opinion on derivatives: an algebra in 113-bit floats, with its own elementary functions.
#pragma once
#include <map>
#include <utility>

#include "support/quad_functions.h"
#include "topos/custom.h"

namespace topos::test {

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
inline Quad minimum(const Quad& a, const Quad& b) {
  return quad_map(minimum(a.type(), b.type()), [&](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
}
inline Quad power(const Quad& a, const Quad& b) {
  return quad_map(power(a.type(), b.type()), [&](std::size_t i) { return quad_power(a[i], b[i]); });
}
inline Quad abs(const Quad& x) {
  return quad_map(abs(x.type()), [&](std::size_t i) { return x[i] < 0 ? -x[i] : x[i]; });
}
inline Quad sign(const Quad& x) {
  return quad_map(sign(x.type()), [&](std::size_t i) { return quad(x[i] > 0) - quad(x[i] < 0); });
}
inline Quad rsqrt(const Quad& x) {
  return quad_map(rsqrt(x.type()), [&](std::size_t i) { return 1 / quad_sqrt(x[i]); });
}
inline Quad stop_gradient(const Quad& x) { return x; }
inline Quad expm1(const Quad& x) {
  return quad_map(expm1(x.type()), [&](std::size_t i) { return quad_expm1(x[i]); });
}
inline Quad log1p(const Quad& x) {
  return quad_map(log1p(x.type()), [&](std::size_t i) { return quad_log1p(x[i]); });
}
inline Quad sin(const Quad& x) {
  return quad_map(sin(x.type()), [&](std::size_t i) { return quad_sin(x[i]); });
}
inline Quad cos(const Quad& x) {
  return quad_map(cos(x.type()), [&](std::size_t i) { return quad_cos(x[i]); });
}
inline Quad erf(const Quad& x) {
  return quad_map(erf(x.type()), [&](std::size_t i) { return quad_erf(x[i]); });
}
inline Quad erf_derivative(const Quad& x) {
  return quad_map(erf_derivative(x.type()), [&](std::size_t i) { return quad_erf_derivative(x[i]); });
}
inline Quad logistic(const Quad& x) {
  return quad_map(logistic(x.type()), [&](std::size_t i) { return quad_logistic(x[i]); });
}
inline Quad softplus(const Quad& x) {
  return quad_map(softplus(x.type()), [&](std::size_t i) { return quad_softplus(x[i]); });
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
inline Quad unfold(const Quad& x, Extent axis, Extent size, Extent step, Extent dilation) {
  return quad_moved(x, unfold(x.type(), axis, size, step, dilation), [&](const Shape& index) {
    auto from = index.without(axis + 1);
    from[static_cast<std::size_t>(axis)] = index.at(axis) * step + index.at(axis + 1) * dilation;
    return from;
  });
}
inline Quad fold(const Quad& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent) {
  auto result = quad_map(fold(x.type(), axis, size, step, dilation, extent), [](std::size_t) { return quad(0); });
  each_index(x.type().shape, [&](std::size_t i, const Shape& index) {
    auto to = index.without(axis + 1);
    to[static_cast<std::size_t>(axis)] = index.at(axis) * step + index.at(axis + 1) * dilation;
    result[place_of(result.type().shape, to)] += x[i];
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

inline Quad argmax_along(const Quad& x, Extent axis) {
  auto result = quad_map(argmax_along(x.type(), axis), [](std::size_t) { return quad(-1); });
  const auto peaks = lane_peaks(x, axis);
  each_index(x.type().shape, [&](std::size_t i, const Shape& index) {
    auto& place = result[place_of(result.type().shape, index.without(axis))];
    if (place < 0 && x[i] == peaks[i]) place = quad(index.at(axis));
  });
  return result;
}
inline Quad max_along(const Quad& x, Extent axis) {
  const auto peak = narrow(lane_peaks(x, axis), axis, 0, 1);
  return reshape(peak, max_along(x.type(), axis).shape);
}

}  // namespace topos::test
