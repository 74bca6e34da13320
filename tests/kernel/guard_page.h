// Owns memory that ends, or begins, at a page that may not be touched, so that a step beyond it ends the test.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace topos::kernel {

/// `size` bytes between two guarded pages, right before the second one; `begin` puts them right behind the first one.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t size, bool at_begin = false) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto inner = (size + page - 1) / page * page;
    all_ = inner + 2 * page;
    auto* memory = mmap(nullptr, all_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
    if (inner > 0 && mprotect(memory_ + page, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = at_begin ? memory_ + page : memory_ + page + inner - size;
    if (size > 0) std::memset(data_, 0xA5, size);
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() { munmap(memory_, all_); }

  std::byte* get() const { return data_; }

 private:
  std::byte* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t all_ = 0;
};

}  // namespace topos::kernel
