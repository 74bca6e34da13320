// Samples of the elementwise opcodes and of the sources.
#pragma once
#include <algorithm>

#include "support/program.h"
#include "topos/op/op.h"

namespace topos::test {

enum class Form { plain, permuted, narrowed };

/// A parameter that holds, or whose view is, a tensor of `shape`: the view is the value, the parameter the source.
struct Operand {
  Value source, value;
};

/// A parameter of regular points of [low, high).
inline Operand operand(Tape& tape, const Shape& shape, Form form, std::uint64_t seed, double low, double high) {
  Random random(seed);
  const auto element = tape.element();
  if (form == Form::permuted) {
    auto reversed = Shape::zeros(shape.rank());
    auto order = Shape::zeros(shape.rank());
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      order[i] = static_cast<Extent>(shape.rank() - 1 - i);
      reversed[i] = shape[shape.rank() - 1 - i];
    }
    const auto source = tape.parameter(random.tensor({element, reversed}, low, high));
    return {source, permute(source, order)};
  }
  if (form == Form::narrowed) {
    const auto axis = static_cast<Extent>(shape.rank()) - 1;
    auto wider = shape;
    wider[static_cast<std::size_t>(axis)] += 3;
    const auto source = tape.parameter(random.tensor({element, wider}, low, high));
    return {source, narrow(source, axis, 2, shape.at(axis))};
  }
  const auto source = tape.parameter(random.tensor({element, shape}, low, high));
  return {source, source};
}

struct Range {
  double low, high;
};

using Computation = std::function<Value(Tape&, const std::vector<Value>&)>;

/// `compute` over operands of these shapes and ranges, all in one form.
inline Sample sample_over(std::string name, std::vector<Shape> shapes, std::vector<Range> ranges, Form form,
                          Computation compute) {
  return {std::move(name), [=](Tape& tape) {
            Recorded recorded;
            std::vector<Value> values;
            for (std::size_t i = 0; i < shapes.size(); ++i) {
              const auto range = ranges[i % ranges.size()];
              const auto made = operand(tape, shapes[i], form, 31 + i, range.low, range.high);
              recorded.wrt.push_back(made.source);
              values.push_back(made.value);
            }
            recorded.output = compute(tape, values);
            return recorded;
          }};
}

/// Every form that an elementwise opcode must read: contiguous, views, long rows, nothing, one number.
inline std::vector<Sample> elementwise(const std::string& name, std::vector<Range> ranges, const Computation& compute) {
  const auto shaped = [&](const Shape& shape, Form form, const char* what) {
    return sample_over(name + " " + what, std::vector<Shape>(ranges.size(), shape), ranges, form, compute);
  };
  return {shaped({2, 3}, Form::plain, "plain"),         shaped({3, 4}, Form::permuted, "permuted"),
          shaped({3, 2}, Form::narrowed, "narrowed"),   shaped({5, 67}, Form::plain, "in long rows"),
          shaped({17, 5}, Form::permuted, "by column"), shaped({0, 3}, Form::plain, "empty"),
          shaped({}, Form::plain, "of rank 0")};
}

template <class F>
std::vector<Sample> unary(const std::string& name, Range range, F f) {
  return elementwise(name, {range}, [f](Tape&, const std::vector<Value>& in) { return f(in[0]); });
}
template <class F>
std::vector<Sample> binary(const std::string& name, Range a, Range b, F f) {
  auto samples = elementwise(name, {a, b}, [f](Tape&, const std::vector<Value>& in) { return f(in[0], in[1]); });
  // One node as both operands: its two cotangents add in the operands' order.
  samples.push_back(sample_over(name + " of one node", {{2, 3}}, {a}, Form::plain,
                                [f](Tape&, const std::vector<Value>& in) { return f(in[0], in[0]); }));
  return samples;
}

inline std::vector<Sample> samples(op::Add) {
  return binary("Add", {-2, 2}, {-2, 2}, [](const Value& a, const Value& b) { return a + b; });
}
inline std::vector<Sample> samples(op::Sub) {
  return binary("Sub", {-2, 2}, {-2, 2}, [](const Value& a, const Value& b) { return a - b; });
}
inline std::vector<Sample> samples(op::Mul) {
  return binary("Mul", {-2, 2}, {-2, 2}, [](const Value& a, const Value& b) { return a * b; });
}
inline std::vector<Sample> samples(op::Div) {
  return binary("Div", {-2, 2}, {0.5, 2}, [](const Value& a, const Value& b) { return a / b; });
}
inline std::vector<Sample> samples(op::Neg) {
  return unary("Neg", {-2, 2}, [](const Value& x) { return -x; });
}
inline std::vector<Sample> samples(op::Maximum) {
  return elementwise("Maximum", {{-2, 2}, {-2, 2}},
                     [](Tape&, const std::vector<Value>& in) { return maximum(in[0], in[1]); });
}
inline std::vector<Sample> samples(op::Minimum) {
  return elementwise("Minimum", {{-2, 2}, {-2, 2}},
                     [](Tape&, const std::vector<Value>& in) { return minimum(in[0], in[1]); });
}
inline std::vector<Sample> samples(op::Abs) {
  return unary("Abs", {-2, 2}, [](const Value& x) { return abs(x); });
}
inline std::vector<Sample> samples(op::Sign) {
  return unary("Sign", {-2, 2}, [](const Value& x) {
    const auto side = sign(x);
    return side * x;
  });
}

inline std::vector<Sample> samples(op::Compare) {
  std::vector<Sample> all;
  for (const auto direction :
       {Direction::eq, Direction::ne, Direction::lt, Direction::le, Direction::gt, Direction::ge})
    for (auto& sample : elementwise("Compare " + std::string(name_of(direction)), {{-2, 2}, {-2, 2}},
                                    [direction](Tape&, const std::vector<Value>& in) {
                                      const auto test = compare(in[0], in[1], direction);
                                      return select(test, in[0], in[1]);
                                    }))
      all.push_back(std::move(sample));
  return all;
}

/// A logical opcode over predicates that come from compares, so that views of them are read too.
template <class F>
std::vector<Sample> logical(const std::string& name, F f) {
  return elementwise(name, {{-2, 2}, {-2, 2}}, [f](Tape&, const std::vector<Value>& in) {
    const auto positive = compare(in[0], 0.0, Direction::gt);
    const auto small = compare(in[1], 0.5, Direction::lt);
    const auto rank = positive.shape().rank();
    auto order = Shape::counting(rank);
    std::reverse(order.begin(), order.end());
    const auto turned = permute(positive, order);
    const auto other = permute(small, order);
    const auto result = f(turned, other);
    const auto a = permute(in[0], order);
    const auto b = permute(in[1], order);
    return select(result, a, b);
  });
}
inline std::vector<Sample> samples(op::And) {
  return logical("And", [](const Value& a, const Value& b) { return logical_and(a, b); });
}
inline std::vector<Sample> samples(op::Or) {
  return logical("Or", [](const Value& a, const Value& b) { return logical_or(a, b); });
}
inline std::vector<Sample> samples(op::Not) {
  return logical("Not", [](const Value& a, const Value&) { return logical_not(a); });
}
inline std::vector<Sample> samples(op::Select) {
  return elementwise("Select", {{-2, 2}, {-2, 2}}, [](Tape& tape, const std::vector<Value>& in) {
    const auto predicate = tape.input(Random(5).predicate(in[0].shape()));
    return select(predicate, in[0], in[1]);
  });
}

/// Payloads in every form that a tensor has: contiguous, a view, one number for all, nothing, one number.
inline std::vector<Tensor> payload_forms(ElementType element) {
  Random random(3);
  const auto matrix = random.tensor({element, {3, 4}}, -2, 2);
  return {matrix,
          permute(matrix, {1, 0}),
          narrow(matrix, 1, 1, 2),
          Tensor::full({element, {2, 2}}, 0.75),
          Tensor::full({element, {0, 3}}, 1),
          Tensor::full({element, {}}, 0.5)};
}
template <class F>
std::vector<Sample> source_samples(const std::string& name, F record) {
  return {{name, [record](Tape& tape) {
             Recorded recorded;
             std::optional<Value> total;
             for (const auto& payload : payload_forms(tape.element())) {
               const auto source = record(tape, payload);
               const auto beside = tape.parameter(Random(9).tensor(payload.type(), 0.5, 1.5));
               recorded.wrt.push_back(beside);
               recorded.wrt.push_back(source);
               const auto product = source * beside;
               const auto part = sum(product);
               total = total ? *total + part : part;
             }
             recorded.output = *total;
             return recorded;
           }}};
}
inline std::vector<Sample> samples(op::Leaf) {
  return source_samples("Leaf", [](Tape& tape, const Tensor& payload) { return tape.leaf(payload); });
}
inline std::vector<Sample> samples(op::Parameter) {
  return source_samples("Parameter", [](Tape& tape, const Tensor& payload) { return tape.parameter(payload); });
}
inline std::vector<Sample> samples(op::Input) {
  return source_samples("Input", [](Tape& tape, const Tensor& payload) { return tape.input(payload); });
}

}  // namespace topos::test
