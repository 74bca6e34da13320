#include "topos/execute/workspace.h"

namespace topos {

Workspace::Workspace(const Program& program)
    : arena(Buffer::make(program.arena_bytes)),
      bases(program.bases.size()),
      rooms(program.bases.size()),
      packed(program.packed.size()) {}

WorkspacePool::~WorkspacePool() { delete nearest_.load(); }

std::unique_ptr<Workspace> WorkspacePool::take(const Program& program) {
  if (auto* nearest = nearest_.exchange(nullptr, std::memory_order_acq_rel); nearest != nullptr)
    return std::unique_ptr<Workspace>(nearest);
  const std::lock_guard lock(mutex_);
  if (others_.empty()) {
    others_.reserve(++made_);  // giving back never allocates
    return std::make_unique<Workspace>(program);
  }
  auto workspace = std::move(others_.back());
  others_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) noexcept {
  Workspace* expected = nullptr;
  if (nearest_.compare_exchange_strong(expected, workspace.get(), std::memory_order_acq_rel)) {
    workspace.release();
    return;
  }
  const std::lock_guard lock(mutex_);
  others_.push_back(std::move(workspace));
}

}  // namespace topos
