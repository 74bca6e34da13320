// Owns the exhaustive check of an f32 function: every input, through its definition and the kernels of all vector
// targets that this machine has, against the correctly rounded result.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "exhaustive/variants.h"

namespace topos::exhaustive {
namespace {

constexpr std::uint64_t row = 1 << 16;
/// What the double reference may be wrong by, relatively: 512 ulp, a hundred times what its functions are documented
/// for. What rounds the same at both ends of the window is decided; the rest, 2^-19 of all, goes to MPFR.
constexpr double window = 0x1p-44;

struct Options {
  std::string function;
  std::uint64_t from = 0, to = 0xffffffff;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::size_t hard = 5;
  std::vector<std::string> variants;
};

/// An input whose exact result lies near the middle between two floats.
struct Hard {
  std::uint32_t input = 0;
  double distance = 1;  // from that middle, in ulp of the result
};

/// One thread's results.
struct Tally {
  std::uint64_t decided = 0;  // by MPFR
  std::vector<std::uint64_t> misrounded;
  std::vector<std::vector<std::uint32_t>> first_misrounded;
  std::vector<Hard> hard;
};

std::uint32_t bits(float x) { return x == x ? std::bit_cast<std::uint32_t>(x) : 0x7fc00000; }

class Decider {
 public:
  explicit Decider(const Known& known) : known_(known) { mpfr_inits2(256, value_, part_, nullptr); }
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;
  ~Decider() {
    mpfr_clears(value_, part_, nullptr);
    mpfr_free_cache();
  }

  float operator()(float x, Tally& tally, std::size_t keep) {
    const auto nearly = known_.nearly(x);
    const auto below = static_cast<float>(nearly * (1.0 - window)), above = static_cast<float>(nearly * (1.0 + window));
    if (bits(below) == bits(above)) return below;
    ++tally.decided;
    mpfr_set_flt(value_, x, MPFR_RNDN);
    known_.truth(value_);
    note(x, tally.hard, keep);
    return mpfr_get_flt(value_, MPFR_RNDN);
  }

 private:
  /// Keeps the hardest of the inputs that come here: others are further away than the window.
  void note(float x, std::vector<Hard>& hard, std::size_t keep) {
    const auto ulp = std::max<mpfr_exp_t>(mpfr_get_exp(value_) - 24, -149);
    mpfr_mul_2si(part_, value_, -ulp, MPFR_RNDN);
    mpfr_frac(part_, part_, MPFR_RNDN);
    mpfr_abs(part_, part_, MPFR_RNDN);
    mpfr_sub_d(part_, part_, 0.5, MPFR_RNDN);
    hard.push_back({std::bit_cast<std::uint32_t>(x), std::fabs(mpfr_get_d(part_, MPFR_RNDN))});
    if (hard.size() >= 2 * keep + 1000) shorten(hard, keep);
  }

 public:
  static void shorten(std::vector<Hard>& hard, std::size_t keep) {
    std::sort(hard.begin(), hard.end(), [](const Hard& a, const Hard& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.input < b.input;
    });
    if (hard.size() > keep) hard.resize(keep);
  }

 private:
  const Known& known_;
  mpfr_t value_, part_;
};

class Check {
 public:
  explicit Check(const Options& options)
      : options_(options),
        known_(known_function(options.function)),
        variants_(variants_of<float>(known_, known_.f32, row)),
        next_(options.from / row) {
    if (!options.variants.empty())
      std::erase_if(variants_, [&](const auto& variant) {
        return std::ranges::find(options.variants, variant.name()) == options.variants.end();
      });
    if (variants_.empty()) throw std::runtime_error("no variant of that name here");
    total_.misrounded.resize(variants_.size());
    total_.first_misrounded.resize(variants_.size());
  }

  bool run() {
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < options_.threads; ++i) threads.emplace_back([this] { work(); });
      show_progress();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    print(took.count());
    return std::ranges::all_of(total_.misrounded, [](auto count) { return count == 0; });
  }

 private:
  std::uint64_t rows() const { return options_.to / row - options_.from / row + 1; }

  void work() {
    Tally tally;
    tally.misrounded.resize(variants_.size());
    tally.first_misrounded.resize(variants_.size());
    Decider decide(known_);
    std::vector<float> x(row), expected(row), got(row);
    for (;;) {
      const auto index = next_.fetch_add(1);
      if (index > options_.to / row) break;
      const auto begin = std::max(options_.from, index * row) - index * row;
      const auto end = std::min(options_.to, index * row + row - 1) - index * row;
      for (std::uint64_t i = 0; i < row; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(index * row + i));
      for (auto i = begin; i <= end; ++i) expected[i] = decide(x[i], tally, options_.hard);
      for (std::size_t v = 0; v < variants_.size(); ++v) {
        variants_[v](row, x.data(), got.data());
        for (auto i = begin; i <= end; ++i)
          if (bits(got[i]) != bits(expected[i])) {
            ++tally.misrounded[v];
            if (tally.first_misrounded[v].size() < 10)
              tally.first_misrounded[v].push_back(std::bit_cast<std::uint32_t>(x[i]));
          }
      }
      done_.fetch_add(1);
    }
    take(tally);
  }

  void take(const Tally& tally) {
    const std::lock_guard lock(mutex_);
    total_.decided += tally.decided;
    total_.hard.insert(total_.hard.end(), tally.hard.begin(), tally.hard.end());
    for (std::size_t v = 0; v < variants_.size(); ++v) {
      total_.misrounded[v] += tally.misrounded[v];
      auto& first = total_.first_misrounded[v];
      first.insert(first.end(), tally.first_misrounded[v].begin(), tally.first_misrounded[v].end());
    }
  }

  void show_progress() {
    const auto start = std::chrono::steady_clock::now();
    for (auto done = done_.load(); done < rows(); done = done_.load()) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (done > 0)
        fmt::print(stderr, "\r{}: {:5.1f} %, {:.0f} s to go  ", known_.name,
                   100.0 * static_cast<double>(done) / static_cast<double>(rows()),
                   took.count() * static_cast<double>(rows() - done) / static_cast<double>(done));
      std::this_thread::sleep_for(std::chrono::milliseconds(rows() < 100 ? 10 : 500));
    }
    fmt::print(stderr, "\n");
  }

  void print(double seconds) {
    fmt::print("{}: inputs {:08x} to {:08x}, {} decided by MPFR, {:.0f} s\n", known_.name, options_.from, options_.to,
               total_.decided, seconds);
    for (std::size_t v = 0; v < variants_.size(); ++v) {
      fmt::print("  {:10} {} misrounded\n", variants_[v].name(), total_.misrounded[v]);
      for (const auto input : total_.first_misrounded[v]) fmt::print("    {:08x}\n", input);
    }
    Decider::shorten(total_.hard, options_.hard);
    for (const auto& hard : total_.hard)
      fmt::print("  hard: {:08x} = {:a}, 2^{:.1f} ulp from a tie\n", hard.input, std::bit_cast<float>(hard.input),
                 std::log2(hard.distance));
  }

  const Options& options_;
  const Known& known_;
  std::vector<Variant<float>> variants_;
  std::atomic<std::uint64_t> next_, done_ = 0;
  std::mutex mutex_;
  Tally total_;
};

}  // namespace
}  // namespace topos::exhaustive

int main(int argc, char** argv) {
  topos::exhaustive::Options options;
  CLI::App app("Runs every f32 input through a function's definition and its kernels; exit 1 if any is misrounded.");
  app.add_option("function", options.function, topos::exhaustive::known_names())->required();
  app.add_option("--from", options.from, "first input, as bits: 0x3f800000")->check(CLI::Range(0u, 0xffffffffu));
  app.add_option("--to", options.to, "last input, as bits")->check(CLI::Range(0u, 0xffffffffu));
  app.add_option("--threads", options.threads, "default: one a processor")->check(CLI::Range(1u, 1024u));
  app.add_option("--variant", options.variants, "only these: definition, AVX2 and other vector targets (all)");
  app.add_option("--hard", options.hard, "how many of the hardest inputs are printed (5)")
      ->check(CLI::Range(0, 100000));
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.from > options.to) throw std::runtime_error("--from is above --to");
    return topos::exhaustive::Check(options).run() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "exhaustive_f32: {}\n", error.what());
    return 2;
  }
}
