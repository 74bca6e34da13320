// Owns counting how often a text stands in another, for tests that read what a plan prints.
#pragma once
#include <string>

namespace topos::test {

inline std::size_t count_in(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace topos::test
