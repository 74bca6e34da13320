// Offsets in one block of memory, handed out and taken back before anything runs. Internal.
#pragma once
#include <cstddef>
#include <map>

namespace topos {

/// First fit over free intervals, which merge when they touch.
class Arena {
 public:
  /// An offset of `bytes`, a multiple of the alignment that `bytes` is rounded to.
  std::size_t take(std::size_t bytes);
  void give_back(std::size_t offset, std::size_t bytes);
  /// How much memory the offsets reach.
  std::size_t bytes() const { return end_; }
  /// The room that a payload takes: single numbers stand close, rows start where vector units like it.
  static std::size_t rounded(std::size_t bytes);

 private:
  std::map<std::size_t, std::size_t> free_;  // offset to length
  std::size_t end_ = 0;
};

}  // namespace topos
