// The file and line that recorded a node.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace topos {

/// A place in a program's source. Made from compiler builtins rather than std::source_location, so that bindings and
/// parsed files can name a place too and every target has it. Keeps the pointer: `file` must live on (a literal does).
class Site {
 public:
  /// No place. Not a default constructor: `{}` in a call must stay free for shapes.
  static constexpr Site none() { return Site(Tag{}, "", 0); }

  /// The place that calls; as a default argument, the place that calls the function which has it.
  static constexpr Site current(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) {
    return Site(Tag{}, file, line);
  }
  /// A place given by name; `file` is kept by pointer and must outlive every node recorded there.
  static constexpr Site named(const char* file, std::uint32_t line) { return Site(Tag{}, file, line); }

  constexpr const char* file() const { return file_; }
  constexpr std::uint32_t line() const { return line_; }
  constexpr bool known() const { return line_ != 0; }

  /// `model.cpp:12`: the file's name without its folders.
  std::string text() const;

  friend constexpr bool operator==(const Site& a, const Site& b) { return a.file_ == b.file_ && a.line_ == b.line_; }

 private:
  // Two braced integers must not look like a site: they are axes.
  struct Tag {
    explicit Tag() = default;
  };
  constexpr Site(Tag, const char* file, std::uint32_t line) : file_(file), line_(line) {}
  const char* file_;
  std::uint32_t line_;
};

}  // namespace topos
