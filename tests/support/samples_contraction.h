// Samples of the opcodes that contract axes or work along one.
#pragma once
#include "support/samples_elementwise.h"

namespace topos::test {

inline std::vector<Sample> samples(op::MatMul) {
  const auto product = [](std::string name, Shape a, Shape b, Form form) {
    return sample_over("MatMul " + name, {std::move(a), std::move(b)}, {{-1, 1}}, form,
                       [](Tape&, const std::vector<Value>& in) { return matmul(in[0], in[1]); });
  };
  auto crossed = [](Tape&, const std::vector<Value>& in) {
    const auto turned = transpose(in[1]);
    return matmul(in[0], turned);
  };
  return {product("plain", {3, 4}, {4, 2}, Form::plain),
          product("of transposes", {3, 4}, {4, 5}, Form::permuted),
          product("of windows", {3, 4}, {4, 2}, Form::narrowed),
          product("in a batch", {2, 3, 4}, {2, 4, 2}, Form::plain),
          product("of a permuted batch", {2, 3, 4}, {2, 4, 2}, Form::permuted),
          product("of two batch axes", {2, 1, 2, 3}, {2, 1, 3, 2}, Form::narrowed),
          product("wide", {7, 33}, {33, 40}, Form::plain),
          product("over two blocks of the sum", {2, 2100}, {2100, 3}, Form::plain),
          product("of no rows", {0, 3}, {3, 2}, Form::plain),
          product("of no columns", {2, 3}, {3, 0}, Form::plain),
          product("over nothing", {2, 0}, {0, 3}, Form::plain),
          product("of an empty batch", {0, 2, 3}, {0, 3, 2}, Form::plain),
          sample_over("MatMul by a transpose", {{3, 4}, {2, 4}}, {{-1, 1}}, Form::plain, crossed)};
}

inline std::vector<Sample> samples(op::Sum) {
  const auto over = [](std::string name, Shape shape, Shape axes, Form form) {
    return sample_over("Sum " + name, {std::move(shape)}, {{-1, 1}}, form,
                       [axes](Tape&, const std::vector<Value>& in) { return sum(in[0], axes); });
  };
  const auto whole = [](std::string name, Shape shape, Form form) {
    return sample_over("Sum " + name, {std::move(shape)}, {{-1, 1}}, form,
                       [](Tape&, const std::vector<Value>& in) { return sum(in[0]); });
  };
  return {whole("of all", {3, 4}, Form::plain),
          whole("of a transpose", {3, 4}, Form::permuted),
          whole("of a window", {3, 4}, Form::narrowed),
          whole("of three blocks", {700}, Form::plain),
          whole("of a transpose of three blocks", {7, 100}, Form::permuted),
          whole("of nothing", {0, 3}, Form::plain),
          whole("of rank 0", {}, Form::plain),
          over("along the last", {3, 5}, {1}, Form::plain),
          over("along the first", {3, 5}, {0}, Form::plain),
          over("along the first of many", {300, 5}, {0}, Form::plain),
          over("along the last of many", {3, 300}, {1}, Form::permuted),
          over("along the middle", {2, 3, 4}, {1}, Form::permuted),
          over("over two apart", {2, 3, 4}, {0, 2}, Form::plain),
          over("over two apart of a view", {20, 3, 15}, {0, 2}, Form::permuted),
          over("over two beside", {2, 3, 4}, {1, 2}, Form::narrowed),
          over("along an empty axis", {3, 0}, {1}, Form::plain),
          over("beside an empty axis", {3, 0}, {0}, Form::plain),
          over("in any order", {2, 3, 4}, {2, 0}, Form::plain)};
}

/// An opcode along one axis, which goes away or stays.
template <class F>
std::vector<Sample> along(const std::string& name, F f) {
  const auto one = [&](const char* what, Shape shape, Extent axis, Form form) {
    return sample_over(name + " " + what, {std::move(shape)}, {{-3, 3}}, form,
                       [f, axis](Tape&, const std::vector<Value>& in) { return f(in[0], axis); });
  };
  return {one("along the last", {3, 5}, 1, Form::plain),
          one("along the first", {3, 5}, 0, Form::plain),
          one("along the middle", {2, 3, 4}, 1, Form::plain),
          one("of a transpose", {3, 5}, 1, Form::permuted),
          one("of a window", {3, 5}, 0, Form::narrowed),
          one("of long lanes", {2, 300}, 1, Form::plain),
          one("of long columns", {300, 2}, 0, Form::plain),
          one("of single numbers", {3, 1}, 1, Form::plain),
          one("of one lane", {6}, 0, Form::plain),
          one("of no lanes", {0, 4}, 1, Form::plain)};
}
inline std::vector<Sample> samples(op::Softmax) {
  return along("Softmax", [](const Value& x, Extent axis) { return softmax(x, axis); });
}
inline std::vector<Sample> samples(op::LogSoftmax) {
  return along("LogSoftmax", [](const Value& x, Extent axis) { return log_softmax(x, axis); });
}
inline std::vector<Sample> samples(op::LogSumExp) {
  return along("LogSumExp", [](const Value& x, Extent axis) { return logsumexp(x, axis); });
}

inline std::vector<Sample> samples(op::MaxAlong) {
  return along("MaxAlong", [](const Value& x, Extent axis) { return max_along(x, axis); });
}
inline std::vector<Sample> samples(op::ArgMaxAlong) {
  return along("ArgMaxAlong", [](const Value& x, Extent axis) {
    const auto place = argmax_along(x, axis);
    const auto number = convert(place, x.element());
    const auto total = sum(x, {axis});
    return number * total;
  });
}

}  // namespace topos::test
