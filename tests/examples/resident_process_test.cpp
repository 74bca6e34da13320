// Tests of the resident process's client, against a process without an engine and against hostile ones.
#include "examples/support/resident_process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace examples {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using topos::Tensor;
using topos::TensorType;
using Argument = ResidentProcess::Argument;
using Drop = ResidentProcess::Drop;
using GivenUp = ResidentProcess::GivenUp;
using Result = ResidentProcess::Result;
using SendBack = ResidentProcess::SendBack;
using Slot = ResidentProcess::Slot;

/// The process that gives its arguments back.
std::vector<std::string> fake(const std::string& exit_code = "0") {
  return {"python3", TOPOS_TEST_DATA "/examples/fake_resident.py", exit_code};
}

/// A process that says `bytes`, whatever it is asked, and stays until its input ends.
std::vector<std::string> says(std::string_view bytes, const std::string& afterwards = "cat >/dev/null") {
  std::string escaped;
  for (const unsigned char byte : bytes) escaped += fmt::format("\\0{:03o}", byte);
  return {"sh", "-c", "printf %b '" + escaped + "'; " + afterwards};
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

std::string frame(std::uint32_t verb, const std::string& payload) {
  return little_endian(verb, 4) + little_endian(0, 4) + little_endian(payload.size(), 8) + payload;
}

/// A tensor's head and extents, without elements.
std::string head(int code, const std::vector<std::int64_t>& shape) {
  auto text =
      little_endian(static_cast<std::uint64_t>(code), 1) + little_endian(shape.size(), 1) + std::string(6, '\0');
  for (const auto extent : shape) text += little_endian(static_cast<std::uint64_t>(extent), 8);
  return text;
}

/// The same bits in every element, NaNs too.
bool identical(const Tensor& a, const Tensor& b) {
  if (!(a.type() == b.type())) return false;
  std::vector<std::byte> left(a.type().bytes()), right(b.type().bytes());
  a.copy_to(left.data());
  b.copy_to(right.data());
  return left == right;
}

std::vector<Tensor> tensors_of_every_kind() {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto payload = std::bit_cast<float>(0x7FC12345U);
  const auto small = std::numeric_limits<float>::denorm_min();
  const auto table = Tensor::from({2, 3}, {1.5F, -0.0F, payload, small, -INFINITY, 3e38F});
  return {
      Tensor::of(2.5, topos::f32),
      table,
      transpose(table),
      Tensor::full({topos::f32, {3, 2}}, 0.1),
      Tensor::from({2, 1, 2}, {nan, -0.0, std::numeric_limits<double>::denorm_min(), 1e308}),
      Tensor::from({5}, {1.0, -0.0, nan, 1e-40, 3.14}, topos::bf16),
      Tensor::from({3}, {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{1} << 53}),
      Tensor::from({9}, {true, false, true, true, false, false, false, true, true}),
      Tensor::full({topos::boolean, {}}, true),
      Tensor::full({topos::f64, {0, 4}}, 1),
      Tensor::full({topos::i64, {1, 2, 1, 1, 2, 1, 3}}, 7),
  };
}

/// What the process says to GET is no answer: the message, which says so of this process ever after.
std::string protocol_error(const std::string& answer, ResidentLimits limits = {}) {
  ResidentProcess process(says(answer), limits);
  std::string message;
  try {
    process.get(Slot{1});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ProtocolError& error) {
    message = error.what();
  }
  EXPECT_THAT(message, HasSubstr("its answer to GET breaks the protocol: "));
  try {
    process.put(Slot{1}, Tensor());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ProtocolError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("PUT was asked of a process that is no more"), EndsWith(message)));
  }
  return message;
}

/// The bytes that a block of docs/resident.md shows, without the words behind them.
std::string bytes_of_the_page(int block) {
  std::ifstream page(TOPOS_SOURCE_DIR "/docs/resident.md");
  std::string bytes;
  int fences = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      ++fences;
    } else if (fences == 2 * block + 1) {
      std::istringstream pairs(line.substr(0, 52));  // the words begin in this column
      for (std::string pair; pairs >> pair;) bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
    }
  }
  return bytes;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(frames, the_page_shows_these_bytes) {
  FrameWriter request(Verb::put);
  request.number(7).number(0).tensor(Tensor::from({2, 1}, {1.0F, -2.0F}));
  EXPECT_EQ(text_of(request.bytes()), bytes_of_the_page(0));
  EXPECT_EQ(text_of(request.bytes()), frame(3, little_endian(7, 4) + little_endian(0, 4) + head(12, {2, 1}) +
                                                   little_endian(0x3F800000, 4) + little_endian(0xC0000000, 4)));
  EXPECT_EQ(text_of(FrameWriter(Verb::ok).bytes()), bytes_of_the_page(1));
  EXPECT_EQ(text_of(FrameWriter(Verb::error).text("slot 8 holds nothing").bytes()), bytes_of_the_page(2));
}

TEST(frames, a_short_tensor_is_filled_up) {
  FrameWriter request(Verb::ok);
  request.tensor(Tensor::from({3}, {true, false, true})).number(9);
  const auto payload = request.bytes().subspan(FrameHead::size);
  EXPECT_EQ(payload.size(), 8U + 8U + 8U + 4U);
  FrameReader reader(payload);
  EXPECT_EQ(reader.tensor().type(), (TensorType{topos::boolean, {3}}));
  EXPECT_EQ(reader.number(), 9U);
  reader.finish();
}

TEST(frames, no_beginning_of_a_tensor_is_one) {
  for (const auto& tensor : tensors_of_every_kind()) {
    FrameWriter frame(Verb::ok);
    const auto payload = frame.tensor(tensor).bytes().subspan(FrameHead::size);
    for (std::size_t size = 0; size < payload.size(); ++size) {
      FrameReader reader(payload.first(size));
      EXPECT_THROW(reader.tensor(), ProtocolError) << size << " bytes of " << tensor.type().text();
    }
  }
}

TEST(frames, a_rank_that_does_not_fit_is_refused) {
  const topos::Shape shape(std::vector<topos::Extent>(256, 1));
  EXPECT_THROW(FrameWriter(Verb::ok).tensor(Tensor::full({topos::f32, shape}, 1)), std::invalid_argument);
}

TEST(resident_process, keeps_tensors_of_every_element_bit_for_bit) {
  ResidentProcess process(fake());
  std::uint32_t slot = 0;
  for (const auto& tensor : tensors_of_every_kind()) {
    process.put(Slot{++slot}, tensor);
    EXPECT_TRUE(identical(process.get(Slot{slot}), tensor)) << tensor.type().text();
  }
  process.quit();
}

TEST(resident_process, runs_with_tensors_and_slots) {
  ResidentProcess process(fake());
  const auto program = process.load("identity 4");
  EXPECT_EQ(program.arguments, 4U);
  EXPECT_EQ(program.results, 4U);
  const auto sent = Tensor::from({3}, {1.0F, 2.0F, 3.0F});
  const auto kept = Tensor::from({2}, {true, false});
  const auto given = Tensor::from({1}, {std::int64_t{5}});
  process.put(Slot{1}, kept);
  process.put(Slot{2}, given);
  const std::vector<Argument> arguments{sent, Slot{1}, GivenUp{Slot{2}}, sent};
  const std::vector<Result> results{Slot{3}, SendBack{}, SendBack{}, Drop{}};
  const auto answers = process.run(program, arguments, results);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(identical(answers[0], kept));
  EXPECT_TRUE(identical(answers[1], given));
  EXPECT_TRUE(identical(process.get(Slot{3}), sent));
  EXPECT_TRUE(identical(process.get(Slot{1}), kept));
  EXPECT_THROW(process.get(Slot{2}), ResidentError);
  process.drop(Slot{1});
  EXPECT_THROW(process.get(Slot{1}), ResidentError);
  process.drop(program);
  process.quit();
}

TEST(resident_process, carries_more_than_a_pipe_holds) {
  ResidentProcess process(fake());
  std::vector<double> values(1 << 19);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const auto large = Tensor::from({static_cast<topos::Extent>(values.size())}, values);
  process.put(Slot{1}, large);
  EXPECT_TRUE(identical(process.get(Slot{1}), large));
}

TEST(resident_process, a_refusal_is_an_exception_with_its_text) {
  ResidentProcess process(fake());
  for (int times = 0; times < 2; ++times) {
    try {
      process.load("nonsense");
      FAIL() << "nothing was thrown";
    } catch (const ResidentError& error) {
      EXPECT_STREQ(error.what(), "no module: nonsense\nline 2 of the reason");
    }
  }
  const auto program = process.load("identity 1");
  const std::vector<Argument> arguments{Tensor()};
  EXPECT_THROW(process.run(program, arguments, {}), ResidentError);
  EXPECT_THROW(process.run({77, 0, 0}, {}, {}), ResidentError);
  const std::vector<Result> results{SendBack{}};
  EXPECT_EQ(process.run(program, arguments, results).size(), 1U);
}

TEST(resident_process, quit_demands_an_end_without_error) {
  ResidentProcess good(fake());
  good.quit();
  EXPECT_THROW(good.get(Slot{1}), ProtocolError);
  ResidentProcess bad(fake("5"));
  try {
    bad.quit();
    FAIL() << "nothing was thrown";
  } catch (const ChildError& error) {
    ASSERT_TRUE(error.status());
    EXPECT_EQ(error.status()->code, 5);
  }
}

TEST(resident_process, a_request_ends_by_its_time) {
  ResidentLimits limits;
  limits.timeout = 50ms;
  ResidentProcess process({"sleep", "60"}, limits);
  const auto start = ChildProcess::Clock::now();
  EXPECT_THROW(process.get(Slot{1}), ChildError);
  // It is killed, so that the second request has nobody to wait for.
  EXPECT_THROW(process.get(Slot{1}), ProtocolError);
  EXPECT_LT(ChildProcess::Clock::now() - start, 30s);
}

TEST(resident_process, the_end_of_the_process_is_told_with_its_last_words) {
  ResidentProcess process({"sh", "-c", "echo out of coffee >&2; exit 9"});
  try {
    process.get(Slot{1});
    FAIL() << "nothing was thrown";
  } catch (const ChildError& error) {
    ASSERT_TRUE(error.status());
    EXPECT_EQ(error.status()->code, 9);
    EXPECT_THAT(error.what(), EndsWith("out of coffee"));
  }
}

TEST(resident_process, garbage_is_no_answer) {
  EXPECT_THAT(protocol_error("Traceback (most recent call last):"), HasSubstr("second word is 0x"));
  EXPECT_THAT(protocol_error(frame(2, "")), HasSubstr("its verb is 2"));
  EXPECT_THAT(protocol_error(frame(0xFFFFFFFF, "")), HasSubstr("its verb is 4294967295"));
  EXPECT_THAT(protocol_error(frame(0, "")), HasSubstr("0 bytes are left"));
}

TEST(resident_process, a_length_beyond_the_limit_is_refused) {
  const auto announced = little_endian(0, 8) + little_endian(std::uint64_t{1} << 62, 8);
  EXPECT_THAT(protocol_error(announced), HasSubstr("announces 4611686018427387904 bytes"));
  ResidentLimits limits;
  limits.answer = 23;
  EXPECT_THAT(protocol_error(frame(0, std::string(24, '\0')), limits), HasSubstr("more than the 23"));
}

TEST(resident_process, no_room_is_made_for_bytes_that_do_not_come) {
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const auto before = peak();
  ResidentLimits limits;
  limits.timeout = 100ms;
  ResidentProcess process(says(little_endian(0, 8) + little_endian(std::uint64_t{4} << 30, 8) + "five!"), limits);
  EXPECT_THROW(process.get(Slot{1}), ChildError);
  EXPECT_LT(peak() - before, 1 << 18) << "KiB";
}

TEST(resident_process, no_tensor_is_made_of_what_is_none) {
  const auto error = [](const std::string& payload) { return protocol_error(frame(0, payload)); };
  const auto word = std::string(8, '\0');
  EXPECT_THAT(error(head(0, {}) + word), HasSubstr("the code 0"));
  EXPECT_THAT(error(head(14, {}) + word), HasSubstr("the code 14"));
  EXPECT_THAT(error(head(4, {}) + word), HasSubstr("a tensor of i32, which is no element of topos"));
  EXPECT_THAT(error(head(12, {2, -1}) + word), HasSubstr("the negative extent -1"));
  EXPECT_THAT(error(head(12, {3}) + word), HasSubstr("f32[3] of 12 bytes where 8 bytes are left"));
  EXPECT_THAT(error(head(13, {1LL << 40, 1LL << 40}) + word), HasSubstr("too large for any machine"));
  EXPECT_THAT(error(head(13, {1LL << 40, 0, 1LL << 40})), HasSubstr("too large for any machine"));
  EXPECT_THAT(error(head(13, {1LL << 60}) + word), HasSubstr("too large for any machine"));
  EXPECT_THAT(error(head(13, {1LL << 50}) + word), HasSubstr("where 8 bytes are left"));
  EXPECT_THAT(error(head(12, {1}) + "abcd" + "\1" + std::string(3, '\0')), HasSubstr("the filling after f32[1]"));
  EXPECT_THAT(error(head(1, {1}) + "\2" + std::string(7, '\0')), HasSubstr("a truth value of 2"));
  EXPECT_THAT(error("\x0C" + std::string(1, '\0') + "\1" + std::string(5, '\0') + word),
              HasSubstr("the filling of a tensor's head"));
  EXPECT_THAT(error(std::string("\x0C\xFF") + std::string(6, '\0')), HasSubstr("the 255 extents"));
  EXPECT_THAT(error(head(13, {1}) + word + word), HasSubstr("8 bytes too many"));
}

TEST(resident_process, an_answer_that_breaks_off_is_told_with_how_the_process_ended) {
  const auto half = frame(0, head(13, {1}) + std::string(8, '\0')).substr(0, 30);
  ResidentProcess process(says(half, "head -c 24 >/dev/null; exit 6"));
  try {
    process.get(Slot{1});
    FAIL() << "nothing was thrown";
  } catch (const ChildError& error) {
    ASSERT_TRUE(error.status());
    EXPECT_EQ(error.status()->code, 6);
    EXPECT_THAT(error.what(), HasSubstr("14 of 24 bytes"));
  }
}

}  // namespace
}  // namespace examples
