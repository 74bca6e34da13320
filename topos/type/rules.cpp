#include "topos/type/rules.h"

#include <fmt/format.h>

#include "topos/element/registry.h"

// Types are formatted only when a constraint is broken: formatting first would cost more than the whole recording.
template <>
struct fmt::formatter<topos::TensorType> : fmt::formatter<std::string> {
  auto format(const topos::TensorType& type, fmt::format_context& out) const {
    return fmt::formatter<std::string>::format(type.text(), out);
  }
};
template <>
struct fmt::formatter<topos::Shape> : fmt::formatter<std::string> {
  auto format(const topos::Shape& shape, fmt::format_context& out) const {
    return fmt::formatter<std::string>::format(shape.text(), out);
  }
};

namespace topos {
namespace {

template <class... A>
[[noreturn]] void broken(std::string_view label, std::initializer_list<const TensorType*> types,
                         fmt::format_string<const A&...> text, const A&... arguments) {
  TypeFault fault{label, fmt::format(text, arguments...), {}};
  for (const auto* type : types) fault.types.push_back(type->text());
  throw fault;
}

void has(const TensorType& x, Function function, std::string_view label) {
  if (x.element.has(function)) return;
  if (is_users(x.element))
    broken(label, {&x}, "{} has no {}: its ElementTraits need {}", x, name_of(function), traits_for(function));
  broken(label, {&x}, "{} has no {}", x, name_of(function));
}

TensorType unary(const TensorType& x, Function function) {
  has(x, function, "C1");
  return x;
}

void same(const TensorType& a, const TensorType& b) {
  if (!(a.element == b.element)) broken("C1", {&a, &b}, "the elements of {} and {} differ", a, b);
  if (!(a.shape == b.shape)) broken("C2", {&a, &b}, "the shapes of {} and {} differ", a, b);
}

TensorType binary(const TensorType& a, const TensorType& b, Function function) {
  same(a, b);
  has(a, function, "C3");
  return a;
}

void in_rank(const TensorType& x, Extent axis, std::string_view label) {
  if (axis < 0 || axis >= static_cast<Extent>(x.rank())) broken(label, {&x}, "axis {} is outside {}", axis, x);
}

/// Extents that make a tensor: none negative, and a number of bytes that can be counted.
void countable(const TensorType& type, std::string_view label) {
  Extent bytes = type.element.size();
  bool counts = true;
  for (const auto extent : type.shape) {
    if (extent < 0) broken(label, {&type}, "the shape {} has a negative extent", type.shape);
    // A zero extent ends the count at 0, but the other extents must still make sense on their own.
    if (__builtin_mul_overflow(bytes, extent == 0 ? 1 : extent, &bytes)) counts = false;
  }
  if (!counts) broken(label, {&type}, "{} is larger than memory can be", type);
}

TensorType checked(TensorType type, std::string_view label) {
  countable(type, label);
  return type;
}

/// An axis along which there is a largest number.
void along(const TensorType& x, Extent axis, Function function) {
  has(x, function, "C1");
  in_rank(x, axis, "C2");
  if (x.shape.at(axis) == 0) broken("C3", {&x}, "{} is empty along axis {}: there is no maximum", x, axis);
}

}  // namespace

TensorType operator+(const TensorType& a, const TensorType& b) { return binary(a, b, Function::add); }
TensorType operator-(const TensorType& a, const TensorType& b) { return binary(a, b, Function::subtract); }
TensorType operator*(const TensorType& a, const TensorType& b) { return binary(a, b, Function::multiply); }
TensorType operator/(const TensorType& a, const TensorType& b) { return binary(a, b, Function::divide); }
TensorType operator-(const TensorType& x) { return unary(x, Function::negate); }
TensorType power(const TensorType& a, const TensorType& b) { return binary(a, b, Function::power); }
TensorType maximum(const TensorType& a, const TensorType& b) { return binary(a, b, Function::maximum); }
TensorType minimum(const TensorType& a, const TensorType& b) { return binary(a, b, Function::minimum); }
TensorType abs(const TensorType& x) { return unary(x, Function::absolute); }
TensorType sign(const TensorType& x) { return unary(x, Function::sign); }
TensorType exp(const TensorType& x) { return unary(x, Function::exp); }
TensorType expm1(const TensorType& x) { return unary(x, Function::expm1); }
TensorType log(const TensorType& x) { return unary(x, Function::log); }
TensorType log1p(const TensorType& x) { return unary(x, Function::log1p); }
TensorType sqrt(const TensorType& x) { return unary(x, Function::sqrt); }
TensorType rsqrt(const TensorType& x) { return unary(x, Function::rsqrt); }
TensorType tanh(const TensorType& x) { return unary(x, Function::tanh); }
TensorType sin(const TensorType& x) { return unary(x, Function::sin); }
TensorType cos(const TensorType& x) { return unary(x, Function::cos); }
TensorType erf(const TensorType& x) { return unary(x, Function::erf); }
TensorType erf_derivative(const TensorType& x) { return unary(x, Function::erf_derivative); }
TensorType logistic(const TensorType& x) { return unary(x, Function::logistic); }
TensorType softplus(const TensorType& x) { return unary(x, Function::softplus); }
TensorType stop_gradient(const TensorType& x) { return x; }

TensorType compare(const TensorType& a, const TensorType& b, Direction direction) {
  same(a, b);
  const bool equality = direction == Direction::eq || direction == Direction::ne;
  has(a, equality ? Function::equal : Function::order, "C3");
  return {boolean, a.shape};
}

TensorType logical_and(const TensorType& a, const TensorType& b) { return binary(a, b, Function::logical_and); }
TensorType logical_or(const TensorType& a, const TensorType& b) { return binary(a, b, Function::logical_or); }
TensorType logical_not(const TensorType& x) { return unary(x, Function::logical_not); }

TensorType select(const TensorType& predicate, const TensorType& a, const TensorType& b) {
  same(a, b);
  if (!(predicate.element == boolean)) broken("C3", {&predicate, &a, &b}, "the predicate {} is not boolean", predicate);
  if (!(predicate.shape == a.shape))
    broken("C4", {&predicate, &a, &b}, "the predicate {} does not have the shape of {}", predicate, a);
  return a;
}

TensorType matmul(const TensorType& a, const TensorType& b) {
  if (!(a.element == b.element)) broken("C1", {&a, &b}, "cannot multiply {} by {}: the elements differ", a, b);
  has(a, Function::matmul, "C1");
  const auto rank = a.rank();
  if (rank < 2 || rank != b.rank())
    broken("C3", {&a, &b}, "cannot multiply {} by {}: both need the same rank, at least 2", a, b);
  for (std::size_t axis = 0; axis + 2 < rank; ++axis)
    if (a.shape[axis] != b.shape[axis])
      broken("C4", {&a, &b}, "cannot multiply {} by {}: batch extents {} and {} differ", a, b, a.shape[axis],
             b.shape[axis]);
  if (a.shape[rank - 1] != b.shape[rank - 2])
    broken("C2", {&a, &b}, "cannot multiply {} by {}: inner extents {} and {} differ", a, b, a.shape[rank - 1],
           b.shape[rank - 2]);
  auto result = a;
  result.shape[rank - 1] = b.shape[rank - 1];
  return checked(std::move(result), "C5");
}

TensorType sum(const TensorType& x, const Shape& axes) {
  has(x, Function::sum, "C1");
  auto shape = x.shape;
  for (std::size_t i = axes.size(); i-- > 0;) {
    in_rank(x, axes[i], "C2");
    if (i > 0 && axes[i - 1] >= axes[i])
      broken("C3", {&x}, "the axes {} of {} are not ascending or name one twice", axes, x);
    shape = shape.without(axes[i]);
  }
  return {x.element, std::move(shape)};
}

TensorType sum(const TensorType& x) {
  has(x, Function::sum, "C1");
  return {x.element, {}};
}

TensorType softmax(const TensorType& x, Extent axis) {
  along(x, axis, Function::softmax);
  return x;
}

TensorType log_softmax(const TensorType& x, Extent axis) { return softmax(x, axis); }

TensorType logsumexp(const TensorType& x, Extent axis) {
  along(x, axis, Function::softmax);
  return {x.element, x.shape.without(axis)};
}

TensorType max_along(const TensorType& x, Extent axis) {
  along(x, axis, Function::maximum);
  return {x.element, x.shape.without(axis)};
}

TensorType argmax_along(const TensorType& x, Extent axis) {
  along(x, axis, Function::order);
  return {i64, x.shape.without(axis)};
}

TensorType broadcast(const TensorType& x, const Shape& shape) {
  if (x.shape.volume() != 1) broken("C1", {&x}, "{} does not hold exactly one value", x);
  return checked({x.element, shape}, "C2");
}

TensorType broadcast_along(const TensorType& x, Extent axis, Extent extent) {
  if (axis < 0 || axis > static_cast<Extent>(x.rank()))
    broken("C1", {&x}, "axis {} cannot be inserted into {}", axis, x);
  return checked({x.element, x.shape.with(axis, extent)}, "C2");
}

TensorType reshape(const TensorType& x, const Shape& shape) {
  auto result = checked({x.element, shape}, "C2");
  if (x.shape.volume() != shape.volume())
    broken("C1", {&x}, "{} elements of {} do not fill {}", x.shape.volume(), x, shape);
  return result;
}

TensorType permute(const TensorType& x, const Shape& order) {
  if (order.size() != x.rank()) broken("C1", {&x}, "the order {} does not name every axis of {}", order, x);
  auto shape = x.shape;
  for (std::size_t i = 0; i < order.size(); ++i) {
    in_rank(x, order[i], "C2");
    for (std::size_t j = 0; j < i; ++j)
      if (order[j] == order[i]) broken("C3", {&x}, "the order {} of {} repeats axis {}", order, x, order[i]);
    shape[i] = x.shape.at(order[i]);
  }
  return {x.element, std::move(shape)};
}

TensorType transpose(const TensorType& x) {
  if (x.rank() > 2) broken("C4", {&x}, "{} has more than two axes: name their order with permute", x);
  auto order = Shape::counting(x.rank());
  if (order.size() == 2) order = {1, 0};
  return permute(x, order);
}

TensorType narrow(const TensorType& x, Extent axis, Extent start, Extent length) {
  in_rank(x, axis, "C1");
  const auto extent = x.shape.at(axis);
  // Written without start + length, which may overflow.
  if (start < 0 || length < 0 || start > extent || length > extent - start)
    broken("C2", {&x}, "the window of {} from {} leaves axis {} of {}, extent {}", length, start, axis, x, extent);
  auto result = x;
  result.shape[static_cast<std::size_t>(axis)] = length;
  return result;
}

TensorType pad(const TensorType& x, Extent axis, Extent start, Extent full_extent) {
  in_rank(x, axis, "C1");
  const auto extent = x.shape.at(axis);
  if (start < 0 || full_extent < extent || start > full_extent - extent)
    broken("C2", {&x}, "{} placed at {} on axis {} leaves the full extent {}", x, start, axis, full_extent);
  auto result = x;
  result.shape[static_cast<std::size_t>(axis)] = full_extent;
  return checked(std::move(result), "C3");
}

namespace {

/// How many windows of `size` taps, `dilation` apart, begin every `step` in an extent.
Extent windows_in(const TensorType& x, Extent extent, Extent size, Extent step, Extent dilation) {
  if (size <= 0 || step <= 0 || dilation <= 0)
    broken("C2", {&x}, "windows of {} taps, {} apart, every {} places: all three must be positive", size, dilation,
           step);
  Extent span = 0;
  if (__builtin_mul_overflow(size - 1, dilation, &span) || __builtin_add_overflow(span, 1, &span) || span > extent)
    broken("C3", {&x}, "a window of {} taps, {} apart, is longer than the extent {} of {}", size, dilation, extent, x);
  return (extent - span) / step + 1;
}

}  // namespace

TensorType unfold(const TensorType& x, Extent axis, Extent size, Extent step, Extent dilation) {
  in_rank(x, axis, "C1");
  auto result = x;
  result.shape[static_cast<std::size_t>(axis)] = windows_in(x, x.shape.at(axis), size, step, dilation);
  result.shape = result.shape.with(axis + 1, size);
  return checked(std::move(result), "C4");
}

TensorType fold(const TensorType& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent) {
  has(x, Function::add, "C5");
  in_rank(x, axis, "C1");
  in_rank(x, axis + 1, "C1");
  const auto count = windows_in(x, extent, size, step, dilation);
  if (x.shape.at(axis) != count || x.shape.at(axis + 1) != size)
    broken("C4", {&x}, "an extent of {} has {} windows of {} taps, not the {} of {} in {}", extent, count, size,
           x.shape.at(axis), x.shape.at(axis + 1), x);
  auto shape = x.shape.without(axis + 1);
  shape[static_cast<std::size_t>(axis)] = extent;
  return checked({x.element, std::move(shape)}, "C6");
}

TensorType concat(std::span<const TensorType* const> operands, Extent axis) {
  if (operands.empty()) broken("C1", {}, "there is nothing to join");
  auto result = *operands[0];
  in_rank(result, axis, "C2");
  for (const auto* operand : operands.subspan(1)) {
    auto beside = *operand;
    if (beside.rank() == result.rank()) beside.shape[static_cast<std::size_t>(axis)] = result.shape.at(axis);
    if (!(beside == result))
      broken("C3", {operands[0], operand}, "{} does not continue {} along axis {}", *operand, *operands[0], axis);
    Extent joined = 0;
    if (__builtin_add_overflow(result.shape.at(axis), operand->shape.at(axis), &joined))
      broken("C4", {operands[0], operand}, "the extents along axis {} are larger than memory can be", axis);
    result.shape[static_cast<std::size_t>(axis)] = joined;
  }
  return checked(std::move(result), "C4");
}

TensorType gather(const TensorType& table, const TensorType& indices) {
  if (!(indices.element == i64)) broken("C1", {&table, &indices}, "the indices {} are not i64", indices);
  if (table.rank() == 0) broken("C2", {&table, &indices}, "the table {} has no rows", table);
  auto shape = Shape::zeros(indices.rank() + table.rank() - 1);
  std::size_t next = 0;
  for (const auto extent : indices.shape) shape[next++] = extent;
  for (std::size_t axis = 1; axis < table.rank(); ++axis) shape[next++] = table.shape[axis];
  return checked({table.element, std::move(shape)}, "C3");
}

TensorType scatter(const TensorType& rows, const TensorType& indices, Extent extent) {
  if (!(indices.element == i64)) broken("C1", {&rows, &indices}, "the indices {} are not i64", indices);
  has(rows, Function::add, "C4");
  bool leads = rows.rank() >= indices.rank();
  for (std::size_t axis = 0; leads && axis < indices.rank(); ++axis) leads = rows.shape[axis] == indices.shape[axis];
  if (!leads)
    broken("C2", {&rows, &indices}, "the rows {} do not begin with the shape of the indices {}", rows, indices);
  auto shape = Shape::zeros(rows.rank() - indices.rank() + 1);
  shape[0] = extent;
  for (std::size_t axis = indices.rank(), next = 1; axis < rows.rank(); ++axis) shape[next++] = rows.shape[axis];
  return checked({rows.element, std::move(shape)}, "C3");
}

TensorType convert(const TensorType& x, ElementType element) { return checked({element, x.shape}, "C1"); }

TensorType iota_type(ElementType element, const Shape& shape, Extent axis) {
  TensorType type{element, shape};
  if (!(element == i64)) broken("C1", {&type}, "a count is i64, not {}", element.name());
  in_rank(type, axis, "C2");
  return checked(std::move(type), "C3");
}

TensorType iota_like(const TensorType& x, Extent axis) { return iota_type(i64, x.shape, axis); }

TensorType full_like(const TensorType& x, Number value) {
  if (!value.fits(x.element)) broken("C1", {&x}, "{} has no {}", x.element.name(), value.text());
  return x;
}

}  // namespace topos
