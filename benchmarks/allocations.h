// Counts what the program allocates, by replacing operator new and delete. For one source file of a program.
#pragma once
#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

/// Calls, live and peak bytes of operator new, as malloc_usable_size gives them. Counting costs an atomic addition a
/// call, so that it is on only while memory is measured, never while time is.
namespace allocations {

inline std::atomic<bool> counting{false};
inline std::atomic<long> calls{0};
inline std::atomic<std::ptrdiff_t> live{0};
inline std::atomic<std::ptrdiff_t> peak{0};

/// From here on the peak is that of what follows.
inline void restart_peak() { peak.store(live.load(std::memory_order_relaxed), std::memory_order_relaxed); }

inline void count(void* p) noexcept {
  if (!counting.load(std::memory_order_relaxed)) return;
  calls.fetch_add(1, std::memory_order_relaxed);
  const auto bytes = static_cast<std::ptrdiff_t>(malloc_usable_size(p));
  const auto now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  auto highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {}
}

inline void* allocate(std::size_t size) noexcept {
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p != nullptr) count(p);
  return p;
}

inline void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  const auto step = static_cast<std::size_t>(alignment);
  void* p = std::aligned_alloc(step, size == 0 ? step : (size + step - 1) / step * step);
  if (p != nullptr) count(p);
  return p;
}

inline void* demand(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

inline void release(void* p) noexcept {
  if (p == nullptr) return;
  if (counting.load(std::memory_order_relaxed))
    live.fetch_sub(static_cast<std::ptrdiff_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  std::free(p);
}

}  // namespace allocations

// Every form, so that none falls back to one that is not counted. Not inlined: g++ would take the pair of a replaced
// new and free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) { return allocations::demand(allocations::allocate(size)); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return allocations::demand(allocations::allocate(size)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a) {
  return allocations::demand(allocations::allocate(size, a));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t a) {
  return allocations::demand(allocations::allocate(size, a));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocations::allocate(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocations::allocate(size);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocations::allocate(size, a);
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocations::allocate(size, a);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete[](void* p, const std::nothrow_t&) noexcept { allocations::release(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  allocations::release(p);
}
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  allocations::release(p);
}
