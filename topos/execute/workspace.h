// A run's working memory: the arena and the base pointers, checked out of the plan and returned. Internal.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "topos/plan/program.h"
#include "topos/tensor/tensor.h"

namespace topos {

struct Workspace {
  explicit Workspace(const Program& program);

  BufferHandle arena;
  std::vector<void*> bases;
  /// For each base: room for one fed number, and for a payload that cannot be read in place.
  struct Room {
    alignas(16) std::byte number[16];
    BufferHandle laid_out;
    Tensor fed;
    const Tensor* payload = nullptr;  // of the run in progress
  };
  std::vector<Room> rooms;
  /// Of Program::packed what is not constant. The payload is held, so that nothing else comes to lie where it is.
  struct Packed {
    Tensor payload;
    BufferHandle laid_out;
  };
  std::vector<Packed> packed;
};

/// Any number of runs at once: the first finds its workspace by one exchange, more share a locked list.
class WorkspacePool {
 public:
  ~WorkspacePool();
  std::unique_ptr<Workspace> take(const Program& program);
  void give_back(std::unique_ptr<Workspace> workspace) noexcept;

 private:
  std::atomic<Workspace*> nearest_{nullptr};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> others_;
  std::size_t made_ = 0;
};

}  // namespace topos
