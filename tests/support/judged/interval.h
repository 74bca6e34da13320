// Where one number may lie whichever engine computed it, and the arithmetic of such intervals.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "topos/element/bfloat16.h"
#include "topos/element/function.h"

namespace topos::test {

/// The numbers of [low, high]; NaN at both ends is NaN for certain; low above high may be anything, NaN too.
struct Interval {
  double low = 0, high = 0;

  static Interval point(double x) { return {x, x}; }
  static Interval nan() { return point(std::numeric_limits<double>::quiet_NaN()); }
  static Interval anything() {
    constexpr auto infinity = std::numeric_limits<double>::infinity();
    return {infinity, -infinity};
  }
  bool is_nan() const { return low != low; }
  bool is_anything() const { return low > high; }
  bool is_number() const { return low <= high; }
  bool is_point() const { return low == high; }
  bool is_finite() const { return is_number() && std::isfinite(low) && std::isfinite(high); }
  bool contains(double x) const { return low <= x && x <= high; }
  double magnitude() const { return std::fmax(std::fabs(low), std::fabs(high)); }
};

/// What an element's numbers are rounded to. T is float, double or BFloat16.
template <class T>
struct Format {
  using Wide = std::conditional_t<std::same_as<T, BFloat16>, float, T>;  // of its arithmetic and its sums
  static constexpr double epsilon = std::numeric_limits<Wide>::epsilon();
  static constexpr double smallest_normal = std::numeric_limits<Wide>::min();  // of bf16 too
  static constexpr double largest = std::numeric_limits<Wide>::max();

  static double rounded(double x) { return static_cast<double>(T(static_cast<Wide>(x))); }
  static double next(double x, double towards) {
    return static_cast<double>(std::nextafter(static_cast<Wide>(x), static_cast<Wide>(towards)));
  }
};

/// Engines may read and write a number smaller than the smallest normal one as zero.
template <class T>
Interval flushed(Interval x) {
  constexpr auto smallest = Format<T>::smallest_normal;
  if (x.low > 0 && x.low <= smallest) x.low = 0;
  if (x.high < 0 && x.high >= -smallest) x.high = 0;
  return x;
}

/// The numbers of an element that real numbers of [low, high] may be rounded to: one rounding of each end for an
/// operation that every engine rounds correctly.
template <class T>
Interval rounded(Interval x) {
  if (!x.is_number()) return x;
  return flushed<T>({Format<T>::rounded(x.low), Format<T>::rounded(x.high)});
}

/// a op b on every pair of ends, correctly rounded; NaN anywhere is undecided unless there is only one pair.
template <class T, class F>
Interval at_corners(Interval a, Interval b, F op) {
  using Wide = typename Format<T>::Wide;
  const auto at = [&](double x, double y) {
    return static_cast<double>(T(static_cast<Wide>(op(static_cast<Wide>(x), static_cast<Wide>(y)))));
  };
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  if (a.is_anything() || b.is_anything()) return Interval::anything();
  if (a.is_point() && b.is_point()) return flushed<T>(Interval::point(at(a.low, b.low)));
  const double corners[] = {at(a.low, b.low), at(a.low, b.high), at(a.high, b.low), at(a.high, b.high)};
  Interval out{corners[0], corners[0]};
  for (const auto corner : corners) {
    if (corner != corner) return Interval::anything();
    out = {std::fmin(out.low, corner), std::fmax(out.high, corner)};
  }
  return flushed<T>(out);
}

/// Where either may be.
inline Interval hull(Interval a, Interval b) {
  if (a.is_nan() && b.is_nan()) return a;
  if (!a.is_number() || !b.is_number()) return Interval::anything();
  return {std::fmin(a.low, b.low), std::fmax(a.high, b.high)};
}

template <class T>
Interval added(Interval a, Interval b) {
  return at_corners<T>(a, b, [](auto x, auto y) { return x + y; });
}
template <class T>
Interval subtracted(Interval a, Interval b) {
  return at_corners<T>(a, b, [](auto x, auto y) { return x - y; });
}
template <class T>
Interval multiplied(Interval a, Interval b) {
  const auto out = at_corners<T>(a, b, [](auto x, auto y) { return x * y; });
  const auto may_be_nan = [](Interval x, Interval y) { return x.contains(0) && std::isinf(y.magnitude()); };
  const bool single = a.is_point() && b.is_point();
  return !single && out.is_number() && (may_be_nan(a, b) || may_be_nan(b, a)) ? Interval::anything() : out;
}
/// `sign_known`: a zero of b is the one that was fed, so that its sign says which infinity.
template <class T>
Interval divided(Interval a, Interval b, bool sign_known) {
  const bool single = a.is_point() && b.is_point();
  if (a.is_number() && b.is_number() && b.contains(0)) {
    if (!single) return Interval::anything();
    if (a.low != 0 && !sign_known) return Interval::anything();
  }
  const auto out = at_corners<T>(a, b, [](auto x, auto y) { return x / y; });
  return !single && std::isinf(a.magnitude()) && std::isinf(b.magnitude()) && out.is_number() ? Interval::anything()
                                                                                              : out;
}
Interval negated(Interval x);
Interval absolute(Interval x);
Interval signs(Interval x);
Interval larger(Interval a, Interval b);
Interval smaller(Interval a, Interval b);

/// Engines compute these with an error that was measured; see the table in interval_functions.cpp. `sign_known` as for
/// a quotient. Defined for float, double and BFloat16.
template <class T>
Interval function_of(Function function, Interval x, bool sign_known);
template <class T>
Interval raised_to(Interval a, Interval b);

/// While one lives, sums and products over bf16 may be rounded to it at every step, or not at all: where the text has
/// one operation for several of ours, engines choose. For this thread.
class LooseSums {
 public:
  explicit LooseSums(bool loose) : before_(current_) { current_ = loose; }
  ~LooseSums() { current_ = before_; }
  LooseSums(const LooseSums&) = delete;
  LooseSums& operator=(const LooseSums&) = delete;
  static bool current() { return current_; }

 private:
  static thread_local bool current_;
  bool before_;
};

/// A sum in any order, in an element's accumulator, of terms or of products that may be fused with their addition.
template <class T>
class Total {
 public:
  using Wide = typename Format<T>::Wide;

  void add(Interval term) { take(term, term.is_point()); }
  void add_product(Interval a, Interval b);
  /// In the element.
  Interval result() const;

 private:
  void take(Interval term, bool exact);

  double low_ = 0, high_ = 0, magnitude_ = 0;
  double count_ = 0, roundings_ = 0;
  int last_bit_ = 1 << 20;  // the exponent that every term is a multiple of
  bool exact_ = true, nan_ = false, anything_ = false, up_ = false, down_ = false;
};

}  // namespace topos::test
