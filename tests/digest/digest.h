// Owns what the digest's rows are made of: names, hashes of result bits, seeded numbers.
#pragma once
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/splitmix.h"
#include "topos/element/bfloat16.h"

namespace topos::digest {

/// One line of the digest: what is computed, and how its bits are found.
struct Row {
  std::string name;
  std::function<std::uint64_t()> hash;
  bool long_run = false;    // only where all rows are asked for
  bool any_target = false;  // does not depend on the vector target in use
  bool divided = false;     // over tasks that several threads may share
};
using Rows = std::vector<Row>;

/// The names of the kinds of kernels that no task has run so far.
std::vector<std::string> kinds_not_run();

// Each appends the rows of its file.
void add_functions(Rows& rows);
void add_elementwise(Rows& rows);
void add_moves(Rows& rows);
void add_reductions(Rows& rows);
void add_products(Rows& rows);
void add_windows(Rows& rows);
void add_convolutions(Rows& rows);
void add_chains(Rows& rows);

/// Of the bits of results; every NaN is the canonical one.
class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15;
    state_ ^= state_ >> 32;
  }
  void add(float x) { add(std::uint64_t{x == x ? std::bit_cast<std::uint32_t>(x) : 0x7fc00000}); }
  void add(double x) { add(x == x ? std::bit_cast<std::uint64_t>(x) : 0x7ff8000000000000); }
  void add(BFloat16 x) {
    const auto wide = static_cast<float>(x);
    add(std::uint64_t{wide == wide ? std::bit_cast<std::uint16_t>(x) : std::uint16_t{0x7fc0}});
  }
  void add(std::int64_t x) { add(static_cast<std::uint64_t>(x)); }
  void add(bool x) { add(std::uint64_t{x}); }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

using test::next;
/// In [-1, 1).
inline double unit(std::uint64_t& state) { return static_cast<double>(next(state) >> 11) * 0x1p-52 - 1.0; }

}  // namespace topos::digest
