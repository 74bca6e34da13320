// Starts, talks to, waits for and ends a child process, by POSIX calls alone.
#include "examples/support/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

extern "C" char** environ;

namespace examples {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kept_errors = std::size_t{1} << 14;
constexpr std::size_t shown_errors = 2000;
constexpr std::size_t shown_lines = 20;
constexpr std::size_t shown_command = 160;

[[noreturn]] void fail_system(std::string_view call, int error) {
  throw ChildError(ChildError::Kind::system, fmt::format("{}: {}", call, std::generic_category().message(error)));
}

std::string text_of(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\") == std::string::npos;
    if (!text.empty()) text += ' ';
    text += plain ? word : "'" + word + "'";
  }
  if (text.size() > shown_command) text.replace(shown_command, std::string::npos, "...");
  return text;
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// The same descriptor with a number above the standard streams, which the child's ends are laid over.
Descriptor lifted(Descriptor low) {
  if (low.get() > STDERR_FILENO) return low;
  const int high = fcntl(low.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (high < 0) fail_system("fcntl", errno);
  return Descriptor(high);
}

/// A pipe that no other program started by this one inherits.
Pipe make_pipe() {
  std::array<int, 2> ends{};
#ifdef __linux__
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_system("pipe2", errno);
#else
  if (pipe(ends.data()) != 0) fail_system("pipe", errno);
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  Descriptor read(ends[0]);
  Descriptor write(ends[1]);
  return {lifted(std::move(read)), lifted(std::move(write))};
}

void make_non_blocking(const Descriptor& descriptor) {
  const int flags = fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) != 0) fail_system("fcntl", errno);
}

/// What a child starts with: its streams, a group of its own, and signals as a new program expects them.
class SpawnSettings {
 public:
  SpawnSettings(int input, int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    sigset_t blocked, back_to_default;
    sigemptyset(&blocked);
    sigemptyset(&back_to_default);
    sigaddset(&back_to_default, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    posix_spawnattr_setsigdefault(&attributes_, &back_to_default);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  /// 0, or why the program could not be started.
  int spawn(pid_t& id, const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return posix_spawnp(&id, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// Holds SIGPIPE back from this thread and takes one that came meanwhile, so that a write to a closed pipe is an error
/// and no more; the program's own treatment of the signal stays as it is.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    was_pending_ = pending();
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalHeld() {
    int taken = 0;
    if (!was_pending_ && pending()) sigwait(&pipe_, &taken);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;

 private:
  static bool pending() {
    sigset_t set;
    return sigpending(&set) == 0 && sigismember(&set, SIGPIPE) == 1;
  }

  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

/// Milliseconds to a deadline for poll, rounded up, at most `most`; 0 once it is over.
int milliseconds_left(ChildProcess::Deadline deadline, std::chrono::milliseconds most) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - ChildProcess::Clock::now());
  return static_cast<int>(std::clamp(left, 0ms, most).count());
}

}  // namespace

std::vector<std::string> command_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (quote == 0 && std::strchr(" \t\r\n", letter) != nullptr && letter != 0) {
      inside = false;
      continue;
    }
    if (!std::exchange(inside, true)) words.emplace_back();
    if (letter == '\\' && quote != '\'') {
      if (++i == line.size()) throw std::invalid_argument(fmt::format("a backslash ends the command: {}", line));
      words.back() += line[i];
    } else if (quote == 0 ? letter == '\'' || letter == '"' : letter == quote) {
      quote = quote == 0 ? letter : '\0';
    } else {
      words.back() += letter;
    }
  }
  if (quote != 0) throw std::invalid_argument(fmt::format("a quote {} is not closed in the command: {}", quote, line));
  return words;
}

std::string ExitStatus::text() const {
  if (signal != 0) return fmt::format("signal {} ({})", signal, strsignal(signal));
  return code < 0 ? "an unknown exit status" : fmt::format("exit status {}", code);
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

ChildProcess::ChildProcess(std::vector<std::string> words, std::chrono::milliseconds grace)
    : command_(text_of(words)), grace_(grace) {
  if (words.empty()) throw std::invalid_argument("an empty command, expected a program and its arguments");
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  for (const auto* ours : {&input.write, &output.read, &errors.read}) make_non_blocking(*ours);
  SpawnSettings settings(input.read.get(), output.write.get(), errors.write.get());
  if (const int error = settings.spawn(id_, words); error != 0)
    throw ChildError(ChildError::Kind::start,
                     fmt::format("cannot start {}: {}", command_, std::generic_category().message(error)));
  input_ = std::move(input.write);
  output_ = std::move(output.read);
  errors_ = std::move(errors.read);
}

ChildProcess::~ChildProcess() {
  input_.close();
  output_.close();
  await_end(Clock::now() + grace_);
  kill();
}

void ChildProcess::kill() noexcept {
  if (status_) return;
  const auto ended = status();
  if (::kill(-id_, SIGKILL) != 0) ::kill(id_, SIGKILL);
  int raw = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(id_, &raw, 0);
  } while (waited < 0 && errno == EINTR);
  if (ended)
    status_ = ended;
  else if (waited != id_)
    status_ = ExitStatus{-1, 0};
  else
    status_ = WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
}

std::optional<ExitStatus> ChildProcess::status() {
  if (status_) return status_;
  siginfo_t info{};
  // Left to be waited for: until then nobody else's process or group has its number, and kill() hits what it means.
  if (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno == ECHILD) status_ = ExitStatus{-1, 0};
    return status_;
  }
  if (info.si_pid == 0) return {};
  return info.si_code == CLD_EXITED ? ExitStatus{info.si_status, 0} : ExitStatus{0, info.si_status};
}

/// Takes in one piece of the child's standard error; whether there was one.
bool ChildProcess::take_errors() {
  if (errors_.get() < 0) return false;
  std::array<char, 4096> piece;
  const auto count = ::read(errors_.get(), piece.data(), piece.size());
  if (count < 0) return false;
  if (count == 0) errors_.close();
  errors_text_.append(piece.data(), static_cast<std::size_t>(count));
  if (errors_text_.size() > 2 * kept_errors) errors_text_.erase(0, errors_text_.size() - kept_errors);
  return count > 0;
}

/// Waits until a pipe can be read or written, taking in standard error meanwhile; false at the deadline.
bool ChildProcess::await(const Descriptor& pipe, short events, Deadline deadline) {
  while (Clock::now() < deadline) {
    std::array<pollfd, 2> watched{{{pipe.get(), events, 0}, {errors_.get(), POLLIN, 0}}};
    const int ready = poll(watched.data(), watched.size(), milliseconds_left(deadline, 60s));
    if (ready < 0 && errno != EINTR) fail_system("poll", errno);
    if (ready <= 0) continue;
    if (watched[1].revents != 0) take_errors();
    if (watched[0].revents != 0) return true;
  }
  return false;
}

/// Waits for the end of the process, taking in standard error meanwhile; false at the deadline.
bool ChildProcess::await_end(Deadline deadline) {
  auto pause = 1ms;
  while (!status()) {
    if (Clock::now() >= deadline) return false;
    pollfd watched{errors_.get(), POLLIN, 0};
    if (poll(&watched, 1, milliseconds_left(deadline, pause)) > 0) take_errors();
    pause = std::min(2 * pause, 20ms);
  }
  // A bound, since a process that the child has left behind may write on.
  for (int pieces = 0; pieces < 64 && take_errors(); ++pieces) {}
  return true;
}

void ChildProcess::write(std::span<const std::byte> bytes, Deadline deadline) {
  if (input_.get() < 0) throw std::logic_error("a write to a child process after close_input");
  const PipeSignalHeld held;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::write(input_.get(), bytes.data() + done, bytes.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
      continue;
    }
    const auto doing = [&] { return fmt::format("it had read {} of {} bytes of its input", done, bytes.size()); };
    if (errno == EPIPE) fail_ended(doing());
    if (errno != EAGAIN && errno != EINTR) fail_system("write", errno);
    if (!await(input_, POLLOUT, deadline)) fail_late(doing());
  }
}

void ChildProcess::read(std::span<std::byte> bytes, Deadline deadline) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::read(output_.get(), bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
      continue;
    }
    const auto doing = [&] { return fmt::format("{} of {} bytes of its output had come", done, bytes.size()); };
    if (count == 0) fail_ended(doing());
    if (errno != EAGAIN && errno != EINTR) fail_system("read", errno);
    if (!await(output_, POLLIN, deadline)) fail_late(doing());
  }
}

ExitStatus ChildProcess::wait(Deadline deadline) {
  if (!await_end(deadline)) fail_late("its end was waited for");
  return *status();
}

std::string_view ChildProcess::errors() const {
  const std::string_view text = errors_text_;
  return text.substr(text.size() - std::min(text.size(), kept_errors));
}

std::string ChildProcess::message(std::string_view what) const {
  auto text = errors();
  text = text.substr(text.size() - std::min(text.size(), shown_errors));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::size_t lines = 1;
  for (std::size_t i = text.size(); i-- > 0;)
    if (text[i] == '\n' && lines++ == shown_lines) text.remove_prefix(i + 1), i = 0;
  if (text.empty()) return fmt::format("{}: {}; it wrote nothing to its standard error", command_, what);
  std::string clean(text);
  for (char& letter : clean)
    if (static_cast<unsigned char>(letter) < ' ' && letter != '\n' && letter != '\t') letter = '?';
  return fmt::format("{}: {}; its standard error ends:\n{}", command_, what, clean);
}

void ChildProcess::fail_ended(std::string_view doing) {
  // A pipe closes a moment before its process can be waited for.
  await_end(Clock::now() + 1s);
  const auto how = status();
  const auto what = how ? "ended with " + how->text() : std::string("closed the pipe but still runs");
  throw ChildError(ChildError::Kind::ended, message(fmt::format("{} when {}", what, doing)), how);
}

void ChildProcess::fail_late(std::string_view doing) {
  const auto how = status();
  const auto what =
      how ? "ended with " + how->text() + ", but the pipe stayed open: the time was over" : "the time was over";
  throw ChildError(ChildError::Kind::timeout, message(fmt::format("{} when {}", what, doing)), how);
}

}  // namespace examples
