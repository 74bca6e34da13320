// Owns the functions that both checks know: by name, in double, in MPFR, as defined and as an opcode.
#pragma once
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <mpfr.h>

#include "topos/element/elementary.h"

namespace topos::exhaustive {

using Float = float (*)(float);
using Double = double (*)(double);
/// Replaces a number by the function of it, in the number's own precision.
using Truth = void (*)(mpfr_ptr);

inline void true_exp(mpfr_ptr x) { mpfr_exp(x, x, MPFR_RNDN); }
inline void true_expm1(mpfr_ptr x) { mpfr_expm1(x, x, MPFR_RNDN); }
inline void true_log(mpfr_ptr x) { mpfr_log(x, x, MPFR_RNDN); }
inline void true_log1p(mpfr_ptr x) { mpfr_log1p(x, x, MPFR_RNDN); }
inline void true_sqrt(mpfr_ptr x) { mpfr_sqrt(x, x, MPFR_RNDN); }
inline void true_rsqrt(mpfr_ptr x) { mpfr_rec_sqrt(x, x, MPFR_RNDN); }
inline void true_tanh(mpfr_ptr x) { mpfr_tanh(x, x, MPFR_RNDN); }
inline void true_sin(mpfr_ptr x) { mpfr_sin(x, x, MPFR_RNDN); }
inline void true_cos(mpfr_ptr x) { mpfr_cos(x, x, MPFR_RNDN); }
inline void true_erf(mpfr_ptr x) { mpfr_erf(x, x, MPFR_RNDN); }
inline void true_erf_derivative(mpfr_ptr x) {
  mpfr_t root;
  mpfr_init2(root, mpfr_get_prec(x));
  mpfr_const_pi(root, MPFR_RNDN);
  mpfr_sqrt(root, root, MPFR_RNDN);
  mpfr_sqr(x, x, MPFR_RNDN);
  mpfr_neg(x, x, MPFR_RNDN);
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
  mpfr_div(x, x, root, MPFR_RNDN);
  mpfr_clear(root);
}
inline void true_logistic(mpfr_ptr x) {
  mpfr_neg(x, x, MPFR_RNDN);
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_add_ui(x, x, 1, MPFR_RNDN);
  mpfr_ui_div(x, 1, x, MPFR_RNDN);
}
inline void true_softplus(mpfr_ptr x) {
  if (mpfr_cmp_si(x, 10'000) > 0) return;  // the exponential could leave even MPFR's range
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_log1p(x, x, MPFR_RNDN);
}

/// The derivative of erf.
inline double erf_slope(double x) { return 2.0 * std::numbers::inv_sqrtpi * std::exp(-x * x); }  // of a float: exact
/// The square of a double needs more bits than there are: it is a sum of two that are exact.
inline long double erf_slope(long double x) {
  if (std::fabs(x) > 200) return 0;
  constexpr long double splitter = 0x1p38L + 1;  // of 64 bits, the upper 26
  const auto scaled = x * splitter, high = scaled - (scaled - x), low = x - high;
  return 2 * std::numbers::inv_sqrtpi_v<long double> * std::exp(-high * high) * std::exp(-(2 * high + low) * low);
}

/// A function of one number. `nearly` and `closely` are a few ulp of their result off at most: one call of the C
/// library or two.
struct Known {
  std::string_view name;
  Function function;
  Float f32;
  Double f64;
  Double nearly;                   // of floats
  long double (*closely)(double);  // where that is wider than double
  Truth truth;
};

#define TOPOS_KNOWN(name, nearly)                \
  {#name,                                        \
   Function::name,                               \
   [](float x) { return elementary::name(x); },  \
   [](double x) { return elementary::name(x); }, \
   [](double x) -> double { return nearly; },    \
   [](double number) -> long double {            \
     const long double x = number;               \
     return nearly;                              \
   },                                            \
   true_##name}
inline const std::vector<Known>& known_functions() {
  static const std::vector<Known> all = {
      TOPOS_KNOWN(exp, std::exp(x)),
      TOPOS_KNOWN(expm1, std::expm1(x)),
      TOPOS_KNOWN(log, std::log(x)),
      TOPOS_KNOWN(log1p, std::log1p(x)),
      TOPOS_KNOWN(sqrt, std::sqrt(x)),
      TOPOS_KNOWN(rsqrt, 1 / std::sqrt(x)),
      TOPOS_KNOWN(tanh, std::tanh(x)),
      TOPOS_KNOWN(sin, std::sin(x)),
      TOPOS_KNOWN(cos, std::cos(x)),
      TOPOS_KNOWN(erf, std::erf(x)),
      TOPOS_KNOWN(erf_derivative, erf_slope(x)),
      TOPOS_KNOWN(logistic, 1 / (1 + std::exp(-x))),
      TOPOS_KNOWN(softplus, x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x))),
  };
  return all;
}
#undef TOPOS_KNOWN

inline const Known& known_function(std::string_view name) {
  for (const auto& known : known_functions())
    if (known.name == name) return known;
  throw std::runtime_error("no function of this name: " + std::string(name));
}
inline std::string known_names() {
  std::string names;
  for (const auto& known : known_functions()) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

}  // namespace topos::exhaustive
