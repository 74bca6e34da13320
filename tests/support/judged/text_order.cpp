#include "support/judged/text_order.h"

#include "support/judged/lowered.h"

namespace topos::test {
namespace {

/// A function of a bf16 is evaluated in double precision and rounded once.
template <class F>
TextOrder rounded_once(const TextOrder& x, F f) {
  if (x.value.element() != bf16) return {f(x.value)};
  return {convert(f(convert(x.value, f64)), bf16)};
}

/// [rows, n] numbers, each row added up from left to right.
template <class T>
Tensor left_to_right(const Tensor& x, const TensorType& type, Extent n) {
  const auto numbers = x.values<T>();
  std::vector<T> totals(static_cast<std::size_t>(type.shape.volume()), T{0});
  for (std::size_t r = 0; r < totals.size(); ++r)
    for (Extent i = 0; i < n; ++i)
      totals[r] = totals[r] + numbers[r * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)];
  return Tensor::from(type.shape, totals, type.element);
}

/// Every product rounded, then added, k ascending.
template <class T>
Tensor ascending(const Tensor& a, const Tensor& b, const TensorType& type) {
  const auto rank = type.rank();
  const auto m = static_cast<std::size_t>(type.shape[rank - 2]), n = static_cast<std::size_t>(type.shape[rank - 1]);
  const auto k = static_cast<std::size_t>(a.shape()[rank - 1]);
  const auto left = a.values<T>(), right = b.values<T>();
  std::vector<T> out(static_cast<std::size_t>(type.shape.volume()), T{0});
  for (std::size_t row = 0; row * n < out.size(); ++row) {
    const auto* factors = right.begin() + row / m * k * n;
    for (std::size_t t = 0; t < k; ++t)
      for (std::size_t j = 0; j < n; ++j) {
        const T product = left[row * k + t] * factors[t * n + j];
        out[row * n + j] = out[row * n + j] + product;
      }
  }
  return Tensor::from(type.shape, out, type.element);
}

}  // namespace

TextOrder operator+(const TextOrder& a, const TextOrder& b) { return {a.value + b.value}; }
TextOrder operator-(const TextOrder& a, const TextOrder& b) { return {a.value - b.value}; }
TextOrder operator*(const TextOrder& a, const TextOrder& b) { return {a.value * b.value}; }
TextOrder operator/(const TextOrder& a, const TextOrder& b) { return {a.value / b.value}; }
TextOrder operator-(const TextOrder& x) { return {-x.value}; }
TextOrder power(const TextOrder& a, const TextOrder& b) {
  return rounded_once(a, [&](const Tensor& x) { return power(x, convert(b.value, x.element())); });
}
TextOrder maximum(const TextOrder& a, const TextOrder& b) { return {maximum(a.value, b.value)}; }
TextOrder minimum(const TextOrder& a, const TextOrder& b) { return {minimum(a.value, b.value)}; }
TextOrder abs(const TextOrder& x) { return {abs(x.value)}; }
TextOrder sign(const TextOrder& x) { return {sign(x.value)}; }
TextOrder exp(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return exp(t); });
}
TextOrder expm1(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return expm1(t); });
}
TextOrder log(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return log(t); });
}
TextOrder log1p(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return log1p(t); });
}
TextOrder sqrt(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return sqrt(t); });
}
TextOrder rsqrt(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return rsqrt(t); });
}
TextOrder tanh(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return tanh(t); });
}
TextOrder sin(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return sin(t); });
}
TextOrder cos(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return cos(t); });
}
TextOrder erf(const TextOrder& x) {
  return rounded_once(x, [](const Tensor& t) { return erf(t); });
}
TextOrder erf_derivative(const TextOrder& x) { return lowered_erf_derivative(x); }
TextOrder logistic(const TextOrder& x) { return lowered_logistic(x); }
TextOrder softplus(const TextOrder& x) { return lowered_softplus(x); }
TextOrder stop_gradient(const TextOrder& x) { return x; }

TextOrder compare(const TextOrder& a, const TextOrder& b, Direction direction) {
  return {compare(a.value, b.value, direction)};
}
TextOrder logical_and(const TextOrder& a, const TextOrder& b) { return {logical_and(a.value, b.value)}; }
TextOrder logical_or(const TextOrder& a, const TextOrder& b) { return {logical_or(a.value, b.value)}; }
TextOrder logical_not(const TextOrder& x) { return {logical_not(x.value)}; }
TextOrder select(const TextOrder& predicate, const TextOrder& a, const TextOrder& b) {
  return {select(predicate.value, a.value, b.value)};
}

TextOrder matmul(const TextOrder& a, const TextOrder& b) {
  const auto type = matmul(a.type(), b.type());
  if (type.element == f32) return {ascending<float>(a.value, b.value, type)};
  if (type.element == f64) return {ascending<double>(a.value, b.value, type)};
  if (type.element != bf16) return {matmul(a.value, b.value)};
  return {convert(ascending<float>(convert(a.value, f32), convert(b.value, f32), {f32, type.shape}), bf16)};
}

TextOrder sum(const TextOrder& x, const Shape& axes) {
  const auto type = sum(x.type(), axes);
  if (!type.element.is_floating()) return {sum(x.value, axes)};
  Extent n = 1;
  for (const auto axis : axes) n *= x.type().shape.at(axis);
  const auto rows = permute(x.value, with_last(x.type().rank(), axes));
  if (type.element == f64) return {left_to_right<double>(rows, type, n)};
  if (type.element == f32) return {left_to_right<float>(rows, type, n)};
  return {convert(left_to_right<float>(convert(rows, f32), {f32, type.shape}, n), bf16)};
}

TextOrder softmax(const TextOrder& x, Extent axis) { return lowered_softmax(x, axis); }
TextOrder log_softmax(const TextOrder& x, Extent axis) { return lowered_log_softmax(x, axis); }
TextOrder logsumexp(const TextOrder& x, Extent axis) { return lowered_logsumexp(x, axis); }
TextOrder max_along(const TextOrder& x, Extent axis) { return {max_along(x.value, axis)}; }
TextOrder argmax_along(const TextOrder& x, Extent axis) { return {argmax_along(x.value, axis)}; }

TextOrder broadcast(const TextOrder& x, const Shape& shape) { return {broadcast(x.value, shape)}; }
TextOrder broadcast_along(const TextOrder& x, Extent axis, Extent extent) {
  return {broadcast_along(x.value, axis, extent)};
}
TextOrder reshape(const TextOrder& x, const Shape& shape) { return {reshape(x.value, shape)}; }
TextOrder permute(const TextOrder& x, const Shape& order) { return {permute(x.value, order)}; }
TextOrder narrow(const TextOrder& x, Extent axis, Extent start, Extent length) {
  return {narrow(x.value, axis, start, length)};
}
TextOrder pad(const TextOrder& x, Extent axis, Extent start, Extent full_extent) {
  return {pad(x.value, axis, start, full_extent)};
}
TextOrder unfold(const TextOrder& x, Extent axis, Extent size, Extent step, Extent dilation) {
  return {unfold(x.value, axis, size, step, dilation)};
}
TextOrder fold(const TextOrder& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent) {
  return {fold(x.value, axis, size, step, dilation, extent)};
}
TextOrder concat(std::span<const TextOrder* const> operands, Extent axis) {
  std::vector<const Tensor*> values;
  for (const auto* operand : operands) values.push_back(&operand->value);
  return {concat(std::span<const Tensor* const>(values), axis)};
}
TextOrder gather(const TextOrder& table, const TextOrder& indices) { return {gather(table.value, indices.value)}; }
TextOrder scatter(const TextOrder& rows, const TextOrder& indices, Extent extent) {
  return {scatter(rows.value, indices.value, extent)};
}
TextOrder convert(const TextOrder& x, ElementType element) { return {convert(x.value, element)}; }
TextOrder full_like(const TextOrder& x, Number number) { return {full_like(x.value, number)}; }

}  // namespace topos::test
