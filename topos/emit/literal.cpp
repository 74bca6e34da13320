#include "topos/emit/literal.h"

#include <bit>
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

template <class T, class Bits>
void append_canonical(const std::byte* from, std::string& bytes) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if (value != value) value = std::numeric_limits<T>::quiet_NaN();
  auto bits = std::bit_cast<Bits>(value);
  for (std::size_t i = 0; i < sizeof bits; ++i, bits = static_cast<Bits>(bits >> 8))
    bytes += static_cast<char>(bits & 0xFF);
}

void append_bf16(const std::byte* from, std::string& bytes) {
  BFloat16 value;
  std::memcpy(&value, from, sizeof value);
  const auto wide = static_cast<float>(value);
  const auto bits = wide != wide ? std::uint16_t{0x7FC0} : value.bits();
  bytes += static_cast<char>(bits & 0xFF);
  bytes += static_cast<char>(bits >> 8);
}

/// The bytes in little-endian order, two digits each.
std::string hex_bytes(const Tensor& x, const std::byte* data) {
  std::string bytes;
  const std::size_t size = x.element().size();
  for (Extent i = 0; i < x.volume(); ++i, data += size) {
    if (x.element() == f32)
      append_canonical<float, std::uint32_t>(data, bytes);
    else if (x.element() == f64)
      append_canonical<double, std::uint64_t>(data, bytes);
    else if (x.element() == bf16)
      append_bf16(data, bytes);
    else
      append_canonical<std::int64_t, std::uint64_t>(data, bytes);
  }
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out = "\"0x";
  for (const auto byte : bytes) {
    out += digits[static_cast<unsigned char>(byte) >> 4];
    out += digits[static_cast<unsigned char>(byte) & 15];
  }
  return out + "\"";
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
  if (payload.volume() > largest_list && !(payload.element() == boolean)) return hex_bytes(dense, data);
  std::string out;
  append_list(dense, 0, data, out);
  return out;
}

}  // namespace topos
