#include "topos/plan/arena.h"

#include <algorithm>
#include <iterator>

namespace topos {

std::size_t Arena::rounded(std::size_t bytes) {
  const std::size_t grain = bytes > 16 ? 64 : 16;
  return std::max(grain, (bytes + grain - 1) / grain * grain);
}

std::size_t Arena::take(std::size_t bytes) {
  bytes = rounded(bytes);
  const std::size_t grain = bytes > 16 ? 64 : 16;
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    const auto [offset, length] = *at;
    const auto start = (offset + grain - 1) / grain * grain;
    if (start + bytes > offset + length) continue;
    free_.erase(at);
    if (start > offset) free_.emplace(offset, start - offset);
    if (start + bytes < offset + length) free_.emplace(start + bytes, offset + length - start - bytes);
    return start;
  }
  // At the end; a free interval there is extended rather than left behind.
  auto start = end_;
  if (!free_.empty()) {
    const auto last = std::prev(free_.end());
    if (last->first + last->second == end_) {
      start = last->first;
      free_.erase(last);
    }
  }
  const auto aligned = (start + grain - 1) / grain * grain;
  if (aligned > start) free_.emplace(start, aligned - start);
  end_ = aligned + bytes;
  return aligned;
}

void Arena::give_back(std::size_t offset, std::size_t bytes) {
  bytes = rounded(bytes);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(offset, bytes);
}

}  // namespace topos
