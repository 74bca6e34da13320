// Draws the progress line and keeps its pace.
#include "examples/support/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace examples {
namespace {

constexpr auto pause = std::chrono::milliseconds(100);

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 359999.0) return "--:--";
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole < 3600) return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string progress_line(std::int64_t done, std::int64_t total, double loss, double seconds) {
  const double share = total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 1.0;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0.0;
  const auto remaining = static_cast<double>(std::max<std::int64_t>(total - done, 0));
  const double left = rate > 0 ? remaining / rate : (remaining > 0 ? INFINITY : 0.0);
  auto line = fmt::format("{:3.0f}%  step {}/{}  loss {:.4g}  {:.{}f} steps/s  {} left", std::floor(share * 100), done,
                          total, loss, rate, rate < 10 ? 2 : 0, clock_text(left));
  // A line that wraps cannot be redrawn in place.
  if (line.size() > 79) line.resize(79);
  return line;
}

Progress::Progress(std::int64_t total)
    : total_(total), terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), next_(start_ + pause) {}

Progress::~Progress() { clear(); }

void Progress::update(std::int64_t done, double loss) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + pause;
  auto line = progress_line(done, total_, loss, std::chrono::duration<double>(now - start_).count());
  const auto width = line.size();
  // Spaces rather than an escape sequence erase what was longer: they work on every terminal.
  if (line.size() < drawn_) line.resize(drawn_, ' ');
  drawn_ = width;
  std::fflush(stdout);
  std::fprintf(stderr, "\r%s", line.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (drawn_ == 0) return;
  std::fprintf(stderr, "\r%s\r", std::string(drawn_, ' ').c_str());
  std::fflush(stderr);
  drawn_ = 0;
}

}  // namespace examples
