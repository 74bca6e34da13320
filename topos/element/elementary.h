// Owns the elementary functions of the float elements, with the same bits in every build, and their choice by name.
#pragma once

#include "topos/element/elementary_f32.h"
#include "topos/element/elementary_f32_erf.h"
#include "topos/element/elementary_f32_power.h"
#include "topos/element/elementary_f32_trig.h"
#include "topos/element/elementary_f64.h"
#include "topos/element/elementary_f64_erf.h"
#include "topos/element/elementary_f64_power.h"
#include "topos/element/elementary_f64_trig.h"
#include "topos/element/function.h"

namespace topos::elementary {

/// The elementary function F of a float or a double.
template <Function F, class T>
[[gnu::always_inline]] inline T apply(T x) {
  if constexpr (F == Function::exp)
    return exp(x);
  else if constexpr (F == Function::expm1)
    return expm1(x);
  else if constexpr (F == Function::log)
    return log(x);
  else if constexpr (F == Function::log1p)
    return log1p(x);
  else if constexpr (F == Function::sqrt)
    return sqrt(x);
  else if constexpr (F == Function::rsqrt)
    return rsqrt(x);
  else if constexpr (F == Function::tanh)
    return tanh(x);
  else if constexpr (F == Function::sin)
    return sin(x);
  else if constexpr (F == Function::cos)
    return cos(x);
  else if constexpr (F == Function::erf)
    return erf(x);
  else if constexpr (F == Function::erf_derivative)
    return erf_derivative(x);
  else if constexpr (F == Function::logistic)
    return logistic(x);
  else {
    static_assert(F == Function::softplus, "no elementary function of one operand");
    return softplus(x);
  }
}

}  // namespace topos::elementary
