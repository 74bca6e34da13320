#include "topos/execute/result_pool.h"

#include <algorithm>

namespace topos {

ResultPool::~ResultPool() {
  for (auto& shelf : shelves_)
    for (auto* buffer : shelf.free) Buffer::destroy(buffer);
  for (auto* state : states_) delete state;
}

void ResultPool::release() noexcept {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

BufferHandle ResultPool::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto shelf = std::find_if(shelves_.begin(), shelves_.end(), [&](const Shelf& s) { return s.bytes == bytes; });
  if (shelf == shelves_.end()) shelf = shelves_.insert(shelves_.end(), Shelf{bytes, 0, {}});
  Buffer* buffer = nullptr;
  if (shelf->free.empty()) {
    shelf->free.reserve(shelf->made + 1);
    buffer = Buffer::make(bytes, this);
    ++shelf->made;
  } else {
    buffer = shelf->free.back();
    shelf->free.pop_back();
    buffer->revive();
  }
  holders_.fetch_add(1, std::memory_order_relaxed);
  return BufferHandle(buffer);
}

RunState* ResultPool::take_state() {
  const std::lock_guard lock(mutex_);
  RunState* state = nullptr;
  if (states_.empty()) {
    states_.reserve(states_made_ + 1);
    state = new RunState;
    state->home = this;
    ++states_made_;
  } else {
    state = states_.back();
    states_.pop_back();
    state->holders.store(1, std::memory_order_relaxed);
  }
  holders_.fetch_add(1, std::memory_order_relaxed);
  return state;
}

void ResultPool::give_back(Buffer* buffer) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto shelf =
        std::find_if(shelves_.begin(), shelves_.end(), [&](const Shelf& s) { return s.bytes == buffer->bytes(); });
    shelf->free.push_back(buffer);
  }
  release();
}

void ResultPool::give_back(RunState* state) noexcept {
  for (auto& payload : state->payloads) payload = Tensor();  // their buffers come back first
  {
    const std::lock_guard lock(mutex_);
    states_.push_back(state);
  }
  release();
}

}  // namespace topos
