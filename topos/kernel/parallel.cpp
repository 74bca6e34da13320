// The pool: one a process, made when first needed. Its threads look for work for some microseconds, then sleep.
#include "topos/kernel/parallel.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "topos/base/float_environment.h"
#include "topos/kernel/threads.h"

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define TOPOS_HAS_THREADS 0
#else
#define TOPOS_HAS_THREADS 1
#endif
#if TOPOS_HAS_THREADS && (defined(__unix__) || defined(__APPLE__))
#define TOPOS_FORKS 1
#include <pthread.h>
#else
#define TOPOS_FORKS 0
#endif

namespace topos::kernel {
namespace {

thread_local bool inside = false;

/// A thread's stay inside a part.
class Inside {
 public:
  Inside() { inside = true; }
  ~Inside() { inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

void all_here(int parts, DoPart part, void* job) {
  for (int i = 0; i < parts; ++i) part(job, i);
}

#if TOPOS_HAS_THREADS

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

constexpr int looks = 2000;  // before a thread sleeps: some 20 to 50 us, more than lies between two steps of a plan

/// Waits until `word` is no longer `value`.
template <class T>
void wait_while(const std::atomic<T>& word, T value) {
  for (int i = 0; i < looks; ++i) {
    if (word.load(std::memory_order_acquire) != value) return;
    pause();
  }
  word.wait(value, std::memory_order_acquire);
}

class Pool {
 public:
  /// The parts are done by whoever comes first; false: the pool is taken.
  bool run(int parts, DoPart part, void* job) {
    const std::unique_lock hold(busy_, std::try_to_lock);
    if (!hold) return false;
    staff(threads() - 1);
    if (workers_.empty()) return false;
    part_.store(part, std::memory_order_relaxed);
    job_.store(job, std::memory_order_relaxed);
    left_.store(parts, std::memory_order_relaxed);
    ++generation_;
    ticket_.store(generation_ << 16 | static_cast<std::uint64_t>(parts), std::memory_order_release);
    call_.fetch_add(1, std::memory_order_release);
    call_.notify_all();
    {
      const Inside here;
      take_parts();
    }
    for (auto left = left_.load(std::memory_order_acquire); left != 0; left = left_.load(std::memory_order_acquire))
      wait_while(left_, left);
    return true;
  }

  /// Ends the threads, unless they are at work; a later job starts as many as there then should be.
  void rest() {
    const std::unique_lock hold(busy_, std::try_to_lock);
    if (hold) dismiss();
  }
  /// Ends the threads for good: jobs are done by their callers from now on.
  void close() {
    const std::lock_guard hold(busy_);
    dismiss();
    closed_ = true;
  }

 private:
  void staff(int wanted) {
    if (closed_ || static_cast<std::size_t>(wanted) == workers_.size()) return;
    dismiss();
    workers_.reserve(static_cast<std::size_t>(wanted));
    leave_.store(false, std::memory_order_relaxed);
    try {
      for (int i = 0; i < wanted; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // the system has no more threads: those that there are do the work
    }
  }
  void dismiss() {
    leave_.store(true, std::memory_order_release);
    call_.fetch_add(1, std::memory_order_release);
    call_.notify_all();
    for (auto& worker : workers_) worker.join();
    workers_.clear();
  }

  void work() {
    const FloatEnvironment exact;
    const Inside here;
    auto seen = call_.load(std::memory_order_acquire);
    while (!leave_.load(std::memory_order_acquire)) {
      take_parts();
      wait_while(call_, seen);
      seen = call_.load(std::memory_order_acquire);
    }
  }

  /// A ticket that is drawn names its job, for the job's own words change only when no ticket is left and every part
  /// that was drawn has returned.
  void take_parts() {
    auto ticket = ticket_.load(std::memory_order_acquire);
    while ((ticket & max_parts) != 0) {
      const auto part = part_.load(std::memory_order_relaxed);
      auto* const job = job_.load(std::memory_order_relaxed);
      if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      part(job, static_cast<int>(ticket & max_parts) - 1);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  std::mutex busy_;  // held for the length of a job
  std::vector<std::thread> workers_;
  std::uint64_t generation_ = 0;
  bool closed_ = false;
  std::atomic<bool> leave_{false};
  std::atomic<DoPart> part_{nullptr};
  std::atomic<void*> job_{nullptr};
  alignas(64) std::atomic<std::uint64_t> ticket_{0};  // the job's number and, in the low 16 bits, parts not begun
  alignas(64) std::atomic<std::int32_t> left_{0};     // parts that have not returned
  alignas(64) std::atomic<std::int32_t> call_{0};     // changes when there is something to do
};

std::atomic<Pool*> current{nullptr};
std::mutex making;

/// Never destroyed, for a thread may still compute while the program ends; its threads are ended at exit. A process
/// that forks leaves the threads behind: the child forgets the pool and makes its own.
Pool& pool() {
  if (auto* made = current.load(std::memory_order_acquire); made != nullptr) return *made;
  const std::lock_guard hold(making);
  if (auto* made = current.load(std::memory_order_acquire); made != nullptr) return *made;
  static const bool registered = [] {
    std::atexit([] {
      if (auto* made = current.load(std::memory_order_acquire); made != nullptr) made->close();
    });
#if TOPOS_FORKS
    pthread_atfork([] { making.lock(); }, [] { making.unlock(); },
                   [] {
                     making.unlock();
                     current.store(nullptr, std::memory_order_release);
                   });
#endif
    return true;
  }();
  static_cast<void>(registered);
  auto* made = new Pool;
  current.store(made, std::memory_order_release);
  return *made;
}

#endif  // TOPOS_HAS_THREADS

}  // namespace

bool in_part() { return inside; }

void in_parallel(int parts, DoPart part, void* job) {
  const FloatEnvironment exact;
#if TOPOS_HAS_THREADS
  if (parts > 1 && !inside && threads() > 1 && pool().run(parts, part, job)) return;
#endif
  if (inside) return all_here(parts, part, job);
  const Inside here;
  all_here(parts, part, job);
}

void rest_threads() {
#if TOPOS_HAS_THREADS
  if (inside) return;
  if (auto* made = current.load(std::memory_order_acquire); made != nullptr) made->rest();
#endif
}

}  // namespace topos::kernel
