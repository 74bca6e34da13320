// The data set of names: finding and reading it, its samples, and the seeded streams that shuffle and sample.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace examples {

/// Data, or a program, that an example needs and that is not there; the text says where it was looked for and the cure.
class MissingData : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The splitmix64 stream of random numbers.
class Splitmix {
 public:
  /// A stream whose state starts at `seed`.
  explicit Splitmix(std::uint64_t seed) : state_(seed) {}

  /// The next 64 bits.
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    auto bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31);
  }
  /// The next number in [0, 1), of 53 bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// Puts the items in an order that depends on their number and the seed alone (Fisher-Yates, from the top).
template <class Item>
void shuffle(std::vector<Item>& items, std::uint64_t seed) {
  Splitmix stream(seed);
  for (auto top = items.size(); top-- > 1;) {
    const auto other = static_cast<std::size_t>(std::floor(stream.unit() * static_cast<double>(top + 1)));
    std::swap(items[top], items[other]);
  }
}

/// The index that a number in [0, 1) selects, by walking the cumulative distribution in f64; what rounding leaves
/// over goes to the last index.
template <class Real>
std::int64_t pick(std::span<const Real> probabilities, double unit) {
  double total = 0;
  for (std::size_t i = 0; i + 1 < probabilities.size(); ++i) {
    total += static_cast<double>(probabilities[i]);
    if (unit < total) return static_cast<std::int64_t>(i);
  }
  return static_cast<std::int64_t>(probabilities.size()) - 1;
}

/// The number of tokens: the end of a name and 26 letters.
inline constexpr std::int64_t vocabulary = 27;

/// The token of a character: `.` is 0, `a` to `z` are 1 to 26. Throws std::invalid_argument for any other.
std::int64_t token(char letter);
/// The character of a token. Throws std::invalid_argument outside 0 to 26.
char letter(std::int64_t token);

/// The directories that are searched for data: the source tree's `examples/data` where it was built in, then
/// `$XDG_CACHE_HOME/topos` (`~/.cache/topos` by default).
std::vector<std::filesystem::path> data_directories();
/// The path of a data file: `given` where it is not empty, else `file` in the first of the directories that holds it.
/// Throws MissingData where there is none, also where `given` names no file: other data never takes its place.
std::filesystem::path find_data(std::string_view file, const std::filesystem::path& given,
                                std::span<const std::filesystem::path> directories);
/// The path of `names.txt`, or `given` where it is not empty.
std::filesystem::path default_names_path(const std::filesystem::path& given = {});

/// Reads names, one a line, of the letters a to z. Throws MissingData where the file cannot be opened and
/// std::runtime_error, with the file and the line number, where a line is not a name or where there is none.
std::vector<std::string> load_names(const std::filesystem::path& path);

/// Windows of tokens with the token that follows each.
struct Samples {
  /// Tokens in a window.
  std::int64_t context = 0;
  /// The windows, one after the other.
  std::vector<std::int64_t> contexts;
  /// The token that follows each window.
  std::vector<std::int64_t> targets;

  /// The number of samples.
  std::int64_t size() const { return static_cast<std::int64_t>(targets.size()); }
};

/// The samples of all names: each name follows `context` zeros and is followed by one.
Samples contexts(const std::vector<std::string>& names, std::int64_t context);
/// The samples in a seeded order.
Samples shuffled(const Samples& samples, std::uint64_t seed);
/// The samples of step `step`: `size` in a row from `(step * size) mod (count - size)`.
Samples batch(const Samples& samples, std::int64_t step, std::int64_t size);

/// Names to train on and names held out.
struct Split {
  /// The names to train on.
  std::vector<std::string> training;
  /// The names held out.
  std::vector<std::string> held_out;
};

/// Shuffles the names and holds out the last tenth: of ten or more names the tenth rounded down, of fewer one, and of
/// a single name none.
Split split(std::vector<std::string> names, std::uint64_t seed);

}  // namespace examples
