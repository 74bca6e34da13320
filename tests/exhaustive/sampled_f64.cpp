// Owns the sampled check of an f64 function: the largest error of its definition against MPFR over seeded inputs, and
// whether the kernels of all vector targets give the definition's bits.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "exhaustive/variants.h"
#include "support/splitmix.h"

namespace topos::exhaustive {
namespace {

constexpr std::uint64_t row = 1 << 12;

/// An error in long double is this near the true one, in ulp of a double: 16 ulp of the narrowest such type, several
/// times what its functions are documented for. Inputs whose error is then below the largest known need no MPFR, but
/// for one in `sample`, which finds out how near the screen really is.
constexpr double margin = 0x1p-7;
constexpr std::uint64_t sample = 1024;
constexpr bool has_screen = std::numeric_limits<long double>::digits >= 64;

struct Options {
  std::string function;
  std::uint64_t from = 0, count = 1'000'000, seed = 1;
  bool exactly = !has_screen;
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
  std::uint64_t wrong_special = 0, judged = 0;
  double screen = 0;  // by how much the screen was off at most, in ulp
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
      show_progress();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    print(took.count());
    return total_.normal.ulp <= options_.limit && total_.subnormal.ulp <= options_.limit && total_.wrong_special == 0 &&
           total_.screen <= margin && std::ranges::all_of(total_.different, [](auto count) { return count == 0; });
  }

 private:
  std::uint64_t rows() const { return (options_.count + row - 1) / row; }

  void show_progress() {
    const auto start = std::chrono::steady_clock::now();
    for (auto done = done_.load(); done < rows(); done = done_.load()) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (done > 0)
        fmt::print(stderr, "\r{}: {:5.1f} %, {:.0f} s to go  ", known_.name,
                   100.0 * static_cast<double>(done) / static_cast<double>(rows()),
                   took.count() * static_cast<double>(rows() - done) / static_cast<double>(done));
      std::this_thread::sleep_for(std::chrono::milliseconds(rows() < 1000 ? 10 : 500));
    }
    fmt::print(stderr, "\n");
  }

  void print(double seconds) {
    fmt::print("{}: {} inputs from {}, {} judged by MPFR, {:.0f} s\n", known_.name, options_.count, options_.from,
               total_.judged, seconds);
    fmt::print("  {:.4f} ulp at {:a}\n", total_.normal.ulp, total_.normal.input);
    fmt::print("  {:.4f} ulp at {:a}, among subnormal results\n", total_.subnormal.ulp, total_.subnormal.input);
    fmt::print("  {} wrong zeros, infinities and NaN\n", total_.wrong_special);
    if (!options_.exactly) fmt::print("  {:.5f} ulp at most between the screen and MPFR\n", total_.screen);
    for (std::size_t v = 1; v < variants_.size(); ++v)
      fmt::print("  {:10} {} unlike the definition\n", variants_[v].name(), total_.different[v]);
  }

  void work() {
    Tally tally;
    tally.different.resize(variants_.size());
    mpfr_t exact;
    mpfr_init2(exact, 128);
    std::vector<double> x(row), defined(row), got(row);
    for (auto index = next_.fetch_add(1); index < rows(); index = next_.fetch_add(1), done_.fetch_add(1)) {
      const auto begin = index * row, count = std::min(row, options_.count - begin);
      for (std::uint64_t i = 0; i < row; ++i) x[i] = input_of(options_.from + begin + i, options_.seed);
      variants_[0](row, x.data(), defined.data());
      for (std::uint64_t i = 0; i < count; ++i)
        if (options_.exactly)
          judge(x[i], defined[i], exact, tally);
        else
          screen(x[i], defined[i], i % sample == index % sample, exact, tally);
      for (std::size_t v = 1; v < variants_.size(); ++v) {
        variants_[v](row, x.data(), got.data());
        for (std::uint64_t i = 0; i < count; ++i) tally.different[v] += bits(got[i]) != bits(defined[i]);
      }
    }
    mpfr_clear(exact);
    mpfr_free_cache();
    take(tally);
  }

  /// Judges the inputs that may have the largest error, and `anyway` another.
  void screen(double x, double value, bool anyway, mpfr_ptr exact, Tally& tally) const {
    const auto close = known_.closely(x);
    const bool regular = std::isfinite(value) && x != 0 && close != 0 &&
                         std::fabs(close) <= static_cast<long double>(std::numeric_limits<double>::max());
    if (!regular) {  // NaN and infinities that agree need nobody
      if (!(std::isnan(close) && std::isnan(value)) && !(std::isinf(close) && close == value))
        judge(x, value, exact, tally);
      return;
    }
    int exponent = 0;
    const auto fraction = std::frexp(close, &exponent);
    // What lies at a power of two may be right below: the smaller ulp gives the larger error.
    const bool lowest = std::fabs(fraction) < 0.5L + 0x1p-60L;
    const int ulp = std::max(exponent - 53, -1074), finest = std::max(exponent - 53 - (lowest ? 1 : 0), -1074);
    const auto error = static_cast<double>(std::ldexp(std::fabs(close - static_cast<long double>(value)), -finest));
    const auto& worst = ulp == -1074 ? tally.subnormal : tally.normal;
    if (error + margin < worst.ulp && !anyway) return;
    const auto judged = judge(x, value, exact, tally);
    if (!lowest && judged >= 0) tally.screen = std::max(tally.screen, std::fabs(error - judged));
  }

  /// The error in ulp of the exact result, which is 2^-1074 where that is subnormal. What exceeds every double must be
  /// infinite, and nothing else may be: -1 for these.
  double judge(double x, double value, mpfr_ptr exact, Tally& tally) const {
    ++tally.judged;
    mpfr_set_d(exact, x, MPFR_RNDN);
    known_.truth(exact);
    const double nearest = mpfr_get_d(exact, MPFR_RNDN);
    if (!std::isfinite(value) || !std::isfinite(nearest) || mpfr_regular_p(exact) == 0) {
      tally.wrong_special += bits(value) != bits(nearest);
      return -1;
    }
    const auto ulp = std::max<mpfr_exp_t>(mpfr_get_exp(exact) - 53, -1074);
    mpfr_sub_d(exact, exact, value, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, -ulp, MPFR_RNDN);
    const double error = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
    auto& worst = ulp == -1074 ? tally.subnormal : tally.normal;
    if (error > worst.ulp) worst = {error, x};
    return error;
  }

  void take(const Tally& tally) {
    const std::lock_guard lock(mutex_);
    if (tally.normal.ulp > total_.normal.ulp) total_.normal = tally.normal;
    if (tally.subnormal.ulp > total_.subnormal.ulp) total_.subnormal = tally.subnormal;
    total_.wrong_special += tally.wrong_special;
    total_.judged += tally.judged;
    total_.screen = std::max(total_.screen, tally.screen);
    for (std::size_t v = 0; v < variants_.size(); ++v) total_.different[v] += tally.different[v];
  }

  const Options& options_;
  const Known& known_;
  std::vector<Variant<double>> variants_;
  std::atomic<std::uint64_t> next_ = 0, done_ = 0;
  std::mutex mutex_;
  Tally total_;
};

}  // namespace
}  // namespace topos::exhaustive

int main(int argc, char** argv) {
  topos::exhaustive::Options options;
  CLI::App app("The largest error of an f64 function over seeded inputs; exit 1 if it is above the limit.");
  app.add_option("function", options.function, topos::exhaustive::known_names())->required();
  app.add_option("--from", options.from, "number of the first input, to do many in pieces (0)");
  app.add_option("--count", options.count, "how many inputs (1000000)");
  app.add_option("--seed", options.seed, "other inputs (1)");
  app.add_option("--threads", options.threads, "default: one a processor")->check(CLI::Range(1u, 1024u));
  app.add_flag("--exactly", options.exactly, "every input by MPFR, none screened in long double first");
  app.add_option("--limit", options.limit, "in ulp (0.8)");
  CLI11_PARSE(app, argc, argv);
  try {
    return topos::exhaustive::Check(options).run() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sampled_f64: {}\n", error.what());
    return 2;
  }
}
