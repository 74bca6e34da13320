#include "support/judged/case_file.h"

#include <fmt/format.h>

namespace topos::test {
namespace {

void append_number(std::uint64_t number, std::size_t bytes, std::string& out) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i) & 0xFF);
}

std::uint64_t code_of(ElementType element) {
  if (element == boolean) return 1;
  if (element == i64) return 5;
  if (element == bf16) return 10;
  return element == f32 ? 12 : 13;
}

}  // namespace

std::string frame_of(std::string_view payload) {
  std::string out;
  append_number(0, 8, out);
  append_number(payload.size(), 8, out);
  return out += payload;
}

void append_tensor(const Tensor& tensor, std::string& out) {
  append_number(code_of(tensor.element()), 1, out);
  append_number(tensor.shape().rank(), 1, out);
  append_number(0, 6, out);
  for (const auto extent : tensor.shape()) append_number(static_cast<std::uint64_t>(extent), 8, out);
  const auto begin = out.size(), bytes = static_cast<std::size_t>(tensor.volume()) * tensor.element().size();
  out.resize(begin + (bytes + 7) / 8 * 8);
  static_assert(std::endian::native == std::endian::little, "the numbers are written as they lie in memory");
  tensor.copy_to(reinterpret_cast<std::byte*>(out.data() + begin));
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (static_cast<unsigned char>(letter) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(letter));
    else
      out += letter;
  }
  return out + "\"";
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const auto& text : texts) quoted.push_back(json_text(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string content_name(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  // The last letters are spread over all bits too.
  hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93u;
  return fmt::format("{:016x}", hash ^ (hash >> 32));
}

}  // namespace topos::test
