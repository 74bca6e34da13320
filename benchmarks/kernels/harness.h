// Owns how a kernel is timed beside what one would call instead: rows of contenders that alternate in one process.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// One way to do a row's work. Calling it does the work once, over memory that the call owns.
struct Contender {
  std::string name;  // "topos", "OpenBLAS", ...
  std::function<void()> run;
};

/// Ours and those that it is measured against. `check`, where there is one, is called once before anything is timed and
/// throws std::runtime_error if ours did not compute what it should.
struct Contest {
  Contender ours;
  std::vector<Contender> theirs;
  std::function<void()> check;
};

/// A row of the table. Nothing is allocated before its contest is made.
struct Row {
  std::string group;  // rows whose ratios are averaged: "products, square", "functions f32, L2", ...
  std::string name;   // "matmul f32 512"
  double work = 0;    // of one call
  std::string unit;   // of work a nanosecond: "GFLOP/s", "GB/s", "Gelem/s"
  std::function<Contest()> make;
};

/// Adds a row to the list of all; called by the static objects below, so that a file of rows registers itself.
void add(Row row);
const std::vector<Row>& rows();

/// `static const bench::Rows functions([] { bench::add(...); });` at namespace scope of a file of rows. The list is
/// filled by collect(), not before main.
class Rows {
 public:
  explicit Rows(void (*fill)());
};
void collect();

/// Memory of `count` numbers at an alignment of 64, filled from a seed with numbers between `low` and `high`.
template <class T>
std::shared_ptr<T[]> numbers(std::size_t count, std::uint64_t seed, double low = -1, double high = 1) {
  auto* data = static_cast<T*>(::operator new[](count * sizeof(T) + 64, std::align_val_t{64}));
  std::shared_ptr<T[]> owner(data, [](T* p) { ::operator delete[](p, std::align_val_t{64}); });
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    data[i] = static_cast<T>(low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53);
  }
  return owner;
}

/// What one row showed.
struct Measured {
  struct Peer {
    std::string name;
    double nanoseconds;  // median of a call
    double ratio;        // theirs / ours, the median over the pairs of neighbours in time
  };
  const Row* row;
  double nanoseconds;  // ours, median of a call
  std::vector<Peer> peers;
};

struct Options {
  int samples = 9;                 // of each contender
  double sample_milliseconds = 3;  // calls are repeated until a sample is as long
};

/// Times the contenders in turn: ours, the first peer, the second, ours, ...
Measured measure(const Row& row, const Options& options);

/// The table, with "geometric mean: X" a group and peer, and over all.
std::string table(const std::vector<Measured>& measured);

}  // namespace bench
