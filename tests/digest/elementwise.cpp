// The rows of the elementwise kernels: arithmetic, comparisons, selections, conversions.
#include "digest/operands.h"

namespace topos::digest {
namespace {

constexpr ElementType numbers[] = {f32, f64, bf16, i64};
constexpr ElementType elements[] = {f32, f64, bf16, i64, boolean};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {{},       {1},      {2},       {15},      {16},        {17},
                                         {257},    {2000},   {0},       {3, 0},    {7, 5},      {1, 300},
                                         {300, 1}, {5, 257}, {3, 4, 5}, {2, 1, 9}, {2, 3, 2, 5}};
  return all;
}

using Prepare = std::function<void(Task&)>;

std::uint64_t unary(ElementType element, const Prepare& set) {
  Hash hash;
  for (const auto& shape : shapes())
    for (const auto layout : layouts) {
      const Operand x(element, shape, 1, Contents::edges, layout);
      auto task = task_of(Kind::unary, {&x}, {element, shape});
      set(task);
      add_result(hash, task, {&x}, true);
    }
  return hash.value();
}
/// Operands of unlike layouts; `divisors`: no integer divisor is 0.
std::uint64_t binary(Kind kind, ElementType element, ElementType result, const Prepare& set, bool divisors) {
  Hash hash;
  std::uint64_t turn = 0;
  for (const auto& shape : shapes())
    for (const auto layout : layouts) {
      const auto other = layouts[(static_cast<std::size_t>(layout) + turn++) % std::size(layouts)];
      const Operand a(element, shape, 1, Contents::edges, layout);
      const Operand b =
          divisors ? Operand::indices(shape, 2, 9, other) : Operand(element, shape, 2, Contents::edges, other);
      auto task = task_of(kind, {&a, &b}, {result, shape});
      set(task);
      add_result(hash, task, {&a, &b}, true);
    }
  return hash.value();
}
std::uint64_t select(ElementType element) {
  Hash hash;
  std::uint64_t turn = 0;
  for (const auto& shape : shapes())
    for (const auto layout : layouts) {
      const auto other = layouts[(static_cast<std::size_t>(layout) + turn++) % std::size(layouts)];
      const Operand predicate(boolean, shape, 1, Contents::plain, layout), a(element, shape, 2, Contents::edges, other),
          b(element, shape, 3, Contents::edges);
      add_result(hash, task_of(Kind::select, {&predicate, &a, &b}, {element, shape}), {&predicate, &a, &b}, true);
    }
  return hash.value();
}
std::uint64_t moved(Kind kind, ElementType from, ElementType to) {
  Hash hash;
  for (const auto& shape : shapes())
    for (const auto layout : layouts) {
      const Operand x(from, shape, 4, Contents::edges, layout);
      add_result(hash, task_of(kind, {&x}, {to, shape}), {&x}, true);
    }
  return hash.value();
}
std::uint64_t zeros(ElementType element) {
  Hash hash;
  for (const auto& shape : shapes()) add_result(hash, task_of(Kind::fill_zero, {}, {element, shape}), {}, true);
  return hash.value();
}

void add_unary(Rows& rows, ElementType element, Function function) {
  rows.push_back({row_name(element, "kernel ") + std::string(name_of(function)),
                  [=] { return unary(element, [=](Task& task) { task.function = function; }); }});
}
void add_binary(Rows& rows, ElementType element, Function function) {
  rows.push_back({row_name(element, "kernel ") + std::string(name_of(function)), [=] {
                    return binary(
                        Kind::binary, element, element, [=](Task& task) { task.function = function; },
                        function == Function::divide && element == i64);
                  }});
}
void add_compare(Rows& rows, ElementType element, Direction direction) {
  rows.push_back({row_name(element, "kernel compare ") + std::string(name_of(direction)), [=] {
                    return binary(
                        Kind::compare, element, boolean, [=](Task& task) { task.direction = direction; }, false);
                  }});
}

}  // namespace

void add_elementwise(Rows& rows) {
  using enum Function;
  using enum Direction;
  for (const auto element : numbers) {
    for (const auto function : {negate, absolute, sign}) add_unary(rows, element, function);
    for (const auto function : {add, subtract, multiply, divide, maximum, minimum}) add_binary(rows, element, function);
  }
  // The elementary functions again, now over strides, tails and edges of memory.
  for (const auto element : {f32, f64, bf16}) {
    for (const auto function :
         {exp, expm1, log, log1p, sqrt, rsqrt, tanh, sin, cos, erf, erf_derivative, logistic, softplus})
      add_unary(rows, element, function);
    add_binary(rows, element, power);
  }
  add_unary(rows, boolean, logical_not);
  for (const auto function : {logical_and, logical_or}) add_binary(rows, boolean, function);
  for (const auto element : elements)
    for (const auto direction : {eq, ne, lt, le, gt, ge})
      if (element != boolean || direction == eq || direction == ne) add_compare(rows, element, direction);
}

void add_moves(Rows& rows) {
  for (const auto element : elements) {
    rows.push_back({row_name(element, "kernel select"), [=] { return select(element); }});
    rows.push_back({row_name(element, "kernel copy"), [=] { return moved(Kind::copy, element, element); }});
    rows.push_back({row_name(element, "kernel fill_zero"), [=] { return zeros(element); }});
    for (const auto to : elements)
      rows.push_back({row_name(element, "kernel convert to ") + std::string(to.name()),
                      [=] { return moved(Kind::convert, element, to); }});
  }
}

}  // namespace topos::digest
