// The bytes of the resident process's frames: numbers, tensors and text, little-endian; docs/resident.md has the
// layout.
#pragma once

#include <topos/topos.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

/// What a frame asks for, or how it answers.
enum class Verb : std::uint32_t { ok, error, load, put, get, run, quit, drop };

/// `RUN`.
std::string_view name_of(Verb verb);

/// Bytes that are no frame of the protocol; the text says what is wrong with them.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes one frame.
class FrameWriter {
 public:
  explicit FrameWriter(Verb verb);

  FrameWriter& number(std::uint32_t value);
  FrameWriter& text(std::string_view text);
  /// Throws std::invalid_argument for an element without a code and for more than 255 axes.
  FrameWriter& tensor(const topos::Tensor& tensor);

  /// The frame, complete with its length.
  std::span<const std::byte> bytes();

 private:
  std::byte* grow(std::size_t count);

  std::vector<std::byte> bytes_;
};

/// The verb and the length of payload that a frame begins with.
struct FrameHead {
  static constexpr std::size_t size = 16;

  std::uint32_t verb = 0;
  std::uint64_t length = 0;

  /// Throws ProtocolError where the word between the two is not zero.
  static FrameHead read(std::span<const std::byte, size> bytes);
};

/// Reads a frame's payload from its beginning to its end. Nothing in it is trusted: every member throws ProtocolError,
/// before anything is allocated, for what the payload does not hold.
class FrameReader {
 public:
  explicit FrameReader(std::span<const std::byte> payload) : rest_(payload) {}

  std::uint32_t number();
  /// All that is left.
  std::string text();
  topos::Tensor tensor();
  /// Throws ProtocolError where something is left.
  void finish() const;

 private:
  std::span<const std::byte> take(std::uint64_t count, std::string_view what);
  void zeros(std::uint64_t count, std::string_view what);

  std::span<const std::byte> rest_;
};

}  // namespace examples
