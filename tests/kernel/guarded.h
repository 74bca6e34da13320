// Owns memory whose ends no step may pass: a page that nobody may touch lies right before it or right behind.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace topos::kernel {

/// `size` bytes that touch the guard behind them, or else the one before them. Their alignment follows from that: at
/// the end, what `size` allows.
class Guarded {
 public:
  enum class At { begin, end };

  Guarded(std::size_t size, At at) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto inner = (size + page - 1) / page * page;
    mapped_ = inner + 2 * page;
    auto* memory = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory to guard");
    memory_ = static_cast<std::byte*>(memory);
    if (inner > 0 && ::mprotect(memory_ + page, inner, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("no memory to guard");
    data_ = memory_ + page + (at == At::end ? inner - size : 0);
    if (size > 0) std::memset(data_, 0xA5, size);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { ::munmap(memory_, mapped_); }

  std::byte* get() const { return data_; }

 private:
  std::byte* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace topos::kernel
