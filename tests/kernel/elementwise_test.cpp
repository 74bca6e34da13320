// Owns the tests of the elementwise kernels, copies, fills and conversions against the reference.
#include "kernel/oracle.h"

namespace topos::kernel {
namespace {

const std::vector<Shape> shapes = {{},       {1},      {2},       {15},      {16},      {17},         {255},
                                   {256},    {257},    {5000},    {0},       {3, 0},    {7, 5},       {1, 300},
                                   {300, 1}, {5, 257}, {1, 1, 1}, {3, 4, 5}, {2, 1, 9}, {2, 3, 2, 5}, {2, 2, 2, 2, 3}};

using UnaryAlgebra = Tensor (*)(const Tensor&);
using BinaryAlgebra = Tensor (*)(const Tensor&, const Tensor&);

void check(const Task& task, const std::vector<Tensor>& operands, const Tensor& expected, const std::string& what) {
  const auto outcome = run(task, operands);
  EXPECT_EQ(outcome.fault, no_fault) << what;
  expect_same(outcome.result, expected, what);
  expect_same(run_into_window(task, operands).result, expected, what + " into a window");
}

void check_unary(Function function, UnaryAlgebra algebra, ElementType element) {
  for (const auto& shape : shapes)
    for (const auto layout : layouts) {
      const auto x = seeded(element, shape, 1, Contents::edges, layout);
      auto task = task_of(Kind::unary, {x}, x.type());
      task.function = function;
      check(task, {x}, algebra(x), std::string(name_of(function)));
    }
}

Tensor without_zeros(const Tensor& x) {
  const auto zeros = compare(x, full_like(x, 0), Direction::eq);
  return select(zeros, full_like(x, -1), x);
}

void check_binary(Function function, BinaryAlgebra algebra, ElementType element) {
  const bool divides_integers = function == Function::divide && element == i64;
  for (const auto& shape : shapes)
    for (const auto left : layouts)
      for (const auto right : layouts) {
        const auto a = seeded(element, shape, 1, Contents::edges, left);
        auto b = seeded(element, shape, 2, Contents::edges, right);
        if (divides_integers) b = without_zeros(b);
        auto task = task_of(Kind::binary, {a, b}, a.type());
        task.function = function;
        check(task, {a, b}, algebra(a, b), std::string(name_of(function)));
      }
}

TEST(elementwise_kernels, unary_functions_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16}) {
    check_unary(Function::exp, [](const Tensor& x) { return exp(x); }, element);
    check_unary(Function::log, [](const Tensor& x) { return log(x); }, element);
    check_unary(Function::sqrt, [](const Tensor& x) { return sqrt(x); }, element);
    check_unary(Function::tanh, [](const Tensor& x) { return tanh(x); }, element);
    check_unary(Function::expm1, [](const Tensor& x) { return expm1(x); }, element);
    check_unary(Function::log1p, [](const Tensor& x) { return log1p(x); }, element);
    check_unary(Function::rsqrt, [](const Tensor& x) { return rsqrt(x); }, element);
    check_unary(Function::sin, [](const Tensor& x) { return sin(x); }, element);
    check_unary(Function::cos, [](const Tensor& x) { return cos(x); }, element);
    check_unary(Function::erf, [](const Tensor& x) { return erf(x); }, element);
    check_unary(Function::erf_derivative, [](const Tensor& x) { return erf_derivative(x); }, element);
    check_unary(Function::logistic, [](const Tensor& x) { return logistic(x); }, element);
    check_unary(Function::softplus, [](const Tensor& x) { return softplus(x); }, element);
  }
  for (const auto element : {f32, f64, bf16, i64}) {
    check_unary(Function::negate, [](const Tensor& x) { return -x; }, element);
    check_unary(Function::absolute, [](const Tensor& x) { return abs(x); }, element);
    check_unary(Function::sign, [](const Tensor& x) { return sign(x); }, element);
  }
  check_unary(Function::logical_not, [](const Tensor& x) { return logical_not(x); }, boolean);
}

TEST(elementwise_kernels, binary_functions_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64}) {
    check_binary(Function::add, [](const Tensor& a, const Tensor& b) { return a + b; }, element);
    check_binary(Function::subtract, [](const Tensor& a, const Tensor& b) { return a - b; }, element);
    check_binary(Function::multiply, [](const Tensor& a, const Tensor& b) { return a * b; }, element);
    check_binary(Function::divide, [](const Tensor& a, const Tensor& b) { return a / b; }, element);
    check_binary(Function::maximum, [](const Tensor& a, const Tensor& b) { return maximum(a, b); }, element);
    check_binary(Function::minimum, [](const Tensor& a, const Tensor& b) { return minimum(a, b); }, element);
  }
  for (const auto element : {f32, f64, bf16})
    check_binary(Function::power, [](const Tensor& a, const Tensor& b) { return power(a, b); }, element);
  check_binary(Function::logical_and, [](const Tensor& a, const Tensor& b) { return logical_and(a, b); }, boolean);
  check_binary(Function::logical_or, [](const Tensor& a, const Tensor& b) { return logical_or(a, b); }, boolean);
}

TEST(elementwise_kernels, comparisons_reproduce_the_reference_bits) {
  using enum Direction;
  for (const auto element : {f32, f64, bf16, i64, boolean})
    for (const auto direction : {eq, ne, lt, le, gt, ge})
      for (const auto& shape : shapes)
        for (const auto layout : layouts) {
          if (element == boolean && direction != eq && direction != ne) continue;
          const auto a = seeded(element, shape, 1, Contents::edges, layout);
          const auto b = seeded(element, shape, 2, Contents::edges);
          auto task = task_of(Kind::compare, {a, b}, {boolean, shape});
          task.direction = direction;
          check(task, {a, b}, compare(a, b, direction), std::string(name_of(direction)));
        }
}

TEST(elementwise_kernels, selections_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64, boolean})
    for (const auto& shape : shapes)
      for (const auto first : layouts)
        for (const auto second : layouts) {
          const auto predicate = seeded(boolean, shape, 1, Contents::plain, first);
          const auto a = seeded(element, shape, 2, Contents::edges, second);
          const auto b = seeded(element, shape, 3, Contents::edges);
          check(task_of(Kind::select, {predicate, a, b}, a.type()), {predicate, a, b}, select(predicate, a, b),
                "select");
        }
}

TEST(elementwise_kernels, conversions_reproduce_the_reference_bits) {
  for (const auto from : {f32, f64, bf16, i64, boolean})
    for (const auto to : {f32, f64, bf16, i64, boolean})
      for (const auto& shape : shapes)
        for (const auto layout : layouts) {
          const auto x = seeded(from, shape, 4, Contents::edges, layout);
          check(task_of(Kind::convert, {x}, {to, shape}), {x}, topos::convert(x, to), "convert");
        }
}

TEST(elementwise_kernels, copies_and_fills_touch_every_element_and_nothing_else) {
  for (const auto element : {f32, f64, bf16, i64, boolean})
    for (const auto& shape : shapes) {
      const TensorType type{element, shape};
      for (const auto layout : layouts) {
        const auto x = seeded(element, shape, 5, Contents::edges, layout);
        check(task_of(Kind::copy, {x}, type), {x}, x.dense(), "copy");
      }
      check(task_of(Kind::fill_zero, {}, type), {}, Tensor::full(type, 0), "fill_zero");
    }
}

TEST(elementwise_kernels, a_result_may_be_the_buffer_of_an_operand) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const Shape& shape : {Shape{}, Shape{17}, Shape{5000}, Shape{9, 33}})
      for (const std::size_t place : {0u, 1u}) {
        const Tensor operands[] = {seeded(element, shape, 1, Contents::edges),
                                   seeded(element, shape, 2, Contents::edges)};
        auto task = task_of(Kind::binary, {operands[0], operands[1]}, operands[0].type());
        task.function = Function::subtract;
        const auto prepared = prepare(task);
        const Bytes buffer(operands[0].type().bytes());
        operands[place].copy_to(buffer.get());
        const void* places[] = {operands[0].first(), operands[1].first()};
        places[place] = buffer.get();
        EXPECT_EQ(prepared.run(prepared.task, places, buffer.get(), nullptr), no_fault);
        expect_same(Tensor::copied(operands[0].type(), buffer.get()), operands[0] - operands[1], "in place");
      }
}

TEST(elementwise_kernels, integer_division_names_the_first_zero_divisor) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{300}, Shape{20, 30}, Shape{2, 3, 4}})
    for (const auto layout : {Layout::contiguous, Layout::transposed, Layout::window}) {
      const auto a = seeded(i64, shape, 1, Contents::plain);
      const auto b = seeded(i64, shape, 2, Contents::edges, layout);
      const auto divisors = b.values<std::int64_t>().to_vector();
      const auto zero = std::find(divisors.begin(), divisors.end(), 0);
      const auto expected = zero == divisors.end() ? no_fault : Extent(zero - divisors.begin());
      auto task = task_of(Kind::binary, {a, b}, a.type());
      task.function = Function::divide;
      EXPECT_EQ(run(task, {a, b}).fault, expected);
    }
  const auto zero = Tensor::full({i64, {}}, 0);
  auto task = task_of(Kind::binary, {zero, zero}, zero.type());
  task.function = Function::divide;
  EXPECT_EQ(run(task, {zero, zero}).fault, 0);
}

TEST(elementwise_kernels, tasks_that_an_element_lacks_have_no_kernel) {
  const auto task_for = [](Kind kind, Function function, ElementType element) {
    const Tensor x = Tensor::full({element, {4}}, 1);
    auto task = task_of(kind, kind == Kind::unary ? std::vector{x} : std::vector{x, x}, x.type());
    task.function = function;
    return task;
  };
  EXPECT_EQ(prepare(task_for(Kind::unary, Function::tanh, i64)).run, nullptr);
  EXPECT_EQ(prepare(task_for(Kind::unary, Function::negate, boolean)).run, nullptr);
  EXPECT_EQ(prepare(task_for(Kind::binary, Function::logical_and, f32)).run, nullptr);
  EXPECT_EQ(prepare(task_for(Kind::binary, Function::add, boolean)).run, nullptr);
}

TEST(elementwise_kernels, axes_are_merged_where_all_strides_allow) {
  const auto a = seeded(f32, {2, 3, 1, 5}, 1, Contents::plain);
  auto task = task_of(Kind::binary, {a, a}, a.type());
  EXPECT_EQ(prepare(task).task.result.shape, (Shape{30}));
  task.operands[1].strides = {15, 0, 7, 1};
  EXPECT_EQ(prepare(task).task.result.shape, (Shape{2, 3, 5}));
  task.operands[1].strides = {0, 0, 0, 0};
  EXPECT_EQ(prepare(task).task.operands[1].strides, (Shape{0}));
}

}  // namespace
}  // namespace topos::kernel
