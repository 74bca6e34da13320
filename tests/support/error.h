// Assertions on the library's errors: kind, operation, types, site and words.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "topos/base/error.h"

namespace topos::test {

/// What a wrong line is expected to say. Empty fields are not looked at.
struct Misuse {
  ErrorKind kind;
  std::string operation = {};              // the beginning of Error::operation()
  std::vector<std::string> types = {};     // exactly Error::types()
  std::vector<std::string> words = {};     // each somewhere in what()
  std::optional<std::uint32_t> line = {};  // of the recording, in the test's file, give or take a line break
  std::string_view file = __builtin_FILE();
};

template <class F>
std::optional<Error> caught(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

template <class F>
testing::AssertionResult throws(F&& f, const Misuse& wanted) {
  const auto error = caught(f);
  if (!error) return testing::AssertionFailure() << "no topos::Error was thrown";
  const auto wrong = [&](const std::string& what) {
    return testing::AssertionFailure() << what << " in: [" << name_of(error->kind()) << "] " << error->what();
  };
  if (error->kind() != wanted.kind) return wrong("kind is not " + std::string(name_of(wanted.kind)));
  if (!error->operation().starts_with(wanted.operation))
    return wrong("operation \"" + error->operation() + "\" does not begin with \"" + wanted.operation + "\"");
  if (!wanted.types.empty() && error->types() != wanted.types) {
    std::string list;
    for (const auto& type : error->types()) list += " " + type;
    return wrong("the types are" + list);
  }
  for (const auto& word : wanted.words)
    if (std::string(error->what()).find(word) == std::string::npos) return wrong("\"" + word + "\" is missing");
  if (wanted.line) {
    if (!error->site().known()) return wrong("no recording site");
    const auto distance = static_cast<std::int64_t>(error->site().line()) - static_cast<std::int64_t>(*wanted.line);
    if (distance < -4 || distance > 4)  // a formatted statement may spread over some lines
      return wrong("the site is line " + std::to_string(error->site().line()) + ", not " +
                   std::to_string(*wanted.line));
    if (error->site().file() != wanted.file) return wrong("the site is in " + std::string(error->site().file()));
  }
  return testing::AssertionSuccess();
}

}  // namespace topos::test
