// Samples of the composites: regular points of each, for values and gradients against differences.
#pragma once
#include <limits>

#include "support/samples_elementwise.h"

namespace topos::test {

template <class F>
Sample composite(std::string name, std::vector<Shape> shapes, std::vector<Range> ranges, F f) {
  return sample_over(std::move(name), std::move(shapes), std::move(ranges), Form::plain,
                     [f](Tape&, const std::vector<Value>& in) { return f(in); });
}

inline void add_activation_samples(std::vector<Sample>& all) {
  const auto add = [&](const char* name, Range range, auto f) {
    all.push_back(composite(name, {{2, 3}}, {range}, [f](const std::vector<Value>& in) { return f(in[0]); }));
  };
  add("relu6", {-3, 9}, [](const Value& x) { return relu6(x); });
  add("clamp by numbers", {-2, 2}, [](const Value& x) { return clamp(x, -1, 1); });
  add("gelu", {-2, 2}, [](const Value& x) { return gelu(x); });
  add("gelu_tanh", {-2, 2}, [](const Value& x) { return gelu_tanh(x); });
  add("silu", {-2, 2}, [](const Value& x) { return silu(x); });
  add("elu", {-2, 2}, [](const Value& x) { return elu(x, 0.75); });
  add("hardswish", {-4, 4}, [](const Value& x) { return hardswish(x); });
  add("reciprocal", {0.5, 2}, [](const Value& x) { return reciprocal(x); });
  all.push_back(composite("clamp by values", {{2, 3}}, {{-2, 2}}, [](const std::vector<Value>& in) {
    const auto low = in[0] * 0.25;
    const auto high = low + 0.125;
    return clamp(in[0], low, high);
  }));
}

inline void add_reduction_samples(std::vector<Sample>& all) {
  const auto add = [&](const char* name, auto f) {
    all.push_back(composite(name, {{2, 3, 2}}, {{-2, 2}}, [f](const std::vector<Value>& in) { return f(in[0]); }));
  };
  add("mean that keeps its axes", [](const Value& x) { return mean(x, {0, 2}, keepdims); });
  add("variance", [](const Value& x) { return variance(x, {0, 2}); });
  add("unbiased variance", [](const Value& x) { return unbiased_variance(x); });
  add("standard deviation", [](const Value& x) { return standard_deviation(x, {1}); });
  add("norm of order 1", [](const Value& x) { return norm(x, {0, 2}, 1); });
  add("norm of order 2", [](const Value& x) { return norm(x, {1, 2}); });
  add("norm of order infinity",
      [](const Value& x) { return norm(x, {0, 1}, std::numeric_limits<double>::infinity()); });
  add("clip_by_norm inside", [](const Value& x) { return clip_by_norm(x, 100); });
  add("clip_by_norm outside", [](const Value& x) { return clip_by_norm(x, 0.5); });
  add("max over axes", [](const Value& x) { return max(x, {0, 2}); });
  add("min over axes", [](const Value& x) { return min(x, {1, 2}, keepdims); });
  add("logsumexp that keeps its axis", [](const Value& x) { return logsumexp(x, 1, keepdims); });
  add("flip", [](const Value& x) {
    const auto turned = flip(x, 1);
    return turned * x;
  });
}

/// Every composite that has a derivative.
inline std::vector<Sample> composite_samples() {
  std::vector<Sample> all;
  add_activation_samples(all);
  add_reduction_samples(all);
  const std::vector<Range> ranges{{-1, 1}, {-1, 1}, {-1, 1}};
  all.push_back(composite("einsum", {{2, 3, 2}, {2, 2, 3}}, ranges,
                          [](const std::vector<Value>& in) { return einsum("bij,kbi->bk", in[0], in[1]); }));
  all.push_back(
      composite("outer", {{2}, {3}}, ranges, [](const std::vector<Value>& in) { return outer(in[0], in[1]); }));
  all.push_back(composite("attention", {{2, 2, 3}, {2, 3, 3}, {2, 3, 2}}, ranges, [](const std::vector<Value>& in) {
    const auto row = iota_like(in[0], 1);
    const auto column = iota_like(in[0], 2);  // [2, 2, 3], as the scores are
    const auto past = less_equal(column, row);
    return attention(in[0], in[1], in[2], past, 0.5);
  }));
  return all;
}

}  // namespace topos::test
