// Finds and reads the names and makes their samples.
#include "examples/support/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>

namespace examples {
namespace {

constexpr std::string_view cure = "give the file's place with --data PATH";

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
}

void check_name(const std::filesystem::path& path, std::int64_t number, std::string_view line) {
  if (line.empty()) throw std::runtime_error(fmt::format("{}:{}: empty line, expected a name", path.string(), number));
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] >= 'a' && line[i] <= 'z') continue;
    const auto byte = static_cast<unsigned char>(line[i]);
    const auto shown = byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", line[i]) : fmt::format("byte 0x{:02x}", byte);
    throw std::runtime_error(fmt::format("{}:{}: {} in column {}, expected a name of the letters a to z", path.string(),
                                         number, shown, i + 1));
  }
}

// The samples at the given places, in that order.
template <class Place>
Samples selection(const Samples& samples, std::size_t count, Place place) {
  Samples chosen{samples.context, {}, {}};
  const auto width = static_cast<std::size_t>(samples.context);
  chosen.contexts.reserve(count * width);
  chosen.targets.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = place(i);
    const auto window = samples.contexts.begin() + static_cast<std::ptrdiff_t>(from * width);
    chosen.contexts.insert(chosen.contexts.end(), window, window + samples.context);
    chosen.targets.push_back(samples.targets[from]);
  }
  return chosen;
}

}  // namespace

std::int64_t token(char letter) {
  if (letter == '.') return 0;
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 1;
  throw std::invalid_argument(fmt::format("no token for byte 0x{:02x}", static_cast<unsigned char>(letter)));
}

char letter(std::int64_t token) {
  if (token < 0 || token >= vocabulary) throw std::invalid_argument(fmt::format("no letter for token {}", token));
  return token == 0 ? '.' : static_cast<char>('a' + token - 1);
}

std::vector<std::filesystem::path> data_directories() {
  std::vector<std::filesystem::path> directories;
#ifdef TOPOS_EXAMPLES_DATA
  directories.emplace_back(TOPOS_EXAMPLES_DATA);
#endif
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  // The convention for this variable is that a relative path counts as unset.
  if (cache != nullptr && cache[0] == '/') {
    directories.push_back(std::filesystem::path(cache) / "topos");
  } else if (home != nullptr && home[0] != '\0') {
    directories.push_back(std::filesystem::path(home) / ".cache" / "topos");
  }
  return directories;
}

std::filesystem::path find_data(std::string_view file, const std::filesystem::path& given,
                                std::span<const std::filesystem::path> directories) {
  if (!given.empty()) {
    if (is_file(given)) return given;
    throw MissingData(fmt::format("no file {}; {}", given.string(), cure));
  }
  std::string places;
  for (const auto& directory : directories) {
    auto path = directory / file;
    if (is_file(path)) return path;
    places += fmt::format("{}{}", places.empty() ? "" : ", ", path.string());
  }
  throw MissingData(fmt::format("no {}, looked at {}; {}", file, places.empty() ? "no place" : places, cure));
}

std::filesystem::path default_names_path(const std::filesystem::path& given) {
  return find_data("names.txt", given, data_directories());
}

std::vector<std::string> load_names(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!is_file(path) || !file) throw MissingData(fmt::format("cannot read {}; {}", path.string(), cure));
  std::vector<std::string> names;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    check_name(path, static_cast<std::int64_t>(names.size()) + 1, line);
    names.push_back(line);
  }
  if (file.bad()) throw std::runtime_error(fmt::format("{}: reading stopped early", path.string()));
  if (names.empty()) throw std::runtime_error(fmt::format("{}: the file holds no names", path.string()));
  return names;
}

Samples contexts(const std::vector<std::string>& names, std::int64_t context) {
  if (context < 1) throw std::invalid_argument(fmt::format("a context of {} tokens, expected at least 1", context));
  Samples samples{context, {}, {}};
  std::vector<std::int64_t> padded;
  for (const auto& name : names) {
    padded.assign(static_cast<std::size_t>(context), 0);
    for (const char letter : name) padded.push_back(token(letter));
    padded.push_back(0);
    for (auto target = padded.begin() + context; target != padded.end(); ++target) {
      samples.contexts.insert(samples.contexts.end(), target - context, target);
      samples.targets.push_back(*target);
    }
  }
  return samples;
}

Samples shuffled(const Samples& samples, std::uint64_t seed) {
  std::vector<std::size_t> order(samples.targets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, seed);
  return selection(samples, order.size(), [&](std::size_t i) { return order[i]; });
}

Samples batch(const Samples& samples, std::int64_t step, std::int64_t size) {
  if (size < 1 || size > samples.size() || step < 0) {
    throw std::invalid_argument(fmt::format("no batch of {} at step {} among {} samples", size, step, samples.size()));
  }
  const auto places = samples.size() - size;
  const auto start = static_cast<std::size_t>(places == 0 ? 0 : step * size % places);
  return selection(samples, static_cast<std::size_t>(size), [&](std::size_t i) { return start + i; });
}

Split split(std::vector<std::string> names, std::uint64_t seed) {
  shuffle(names, seed);
  const auto count = names.size() < 2 ? std::size_t{0} : std::max<std::size_t>(names.size() / 10, 1);
  const auto border = names.end() - static_cast<std::ptrdiff_t>(count);
  return {std::vector<std::string>(names.begin(), border), std::vector<std::string>(border, names.end())};
}

}  // namespace examples
