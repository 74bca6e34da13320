// The progress line of long loops, drawn on standard error while it is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace examples {

/// The text of a progress line: percent, step, loss, steps per second and time left.
std::string progress_line(std::int64_t done, std::int64_t total, double loss, double seconds);

/// One updating line for a loop of a known number of steps. Prints nothing where standard error is not a terminal.
class Progress {
 public:
  /// Starts the clock for a loop of `total` steps.
  explicit Progress(std::int64_t total);
  /// Erases the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that `done` steps are complete; redraws at most ten times a second.
  void update(std::int64_t done, double loss);
  /// Erases the line, so that the program can print one of its own; the next update draws it again.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t total_;
  bool terminal_;
  Clock::time_point start_;
  Clock::time_point next_;
  std::size_t drawn_ = 0;
};

}  // namespace examples
