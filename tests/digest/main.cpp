// The digest: one line a row, its name and a hash of the bits of its results, compared with pinned ones.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "digest/digest.h"
#include "topos/base/build_info.h"
#include "topos/kernel/partition.h"
#include "topos/kernel/threads.h"
#include "topos/kernel/vector_target.h"

namespace topos::digest {
namespace {

constexpr const char* usage =
    R"(usage: digest [--pinned FILE] [--all] [--target NAME]... [--threads N]... [--rows TEXT]...
              [--list]

Computes every elementary function and every kernel on seeded numbers and prints a line
a row: a hash of all result bits, and its name. Every build, vector target, compiler and
number of threads gives the same lines. Exit 1 also where no row runs some kind of kernel.

  --pinned FILE   compare with this file, name the rows that differ, exit 1 if any does
  --all           also the rows that take long
  --target NAME   the kernels of this vector target only (default: each that this machine has)
  --threads N     kernels cut for so many threads (default: 1, 2, 3 and 4, one after another)
  --rows TEXT     only the rows whose name contains it
  --list          print the names of the rows and the targets, and stop
)";

struct Options {
  std::string pinned;
  bool all = false, list = false, help = false;
  std::vector<std::string> targets, rows;
  std::vector<int> threads;
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw std::runtime_error(name + " needs a value");
      return std::string(argv[++i]);
    };
    if (name == "--pinned")
      options.pinned = value();
    else if (name == "--target")
      options.targets.push_back(value());
    else if (name == "--rows")
      options.rows.push_back(value());
    else if (name == "--threads")
      options.threads.push_back(std::stoi(value()));
    else if (name == "--all")
      options.all = true;
    else if (name == "--list")
      options.list = true;
    else if (name == "--help" || name == "-h")
      options.help = true;
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.threads.empty()) options.threads = {1, 2, 3, 4};
  return options;
}

Rows rows_of(const Options& options) {
  Rows all, chosen;
  add_functions(all);
  const auto undivided = all.size();
  for (auto* add :
       {add_elementwise, add_moves, add_reductions, add_products, add_windows, add_convolutions, add_chains})
    add(all);
  for (auto i = undivided; i < all.size(); ++i) all[i].divided = true;
  for (auto& row : all) {
    bool wanted = options.rows.empty();
    for (const auto& text : options.rows) wanted = wanted || row.name.find(text) != std::string::npos;
    if (wanted && (options.all || !row.long_run)) chosen.push_back(std::move(row));
  }
  return chosen;
}

using Pinned = std::map<std::string, std::uint64_t>;

/// Lines of 16 hexadecimal digits, a space and a name.
Pinned read_pinned(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Pinned pinned;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.size() < 18) throw std::runtime_error("not a line of a digest: " + line);
    if (!pinned.emplace(line.substr(17), std::stoull(line.substr(0, 16), nullptr, 16)).second)
      throw std::runtime_error("pinned twice: " + line.substr(17));
  }
  return pinned;
}

/// A row's hash on the target in use with a number of threads, said where it is not as pinned.
bool is_pinned(const Row& row, const Pinned& pinned, std::uint64_t hash, int count) {
  const auto known = pinned.find(row.name);
  if (known != pinned.end() && known->second == hash) return true;
  fmt::print("{}{}: {}: {:016x}, pinned {}\n", kernel::target_in_use(),
             row.divided ? fmt::format(", threads: {}", count) : "", row.name, hash,
             known == pinned.end() ? "nothing" : fmt::format("{:016x}", known->second));
  return false;
}

/// Compares the rows of the target in use with the pinned ones, or prints them and compares the numbers of threads with
/// one another; how many are not as they should be.
std::size_t run_target(const Rows& rows, const Options& options, const Pinned* pinned, bool first_target) {
  const auto start = std::chrono::steady_clock::now();
  if (pinned == nullptr) fmt::print("# {}\n", build_info());
  std::size_t compared = 0, different = 0;
  for (const auto& row : rows) {
    if (row.any_target && !first_target) continue;
    ++compared;
    Pinned first;
    bool same = true;
    for (const auto count : options.threads) {
      set_threads(count);
      const auto hash = row.hash();
      if (pinned == nullptr && first.empty()) fmt::print("{:016x} {}\n", hash, row.name);
      first.emplace(row.name, hash);
      same = is_pinned(row, pinned == nullptr ? first : *pinned, hash, count) && same;
      if (!row.divided) break;
    }
    different += !same;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (pinned != nullptr)
    fmt::print("{}: {} rows, {} differ, {:.1f} s\n", kernel::target_in_use(), compared, different, took.count());
  std::fflush(stdout);
  return different;
}

/// Pinned rows that the program no longer has.
std::size_t count_strays(const Pinned& pinned, const Rows& rows) {
  std::size_t strays = 0;
  for (const auto& [name, hash] : pinned) {
    bool known = false;
    for (const auto& row : rows) known = known || row.name == name;
    if (known) continue;
    fmt::print("pinned, but no row: {}\n", name);
    ++strays;
  }
  return strays;
}

int run(const Options& options) {
  const auto rows = rows_of(options);
  std::vector<std::string> targets = options.targets;
  if (targets.empty())
    for (const auto name : kernel::available_targets()) targets.emplace_back(name);
  if (options.list) {
    fmt::print("{}\n", build_info());
    for (const auto& target : targets) fmt::print("target {}\n", target);
    for (const auto& row : rows) fmt::print("{}\n", row.name);
    return 0;
  }
  if (rows.empty()) throw std::runtime_error("no row has such a name");
  kernel::set_least_part(1e-3);  // the rows' tasks are small: all that can be cut is
  Pinned pinned;
  if (!options.pinned.empty()) {
    pinned = read_pinned(options.pinned);
    fmt::print("{}\n", build_info());
  }
  std::size_t different = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!kernel::use_target(targets[i])) throw std::runtime_error("this machine or build has no target " + targets[i]);
    different += run_target(rows, options, options.pinned.empty() ? nullptr : &pinned, i == 0);
  }
  if (options.rows.empty())
    for (const auto& kind : kinds_not_run()) {
      fmt::print("no row runs the kernels of the kind {}\n", kind);
      ++different;
    }
  if (!options.pinned.empty() && options.rows.empty()) {
    auto every = options;
    every.all = true;
    different += count_strays(pinned, rows_of(every));
  }
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace topos::digest

int main(int argc, char** argv) {
  try {
    const auto options = topos::digest::options_of(argc, argv);
    if (options.help) return std::fputs(topos::digest::usage, stdout), 0;
    return topos::digest::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "digest: {}\n", error.what());
    return 2;
  }
}
