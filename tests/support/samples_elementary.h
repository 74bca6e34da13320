// Samples of the opcodes of elementary functions and of one operand.
#pragma once
#include "support/samples_elementwise.h"

namespace topos::test {

inline std::vector<Sample> samples(op::Exp) {
  return unary("Exp", {-2, 2}, [](const Value& x) { return exp(x); });
}
inline std::vector<Sample> samples(op::Expm1) {
  return unary("Expm1", {-1, 1}, [](const Value& x) { return expm1(x); });
}
inline std::vector<Sample> samples(op::Log) {
  return unary("Log", {0.5, 3}, [](const Value& x) { return log(x); });
}
inline std::vector<Sample> samples(op::Log1p) {
  return unary("Log1p", {-0.5, 2}, [](const Value& x) { return log1p(x); });
}
inline std::vector<Sample> samples(op::Sqrt) {
  return unary("Sqrt", {0.5, 3}, [](const Value& x) { return sqrt(x); });
}
inline std::vector<Sample> samples(op::Rsqrt) {
  return unary("Rsqrt", {0.5, 3}, [](const Value& x) { return rsqrt(x); });
}
inline std::vector<Sample> samples(op::Tanh) {
  return unary("Tanh", {-2, 2}, [](const Value& x) { return tanh(x); });
}
inline std::vector<Sample> samples(op::Sin) {
  return unary("Sin", {-3, 3}, [](const Value& x) { return sin(x); });
}
inline std::vector<Sample> samples(op::Cos) {
  return unary("Cos", {-3, 3}, [](const Value& x) { return cos(x); });
}
inline std::vector<Sample> samples(op::Erf) {
  return unary("Erf", {-2, 2}, [](const Value& x) { return erf(x); });
}
inline std::vector<Sample> samples(op::ErfDerivative) {
  return unary("ErfDerivative", {-2, 2}, [](const Value& x) { return erf_derivative(x); });
}
inline std::vector<Sample> samples(op::Logistic) {
  return unary("Logistic", {-3, 3}, [](const Value& x) { return logistic(x); });
}
inline std::vector<Sample> samples(op::Softplus) {
  return unary("Softplus", {-3, 3}, [](const Value& x) { return softplus(x); });
}
inline std::vector<Sample> samples(op::Power) {
  return binary("Power", {0.5, 2}, {-2, 2}, [](const Value& a, const Value& b) { return power(a, b); });
}
inline std::vector<Sample> samples(op::StopGradient) {
  return unary("StopGradient", {-2, 2}, [](const Value& x) {
    const auto fixed = stop_gradient(x);
    const auto copy = -x;  // a gradient of all zeros would hide much
    const auto back = -copy;
    return fixed * back;
  });
}

}  // namespace topos::test
