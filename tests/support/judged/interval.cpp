#include "support/judged/interval.h"

namespace topos::test {

thread_local bool LooseSums::current_ = false;

Interval negated(Interval x) {
  if (!x.is_number()) return x;
  return {-x.high, -x.low};
}
Interval absolute(Interval x) {
  if (!x.is_number()) return x;
  return {x.contains(0) ? 0 : std::fmin(std::fabs(x.low), std::fabs(x.high)), x.magnitude()};
}
Interval signs(Interval x) {
  if (!x.is_number()) return x;
  const auto sign = [](double t) { return t > 0 ? 1.0 : t < 0 ? -1.0 : 0.0; };
  return {sign(x.low), sign(x.high)};
}
Interval larger(Interval a, Interval b) {
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  if (a.is_anything() || b.is_anything()) return Interval::anything();
  return {std::fmax(a.low, b.low), std::fmax(a.high, b.high)};
}
Interval smaller(Interval a, Interval b) { return negated(larger(negated(a), negated(b))); }

namespace {

/// The exponent of the last bit that is set.
int last_bit(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
  const auto fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0) return -1074 + std::countr_zero(fraction);
  return exponent - 1075 + std::countr_zero(fraction | std::uint64_t{1} << 52);
}

}  // namespace

template <class T>
void Total<T>::take(Interval term, bool exact) {
  if (term.is_nan()) nan_ = true;
  if (term.is_anything()) anything_ = true;
  if (!term.is_number()) return;
  if (!term.is_finite()) {
    if (!term.is_point()) anything_ = true;
    (term.high > 0 ? up_ : down_) = true;
    return;
  }
  if (term.low == 0 && term.high == 0) return;
  low_ += term.low;
  high_ += term.high;
  magnitude_ += term.magnitude();
  ++count_;
  exact_ = exact_ && exact;
  if (exact) last_bit_ = std::min(last_bit_, last_bit(term.low));
}

template <class T>
void Total<T>::add_product(Interval a, Interval b) {
  ++roundings_;
  if (a.is_point() && b.is_point()) {
    const double product = a.low * b.low;
    const bool exact = std::same_as<Wide, float> || std::fma(a.low, b.low, -product) == 0;
    return take(Interval::point(product), exact && (product != 0 || a.low == 0 || b.low == 0));
  }
  take(multiplied<double>(a, b), false);
}

template <class T>
Interval Total<T>::result() const {
  if (nan_ || (up_ && down_ && !anything_)) return Interval::nan();
  if (anything_) return Interval::anything();
  const bool loose = std::same_as<T, BFloat16> && LooseSums::current();
  const double unit = loose ? 0x1p-8 : Format<T>::epsilon / 2;
  constexpr int digits = std::numeric_limits<Wide>::digits;
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  const bool exact = exact_ && !loose && (count_ == 0 || magnitude_ < std::ldexp(1.0, last_bit_ + digits));
  const double steps = exact ? 0 : (count_ + 1) * unit;
  // The same again for the additions made here, which are those of a double.
  const double slack = exact ? 0 : 2 * (count_ + 1) * 0x1p-53 * magnitude_;
  const double error = exact ? 0 : steps / (1 - steps) * magnitude_ + slack + 2 * count_ * Format<T>::smallest_normal;
  if (steps >= 0.5 || !(magnitude_ + error < Format<T>::largest / 2)) return Interval::anything();
  if (up_ || down_) return Interval::point(up_ ? infinity : -infinity);
  if (exact) return rounded<T>({low_, high_});
  return rounded<T>({Format<T>::next(low_ - error, -infinity), Format<T>::next(high_ + error, infinity)});
}

template class Total<float>;
template class Total<double>;
template class Total<BFloat16>;

}  // namespace topos::test
