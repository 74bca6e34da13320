// Asks a resident process and reads its answers.
#include "examples/support/resident_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace examples {
namespace {

using Argument = ResidentProcess::Argument;
using Result = ResidentProcess::Result;

/// The first read of an answer, and the least by which its room grows.
constexpr std::size_t piece = std::size_t{1} << 20;

enum ArgumentKind : std::uint32_t { inline_tensor, from_slot, slot_given_up };
enum ResultKind : std::uint32_t { send_back, keep_in_slot, drop_result };
enum DropKind : std::uint32_t { drop_slot, drop_program };

struct WriteArgument {
  FrameWriter& frame;
  void operator()(const topos::Tensor& tensor) const { frame.number(inline_tensor).number(0).tensor(tensor); }
  void operator()(ResidentProcess::Slot slot) const { frame.number(from_slot).number(slot.number); }
  void operator()(ResidentProcess::GivenUp given) const { frame.number(slot_given_up).number(given.slot.number); }
};

struct WriteResult {
  FrameWriter& frame;
  void operator()(ResidentProcess::SendBack) const { frame.number(send_back).number(0); }
  void operator()(ResidentProcess::Slot slot) const { frame.number(keep_in_slot).number(slot.number); }
  void operator()(ResidentProcess::Drop) const { frame.number(drop_result).number(0); }
};

int nothing(FrameReader&) { return 0; }

}  // namespace

ResidentProcess::ResidentProcess(std::vector<std::string> words, ResidentLimits limits)
    : child_(std::move(words)), limits_(limits) {}

/// Sends a request and leaves its answer's payload in answer_.
Verb ResidentProcess::exchange(FrameWriter& request, ChildProcess::Deadline deadline) {
  child_.write(request.bytes(), deadline);
  std::array<std::byte, FrameHead::size> head_bytes;
  child_.read(head_bytes, deadline);
  const auto head = FrameHead::read(head_bytes);
  if (head.verb != static_cast<std::uint32_t>(Verb::ok) && head.verb != static_cast<std::uint32_t>(Verb::error))
    throw ProtocolError(fmt::format("its verb is {}, expected 0 (OK) or 1 (ERROR)", head.verb));
  if (head.length > limits_.answer)
    throw ProtocolError(
        fmt::format("it announces {} bytes, more than the {} of the limit", head.length, limits_.answer));
  answer_.clear();
  while (answer_.size() < head.length) {
    const auto done = answer_.size();
    const auto room = std::max({piece, done, answer_.capacity() - done});
    answer_.resize(done + static_cast<std::size_t>(std::min<std::uint64_t>(room, head.length - done)));
    child_.read(std::span(answer_).subspan(done), deadline);
  }
  return static_cast<Verb>(head.verb);
}

/// One request and its answer, as `read` makes it of the payload. An ERROR leaves the process as it is; after any other
/// failure it may be at any place of the protocol, and is ended.
template <class Read>
auto ResidentProcess::ask(Verb verb, FrameWriter& request, Read&& read) {
  if (!over_.empty())
    throw ProtocolError(fmt::format("{} was asked of a process that is no more: {}", name_of(verb), over_));
  try {
    if (exchange(request, ChildProcess::Clock::now() + limits_.timeout) == Verb::error)
      throw ResidentError(FrameReader(answer_).text());
    FrameReader answer(answer_);
    auto result = read(answer);
    answer.finish();
    return result;
  } catch (const ResidentError&) {
    throw;
  } catch (const ProtocolError& error) {
    child_.kill();
    over_ = child_.message(fmt::format("its answer to {} breaks the protocol: {}", name_of(verb), error.what()));
    throw ProtocolError(over_);
  } catch (const std::exception& error) {
    child_.kill();
    over_ = error.what();
    throw;
  }
}

ResidentProcess::Program ResidentProcess::load(std::string_view text) {
  auto request = FrameWriter(Verb::load);
  request.text(text);
  return ask(Verb::load, request, [](FrameReader& answer) {
    Program program;
    program.number = answer.number();
    program.arguments = answer.number();
    program.results = answer.number();
    return program;
  });
}

void ResidentProcess::put(Slot slot, const topos::Tensor& tensor) {
  auto request = FrameWriter(Verb::put);
  request.number(slot.number).number(0).tensor(tensor);
  ask(Verb::put, request, nothing);
}

topos::Tensor ResidentProcess::get(Slot slot) {
  auto request = FrameWriter(Verb::get);
  request.number(slot.number).number(0);
  return ask(Verb::get, request, [](FrameReader& answer) { return answer.tensor(); });
}

std::vector<topos::Tensor> ResidentProcess::run(const Program& program, std::span<const Argument> arguments,
                                                std::span<const Result> results) {
  auto request = FrameWriter(Verb::run);
  request.number(program.number).number(static_cast<std::uint32_t>(arguments.size()));
  for (const auto& argument : arguments) std::visit(WriteArgument{request}, argument);
  request.number(static_cast<std::uint32_t>(results.size())).number(0);
  for (const auto& result : results) std::visit(WriteResult{request}, result);
  const auto count = std::count_if(results.begin(), results.end(),
                                   [](const Result& result) { return std::holds_alternative<SendBack>(result); });
  return ask(Verb::run, request, [&](FrameReader& answer) {
    std::vector<topos::Tensor> sent;
    for (auto left = count; left > 0; --left) sent.push_back(answer.tensor());
    return sent;
  });
}

void ResidentProcess::drop(Slot slot) {
  auto request = FrameWriter(Verb::drop);
  request.number(drop_slot).number(slot.number);
  ask(Verb::drop, request, nothing);
}

void ResidentProcess::drop(const Program& program) {
  auto request = FrameWriter(Verb::drop);
  request.number(drop_program).number(program.number);
  ask(Verb::drop, request, nothing);
}

void ResidentProcess::quit() {
  auto request = FrameWriter(Verb::quit);
  ask(Verb::quit, request, nothing);
  over_ = "it was asked to quit";
  child_.close_input();
  const auto status = child_.wait(ChildProcess::Clock::now() + limits_.timeout);
  if (status.code != 0 || status.signal != 0)
    throw ChildError(ChildError::Kind::ended,
                     child_.message(fmt::format("ended with {} when it was asked to quit", status.text())), status);
}

}  // namespace examples
