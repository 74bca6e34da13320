#include "topos/tensor/tensor.h"

#include <fmt/format.h>

#include <ostream>

#include "topos/base/float_environment.h"
#include "topos/tensor/literal.h"
#include "topos/tensor/reference.h"

namespace topos {
namespace {

void demand_extents(std::string_view operation, const TensorType& type) {
  for (const auto extent : type.shape)
    if (extent < 0)
      throw Error(ErrorKind::type, std::string(operation), "a negative extent in " + type.shape.text(), {type.text()});
}

void print(const Tensor& x, std::size_t axis, const std::byte*& at, std::string& out) {
  if (axis == x.shape().rank()) {
    out += x.element().reference().print(at);
    if (!x.is_single()) at += x.element().size();
    return;
  }
  out += '[';
  for (Extent i = 0; i < x.shape()[axis]; ++i) {
    if (i != 0) out += ", ";
    print(x, axis + 1, at, out);
  }
  out += ']';
}

}  // namespace

Tensor Tensor::full(const TensorType& type, Number value) {
  if (!value.fits(type.element))
    throw Error(ErrorKind::type, "Tensor::full",
                fmt::format("{} is not a number of {}", value.text(), type.element.name()), {type.text()});
  demand_extents("Tensor::full", type);
  alignas(16) std::byte bytes[16];
  store(value, type.element, bytes);
  return single(type, bytes);
}

Tensor Tensor::of(const Literal& literal, ElementType element) { return literal.tensor(element); }

Tensor Tensor::single(const TensorType& type, const void* value) {
  Tensor result(type);
  // All sixteen bytes are stored by one instruction, as a copy will load them: a narrower store would stall that load.
  using Words = std::uint64_t __attribute__((vector_size(16)));
  using Halves = std::uint32_t __attribute__((vector_size(16)));
  if (type.element.size() == 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, value, sizeof word);
    const Words whole{word, 0};
    std::memcpy(result.place_.value, &whole, sizeof whole);
  } else if (type.element.size() == 4) {
    std::uint32_t half = 0;
    std::memcpy(&half, value, sizeof half);
    const Halves whole{half, 0, 0, 0};
    std::memcpy(result.place_.value, &whole, sizeof whole);
  } else {
    std::memcpy(result.place_.value, value, type.element.size());
  }
  return result;
}

Tensor Tensor::over(const TensorType& type, BufferHandle buffer) {
  Tensor result(type);
  result.place_.data = buffer->data();
  result.buffer_ = std::move(buffer);
  return result;
}

Tensor Tensor::uninitialised(const TensorType& type, std::byte*& data) {
  auto result = over(type, BufferHandle(Buffer::make(type.bytes())));
  data = result.place_.data;
  return result;
}

Tensor Tensor::copied(const TensorType& type, const void* values) {
  if (type.rank() == 0) return single(type, values);
  std::byte* data = nullptr;
  auto result = uninitialised(type, data);
  if (const auto bytes = type.bytes(); bytes != 0) std::memcpy(data, values, bytes);
  return result;
}

Tensor Tensor::converted(const Shape& shape, ElementType from, const void* values, std::size_t count,
                         ElementType element) {
  TensorType type{element, shape};
  demand_extents("Tensor::from", type);
  if (static_cast<Extent>(count) != shape.volume())
    throw Error(ErrorKind::type, "Tensor::from",
                fmt::format("{} values do not fill {}, which holds {}", count, type.text(), shape.volume()),
                {type.text()});
  if (from == element) return copied(type, values);
  if (type.rank() == 0) {
    alignas(16) std::byte value[16];
    convert(1, from, values, element, value);
    return single(type, value);
  }
  std::byte* data = nullptr;
  auto result = uninitialised(type, data);
  convert(shape.volume(), from, values, element, data);
  return result;
}

double Tensor::item() const {
  if (type_.rank() != 0)
    throw Error(ErrorKind::type, "Tensor::item", fmt::format("{} is not a scalar", type_.text()), {type_.text()});
  const FloatEnvironment exact;
  double value = 0;
  type_.element.reference().to_reals(1, first(), &value);
  return value;
}

void Tensor::demand(ElementType element, bool rank_0) const {
  const std::string_view name = rank_0 ? "Tensor::scalar" : "Tensor::values";
  if (!(element == type_.element))
    throw Error(ErrorKind::type, std::string(name), fmt::format("{} does not hold {}", type_.text(), element.name()),
                {type_.text(), std::string(element.name())});
  if (rank_0 && type_.rank() != 0)
    throw Error(ErrorKind::type, std::string(name), fmt::format("{} is not a scalar", type_.text()), {type_.text()});
}

Shape Tensor::strides() const {
  if (is_single()) return Shape::zeros(type_.rank());
  return strides_ ? *strides_ : row_major_strides(type_.shape);
}

Tensor Tensor::view(const TensorType& type, Shape strides, Extent offset) const {
  if (is_single()) return single(type, place_.value);
  Tensor result(type);
  result.buffer_ = buffer_;
  result.place_.data = place_.data + offset * static_cast<Extent>(type.element.size());
  if (!is_row_major(type.shape, strides)) result.strides_ = ViewStrides(std::move(strides));
  return result;
}

void Tensor::copy_to(std::byte* out) const {
  const std::size_t size = type_.element.size();
  if (is_contiguous() && !is_single()) {
    if (const auto bytes = type_.bytes(); bytes != 0) std::memcpy(out, place_.data, bytes);
    return;
  }
  const auto* from = static_cast<const std::byte*>(first());
  const auto steps = strides();
  auto index = Shape::zeros(type_.rank());
  const auto count = type_.shape.volume();
  Extent at = 0;
  for (Extent i = 0; i < count; ++i, out += size) {
    std::memcpy(out, from + at * static_cast<Extent>(size), size);
    for (std::size_t axis = type_.rank(); axis-- > 0;) {
      at += steps[axis];
      if (++index[axis] < type_.shape[axis]) break;
      at -= steps[axis] * type_.shape[axis];
      index[axis] = 0;
    }
  }
}

Tensor Tensor::dense() const { return is_contiguous() ? *this : spread(); }

Tensor Tensor::spread() const {
  if (is_contiguous() && !is_single()) return *this;
  std::byte* data = nullptr;
  auto result = uninitialised(type_, data);
  copy_to(data);
  return result;
}

std::string Tensor::text() const {
  std::string out;
  const auto contiguous = dense();
  const auto* at = static_cast<const std::byte*>(contiguous.first());
  print(contiguous, 0, at, out);
  return out;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!(a.type() == b.type())) return false;
  const auto x = a.spread();
  const auto y = b.spread();
  if (x.type().bytes() == 0 || std::memcmp(x.first(), y.first(), x.type().bytes()) == 0) return true;
  if (!a.element().is_floating()) return false;
  const auto& table = a.element().reference();
  const auto size = a.element().size();
  const auto* p = static_cast<const std::byte*>(x.first());
  const auto* q = static_cast<const std::byte*>(y.first());
  for (Extent i = 0; i < x.volume(); ++i, p += size, q += size) {
    if (std::memcmp(p, q, size) == 0) continue;
    double left = 0, right = 0;
    table.to_reals(1, p, &left);
    table.to_reals(1, q, &right);
    if (left == left || right == right) return false;  // not two NaNs
  }
  return true;
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << tensor.text(); }

}  // namespace topos
