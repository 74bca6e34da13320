// The rows of chains: every kind of link, arithmetic that stays in registers and operands in many layouts.
#include "digest/operands.h"
#include "topos/kernel/chain.h"

namespace topos::digest {
namespace {

using kernel::Link;

Link unary(Function function, ElementType element, std::size_t x) {
  return {Kind::unary, function, Direction::eq, element, 1, {x}};
}
Link binary(Function function, ElementType element, std::size_t a, std::size_t b) {
  return {Kind::binary, function, Direction::eq, element, 2, {a, b}};
}

/// Over x, y and a number; values from 3 on are what the links give.
std::vector<Link> links_of(ElementType element) {
  using enum Function;
  const auto other = element == f64 ? f32 : f64;
  return {binary(multiply, element, 0, 1),
          binary(subtract, element, 2, 3),
          binary(add, element, 4, 4),
          unary(element == i64 ? negate : tanh, element, 5),
          {Kind::compare, add, Direction::lt, boolean, 2, {6, 1}},
          {Kind::select, add, Direction::eq, element, 3, {7, 6, 0}},
          binary(maximum, element, 8, 3),
          unary(absolute, element, 9),
          binary(minimum, element, 1, 10),
          {Kind::convert, add, Direction::eq, other, 1, {11}},
          binary(multiply, other, 12, 12),
          {Kind::convert, add, Direction::eq, element, 1, {13}},
          binary(add, element, 14, 2)};
}

std::uint64_t chain(ElementType element) {
  Hash hash;
  std::uint64_t turn = 0;
  for (const auto& shape : {Shape{}, Shape{17}, Shape{2100}, Shape{5000}, Shape{3, 0}, Shape{7, 5}, Shape{5, 257},
                            Shape{3, 2500}, Shape{2, 3, 2, 70}})
    for (const auto layout : layouts) {
      const auto other = layouts[(static_cast<std::size_t>(layout) + turn++) % std::size(layouts)];
      const Operand x(element, shape, 1, Contents::edges, layout), y(element, shape, 2, Contents::edges, other),
          number(element, {}, 3, Contents::plain);
      auto links = std::make_shared<kernel::Chain>();
      links->operands = {x.view(), y.view(), {element, shape, Shape::zeros(shape.rank())}};
      links->links = links_of(element);
      auto task = task_of(Kind::chain, {}, {element, shape});
      task.operand_count = links->operands.size();
      task.chain = std::move(links);
      add_result(hash, task, {&x, &y, &number}, true);
    }
  return hash.value();
}

/// A product, then tanh(product + y) - number.
std::uint64_t product_chain(ElementType element) {
  Hash hash;
  struct Size {
    Extent m, k, n;
  };
  for (const auto& [m, k, n] : {Size{1, 5, 300}, Size{33, 70, 17}, Size{4, 0, 9}, Size{500, 2, 1}, Size{850, 6, 130}})
    for (const auto layout : {Layout::contiguous, Layout::transposed}) {
      const Shape shape{m, n};
      const Operand a(element, {m, k}, 1, Contents::edges, layout), b(element, {k, n}, 2, Contents::plain, layout),
          y(element, shape, 3, Contents::edges, layout), number(element, {}, 4, Contents::plain);
      auto chain = std::make_shared<kernel::Chain>();
      chain->operands = {a.view(), b.view(), y.view(), {element, shape, {0, 0}}};
      chain->links = {binary(Function::add, element, 0, 2),
                      unary(element == i64 ? Function::negate : Function::tanh, element, 4),
                      binary(Function::subtract, element, 5, 3)};
      chain->follows_product = true;
      auto task = task_of(Kind::chain, {}, {element, shape});
      task.operand_count = chain->operands.size();
      task.chain = std::move(chain);
      add_result(hash, task, {&a, &b, &y, &number}, true);
    }
  return hash.value();
}

}  // namespace

void add_chains(Rows& rows) {
  for (const auto element : {f32, f64, bf16, i64})
    rows.push_back({row_name(element, "kernel chain"), [=] { return chain(element); }});
  for (const auto element : {f32, f64, bf16, i64})
    rows.push_back({row_name(element, "kernel chain after a product"), [=] { return product_chain(element); }});
}

}  // namespace topos::digest
