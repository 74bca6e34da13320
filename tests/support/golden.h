// Golden texts: files of tests/golden/, compared token by token or character for character.
#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace topos::test {

/// A text of tests/golden/plates/.
inline std::string plate(const std::string& name) {
  std::ifstream file(std::string(TOPOS_TEST_DATA) + "/golden/plates/" + name);
  EXPECT_TRUE(file.is_open()) << "no file " << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Lines of tokens; runs of blanks stand for any amount of white space. Empty lines do not count.
inline std::vector<std::vector<std::string>> tokens_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::vector<std::string> tokens;
    for (std::string word; words >> word;) tokens.push_back(word);
    if (!tokens.empty()) lines.push_back(std::move(tokens));
  }
  return lines;
}

inline testing::AssertionResult same_tokens(const std::string& text, const std::string& golden) {
  const auto got = tokens_of(text);
  const auto wanted = tokens_of(golden);
  for (std::size_t i = 0; i < std::max(got.size(), wanted.size()); ++i) {
    if (i < got.size() && i < wanted.size() && got[i] == wanted[i]) continue;
    const auto show = [&](const std::vector<std::vector<std::string>>& lines) {
      std::string line;
      if (i >= lines.size()) return std::string("(no line)");
      for (const auto& token : lines[i]) line += token + " ";
      return line;
    };
    return testing::AssertionFailure() << "line " << i << ":\n  got    " << show(got) << "\n  wanted " << show(wanted);
  }
  return testing::AssertionSuccess();
}

}  // namespace topos::test
