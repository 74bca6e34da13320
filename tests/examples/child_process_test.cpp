// Tests of the child process, against programs that every system has.
#include "examples/support/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace examples {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Clock = ChildProcess::Clock;

/// Long enough for a busy machine, for what should come at once.
ChildProcess::Deadline soon() { return Clock::now() + 30s; }

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string read_text(ChildProcess& child, std::size_t count) {
  std::string text(count, '\0');
  child.read(std::as_writable_bytes(std::span(text)), soon());
  return text;
}

/// What a call throws; a failure where it throws nothing.
template <class Call>
ChildError error_of(Call&& call) {
  try {
    call();
  } catch (const ChildError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ChildError::Kind::system, ""};
}

bool no_child_is_left() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

TEST(child_process, echoes_what_is_written) {
  ChildProcess child({"cat"});
  for (const std::string text : {"first", "second, longer"}) {
    child.write(bytes_of(text), soon());
    EXPECT_EQ(read_text(child, text.size()), text);
  }
  EXPECT_FALSE(child.status());
  child.close_input();
  EXPECT_EQ(child.wait(soon()).code, 0);
  EXPECT_THROW(child.write(bytes_of("more"), soon()), std::logic_error);
}

TEST(child_process, takes_more_than_a_pipe_holds) {
  ChildProcess child({"sh", "-c", "wc -c; head -c 3000000 /dev/zero"});
  const std::string megabytes(3'000'000, 'x');
  child.write(bytes_of(megabytes), soon());
  child.close_input();
  EXPECT_EQ(read_text(child, 8), "3000000\n");
  EXPECT_EQ(read_text(child, megabytes.size()), std::string(megabytes.size(), '\0'));
}

TEST(child_process, a_read_ends_by_its_deadline) {
  ChildProcess child({"sleep", "60"}, 10ms);
  const auto start = Clock::now();
  const auto error = error_of([&] {
    std::byte one[3];
    child.read(one, start + 50ms);
  });
  EXPECT_GE(Clock::now() - start, 50ms);
  EXPECT_EQ(error.kind(), ChildError::Kind::timeout);
  EXPECT_FALSE(error.status());
  EXPECT_THAT(error.what(), AllOf(StartsWith("sleep 60: "), HasSubstr("0 of 3 bytes")));
}

TEST(child_process, a_write_ends_by_its_deadline_where_nobody_reads) {
  ChildProcess child({"sleep", "60"}, 10ms);
  const std::string megabytes(3'000'000, 'x');
  const auto error = error_of([&] { child.write(bytes_of(megabytes), Clock::now() + 50ms); });
  EXPECT_EQ(error.kind(), ChildError::Kind::timeout);
  EXPECT_THAT(error.what(), HasSubstr("of 3000000 bytes of its input"));
}

TEST(child_process, a_wait_ends_by_its_deadline) {
  ChildProcess child({"sleep", "60"}, 10ms);
  EXPECT_EQ(error_of([&] { child.wait(Clock::now() + 20ms); }).kind(), ChildError::Kind::timeout);
}

TEST(child_process, tells_the_exit_status_and_the_last_lines_of_standard_error) {
  ChildProcess child({"sh", "-c", "echo first >&2; echo the reason >&2; exit 3"});
  const auto error = error_of([&] { read_text(child, 1); });
  EXPECT_EQ(error.kind(), ChildError::Kind::ended);
  ASSERT_TRUE(error.status());
  EXPECT_EQ(error.status()->code, 3);
  EXPECT_EQ(error.status()->signal, 0);
  EXPECT_THAT(error.what(), AllOf(StartsWith("sh -c 'echo first"), HasSubstr("ended with exit status 3"),
                                  EndsWith("\nfirst\nthe reason")));
}

TEST(child_process, tells_the_signal_that_ended_it) {
  ChildProcess child({"sh", "-c", "kill -KILL $$"});
  const auto error = error_of([&] { read_text(child, 1); });
  ASSERT_TRUE(error.status());
  EXPECT_EQ(error.status()->signal, SIGKILL);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("ended with signal 9"), HasSubstr("nothing to its standard error")));
}

TEST(child_process, tells_how_much_came_before_the_end) {
  ChildProcess child({"sh", "-c", "printf abc"});
  EXPECT_THAT(error_of([&] { read_text(child, 5); }).what(), HasSubstr("3 of 5 bytes"));
}

TEST(child_process, tells_a_closed_pipe_from_an_end) {
  ChildProcess child({"sh", "-c", "exec >&-; sleep 60"}, 10ms);
  const auto error = error_of([&] { read_text(child, 1); });
  EXPECT_EQ(error.kind(), ChildError::Kind::ended);
  EXPECT_FALSE(error.status());
  EXPECT_THAT(error.what(), HasSubstr("closed the pipe but still runs"));
}

TEST(child_process, keeps_the_end_of_a_long_standard_error) {
  // More than a pipe holds: the child goes on only because it is read.
  ChildProcess child({"sh", "-c", "yes complaint | head -c 300000 >&2; echo the last line >&2; echo done"});
  EXPECT_EQ(read_text(child, 5), "done\n");
  EXPECT_EQ(child.wait(soon()).code, 0);
  EXPECT_LE(child.errors().size(), std::size_t{1} << 14);
  EXPECT_THAT(std::string(child.errors()), EndsWith("complaint\nthe last line\n"));
  EXPECT_LE(child.message("so").size(), 2200U);
}

TEST(child_process, shows_no_control_characters) {
  ChildProcess child({"sh", "-c", "printf '\\033[31mred\\a' >&2"});
  child.wait(soon());
  EXPECT_THAT(child.message("so"), EndsWith("\n?[31mred?"));
}

TEST(child_process, names_a_program_that_does_not_start) {
  const auto error = error_of([] { ChildProcess({"no-such-program-anywhere", "--now"}); });
  EXPECT_EQ(error.kind(), ChildError::Kind::start);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("no-such-program-anywhere --now"), HasSubstr("No such file")));
  EXPECT_THROW(ChildProcess({}), std::invalid_argument);
  EXPECT_TRUE(no_child_is_left());
}

TEST(child_process, a_write_to_a_closed_pipe_raises_no_signal) {
  ChildProcess child({"sh", "-c", "exit 4"});
  child.wait(soon());
  const auto error = error_of([&] { child.write(bytes_of("x"), soon()); });
  EXPECT_EQ(error.kind(), ChildError::Kind::ended);
  ASSERT_TRUE(error.status());
  EXPECT_EQ(error.status()->code, 4);
  sigset_t pending, blocked;
  sigpending(&pending);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
  EXPECT_FALSE(sigismember(&blocked, SIGPIPE));
}

TEST(child_process, the_child_has_the_usual_signals) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  {
    ChildProcess child({"sh", "-c", "kill -PIPE $$; echo alive"});
    EXPECT_EQ(child.wait(soon()).signal, SIGPIPE);
  }
  std::signal(SIGPIPE, before);
}

TEST(child_process, leaves_no_zombie_and_no_descriptor) {
  const int before = dup(STDIN_FILENO);
  close(before);
  { ChildProcess child({"sleep", "60"}, 0ms); }
  { ChildProcess child({"true"}); }
  EXPECT_THROW(ChildProcess({"no-such-program-anywhere"}), ChildError);
  const int after = dup(STDIN_FILENO);
  close(after);
  EXPECT_EQ(after, before);
  EXPECT_TRUE(no_child_is_left());
}

TEST(child_process, ends_what_the_child_started) {
  // The pipe is inherited by the child and by what that starts: it ends when all of them have.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    ChildProcess child({"sh", "-c", "sleep 60 & echo started; wait"}, 0ms);
    close(ends[1]);
    EXPECT_EQ(read_text(child, 8), "started\n");
    pollfd still_held{ends[0], POLLIN, 0};
    EXPECT_EQ(poll(&still_held, 1, 0), 0);
  }
  pollfd ended{ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&ended, 1, 30000), 1);
  close(ends[0]);
}

TEST(child_process, has_time_to_end_by_itself) {
  const auto file = std::filesystem::path(testing::TempDir()) / "child_process_ended.txt";
  std::filesystem::remove(file);
  { ChildProcess child({"sh", "-c", "cat; sleep 0.1; echo ended > \"$0\"", file.string()}, 30s); }
  std::ifstream stream(file);
  std::string line;
  EXPECT_TRUE(std::getline(stream, line));
  EXPECT_EQ(line, "ended");
  std::filesystem::remove(file);
}

TEST(child_process, kill_ends_it_at_once) {
  ChildProcess child({"sleep", "60"});
  child.kill();
  ASSERT_TRUE(child.status());
  EXPECT_EQ(child.status()->signal, SIGKILL);
  child.kill();
  EXPECT_EQ(child.wait(soon()).signal, SIGKILL);
  EXPECT_TRUE(no_child_is_left());
}

TEST(child_process, command_words_are_those_of_a_shell) {
  EXPECT_THAT(command_words("  python3\tserve.py  --engine xla\n"),
              ElementsAre("python3", "serve.py", "--engine", "xla"));
  EXPECT_THAT(command_words(R"('a b'"c d" e\ f '' "x\"y" '\z')"), ElementsAre("a bc d", "e f", "", "x\"y", "\\z"));
  EXPECT_THAT(command_words(" "), ElementsAre());
  EXPECT_THROW(command_words("a 'b"), std::invalid_argument);
  EXPECT_THROW(command_words("a \\"), std::invalid_argument);
}

}  // namespace
}  // namespace examples
