// The client of a process that holds compiled StableHLO programs and tensors; docs/resident.md has the protocol.
#pragma once

#include <topos/topos.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "examples/support/child_process.h"
#include "examples/support/frames.h"

namespace examples {

/// What the process answers to a request that it refuses. It goes on, and so may its client.
class ResidentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bounds on what a process may take and send.
struct ResidentLimits {
  /// For each request with its answer; a program is compiled within it too.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  /// Bytes of one answer; room is made for them as they come, never because they are announced.
  std::uint64_t answer = std::uint64_t{1} << 32;
};

/// Starts a process and asks it, one request at a time.
///
/// Every member throws ResidentError with the text of the process where that refuses a request. Every member throws
/// ChildError where the process ends or is late, and ProtocolError where its answer is none: the process is then
/// killed, and every later request throws ProtocolError.
class ResidentProcess {
 public:
  /// A place in the process that holds a tensor, by a number that the client chooses.
  struct Slot {
    std::uint32_t number = 0;
  };
  /// A slot as an argument that the program may overwrite: it is empty afterwards, unless a result is kept there.
  struct GivenUp {
    Slot slot;
  };
  /// A result that is sent back, and one that nobody wants. A slot keeps one in the process.
  struct SendBack {};
  struct Drop {};
  using Argument = std::variant<topos::Tensor, Slot, GivenUp>;
  using Result = std::variant<SendBack, Slot, Drop>;

  /// A compiled program, and what it takes and gives.
  struct Program {
    std::uint32_t number = 0;
    std::uint32_t arguments = 0;
    std::uint32_t results = 0;
  };

  explicit ResidentProcess(std::vector<std::string> words, ResidentLimits limits = {});

  /// Compiles a module.
  Program load(std::string_view text);
  /// Keeps a tensor in a slot; what was there is gone. Throws std::invalid_argument for an element without a code.
  void put(Slot slot, const topos::Tensor& tensor);
  /// A copy of what a slot holds.
  topos::Tensor get(Slot slot);
  /// Runs a program and gives the results that are sent back, in their order. Throws as put does.
  std::vector<topos::Tensor> run(const Program& program, std::span<const Argument> arguments,
                                 std::span<const Result> results);
  /// Frees a slot, a program.
  void drop(Slot slot);
  void drop(const Program& program);
  /// Asks the process to end, and waits for that. Throws ChildError where its exit code is not 0.
  void quit();

  /// The process itself, for messages and tests.
  const ChildProcess& child() const { return child_; }

 private:
  template <class Read>
  auto ask(Verb verb, FrameWriter& request, Read&& read);
  Verb exchange(FrameWriter& request, ChildProcess::Deadline deadline);

  ChildProcess child_;
  ResidentLimits limits_;
  std::vector<std::byte> answer_;
  std::string over_;  // why there is nobody to ask any more
};

}  // namespace examples
