// What the benchmarks share: a stopwatch, the best and the median of several times, and their command lines.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <vector>

namespace timing {

/// Nanoseconds that `f` takes, once.
template <class F>
double nanoseconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

inline double best(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

/// The middle one; of an even number the faster of the two in the middle.
inline double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Parses, prints help or what is wrong. True: go on; false: end with `status`, 2 for a mistake.
inline bool parsed(CLI::App& app, int argc, char** argv, int& status) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? 0 : 2;
    return false;
  }
}

}  // namespace timing
