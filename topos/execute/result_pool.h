// Where a plan's results come from and return to: in steady state a run allocates nothing. Internal.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "topos/interpret/run_state.h"

namespace topos {

/// Lives as long as its plan or any run or buffer that it handed out.
class ResultPool final : public BufferPool, public RunStatePool {
 public:
  /// The plan's hold ends; the pool itself may live on.
  struct Leave {
    void operator()(ResultPool* pool) const noexcept { pool->release(); }
  };
  using Hold = std::unique_ptr<ResultPool, Leave>;
  static Hold make() { return Hold(new ResultPool); }

  /// Uninitialised bytes.
  BufferHandle take(std::size_t bytes);
  /// A state as its last run left it, payloads emptied, or a fresh one.
  RunState* take_state();

  void give_back(Buffer* buffer) noexcept override;
  void give_back(RunState* state) noexcept override;

 private:
  ResultPool() = default;
  ~ResultPool();
  void release() noexcept;

  /// Buffers of one size. Room for all of them is made when they are made, so that giving back never allocates.
  struct Shelf {
    std::size_t bytes;
    std::size_t made = 0;
    std::vector<Buffer*> free;
  };
  std::mutex mutex_;
  std::vector<Shelf> shelves_;
  std::vector<RunState*> states_;
  std::size_t states_made_ = 0;
  std::atomic<std::size_t> holders_{1};
};

}  // namespace topos
