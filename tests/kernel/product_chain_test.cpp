// Chains that follow a product, against the reference's product and steps.
#include "kernel/guarded.h"
#include "kernel/oracle.h"
#include "topos/kernel/chain.h"
#include "topos/kernel/partition.h"
#include "topos/kernel/vector_target.h"

namespace topos::kernel {
namespace {

/// A product's operands, and what its result is combined with: value 0, 2 and 3 of the links.
struct Sample {
  std::vector<Link> links;
  std::vector<Tensor> operands;
  Tensor expected;

  Task task() const {
    auto task = task_of(Kind::chain, {}, expected.type());
    auto chain = std::make_shared<Chain>();
    for (const auto& operand : operands) chain->operands.push_back(view_of(operand));
    chain->links = links;
    chain->follows_product = true;
    task.operand_count = operands.size();
    task.chain = std::move(chain);
    return task;
  }
};

/// max(a b + bias, 0): in place.
Sample bias_and_relu(const Tensor& a, const Tensor& b, const Tensor& bias) {
  const auto e = a.element();
  const auto product = matmul(a, b);
  const auto zero = full_like(product, 0.0);
  return {{{Kind::binary, Function::add, Direction::eq, e, 2, {0, 2}},
           {Kind::binary, Function::maximum, Direction::eq, e, 2, {4, 3}}},
          {a, b, bias, zero},
          maximum(product + bias, zero)};
}
/// product (product < y ? y : tanh(product)): the product is read often.
Sample often(const Tensor& a, const Tensor& b, const Tensor& y) {
  const auto e = a.element();
  const auto product = matmul(a, b);
  return {{{Kind::compare, Function::add, Direction::lt, boolean, 2, {0, 2}},
           {Kind::unary, Function::tanh, Direction::eq, e, 1, {0}},
           {Kind::select, Function::add, Direction::eq, e, 3, {3, 2, 4}},
           {Kind::binary, Function::multiply, Direction::eq, e, 2, {0, 5}}},
          {a, b, y},
          product * select(compare(product, y, Direction::lt), y, tanh(product))};
}
/// Of another element than the product, which has memory beside the result.
Sample converted(const Tensor& a, const Tensor& b, const Tensor& y) {
  const auto e = a.element(), other = e == f32 ? f64 : f32;
  return {{{Kind::binary, Function::subtract, Direction::eq, e, 2, {2, 0}},
           {Kind::convert, Function::add, Direction::eq, other, 1, {3}}},
          {a, b, y},
          topos::convert(y - matmul(a, b), other)};
}
Sample compared(const Tensor& a, const Tensor& b, const Tensor& y) {
  return {{{Kind::compare, Function::add, Direction::ge, boolean, 2, {0, 2}}},
          {a, b, y},
          compare(matmul(a, b), y, Direction::ge)};
}

Tensor run_in_parts(const Sample& sample, int threads) {
  set_least_part(1e-3);
  const auto work = divide(sample.task(), threads);
  set_least_part(usual_least_part);
  const auto type = sample.expected.type();
  EXPECT_GT(work.parts.size(), 1u);
  const Bytes result(type.bytes()), scratch(work.scratch_bytes);
  for (const auto& part : work.parts) {
    std::vector<const void*> places;
    for (std::size_t i = 0; i < sample.operands.size(); ++i)
      places.push_back(static_cast<const std::byte*>(sample.operands[i].first()) + part.operands[i]);
    part.prepared.run(part.prepared.task, places.data(), result.get() + part.result, scratch.get());
  }
  return Tensor::copied(type, result.get());
}
/// With the result and the scratch where nobody may step beyond them.
Tensor run_guarded(const Sample& sample, Guarded::At at) {
  const auto prepared = prepare(sample.task());
  EXPECT_NE(prepared.run, nullptr);
  if (prepared.run == nullptr) return {};
  const auto type = sample.expected.type();
  const Guarded result(type.bytes(), at), scratch((prepared.scratch_bytes + 63) / 64 * 64, at);
  std::vector<const void*> places;
  for (const auto& operand : sample.operands) places.push_back(operand.first());
  EXPECT_EQ(prepared.run(prepared.task, places.data(), result.get(), scratch.get()), no_fault);
  return Tensor::copied(type, result.get());
}
void expect_expected(const Sample& sample, const std::string& what) {
  for (const auto at : {Guarded::At::begin, Guarded::At::end})
    expect_same(run_guarded(sample, at), sample.expected, what);
  if (sample.expected.shape().volume() > 8)
    for (const int threads : {2, 3}) expect_same(run_in_parts(sample, threads), sample.expected, what + ", in parts");
}

struct Case {
  Shape a, b;
};
const Case cases[] = {{{1, 5}, {5, 300}},      {{7, 3}, {3, 19}},
                      {{3, 1}, {1, 1}},        {{1, 1}, {1, 1}},
                      {{40, 0}, {0, 9}},       {{0, 4}, {4, 9}},
                      {{33, 70}, {70, 64}},    {{500, 2}, {2, 1}},
                      {{2, 9, 5}, {2, 5, 40}}, {{2, 3, 4, 5}, {2, 3, 5, 6}},
                      {{1, 2100}, {2100, 3}},  {{850, 6}, {6, 130}},
                      {{410, 3}, {3, 500}}};

Shape shape_of(const Case& c) {
  auto shape = c.a;
  shape[shape.rank() - 1] = c.b[c.b.rank() - 1];
  return shape;
}

TEST(product_chains, give_the_bits_of_the_product_and_its_steps) {
  for (const auto element : {f32, f64, bf16})
    for (const auto& c : cases)
      for (const auto layout : {Layout::contiguous, Layout::transposed, Layout::repeated}) {
        const auto shape = shape_of(c);
        const auto contents = c.a.volume() % 2 == 0 ? Contents::plain : Contents::edges;
        const auto a = seeded(element, c.a, 1, contents, layout), b = seeded(element, c.b, 3, contents, layout);
        const auto bias = seeded(element, shape, 2, Contents::plain, Layout::repeated);
        const auto y = seeded(element, shape, 5, Contents::edges, layout);
        const auto what = std::string(element.name()) + " " + TensorType{element, shape}.text();
        expect_expected(bias_and_relu(a, b, bias), what + ", bias");
        expect_expected(often(a, b, y), what + ", often");
        expect_expected(converted(a, b, y), what + ", converted");
        expect_expected(compared(a, b, y), what + ", compared");
      }
}

TEST(product_chains, on_every_vector_target_at_hand) {
  for (const auto target : available_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(use_target(target));
    const auto a = seeded(f32, {850, 6}, 1, Contents::edges), b = seeded(f32, {6, 130}, 2, Contents::plain);
    expect_expected(often(a, b, seeded(f32, {850, 130}, 3, Contents::edges)), "often");
  }
  use_target("");
}

TEST(product_chains, of_links_without_a_kernel_have_none) {
  const auto x = seeded(i64, {20, 20}, 6, Contents::plain);
  Sample sample{{{Kind::binary, Function::divide, Direction::eq, i64, 2, {0, 2}}}, {x, x, x}, x};
  EXPECT_EQ(prepare(sample.task()).run, nullptr);
  sample.links[0].function = Function::multiply;
  sample.expected = matmul(x, x) * x;
  expect_expected(sample, "integers");
}

}  // namespace
}  // namespace topos::kernel
