// Packs and unpacks frames.
#include "examples/support/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace examples {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian, and so is what is copied here");

/// The code of an element is its place here.
constexpr std::array<std::string_view, 14> element_names = {"",     "i1",   "i8",   "i16",  "i32", "i64", "ui8",
                                                            "ui16", "ui32", "ui64", "bf16", "f16", "f32", "f64"};

std::uint8_t code_of(topos::ElementType element) {
  const auto name = element.stablehlo();
  const auto at = std::find(element_names.begin() + 1, element_names.end(), name);
  if (at == element_names.end())
    throw std::invalid_argument(fmt::format("a tensor of {} has no code in a frame", element.name()));
  return static_cast<std::uint8_t>(at - element_names.begin());
}

topos::ElementType element_of(std::uint8_t code) {
  if (code == 0 || code >= element_names.size())
    throw ProtocolError(
        fmt::format("a tensor's element has the code {}, expected 1 to {}", code, element_names.size() - 1));
  for (const auto element : {topos::f32, topos::f64, topos::bf16, topos::i64, topos::boolean})
    if (element.stablehlo() == element_names[code]) return element;
  throw ProtocolError(fmt::format("a tensor of {}, which is no element of topos", element_names[code]));
}

std::size_t padding_of(std::uint64_t bytes) { return static_cast<std::size_t>(-bytes % 8); }

template <class Number>
Number number_at(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// The bytes of a tensor whose extents came from outside: their product may be anything.
std::uint64_t bytes_of(const topos::TensorType& type) {
  std::int64_t volume = 1, product = type.element.size();
  for (const auto extent : type.shape) {
    if (extent < 0) throw ProtocolError(fmt::format("a tensor with the negative extent {}", extent));
    // Without the zeros, so that the product fits in whatever order it is formed.
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product))
      throw ProtocolError(fmt::format("a tensor of {}, too large for any machine", type.text()));
    volume *= extent;
  }
  return static_cast<std::uint64_t>(volume) * type.element.size();
}

}  // namespace

std::string_view name_of(Verb verb) {
  constexpr std::array<std::string_view, 8> names = {"OK", "ERROR", "LOAD", "PUT", "GET", "RUN", "QUIT", "DROP"};
  return names[static_cast<std::size_t>(verb)];
}

FrameWriter::FrameWriter(Verb verb) : bytes_(FrameHead::size) {
  const auto value = static_cast<std::uint32_t>(verb);
  std::memcpy(bytes_.data(), &value, sizeof value);
}

/// Room for `count` more bytes, zero so far.
std::byte* FrameWriter::grow(std::size_t count) {
  const auto size = bytes_.size();
  bytes_.resize(size + count);
  return bytes_.data() + size;
}

FrameWriter& FrameWriter::number(std::uint32_t value) {
  std::memcpy(grow(sizeof value), &value, sizeof value);
  return *this;
}

FrameWriter& FrameWriter::text(std::string_view text) {
  if (!text.empty()) std::memcpy(grow(text.size()), text.data(), text.size());
  return *this;
}

FrameWriter& FrameWriter::tensor(const topos::Tensor& tensor) {
  const auto code = code_of(tensor.element());
  const auto& shape = tensor.shape();
  if (shape.rank() > std::numeric_limits<std::uint8_t>::max())
    throw std::invalid_argument(fmt::format("a tensor of rank {}, a frame has room for 255 axes", shape.rank()));
  const auto bytes = tensor.type().bytes();
  auto* at = grow(8 + 8 * shape.rank() + bytes + padding_of(bytes));
  at[0] = std::byte{code};
  at[1] = static_cast<std::byte>(shape.rank());
  at += 8;
  for (const std::int64_t extent : shape) {
    std::memcpy(at, &extent, sizeof extent);
    at += sizeof extent;
  }
  tensor.copy_to(at);
  return *this;
}

std::span<const std::byte> FrameWriter::bytes() {
  const std::uint64_t length = bytes_.size() - FrameHead::size;
  std::memcpy(bytes_.data() + 8, &length, sizeof length);
  return bytes_;
}

FrameHead FrameHead::read(std::span<const std::byte, size> bytes) {
  if (const auto between = number_at<std::uint32_t>(bytes.data() + 4); between != 0)
    throw ProtocolError(fmt::format("a frame's second word is 0x{:08x}, expected 0", between));
  return {number_at<std::uint32_t>(bytes.data()), number_at<std::uint64_t>(bytes.data() + 8)};
}

std::span<const std::byte> FrameReader::take(std::uint64_t count, std::string_view what) {
  if (count > rest_.size())
    throw ProtocolError(fmt::format("{} of {} bytes where {} bytes are left", what, count, rest_.size()));
  const auto taken = rest_.first(static_cast<std::size_t>(count));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

void FrameReader::zeros(std::uint64_t count, std::string_view what) {
  const auto bytes = take(count, what);
  if (std::any_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte != std::byte{0}; }))
    throw ProtocolError(fmt::format("{} is not zero", what));
}

std::uint32_t FrameReader::number() { return number_at<std::uint32_t>(take(4, "a number").data()); }

std::string FrameReader::text() {
  const auto bytes = take(rest_.size(), "a text");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

topos::Tensor FrameReader::tensor() {
  const auto head = take(2, "a tensor's head");
  const auto element = element_of(std::to_integer<std::uint8_t>(head[0]));
  const auto rank = std::to_integer<std::size_t>(head[1]);
  zeros(6, "the filling of a tensor's head");
  const auto extents = take(8 * rank, fmt::format("the {} extents", rank));
  std::vector<topos::Extent> shape(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) shape[axis] = number_at<std::int64_t>(extents.data() + 8 * axis);
  const topos::TensorType type{element, topos::Shape(shape)};
  const auto count = bytes_of(type);
  const auto bytes = take(count, type.text());
  zeros(padding_of(count), fmt::format("the filling after {}", type.text()));
  // A bool of any other value is undefined behaviour wherever it is read.
  if (element == topos::boolean)
    for (const auto byte : bytes)
      if (byte > std::byte{1})
        throw ProtocolError(fmt::format("a truth value of {}, expected 0 or 1", std::to_integer<int>(byte)));
  return topos::Tensor::copied(type, bytes.data());
}

void FrameReader::finish() const {
  if (!rest_.empty()) throw ProtocolError(fmt::format("{} bytes too many", rest_.size()));
}

}  // namespace examples
