#include <fmt/format.h>

#include "topos/tensor/algebra_parts.h"

namespace topos {

using algebra::checked;
using algebra::Row;

namespace algebra {

void check_divisor(const Tensor& divisor) {
  if (divisor.element().kind() != ElementClass::integer) return;
  const auto numbers = divisor.values<std::int64_t>();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] == 0)
      throw Error(ErrorKind::argument, "Div",
                  fmt::format("the divisor {} is zero at element {}", divisor.type().text(), i),
                  {divisor.type().text()});
}

}  // namespace algebra

namespace {

Tensor unary(Function function, const TensorType& type, const Tensor& x) {
  const auto apply = type.element.reference().unary[unary_index(function)];
  if (x.is_single()) {
    alignas(16) std::byte value[16];
    apply(1, x.first(), value);
    return Tensor::single(type, value);
  }
  const Row row(x);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  apply(type.shape.volume(), row.data(), data);
  return result;
}

Tensor binary(Function function, const TensorType& type, const Tensor& a, const Tensor& b) {
  const auto apply = type.element.reference().binary[binary_index(function)];
  if (a.is_single() && b.is_single()) {
    alignas(16) std::byte value[16];
    apply(1, a.first(), 0, b.first(), 0, value);
    return Tensor::single(type, value);
  }
  const Row left(a), right(b);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  apply(type.shape.volume(), left.data(), left.step(), right.data(), right.step(), data);
  return result;
}

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary(Function::add, checked("Add", [&] { return a.type() + b.type(); }), a, b);
}
Tensor operator-(const Tensor& a, const Tensor& b) {
  return binary(Function::subtract, checked("Sub", [&] { return a.type() - b.type(); }), a, b);
}
Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary(Function::multiply, checked("Mul", [&] { return a.type() * b.type(); }), a, b);
}
Tensor operator/(const Tensor& a, const Tensor& b) {
  const auto type = checked("Div", [&] { return a.type() / b.type(); });
  algebra::check_divisor(b);
  return binary(Function::divide, type, a, b);
}
Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary(Function::maximum, checked("Maximum", [&] { return maximum(a.type(), b.type()); }), a, b);
}
Tensor operator-(const Tensor& x) {
  return unary(Function::negate, checked("Neg", [&] { return -x.type(); }), x);
}
Tensor exp(const Tensor& x) {
  return unary(Function::exp, checked("Exp", [&] { return exp(x.type()); }), x);
}
Tensor log(const Tensor& x) {
  return unary(Function::log, checked("Log", [&] { return log(x.type()); }), x);
}
Tensor sqrt(const Tensor& x) {
  return unary(Function::sqrt, checked("Sqrt", [&] { return sqrt(x.type()); }), x);
}
Tensor tanh(const Tensor& x) {
  return unary(Function::tanh, checked("Tanh", [&] { return tanh(x.type()); }), x);
}
Tensor logical_not(const Tensor& x) {
  return unary(Function::logical_not, checked("Not", [&] { return logical_not(x.type()); }), x);
}
Tensor logical_and(const Tensor& a, const Tensor& b) {
  return binary(Function::logical_and, checked("And", [&] { return logical_and(a.type(), b.type()); }), a, b);
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  return binary(Function::logical_or, checked("Or", [&] { return logical_or(a.type(), b.type()); }), a, b);
}

Tensor compare(const Tensor& a, const Tensor& b, Direction direction) {
  const auto type = checked("Compare", [&] { return compare(a.type(), b.type(), direction); });
  const auto apply = a.element().reference().compare;
  if (a.is_single() && b.is_single()) {
    bool value = false;
    apply(1, direction, a.first(), 0, b.first(), 0, &value);
    return Tensor::single(type, &value);
  }
  const Row left(a), right(b);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  apply(type.shape.volume(), direction, left.data(), left.step(), right.data(), right.step(), data);
  return result;
}

Tensor select(const Tensor& predicate, const Tensor& a, const Tensor& b) {
  const auto type = checked("Select", [&] { return select(predicate.type(), a.type(), b.type()); });
  if (predicate.is_single()) return *static_cast<const bool*>(predicate.first()) ? a : b;
  const Row choice(predicate), left(a), right(b);
  const auto size = static_cast<Extent>(type.element.size());
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  for (Extent i = 0; i < type.shape.volume(); ++i) {
    const auto& taken = static_cast<const bool*>(choice.data())[i] ? left : right;
    std::memcpy(data + i * size, static_cast<const std::byte*>(taken.data()) + i * size * taken.step(),
                static_cast<std::size_t>(size));
  }
  return result;
}

Tensor convert(const Tensor& x, ElementType element) {
  const auto type = convert(x.type(), element);
  if (element == x.element()) return x;
  if (x.is_single()) {
    alignas(16) std::byte value[16];
    convert(1, x.element(), x.first(), element, value);
    return Tensor::single(type, value);
  }
  const Row row(x);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(type, data);
  convert(type.shape.volume(), x.element(), row.data(), element, data);
  return result;
}

Tensor full_like(const Tensor& x, Number value) { return Tensor::full(x.type(), value); }

}  // namespace topos
