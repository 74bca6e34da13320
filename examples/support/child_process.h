// A child process with pipes on its standard streams. Every read, write and wait ends by a deadline.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace examples {

/// The words of a command line, split at white space as a shell does it: `'...'` and `"..."` hold a word together, and
/// a backslash outside of single quotes takes the next character as it is. Nothing else is special.
/// Throws std::invalid_argument for a quote that is not closed or a backslash at the end.
std::vector<std::string> command_words(std::string_view line);

/// How a process ended: by its exit code, or by a signal where `signal` is not 0.
struct ExitStatus {
  /// -1 where this program ignores SIGCHLD, so that the system keeps no status.
  int code = 0;
  int signal = 0;

  /// `exit status 3`, `signal 9 (Killed)`.
  std::string text() const;
};

/// A child process that cannot be talked to. The message names the command, what was being done, how the process ended
/// and the last lines of its standard error.
class ChildError : public std::runtime_error {
 public:
  enum class Kind {
    start,    ///< it could not be started
    ended,    ///< it ended, or closed the pipe, before all was read or written
    timeout,  ///< it still runs, and the deadline is over
    system,   ///< the operating system refused
  };
  ChildError(Kind kind, const std::string& text, std::optional<ExitStatus> status = {})
      : std::runtime_error(text), kind_(kind), status_(status) {}

  Kind kind() const { return kind_; }
  /// How it ended, where it has.
  const std::optional<ExitStatus>& status() const { return status_; }

 private:
  Kind kind_;
  std::optional<ExitStatus> status_;
};

/// An open file descriptor of ours, or none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void close();

 private:
  int number_;
};

/// Runs a command for as long as the object lives. For one thread at a time.
///
/// The child leads a process group of its own, so that what it starts ends with it. Its standard error is taken in
/// whenever something is read, written or waited for, and its end is kept for messages.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = Clock::time_point;

  /// Starts words[0], which is looked for in PATH, with the other words as arguments. Throws ChildError, and
  /// std::invalid_argument for no words. `grace` is how long the destructor waits before it kills.
  explicit ChildProcess(std::vector<std::string> words, std::chrono::milliseconds grace = std::chrono::seconds(1));
  /// Closes the pipes, lets the process end by itself within the grace period, then kills it and its group; leaves no
  /// zombie.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Writes all bytes to its standard input. Throws ChildError, also where the process does not read on in time.
  void write(std::span<const std::byte> bytes, Deadline deadline);
  /// Fills `bytes` from its standard output. Throws ChildError, also where the output ends before that.
  void read(std::span<std::byte> bytes, Deadline deadline);
  /// Closes its standard input.
  void close_input() { input_.close(); }
  /// Waits for its end. Throws ChildError where it still runs at the deadline.
  ExitStatus wait(Deadline deadline);
  /// Kills it and its group at once, and waits for its end.
  void kill() noexcept;

  /// How it ended, nothing while it runs.
  std::optional<ExitStatus> status();
  /// The process id, also of its group.
  pid_t id() const { return id_; }
  /// The command, as messages show it.
  const std::string& command() const { return command_; }
  /// The last 16 KiB of what it wrote to its standard error so far.
  std::string_view errors() const;
  /// A message about this process: the command, `what`, and the last lines of its standard error.
  std::string message(std::string_view what) const;

 private:
  bool await(const Descriptor& pipe, short events, Deadline deadline);
  bool await_end(Deadline deadline);
  bool take_errors();
  [[noreturn]] void fail_ended(std::string_view doing);
  [[noreturn]] void fail_late(std::string_view doing);

  std::string command_;
  std::chrono::milliseconds grace_;
  Descriptor input_, output_, errors_;
  pid_t id_ = -1;
  std::optional<ExitStatus> status_;  // once the system has forgotten the process: its id may be another's by then
  std::string errors_text_;
};

}  // namespace examples
