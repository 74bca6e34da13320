#include "topos/kernel/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "topos/base/error.h"
#include "topos/kernel/parallel.h"

namespace topos {
namespace {

constexpr int most_threads = 1024;

std::atomic<int> setting{0};  // 0: nobody has asked yet

}  // namespace

int kernel::thread_count_of(const char* value) {
  if (value == nullptr) return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
  const std::string_view text = value;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most_threads)
    throw Error(ErrorKind::argument, "threads",
                fmt::format("the environment variable TOPOS_THREADS is \"{}\", not a number of threads from 1 to {}",
                            text, most_threads));
  return count;
}

int threads() {
  const auto count = setting.load(std::memory_order_relaxed);
  if (count != 0) [[likely]]
    return count;
  int unset = 0;
  const auto found = kernel::thread_count_of(std::getenv("TOPOS_THREADS"));
  return setting.compare_exchange_strong(unset, found) ? found : unset;
}

void set_threads(int count) {
  if (count < 1 || count > most_threads)
    throw Error(ErrorKind::argument, "set_threads",
                fmt::format("{} threads: the number is from 1, which starts none, to {}", count, most_threads));
  setting.store(count);
  kernel::rest_threads();
}

}  // namespace topos
