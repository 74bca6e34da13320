// A place in a text that is read line by line, and the errors that name it. Internal.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace topos {

/// No line of the format is longer.
inline constexpr std::size_t longest_line = std::size_t{1} << 24;

/// `"h"`: printable ASCII as it is, quotes and backslashes behind a backslash, every other byte as `\x0A`.
std::string string_text(std::string_view text);

/// Reads pieces of one line after the other. Blanks between pieces do not count. Whatever is not as expected throws
/// Error(file) with the line's number and the piece found, shortened.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}

  /// Goes to the next line; false at the end of the text. Refuses a line that is too long or holds other bytes than
  /// printable ASCII.
  bool next_line();
  std::uint32_t line_number() const { return number_; }
  /// Bytes after this line.
  std::size_t bytes_left() const { return rest_.size(); }

  /// Whether nothing but blanks is left of the line.
  bool at_end();
  /// Skips `piece` if the line goes on with it.
  bool take(std::string_view piece);
  void demand(std::string_view piece, std::string_view expected);
  /// The end of the line.
  void finish(std::string_view expected);

  /// A name: letters, digits and `_`; empty if there is none.
  std::string_view word();
  /// Up to a blank, or a list to its closing bracket.
  std::string_view value();
  std::uint64_t number(std::string_view expected, std::uint64_t largest);
  std::string string(std::string_view expected);

  /// What is left of the line.
  std::string_view line() { return line_.substr(at_); }

  [[noreturn]] void refuse(const std::string& text) const;
  /// `expected ..., found "..."`
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;
  [[noreturn]] void fail(std::string_view expected);

  /// A piece of the text as messages show it: quoted and shortened.
  static std::string shown(std::string_view piece);

 private:
  void skip_blanks();
  char escaped(std::string_view expected);

  std::string_view rest_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::uint32_t number_ = 0;
};

}  // namespace topos
