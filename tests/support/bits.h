// Assertions on bits: the same type and the same number in every element, any two NaNs counted as the same.
#pragma once
#include <bit>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "topos/tensor/algebra.h"

namespace topos {

/// How GoogleTest shows an element type.
inline void PrintTo(ElementType element, std::ostream* out) { *out << element.name(); }

}  // namespace topos

namespace topos::test {

/// Where two tensors of one type first differ, with the numbers.
inline std::string first_difference(const Tensor& a, const Tensor& b) {
  const auto describe = [&]<class T>(T) {
    const auto x = a.values<T>();
    const auto y = b.values<T>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool both_nan = x[i] != x[i] && y[i] != y[i];
      if (both_nan || std::memcmp(&x[i], &y[i], sizeof(T)) == 0) continue;
      char text[128];
      std::snprintf(text, sizeof text, "element %zu: %.17g and %.17g", i, static_cast<double>(x[i]),
                    static_cast<double>(y[i]));
      return std::string(text);
    }
    return std::string("no element differs");
  };
  if (a.element() == bf16) return first_difference(convert(a, f32), convert(b, f32));
  if (a.element().stablehlo().empty()) return a.text() + " and " + b.text();  // a user's
  if (a.element() == f32) return describe(float{});
  if (a.element() == f64) return describe(double{});
  if (a.element() == i64) return describe(std::int64_t{});
  return describe(bool{});
}

/// EXPECT_TRUE(bits_agree(a, b)) << context.
inline testing::AssertionResult bits_agree(const Tensor& a, const Tensor& b) {
  if (!(a.type() == b.type()))
    return testing::AssertionFailure() << "the types " << a.type().text() << " and " << b.type().text() << " differ";
  if (same_bits(a, b)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << a.type().text() << " differ at " << first_difference(a, b);
}

inline std::vector<std::uint32_t> bits32(const Tensor& x) {
  std::vector<std::uint32_t> bits;
  for (const float value : x.values<float>()) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

}  // namespace topos::test
