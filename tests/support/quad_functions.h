// Elementary functions in 113-bit floats, by series and by Newton's steps: slow, short and their own.
#pragma once
#include <cmath>

namespace topos::test {

__extension__ using quad = __float128;

inline quad quad_sqrt(quad x) {
  if (!(x > 0)) return x == 0 ? x : quad(std::sqrt(static_cast<double>(x)));
  quad root = std::sqrt(static_cast<double>(x));
  for (int i = 0; i < 3; ++i) root = (root + x / root) / 2;  // each step doubles the digits
  return root;
}
inline quad quad_exp(quad x) {
  if (!(x < 11000 && x > -11000)) return quad(std::exp(static_cast<double>(x)));
  // x = count * log 2 + rest, then a series at rest / 256 and eight squarings.
  const quad log_2 = quad(0x1.62e42fefa39efp-1) + quad(0x1.abc9e3b39803fp-56) + quad(0x1.7b57a079a1934p-111);
  const int count = static_cast<int>(std::nearbyint(static_cast<double>(x) / 0.6931471805599453));
  const quad rest = (x - quad(count) * log_2) / 256;
  quad term = 1, total = 0;
  for (int k = 1; k < 18; ++k) {
    term *= rest / k;
    total += term;
  }
  for (int i = 0; i < 8; ++i) total = total * (total + 2);  // exp(2r) - 1 of exp(r) - 1
  quad result = total + 1;
  for (int i = 0; i < count; ++i) result *= 2;
  for (int i = 0; i > count; --i) result /= 2;
  return result;
}
inline quad quad_log(quad x) {
  if (!(x > 0)) return quad(std::log(static_cast<double>(x)));
  quad y = std::log(static_cast<double>(x));
  for (int i = 0; i < 2; ++i) {
    const quad power = quad_exp(y);
    y += 2 * (x - power) / (x + power);  // Halley: each step triples the digits
  }
  return y;
}
inline quad quad_tanh(quad x) {
  if (x > 40 || x < -40) return x > 0 ? 1 : -1;  // the rest is below the last digit
  const quad square = quad_exp(2 * x);
  return (square - 1) / (square + 1);
}

/// x * (1 + x/2 * (1 + x/3 * ...)): no difference that could cancel.
inline quad quad_expm1(quad x) {
  if (x > 0.5 || x < -0.5) return quad_exp(x) - 1;
  quad term = x, total = 0;
  for (int k = 1; k < 40; ++k) {
    total += term;
    term *= x / (k + 1);
  }
  return total;
}
/// 2 atanh(x / (2 + x)).
inline quad quad_log1p(quad x) {
  if (x > 0.5 || x < -0.5) return quad_log(1 + x);
  const quad ratio = x / (2 + x), square = ratio * ratio;
  quad power = ratio, total = 0;
  for (int k = 1; k < 80; k += 2) {
    total += power / k;
    power *= square;
  }
  return 2 * total;
}
/// The series in x^2 from term `first` on, for |x| below ten or so.
inline quad quad_alternating(quad x, quad term, int first) {
  quad total = 0;
  for (int k = first; k < first + 120; k += 2) {
    total += term;
    term *= -x * x / (quad(k) * (k + 1));
  }
  return total;
}
inline quad quad_sin(quad x) { return quad_alternating(x, x, 2); }
inline quad quad_cos(quad x) { return quad_alternating(x, 1, 1); }
inline quad quad_two_over_root_pi() {
  const quad pi = quad(0x1.921fb54442d18p+1) + quad(0x1.1a62633145c07p-53) - quad(0x1.f1976b7ed8fbcp-109);
  return 2 / quad_sqrt(pi);
}
inline quad quad_erf(quad x) {
  quad power = x, total = 0;
  for (int k = 0; k < 200; ++k) {
    total += power / (2 * k + 1);
    power *= -x * x / (k + 1);
  }
  return quad_two_over_root_pi() * total;
}
inline quad quad_erf_derivative(quad x) { return quad_two_over_root_pi() * quad_exp(-x * x); }
inline quad quad_logistic(quad x) { return 1 / (1 + quad_exp(-x)); }
inline quad quad_softplus(quad x) { return quad_log1p(quad_exp(x)); }
inline quad quad_power(quad x, quad y) { return y == 0 ? quad(1) : quad_exp(y * quad_log(x)); }

}  // namespace topos::test
