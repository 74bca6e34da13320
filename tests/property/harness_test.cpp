// The harness itself: an algebra in which one operation is wrong by one bit does not pass for the interpreter.
#include <set>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/models.h"
#include "topos/custom.h"

namespace topos::test {
namespace {

/// Tensors, but for one function whose first number comes out wrong in its last bit.
class Faulty {
 public:
  Faulty(std::string_view function, const Tensor& right) : value_(function == wrong ? spoiled(right) : right) {
    if (function != "source") functions.insert(std::string(function));
  }
  const Tensor& value() const { return value_; }
  const TensorType& type() const { return value_.type(); }

  static inline std::string wrong;
  static inline std::set<std::string> functions;  // that have been called

 private:
  static Tensor spoiled(const Tensor& right) {
    if (right.type().bytes() == 0) return right;
    std::vector<std::byte> bytes(right.type().bytes());
    const auto spread = right.spread();
    std::memcpy(bytes.data(), spread.first(), bytes.size());
    bytes[0] ^= std::byte{1};
    return Tensor::copied(right.type(), bytes.data());
  }
  Tensor value_;
};

#define TOPOS_UNARY(function) \
  Faulty function(const Faulty& x) { return {#function, function(x.value())}; }
#define TOPOS_BINARY(function) \
  Faulty function(const Faulty& a, const Faulty& b) { return {#function, function(a.value(), b.value())}; }
Faulty operator+(const Faulty& a, const Faulty& b) { return {"+", a.value() + b.value()}; }
Faulty operator-(const Faulty& a, const Faulty& b) { return {"-", a.value() - b.value()}; }
Faulty operator*(const Faulty& a, const Faulty& b) { return {"*", a.value() * b.value()}; }
Faulty operator/(const Faulty& a, const Faulty& b) { return {"/", a.value() / b.value()}; }
Faulty operator-(const Faulty& x) { return {"negate", -x.value()}; }
TOPOS_BINARY(power)
TOPOS_BINARY(maximum)
TOPOS_BINARY(minimum)
TOPOS_UNARY(abs)
TOPOS_UNARY(sign)
TOPOS_UNARY(exp)
TOPOS_UNARY(expm1)
TOPOS_UNARY(log)
TOPOS_UNARY(log1p)
TOPOS_UNARY(sqrt)
TOPOS_UNARY(rsqrt)
TOPOS_UNARY(tanh)
TOPOS_UNARY(sin)
TOPOS_UNARY(cos)
TOPOS_UNARY(erf)
TOPOS_UNARY(erf_derivative)
TOPOS_UNARY(logistic)
TOPOS_UNARY(softplus)
TOPOS_UNARY(stop_gradient)
TOPOS_BINARY(logical_and)
TOPOS_BINARY(logical_or)
TOPOS_UNARY(logical_not)
TOPOS_BINARY(matmul)
TOPOS_BINARY(gather)
#undef TOPOS_UNARY
#undef TOPOS_BINARY
Faulty compare(const Faulty& a, const Faulty& b, Direction direction) {
  return {"compare", compare(a.value(), b.value(), direction)};
}
Faulty select(const Faulty& predicate, const Faulty& a, const Faulty& b) {
  return {"select", select(predicate.value(), a.value(), b.value())};
}
Faulty sum(const Faulty& x, const Shape& axes) { return {"sum", sum(x.value(), axes)}; }
Faulty softmax(const Faulty& x, Extent axis) { return {"softmax", softmax(x.value(), axis)}; }
Faulty log_softmax(const Faulty& x, Extent axis) { return {"log_softmax", log_softmax(x.value(), axis)}; }
Faulty logsumexp(const Faulty& x, Extent axis) { return {"logsumexp", logsumexp(x.value(), axis)}; }
Faulty max_along(const Faulty& x, Extent axis) { return {"max_along", max_along(x.value(), axis)}; }
Faulty argmax_along(const Faulty& x, Extent axis) { return {"argmax_along", argmax_along(x.value(), axis)}; }
Faulty broadcast(const Faulty& x, const Shape& shape) { return {"broadcast", broadcast(x.value(), shape)}; }
Faulty broadcast_along(const Faulty& x, Extent axis, Extent extent) {
  return {"broadcast_along", broadcast_along(x.value(), axis, extent)};
}
Faulty reshape(const Faulty& x, const Shape& shape) { return {"reshape", reshape(x.value(), shape)}; }
Faulty permute(const Faulty& x, const Shape& order) { return {"permute", permute(x.value(), order)}; }
Faulty narrow(const Faulty& x, Extent axis, Extent start, Extent length) {
  return {"narrow", narrow(x.value(), axis, start, length)};
}
Faulty pad(const Faulty& x, Extent axis, Extent start, Extent full_extent) {
  return {"pad", pad(x.value(), axis, start, full_extent)};
}
Faulty concat(std::span<const Faulty* const> operands, Extent axis) {
  std::vector<const Tensor*> values;
  for (const auto* operand : operands) values.push_back(&operand->value());
  return {"concat", concat(std::span<const Tensor* const>(values), axis)};
}
Faulty unfold(const Faulty& x, Extent axis, Extent size, Extent step, Extent dilation) {
  return {"unfold", unfold(x.value(), axis, size, step, dilation)};
}
Faulty fold(const Faulty& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent) {
  return {"fold", fold(x.value(), axis, size, step, dilation, extent)};
}
Faulty scatter(const Faulty& rows, const Faulty& indices, Extent extent) {
  return {"scatter", scatter(rows.value(), indices.value(), extent)};
}
Faulty convert(const Faulty& x, ElementType element) { return {"convert", convert(x.value(), element)}; }

/// Whether a walk over the algebra gives other bits than the interpreter, or trips over an index that came out wrong.
bool caught(const Sample& sample) {
  const auto program = build(sample, f32, 0);
  const auto run = program.network.forward(program.network.parameters());
  try {
    const auto values = walk<Faulty>(program.network, program.network.parameters(),
                                     [](Symbol, const Tensor& payload) { return Faulty("source", payload); });
    return !same_bits(values[program.loss.index()].value(), run.of(program.loss)) ||
           !same_bits(values[program.output.index()].value(), run.of(program.output));
  } catch (const Error&) {
    return true;
  }
}

TEST(Harness, an_algebra_without_a_fault_passes) {
  Faulty::wrong = "";
  for (const auto& sample : all_samples()) EXPECT_FALSE(caught(sample)) << sample.name;
}

TEST(Harness, an_algebra_with_one_wrong_operation_is_caught) {
  Faulty::wrong = "";
  for (const auto& sample : all_samples()) caught(sample);  // calls every function once
  const auto functions = Faulty::functions;
  EXPECT_EQ(functions.size(), 48u);  // every opcode but the sources and the count
  for (const auto& function : functions) {
    Faulty::wrong = function;
    bool found = false;
    for (const auto& sample : all_samples()) found = found || caught(sample);
    EXPECT_TRUE(found) << function;
  }
}

}  // namespace
}  // namespace topos::test
