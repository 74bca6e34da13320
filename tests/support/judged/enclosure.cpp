// Elementwise operations and choices.
#include "support/judged/enclosure.h"

#include "support/judged/enclosure_parts.h"
#include "support/judged/lowered.h"

namespace topos::test {
namespace {

bool is_floating(const Enclosure& x) { return x.value.element().is_floating(); }

/// f of every interval, around the library's own value.
template <class F>
Enclosure mapped(Tensor value, const Enclosure& x, F f) {
  auto intervals = intervals_of(x);
  for (auto& interval : intervals) interval = f(interval);
  return enclosed(std::move(value), intervals);
}
template <class F>
Enclosure mapped(Tensor value, const Enclosure& a, const Enclosure& b, F f) {
  if (!is_floating(a)) return decided(std::move(value), logical_or(a.undecided, b.undecided));
  auto intervals = intervals_of(a);
  const auto right = intervals_of(b);
  for (std::size_t i = 0; i < intervals.size(); ++i) intervals[i] = f(intervals[i], right[i]);
  return enclosed(std::move(value), intervals);
}

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  return mapped(a.value, a, b, [](Interval x, Interval y) { return hull(x, y); });
}

Enclosure function(Function which, Tensor value, const Enclosure& x) {
  return with_float(value.element(), [&]<class T>() {
    return mapped(value, x, [&](Interval t) { return function_of<T>(which, t, x.source); });
  });
}

enum class Answer : std::uint8_t { no, yes, unknown };

Answer less(Interval a, Interval b) {
  if (a.high < b.low) return Answer::yes;
  return a.low >= b.high ? Answer::no : Answer::unknown;
}
Answer opposite(Answer answer) {
  return answer == Answer::unknown ? answer : answer == Answer::yes ? Answer::no : Answer::yes;
}
Answer holds(Direction direction, Interval a, Interval b) {
  if (a.is_nan() || b.is_nan()) return direction == Direction::ne ? Answer::yes : Answer::no;
  if (a.is_anything() || b.is_anything()) return Answer::unknown;
  const bool same = a.is_point() && b.is_point() && a.low == b.low;
  const bool apart = a.high < b.low || b.high < a.low;
  const auto equal = same ? Answer::yes : apart ? Answer::no : Answer::unknown;
  switch (direction) {
    case Direction::eq: return equal;
    case Direction::ne: return opposite(equal);
    case Direction::lt: return less(a, b);
    case Direction::gt: return less(b, a);
    case Direction::le: return opposite(less(b, a));
    case Direction::ge: return opposite(less(a, b));
  }
  return Answer::unknown;
}

}  // namespace

Enclosure Enclosure::of(const Tensor& payload) {
  if (!payload.element().is_floating()) return decided(payload, none_undecided(payload.shape()));
  auto number = convert(payload, f64);
  Enclosure x{payload, number, number, {}, true};
  return with_float(payload.element(), [&]<class T>() {
    auto intervals = intervals_of(x);
    for (auto& t : intervals)
      if (t.low != 0 && t.magnitude() < Format<T>::smallest_normal) t = flushed<T>(t);
    auto fed = enclosed(payload, intervals);
    fed.source = true;
    return fed;
  });
}

Tensor Enclosure::center() const {
  if (!type().element.is_floating()) return convert(value, f64);
  std::vector<double> centers;
  for (const auto& x : intervals_of(*this)) {
    const bool unbounded = x.is_anything() || (!x.is_nan() && !x.is_point() && std::isinf(x.magnitude()));
    centers.push_back(unbounded ? 0 : x.is_point() || x.is_nan() ? x.low : x.low + (x.high / 2 - x.low / 2));
  }
  return Tensor::from(type().shape, centers);
}

Tensor Enclosure::radius() const {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  std::vector<double> radii;
  if (type().element.is_floating()) {
    const auto centers = center().values<double>();
    for (const auto& x : intervals_of(*this)) {
      const double middle = centers[radii.size()];
      const bool unbounded = x.is_anything() || (!x.is_nan() && !x.is_point() && std::isinf(x.magnitude()));
      const double reach = std::fmax(x.high - middle, middle - x.low);
      radii.push_back(unbounded ? infinity : x.is_point() || x.is_nan() ? 0 : std::nextafter(reach, infinity));
    }
  } else {
    // A double holds no more than 53 bits of an integer.
    const auto inexact = type().element == i64 ? compare(convert(convert(value, f64), i64), value, Direction::ne)
                                               : none_undecided(type().shape);
    const auto unknown = undecided.values<bool>(), rounded = inexact.values<bool>();
    for (std::size_t i = 0; i < unknown.size(); ++i) radii.push_back(unknown[i] ? infinity : rounded[i] ? 1024 : 0);
  }
  return Tensor::from(type().shape, radii);
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  return with_float(a.value.element(), [&]<class T>() { return mapped(a.value + b.value, a, b, added<T>); });
}
Enclosure operator-(const Enclosure& a, const Enclosure& b) {
  return with_float(a.value.element(), [&]<class T>() { return mapped(a.value - b.value, a, b, subtracted<T>); });
}
Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  return with_float(a.value.element(), [&]<class T>() { return mapped(a.value * b.value, a, b, multiplied<T>); });
}
Enclosure operator/(const Enclosure& a, const Enclosure& b) {
  return with_float(a.value.element(), [&]<class T>() {
    return mapped(a.value / b.value, a, b, [&](Interval x, Interval y) { return divided<T>(x, y, b.source); });
  });
}
Enclosure power(const Enclosure& a, const Enclosure& b) {
  return with_float(a.value.element(), [&]<class T>() { return mapped(power(a.value, b.value), a, b, raised_to<T>); });
}
Enclosure operator-(const Enclosure& x) {
  return is_floating(x) ? mapped(-x.value, x, negated) : decided(-x.value, x.undecided);
}
Enclosure abs(const Enclosure& x) {
  return is_floating(x) ? mapped(abs(x.value), x, absolute) : decided(abs(x.value), x.undecided);
}
Enclosure sign(const Enclosure& x) {
  return is_floating(x) ? mapped(sign(x.value), x, signs) : decided(sign(x.value), x.undecided);
}
Enclosure maximum(const Enclosure& a, const Enclosure& b) { return mapped(maximum(a.value, b.value), a, b, larger); }
Enclosure minimum(const Enclosure& a, const Enclosure& b) { return mapped(minimum(a.value, b.value), a, b, smaller); }

Enclosure exp(const Enclosure& x) { return function(Function::exp, exp(x.value), x); }
Enclosure expm1(const Enclosure& x) { return function(Function::expm1, expm1(x.value), x); }
Enclosure log(const Enclosure& x) { return function(Function::log, log(x.value), x); }
Enclosure log1p(const Enclosure& x) { return function(Function::log1p, log1p(x.value), x); }
Enclosure sqrt(const Enclosure& x) { return function(Function::sqrt, sqrt(x.value), x); }
Enclosure rsqrt(const Enclosure& x) { return function(Function::rsqrt, rsqrt(x.value), x); }
Enclosure tanh(const Enclosure& x) { return function(Function::tanh, tanh(x.value), x); }
Enclosure sin(const Enclosure& x) { return function(Function::sin, sin(x.value), x); }
Enclosure cos(const Enclosure& x) { return function(Function::cos, cos(x.value), x); }
Enclosure erf(const Enclosure& x) { return function(Function::erf, erf(x.value), x); }
// The library rounds these once, engines compute a formula: either.
Enclosure erf_derivative(const Enclosure& x) {
  return hull(function(Function::erf_derivative, erf_derivative(x.value), x), lowered_erf_derivative(x));
}
Enclosure logistic(const Enclosure& x) {
  return hull(function(Function::logistic, logistic(x.value), x), lowered_logistic(x));
}
Enclosure softplus(const Enclosure& x) {
  return hull(function(Function::softplus, softplus(x.value), x), lowered_softplus(x));
}
Enclosure stop_gradient(const Enclosure& x) { return x; }

Enclosure compare(const Enclosure& a, const Enclosure& b, Direction direction) {
  auto value = compare(a.value, b.value, direction);
  if (!is_floating(a)) return decided(std::move(value), logical_or(a.undecided, b.undecided));
  const auto left = intervals_of(a), right = intervals_of(b);
  std::vector<bool> unknown(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) unknown[i] = holds(direction, left[i], right[i]) == Answer::unknown;
  return decided(std::move(value), Tensor::from(a.type().shape, unknown));
}
Enclosure logical_and(const Enclosure& a, const Enclosure& b) {
  return decided(logical_and(a.value, b.value), logical_or(a.undecided, b.undecided));
}
Enclosure logical_or(const Enclosure& a, const Enclosure& b) {
  return decided(logical_or(a.value, b.value), logical_or(a.undecided, b.undecided));
}
Enclosure logical_not(const Enclosure& x) { return decided(logical_not(x.value), x.undecided); }

Enclosure select(const Enclosure& predicate, const Enclosure& a, const Enclosure& b) {
  auto value = select(predicate.value, a.value, b.value);
  if (!is_floating(a)) {
    const auto chosen = select(predicate.value, a.undecided, b.undecided);
    return decided(std::move(value), logical_or(predicate.undecided, chosen));
  }
  auto intervals = intervals_of(a);
  const auto other = intervals_of(b);
  const auto first = predicate.value.values<bool>(), unknown = predicate.undecided.values<bool>();
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (unknown[i])
      intervals[i] = hull(intervals[i], other[i]);
    else if (!first[i])
      intervals[i] = other[i];
  }
  return enclosed(std::move(value), intervals);
}

namespace {

/// A rounding to f32 on the way to bf16 is allowed.
template <class T>
Interval converted(Interval x) {
  if (!x.is_number()) return x;
  auto out = rounded<T>(x);
  if constexpr (std::same_as<T, BFloat16>) {
    const auto twice = [](double t) { return static_cast<double>(BFloat16(static_cast<float>(t))); };
    const auto once = [](double t) { return static_cast<double>(BFloat16(t)); };
    out = hull(flushed<T>({once(x.low), once(x.high)}), flushed<T>({twice(x.low), twice(x.high)}));
  }
  return out;
}

Enclosure from_whole(const Enclosure& x, Tensor value) {
  const auto unknown = x.undecided.values<bool>();
  const auto numbers = convert(value, f64).values<double>();
  Intervals intervals(unknown.size());
  // By way of an f32, and by a rounding of our own.
  const auto by_f32 = convert(convert(convert(x.value, f32), value.element()), f64).values<double>();
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    intervals[i] = hull(Interval::point(numbers[i]), Interval::point(value.element() == bf16 ? by_f32[i] : numbers[i]));
    if (unknown[i]) intervals[i] = x.value.element() == boolean ? Interval{0, 1} : Interval::anything();
  }
  return enclosed(std::move(value), intervals);
}

/// Whether every number of the interval gives one integer, or one predicate.
bool is_decided(Interval x, ElementType to) {
  if (x.is_nan()) return true;
  if (x.is_anything()) return false;
  if (to == boolean) return !x.contains(0) || x.is_point();
  return x.is_point() || std::trunc(x.low) == std::trunc(x.high);
}

}  // namespace

Enclosure convert(const Enclosure& x, ElementType element) {
  auto value = convert(x.value, element);
  if (!is_floating(x)) {
    if (!element.is_floating()) return decided(std::move(value), x.undecided);
    return from_whole(x, std::move(value));
  }
  if (element == x.type().element) return x;
  if (element.is_floating()) return with_float(element, [&]<class T>() { return mapped(value, x, converted<T>); });
  std::vector<bool> unknown;
  for (const auto& interval : intervals_of(x)) unknown.push_back(!is_decided(interval, element));
  return decided(std::move(value), Tensor::from(x.type().shape, unknown));
}

Enclosure full_like(const Enclosure& x, Number number) { return Enclosure::of(full_like(x.value, number)); }

}  // namespace topos::test
