// Owns the sampled check of an f64 function: the largest error of its definition against MPFR over seeded inputs, and
// whether the kernels of all vector targets give the definition's bits.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "exhaustive/variants.h"
#include "support/splitmix.h"

namespace topos::exhaustive {
namespace {

constexpr std::uint64_t row = 1 << 12;

struct Options {
  std::string function;
  std::uint64_t count = 1'000'000, seed = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  double limit = 0.8;
};

/// The largest error, and where.
struct Worst {
  double ulp = 0, input = 0;
};
struct Tally {
  Worst normal, subnormal;  // by the result
  std::vector<std::uint64_t> different;
  std::uint64_t wrong_special = 0;
};

std::uint64_t bits(double x) { return x == x ? std::bit_cast<std::uint64_t>(x) : 0x7ff8000000000000; }

using test::next;

/// A quarter of the inputs each: any bits; magnitudes even in their logarithm from 2^-40 to 2^11; even in [-1, 1]; even
/// in [-40, 40].
double input_of(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t state = seed * 0xD1342543DE82EF95 + index;
  const auto pattern = next(state);
  const double unit = static_cast<double>(next(state) >> 11) * 0x1p-52 - 1.0;
  switch (index % 4) {
    case 0: return std::bit_cast<double>(pattern);
    case 1: return std::ldexp(std::copysign(1.0 + std::fabs(unit), unit), static_cast<int>(pattern % 52) - 40);
    case 2: return unit;
    default: return unit * 40.0;
  }
}

class Check {
 public:
  explicit Check(const Options& options)
      : options_(options),
        known_(known_function(options.function)),
        variants_(variants_of<double>(known_, known_.f64, row)) {
    total_.different.resize(variants_.size());
  }

  bool run() {
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < options_.threads; ++i) threads.emplace_back([this] { work(); });
      while (next_.load() * row < options_.count) {
        fmt::print(stderr, "\r{}: {:5.1f} %  ", known_.name,
                   100.0 * static_cast<double>(next_.load() * row) / static_cast<double>(options_.count));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      fmt::print(stderr, "\n");
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print("{}: {} inputs, {:.0f} s\n", known_.name, (options_.count + row - 1) / row * row, took.count());
    fmt::print("  {:.4f} ulp at {:a}\n", total_.normal.ulp, total_.normal.input);
    fmt::print("  {:.4f} ulp at {:a}, among subnormal results\n", total_.subnormal.ulp, total_.subnormal.input);
    fmt::print("  {} wrong zeros, infinities and NaN\n", total_.wrong_special);
    for (std::size_t v = 1; v < variants_.size(); ++v)
      fmt::print("  {:10} {} unlike the definition\n", variants_[v].name(), total_.different[v]);
    return total_.normal.ulp <= options_.limit && total_.subnormal.ulp <= options_.limit && total_.wrong_special == 0 &&
           std::ranges::all_of(total_.different, [](auto count) { return count == 0; });
  }

 private:
  void work() {
    Tally tally;
    tally.different.resize(variants_.size());
    mpfr_t exact;
    mpfr_init2(exact, 128);
    std::vector<double> x(row), defined(row), got(row);
    for (auto begin = row * next_.fetch_add(1); begin < options_.count; begin = row * next_.fetch_add(1)) {
      for (std::uint64_t i = 0; i < row; ++i) x[i] = input_of(begin + i, options_.seed);
      variants_[0](row, x.data(), defined.data());
      for (std::uint64_t i = 0; i < row; ++i) judge(x[i], defined[i], exact, tally);
      for (std::size_t v = 1; v < variants_.size(); ++v) {
        variants_[v](row, x.data(), got.data());
        for (std::uint64_t i = 0; i < row; ++i) tally.different[v] += bits(got[i]) != bits(defined[i]);
      }
    }
    mpfr_clear(exact);
    mpfr_free_cache();
    take(tally);
  }

  /// The error in ulp of the exact result, which is 2^-1074 where that is subnormal. What exceeds every double must be
  /// infinite, and nothing else may be.
  void judge(double x, double value, mpfr_ptr exact, Tally& tally) const {
    mpfr_set_d(exact, x, MPFR_RNDN);
    known_.truth(exact);
    const double nearest = mpfr_get_d(exact, MPFR_RNDN);
    if (!std::isfinite(value) || !std::isfinite(nearest) || mpfr_regular_p(exact) == 0) {
      tally.wrong_special += bits(value) != bits(nearest);
      return;
    }
    const auto ulp = std::max<mpfr_exp_t>(mpfr_get_exp(exact) - 53, -1074);
    mpfr_sub_d(exact, exact, value, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, -ulp, MPFR_RNDN);
    const double error = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
    auto& worst = ulp == -1074 ? tally.subnormal : tally.normal;
    if (error > worst.ulp) worst = {error, x};
  }

  void take(const Tally& tally) {
    const std::lock_guard lock(mutex_);
    if (tally.normal.ulp > total_.normal.ulp) total_.normal = tally.normal;
    if (tally.subnormal.ulp > total_.subnormal.ulp) total_.subnormal = tally.subnormal;
    total_.wrong_special += tally.wrong_special;
    for (std::size_t v = 0; v < variants_.size(); ++v) total_.different[v] += tally.different[v];
  }

  const Options& options_;
  const Known& known_;
  std::vector<Variant<double>> variants_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;
  Tally total_;
};

}  // namespace
}  // namespace topos::exhaustive

int main(int argc, char** argv) {
  topos::exhaustive::Options options;
  CLI::App app("The largest error of an f64 function over seeded inputs; exit 1 if it is above the limit.");
  app.add_option("function", options.function, topos::exhaustive::known_names())->required();
  app.add_option("--count", options.count, "how many inputs (1000000)");
  app.add_option("--seed", options.seed, "other inputs (1)");
  app.add_option("--threads", options.threads, "default: one a processor")->check(CLI::Range(1u, 1024u));
  app.add_option("--limit", options.limit, "in ulp (0.8)");
  CLI11_PARSE(app, argc, argv);
  try {
    return topos::exhaustive::Check(options).run() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sampled_f64: {}\n", error.what());
    return 2;
  }
}
