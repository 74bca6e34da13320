// The one exception type of the library, and the kinds of mistakes it names.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "topos/base/site.h"

namespace topos {

/// What kind of mistake an Error reports.
enum class ErrorKind : std::uint8_t {
  type,      ///< shapes, axes or elements that do not fit: found at the recording line
  family,    ///< a value, symbol, parameter or run of another network, or of a tape that is sealed or gone
  coverage,  ///< the thing asked for is not part of what this carrier covers
  feed,      ///< a feed that names no input or does not fit it
  argument,  ///< an argument outside its meaning
  index,     ///< an index payload out of range: found at the run
  number,    ///< a NaN or an infinity that a watched run met
  file,      ///< a file that cannot be read or holds something else
  emission,  ///< something without a spelling in the emitted language
};

/// The word that messages and tests use: "type", "family", ...
std::string_view name_of(ErrorKind kind);

/// A user's mistake. The message names the operation, the types and the place that recorded it.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string operation, const std::string& text, std::vector<std::string> types = {},
        Site site = Site::none());

  ErrorKind kind() const { return kind_; }
  /// The operation at fault: an opcode with the constraint it broke, "MatMul (C2)", or a member's name, "Run::of".
  const std::string& operation() const { return operation_; }
  /// The types involved, as messages print them: "f32[2, 3]". Empty where no type is at fault.
  const std::vector<std::string>& types() const { return types_; }
  /// The place that recorded the node at fault; unknown where nothing was being recorded.
  const Site& site() const { return site_; }
  /// The sentence alone, without operation and place.
  const std::string& text() const { return text_; }

 private:
  ErrorKind kind_;
  std::string operation_;
  std::string text_;
  std::vector<std::string> types_;
  Site site_;
};

/// What a type rule throws: a broken constraint by its label. Whoever called the rule knows the operation's name and
/// the place and makes an Error of it.
struct TypeFault {
  std::string_view label;
  std::string text;
  std::vector<std::string> types;
};

}  // namespace topos
