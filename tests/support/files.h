// Owns how tests read a file.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace topos::test {

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace topos::test
