#include <fmt/format.h>

#include "topos/base/float_environment.h"
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

/// A rule's verdict where the operands leave nothing to check: the element has the function, two operands agree.
bool plain(Function function, const Tensor& x) { return x.element().has(function); }
bool plain(Function function, const Tensor& a, const Tensor& b) { return a.type() == b.type() && plain(function, a); }

template <class Rule>
Tensor unary(std::string_view operation, Function function, const Tensor& x, Rule&& rule) {
  if (!plain(function, x)) checked(operation, [&] { return rule(x.type()); });
  const auto apply = x.element().reference().unary[unary_index(function)];
  const FloatEnvironment exact;
  if (x.is_single()) {
    alignas(16) std::byte value[16];
    apply(1, x.first(), value);
    return Tensor::single(x.type(), value);
  }
  const Row row(x);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(x.type(), data);
  apply(x.volume(), row.data(), data);
  return result;
}

template <class Rule>
Tensor binary(std::string_view operation, Function function, const Tensor& a, const Tensor& b, Rule&& rule) {
  if (!plain(function, a, b)) checked(operation, [&] { return rule(a.type(), b.type()); });
  const auto apply = a.element().reference().binary[binary_index(function)];
  const FloatEnvironment exact;
  if (a.is_single() && b.is_single()) {
    alignas(16) std::byte value[16];
    apply(1, a.first(), 0, b.first(), 0, value);
    return Tensor::single(a.type(), value);
  }
  const Row left(a), right(b);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(a.type(), data);
  apply(a.volume(), left.data(), left.step(), right.data(), right.step(), data);
  return result;
}

using Type = const TensorType&;

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary("Add", Function::add, a, b, [](Type x, Type y) { return x + y; });
}
Tensor operator-(const Tensor& a, const Tensor& b) {
  return binary("Sub", Function::subtract, a, b, [](Type x, Type y) { return x - y; });
}
Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary("Mul", Function::multiply, a, b, [](Type x, Type y) { return x * y; });
}
Tensor operator/(const Tensor& a, const Tensor& b) {
  if (plain(Function::divide, a, b)) algebra::check_divisor(b);
  return binary("Div", Function::divide, a, b, [](Type x, Type y) { return x / y; });
}
Tensor power(const Tensor& a, const Tensor& b) {
  return binary("Power", Function::power, a, b, [](Type x, Type y) { return power(x, y); });
}
Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary("Maximum", Function::maximum, a, b, [](Type x, Type y) { return maximum(x, y); });
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary("Minimum", Function::minimum, a, b, [](Type x, Type y) { return minimum(x, y); });
}
Tensor operator-(const Tensor& x) {
  return unary("Neg", Function::negate, x, [](Type t) { return -t; });
}
Tensor abs(const Tensor& x) {
  return unary("Abs", Function::absolute, x, [](Type t) { return abs(t); });
}
Tensor sign(const Tensor& x) {
  return unary("Sign", Function::sign, x, [](Type t) { return sign(t); });
}
Tensor exp(const Tensor& x) {
  return unary("Exp", Function::exp, x, [](Type t) { return exp(t); });
}
Tensor expm1(const Tensor& x) {
  return unary("Expm1", Function::expm1, x, [](Type t) { return expm1(t); });
}
Tensor log(const Tensor& x) {
  return unary("Log", Function::log, x, [](Type t) { return log(t); });
}
Tensor log1p(const Tensor& x) {
  return unary("Log1p", Function::log1p, x, [](Type t) { return log1p(t); });
}
Tensor sqrt(const Tensor& x) {
  return unary("Sqrt", Function::sqrt, x, [](Type t) { return sqrt(t); });
}
Tensor rsqrt(const Tensor& x) {
  return unary("Rsqrt", Function::rsqrt, x, [](Type t) { return rsqrt(t); });
}
Tensor tanh(const Tensor& x) {
  return unary("Tanh", Function::tanh, x, [](Type t) { return tanh(t); });
}
Tensor sin(const Tensor& x) {
  return unary("Sin", Function::sin, x, [](Type t) { return sin(t); });
}
Tensor cos(const Tensor& x) {
  return unary("Cos", Function::cos, x, [](Type t) { return cos(t); });
}
Tensor erf(const Tensor& x) {
  return unary("Erf", Function::erf, x, [](Type t) { return erf(t); });
}
Tensor erf_derivative(const Tensor& x) {
  return unary("ErfDerivative", Function::erf_derivative, x, [](Type t) { return erf_derivative(t); });
}
Tensor logistic(const Tensor& x) {
  return unary("Logistic", Function::logistic, x, [](Type t) { return logistic(t); });
}
Tensor softplus(const Tensor& x) {
  return unary("Softplus", Function::softplus, x, [](Type t) { return softplus(t); });
}
Tensor stop_gradient(const Tensor& x) { return x; }
Tensor logical_not(const Tensor& x) {
  return unary("Not", Function::logical_not, x, [](Type t) { return logical_not(t); });
}
Tensor logical_and(const Tensor& a, const Tensor& b) {
  return binary("And", Function::logical_and, a, b, [](Type x, Type y) { return logical_and(x, y); });
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  return binary("Or", Function::logical_or, a, b, [](Type x, Type y) { return logical_or(x, y); });
}

Tensor compare(const Tensor& a, const Tensor& b, Direction direction) {
  const auto type = checked("Compare", [&] { return compare(a.type(), b.type(), direction); });
  const auto apply = a.element().reference().compare;
  const FloatEnvironment exact;
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

Tensor zero_plus(const Tensor& x) {
  if (!plain(Function::add, x)) checked("Add", [&] { return x.type() + x.type(); });
  alignas(16) static constexpr std::byte zero[16] = {};  // every element's zero is zero bits
  const auto add = x.element().reference().binary[binary_index(Function::add)];
  const FloatEnvironment exact;
  if (x.is_single()) {
    alignas(16) std::byte value[16];
    add(1, zero, 0, x.first(), 0, value);
    return Tensor::single(x.type(), value);
  }
  const Row row(x);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised(x.type(), data);
  add(x.volume(), zero, 0, row.data(), row.step(), data);
  return result;
}

Tensor full_like(const Tensor& x, Number value) { return Tensor::full(x.type(), value); }

}  // namespace topos
