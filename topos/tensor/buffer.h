// Shared storage of tensors: a counted block of bytes, given back to the pool that made it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace topos {

class Buffer;

/// Takes back a buffer that nobody holds any more. A plan's results recycle through one.
class BufferPool {
 public:
  virtual void give_back(Buffer* buffer) noexcept = 0;

 protected:
  ~BufferPool() = default;
};

/// A block of bytes aligned for vector units, with a count of its holders in front.
class Buffer {
 public:
  static constexpr std::size_t alignment = 64;

  /// Uninitialised bytes, held once by the caller.
  static Buffer* make(std::size_t bytes, BufferPool* home = nullptr) {
    void* place = ::operator new(alignment + bytes, std::align_val_t{alignment});
    return new (place) Buffer(bytes, home);
  }
  static void destroy(Buffer* buffer) noexcept {
    buffer->~Buffer();
    ::operator delete(static_cast<void*>(buffer), std::align_val_t{alignment});
  }

  std::byte* data() { return reinterpret_cast<std::byte*>(this) + alignment; }
  std::size_t bytes() const { return bytes_; }
  /// Whether the asking holder is the only one, so that it may write.
  bool is_unique() const { return holders_.load(std::memory_order_acquire) == 1; }

  void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (home_ != nullptr)
      home_->give_back(this);
    else
      destroy(this);
  }
  /// For the pool that hands a returned buffer out again.
  void revive() noexcept { holders_.store(1, std::memory_order_relaxed); }

 private:
  Buffer(std::size_t bytes, BufferPool* home) : bytes_(bytes), home_(home) {}
  ~Buffer() = default;

  std::atomic<std::uint32_t> holders_{1};
  std::size_t bytes_;
  BufferPool* home_;
};

static_assert(sizeof(Buffer) <= Buffer::alignment);

/// A holder of a buffer, or of none.
class BufferHandle {
 public:
  BufferHandle() = default;
  /// Takes over the count that `make` or a pool gave.
  explicit BufferHandle(Buffer* owned) : buffer_(owned) {}
  BufferHandle(const BufferHandle& other) noexcept : buffer_(other.buffer_) {
    if (buffer_ != nullptr) buffer_->hold();
  }
  BufferHandle(BufferHandle&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferHandle& operator=(BufferHandle other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferHandle() {
    if (buffer_ != nullptr) buffer_->release();
  }

  explicit operator bool() const { return buffer_ != nullptr; }
  Buffer* operator->() const { return buffer_; }

 private:
  Buffer* buffer_ = nullptr;
};

}  // namespace topos
