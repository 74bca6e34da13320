#include "topos/spec/text_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "topos/tensor/reference.h"

namespace topos {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of the format are little-endian");

constexpr Extent longest_list = 16;
constexpr std::size_t bytes_a_line = 32;
constexpr std::string_view hex = "0123456789abcdef";

/// The elements whose decimals read back; another element's numbers stand as their bytes.
bool has_decimals(ElementType element) {
  return element == f32 || element == f64 || element == bf16 || element == i64 || element == boolean;
}

void append_bytes(const std::byte* from, std::size_t count, std::string& out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = std::to_integer<unsigned>(from[i]);
    (out += hex[byte >> 4]) += hex[byte & 15];
  }
}

/// Every NaN becomes the canonical quiet one: which of them an operation gives is not fixed.
template <class T>
void make_nans_canonical(std::byte* values, std::size_t bytes) {
  const auto canonical = static_cast<T>(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < bytes; i += sizeof(T)) {
    T value;
    std::memcpy(&value, values + i, sizeof value);
    if (std::isnan(static_cast<double>(value))) std::memcpy(values + i, &canonical, sizeof value);
  }
}

template <class T>
bool read_real(std::string_view text, std::byte* out) {
  T value{};
  const auto* end = text.data() + text.size();
  if (text == "NaN") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (text == "inf" || text == "-inf") {
    value = text.front() == '-' ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  } else {
    // The standard's reader also takes words such as nan(7).
    if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
    const auto [at, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || at != end) return false;
  }
  std::memcpy(out, &value, sizeof value);
  return true;
}

/// The shortest digits of a bf16 number, read as a double first, give the number again.
bool read_bfloat16(std::string_view text, std::byte* out) {
  double value = 0;
  std::byte bytes[sizeof value];
  if (!read_real<double>(text, bytes)) return false;
  std::memcpy(&value, bytes, sizeof value);
  const BFloat16 rounded(value);
  std::memcpy(out, &rounded, sizeof rounded);
  return true;
}

/// One number of an element that has decimals, of up to 8 bytes.
bool read_number(std::string_view text, ElementType element, std::byte* out) {
  if (element == f32) return read_real<float>(text, out);
  if (element == f64) return read_real<double>(text, out);
  if (element == bf16) return read_bfloat16(text, out);
  if (element == boolean) {
    *out = std::byte{text == "true"};
    return text == "true" || text == "false";
  }
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, value);
  std::memcpy(out, &value, sizeof value);
  return failure == std::errc() && at == end;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

class PayloadReader {
 public:
  PayloadReader(TextCursor& cursor, const TensorType& type) : cursor_(cursor), type_(type) {}

  Tensor single();
  Tensor list();
  Tensor bytes();

 private:
  void number(std::string_view text, std::byte* out) const {
    if (!read_number(text, type_.element, out)) cursor_.fail(fmt::format("a number of {}", type_.element.name()), text);
  }
  void hex_bytes(std::string_view digits, std::byte* out) const;

  TextCursor& cursor_;
  const TensorType& type_;
};

void PayloadReader::hex_bytes(std::string_view digits, std::byte* out) const {
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) cursor_.fail("two hex digits", digits.substr(i, 2));
    out[i / 2] = static_cast<std::byte>(high * 16 + low);
    if (type_.element == boolean && high * 16 + low > 1) cursor_.fail("a boolean, 00 or 01", digits.substr(i, 2));
  }
}

Tensor PayloadReader::single() {
  alignas(16) std::byte value[16] = {};
  const auto bare = !cursor_.take("bytes");
  const auto piece = cursor_.value();
  if (bare) {
    if (!has_decimals(type_.element)) cursor_.fail("bytes and the hex digits of one number", piece);
    number(piece, value);
  } else {
    if (piece.size() != 2 * type_.element.size())
      cursor_.fail(fmt::format("{} hex digits", 2 * type_.element.size()), piece);
    hex_bytes(piece, value);
  }
  return Tensor::single(type_, value);
}

Tensor PayloadReader::list() {
  if (!has_decimals(type_.element)) cursor_.refuse(fmt::format("expected bytes, {} has no decimals", type_.text()));
  std::vector<std::byte> values;
  Extent count = 0;
  while (!cursor_.take("]")) {
    if (count != 0) cursor_.demand(",", "a comma or the closing bracket");
    cursor_.at_end();
    const auto piece = cursor_.line().substr(0, cursor_.line().find_first_of(" ,[]"));
    if (piece.empty()) cursor_.fail(fmt::format("a number of {}", type_.element.name()));
    values.resize(values.size() + type_.element.size());
    number(piece, values.data() + values.size() - type_.element.size());
    cursor_.take(piece);
    ++count;
  }
  if (count != type_.shape.volume())
    cursor_.refuse(fmt::format("expected {} numbers for {}, found {}", type_.shape.volume(), type_.text(), count));
  return Tensor::copied(type_, values.data());
}

Tensor PayloadReader::bytes() {
  cursor_.finish("nothing after bytes");
  const auto total = type_.bytes();
  // Before any allocation: the digits must be there.
  if (total > cursor_.bytes_left() / 2)
    cursor_.refuse(fmt::format("{} has {} bytes, more than the text that is left", type_.text(), total));
  std::byte* data = nullptr;
  std::byte scalar[16] = {};
  auto result = type_.rank() == 0 ? Tensor::single(type_, scalar) : Tensor::uninitialised(type_, data);
  auto* out = type_.rank() == 0 ? scalar : data;
  for (std::size_t done = 0; done < total;) {
    const auto wanted = std::min(bytes_a_line, total - done);
    if (!cursor_.next_line()) cursor_.refuse(fmt::format("expected {} more bytes, the text ends", total - done));
    const auto digits = cursor_.value();
    if (digits.size() != 2 * wanted) cursor_.fail(fmt::format("{} hex digits", 2 * wanted), digits);
    hex_bytes(digits, out + done);
    cursor_.finish("the end of the line");
    done += wanted;
  }
  return type_.rank() == 0 ? Tensor::single(type_, scalar) : result;
}

}  // namespace

void append_payload(const Tensor& payload, std::string& out) {
  const auto element = payload.element();
  if (payload.is_single()) {
    out += "all ";
    if (has_decimals(element)) {
      out += element.reference().print(payload.first());
    } else {
      out += "bytes ";
      append_bytes(static_cast<const std::byte*>(payload.first()), element.size(), out);
    }
    return;
  }
  std::vector<std::byte> values(payload.type().bytes());
  payload.copy_to(values.data());
  if (has_decimals(element) && payload.volume() <= longest_list) {
    out += '[';
    for (std::size_t at = 0; at < values.size(); at += element.size())
      (out += at == 0 ? "" : ", ") += element.reference().print(values.data() + at);
    out += ']';
    return;
  }
  if (element == f32) make_nans_canonical<float>(values.data(), values.size());
  if (element == f64) make_nans_canonical<double>(values.data(), values.size());
  if (element == bf16) make_nans_canonical<BFloat16>(values.data(), values.size());
  out += "bytes";
  out.reserve(out.size() + 2 * values.size() + values.size() / 8);
  for (std::size_t at = 0; at < values.size(); at += bytes_a_line) {
    out += "\n  ";
    append_bytes(values.data() + at, std::min(bytes_a_line, values.size() - at), out);
  }
}

Tensor read_payload(TextCursor& cursor, const TensorType& type) {
  PayloadReader reader(cursor, type);
  Tensor payload;
  if (cursor.take("all")) {
    payload = reader.single();
  } else if (cursor.take("[")) {
    payload = reader.list();
  } else if (cursor.take("bytes")) {
    return reader.bytes();
  } else {
    cursor.fail("all and a number, a list of numbers, or bytes");
  }
  cursor.finish("the end of the line");
  return payload;
}

}  // namespace topos
