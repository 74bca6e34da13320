#include "topos/emit/literal.h"

#include <bit>
#include <concepts>
#include <limits>

#include "topos/tensor/reference.h"

namespace topos {
namespace {

constexpr Extent largest_list = 256;

bool all_same_bits(const Tensor& x, const std::byte* data) {
  const std::size_t size = x.element().size();
  for (Extent i = 1; i < x.volume(); ++i)
    if (std::memcmp(data, data + static_cast<std::size_t>(i) * size, size) != 0) return false;
  return true;
}

void append_list(const Tensor& x, std::size_t axis, const std::byte*& at, std::string& out) {
  if (axis == x.shape().rank()) {
    out += x.element().reference().literal(at);
    at += x.element().size();
    return;
  }
  out += '[';
  for (Extent i = 0; i < x.shape()[axis]; ++i) {
    if (i != 0) out += ", ";
    append_list(x, axis + 1, at, out);
  }
  out += ']';
}

/// The number's bits, of NaN the canonical quiet one's.
template <class T, class Bits>
Bits canonical_bits(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::same_as<T, BFloat16>) {
    const auto wide = static_cast<float>(value);
    return wide != wide ? Bits{0x7FC0} : value.bits();
  } else {
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    return std::bit_cast<Bits>(value);
  }
}

/// The bytes in little-endian order, two digits each.
template <class T, class Bits>
std::string hex_bytes(const std::byte* data, Extent count) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out(2 * sizeof(Bits) * static_cast<std::size_t>(count) + 4, '"');
  out[1] = '0';
  out[2] = 'x';
  auto* to = out.data() + 3;
  for (Extent i = 0; i < count; ++i, data += sizeof(T)) {
    auto bits = canonical_bits<T, Bits>(data);
    for (std::size_t byte = 0; byte < sizeof bits; ++byte, bits = static_cast<Bits>(bits >> 8)) {
      *to++ = digits[(bits >> 4) & 15];
      *to++ = digits[bits & 15];
    }
  }
  return out;
}

std::string hex_bytes(ElementType element, const std::byte* data, Extent count) {
  if (element == f32) return hex_bytes<float, std::uint32_t>(data, count);
  if (element == f64) return hex_bytes<double, std::uint64_t>(data, count);
  if (element == bf16) return hex_bytes<BFloat16, std::uint16_t>(data, count);
  return hex_bytes<std::int64_t, std::uint64_t>(data, count);
}

}  // namespace

std::string dense_literal(const Tensor& payload) {
  const auto print = payload.element().reference().literal;
  if (print == nullptr)
    throw Error(ErrorKind::emission, "StableHLO",
                "the element " + std::string(payload.element().name()) + " has no StableHLO spelling",
                {payload.type().text()});
  if (payload.volume() == 0) return {};
  if (payload.is_single()) return print(payload.first());
  const auto dense = payload.spread();
  const auto* data = static_cast<const std::byte*>(dense.first());
  if (all_same_bits(dense, data)) return print(data);
  if (payload.volume() > largest_list && !(payload.element() == boolean))
    return hex_bytes(dense.element(), data, dense.volume());
  std::string out;
  append_list(dense, 0, data, out);
  return out;
}

}  // namespace topos
