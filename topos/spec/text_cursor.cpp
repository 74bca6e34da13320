#include "topos/spec/text_cursor.h"

#include <fmt/format.h>

#include <charconv>

#include "topos/base/error.h"

namespace topos {
namespace {

bool printable(char byte) { return byte >= ' ' && byte <= '~'; }

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

std::string string_text(std::string_view text) {
  std::string out = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\')
      (out += '\\') += byte;
    else if (printable(byte))
      out += byte;
    else
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  }
  return out += '"';
}

bool TextCursor::next_line() {
  if (rest_.empty()) return false;
  const auto end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  at_ = 0;
  ++number_;
  if (line_.size() > longest_line) refuse(fmt::format("the line has {} bytes, at most {}", line_.size(), longest_line));
  for (const char& byte : line_) {
    if (printable(byte)) continue;
    const auto column = &byte - line_.data();
    if (byte == '\r' && &byte == &line_.back()) refuse("the line ends in CR LF, expected LF alone");
    refuse(fmt::format("byte {} is 0x{:02X}, expected printable ASCII alone", column + 1,
                       static_cast<unsigned char>(byte)));
  }
  return true;
}

void TextCursor::skip_blanks() {
  while (at_ < line_.size() && line_[at_] == ' ') ++at_;
}

bool TextCursor::at_end() {
  skip_blanks();
  return at_ == line_.size();
}

bool TextCursor::take(std::string_view piece) {
  skip_blanks();
  if (!line_.substr(at_).starts_with(piece)) return false;
  const auto end = at_ + piece.size();
  // A word that goes on is another word.
  if (in_word(piece.back()) && end < line_.size() && in_word(line_[end])) return false;
  at_ = end;
  return true;
}

void TextCursor::demand(std::string_view piece, std::string_view expected) {
  if (!take(piece)) fail(expected);
}

void TextCursor::finish(std::string_view expected) {
  if (!at_end()) fail(expected);
}

std::string_view TextCursor::word() {
  skip_blanks();
  const auto begin = at_;
  while (at_ < line_.size() && in_word(line_[at_])) ++at_;
  return line_.substr(begin, at_ - begin);
}

std::string_view TextCursor::value() {
  skip_blanks();
  const auto begin = at_;
  while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != '[') ++at_;
  if (at_ < line_.size() && line_[at_] == '[') {
    const auto close = line_.find(']', at_);
    at_ = close == std::string_view::npos ? line_.size() : close + 1;
  }
  return line_.substr(begin, at_ - begin);
}

std::uint64_t TextCursor::number(std::string_view expected, std::uint64_t largest) {
  skip_blanks();
  std::uint64_t value = 0;
  const auto* begin = line_.data() + at_;
  const auto [end, failure] = std::from_chars(begin, line_.data() + line_.size(), value);
  if (failure != std::errc() || value > largest) fail(expected);
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

std::string TextCursor::string(std::string_view expected) {
  skip_blanks();
  if (at_ == line_.size() || line_[at_] != '"') fail(expected);
  std::string text;
  for (++at_; at_ < line_.size() && line_[at_] != '"';) text += line_[at_] == '\\' ? escaped(expected) : line_[at_++];
  if (at_ == line_.size()) refuse(fmt::format("{} has no closing quote", expected));
  ++at_;
  return text;
}

char TextCursor::escaped(std::string_view expected) {
  const auto rest = line_.substr(at_);
  if (rest.starts_with("\\\"") || rest.starts_with("\\\\")) {
    at_ += 2;
    return rest[1];
  }
  unsigned byte = 0;
  const auto* digits = rest.data() + 2;
  if (!rest.starts_with("\\x") || rest.size() < 4 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
    fail(fmt::format("in {} one of \\\", \\\\ and \\x with two hex digits", expected), rest.substr(0, 4));
  at_ += 4;
  return static_cast<char>(byte);
}

void TextCursor::refuse(const std::string& text) const {
  throw Error(ErrorKind::file, "load", fmt::format("line {}: {}", number_, text));
}

void TextCursor::fail(std::string_view expected, std::string_view found) const {
  refuse(fmt::format("expected {}, found {}", expected, found.empty() ? "the end of the line" : shown(found)));
}

void TextCursor::fail(std::string_view expected) {
  skip_blanks();
  fail(expected, line_.substr(at_));
}

std::string TextCursor::shown(std::string_view piece) {
  constexpr std::size_t most = 40;
  return piece.size() <= most ? string_text(piece) : string_text(piece.substr(0, most)) + "...";
}

}  // namespace topos
