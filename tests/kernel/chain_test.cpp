// Chains of elementwise links against the same steps of the reference, one after the other.
#include <set>

#include "kernel/guarded.h"
#include "kernel/oracle.h"
#include "topos/kernel/chain.h"
#include "topos/kernel/partition.h"
#include "topos/kernel/vector_target.h"

namespace topos::kernel {
namespace {

/// A chain, what its operands are, and what its links give.
struct ChainSample {
  Chain chain;
  std::vector<Tensor> operands, results;

  const Tensor& value(std::size_t place) const {
    return place < operands.size() ? operands[place] : results[place - operands.size()];
  }
  Task task() const {
    auto task = task_of(Kind::chain, {}, results.back().type());
    auto links = std::make_shared<Chain>(chain);
    for (const auto& operand : operands) links->operands.push_back(view_of(operand));
    task.operand_count = operands.size();
    task.chain = std::move(links);
    return task;
  }
};

using Unary = Tensor (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);
struct UnaryCase {
  Function function;
  Unary algebra;
};
struct BinaryCase {
  Function function;
  Binary algebra;
};
constexpr UnaryCase signs[] = {{Function::negate, [](const Tensor& x) { return -x; }},
                               {Function::absolute, [](const Tensor& x) { return abs(x); }},
                               {Function::sign, [](const Tensor& x) { return sign(x); }}};
constexpr UnaryCase functions[] = {{Function::exp, [](const Tensor& x) { return exp(x); }},
                                   {Function::log, [](const Tensor& x) { return log(x); }},
                                   {Function::sqrt, [](const Tensor& x) { return sqrt(x); }},
                                   {Function::tanh, [](const Tensor& x) { return tanh(x); }},
                                   {Function::erf, [](const Tensor& x) { return erf(x); }},
                                   {Function::logistic, [](const Tensor& x) { return logistic(x); }}};
constexpr BinaryCase arithmetic[] = {
    {Function::add, [](const Tensor& a, const Tensor& b) { return a + b; }},
    {Function::subtract, [](const Tensor& a, const Tensor& b) { return a - b; }},
    {Function::multiply, [](const Tensor& a, const Tensor& b) { return a * b; }},
    {Function::maximum, [](const Tensor& a, const Tensor& b) { return maximum(a, b); }},
    {Function::minimum, [](const Tensor& a, const Tensor& b) { return minimum(a, b); }},
    {Function::divide, [](const Tensor& a, const Tensor& b) { return a / b; }}};
constexpr BinaryCase logic[] = {
    {Function::logical_and, [](const Tensor& a, const Tensor& b) { return logical_and(a, b); }},
    {Function::logical_or, [](const Tensor& a, const Tensor& b) { return logical_or(a, b); }}};
constexpr ElementType chain_elements[] = {f32, f64, bf16, i64, boolean};

/// Draws chains link by link: each reads the one before it, and whatever else has the element that it needs.
class Drawing {
 public:
  Drawing(const Shape& shape, std::uint64_t seed) : shape_(shape), state_(seed) {}

  std::size_t below(std::size_t end) { return next(state_) % end; }

  ChainSample draw(std::size_t operands, std::size_t links) {
    for (std::size_t i = 0; i < operands; ++i)
      sample_.operands.push_back(seeded(chain_elements[below(5)], shape_, next(state_) % 1000,
                                        below(3) == 0 ? Contents::edges : Contents::plain, layouts[below(5)]));
    while (sample_.results.size() < links) add_link();
    return std::move(sample_);
  }

 private:
  /// A value of the element, the nearest of two that are drawn; none of it: `absent`.
  std::size_t any(ElementType element) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < count(); ++i)
      if (sample_.value(i).element() == element) places.push_back(i);
    return places.empty() ? absent : std::max(places[below(places.size())], places[below(places.size())]);
  }
  std::size_t count() const { return sample_.operands.size() + sample_.results.size(); }

  void add(Link link, std::vector<std::size_t> operands, Tensor result) {
    link.element = result.element();
    link.operand_count = operands.size();
    std::copy(operands.begin(), operands.end(), link.operands);
    sample_.chain.links.push_back(link);
    sample_.results.push_back(std::move(result));
  }
  void add_link() {
    const auto last = sample_.results.empty() ? below(count()) : count() - 1;
    const auto& x = sample_.value(last);
    const auto element = x.element();
    switch (below(6)) {
      case 0: return add_unary(last, x);
      case 1:
      case 2: return add_binary(last, x, any(element));
      case 3: {
        const auto direction = static_cast<Direction>(below(element == boolean ? 2 : 6));
        const auto other = any(element);
        return add({.kind = Kind::compare, .direction = direction}, {last, other},
                   compare(x, sample_.value(other), direction));
      }
      case 4: {
        const auto predicate = any(boolean), other = any(element);
        if (predicate == absent) return;
        return add({.kind = Kind::select}, {predicate, last, other},
                   select(sample_.value(predicate), x, sample_.value(other)));
      }
      default: {
        const auto to = chain_elements[below(5)];
        return add({.kind = Kind::convert}, {last}, topos::convert(x, to));
      }
    }
  }
  void add_unary(std::size_t last, const Tensor& x) {
    if (x.element() == boolean)
      return add({.kind = Kind::unary, .function = Function::logical_not}, {last}, logical_not(x));
    const bool real = x.element().is_floating() && below(2) == 0;
    const auto& drawn = real ? functions[below(std::size(functions))] : signs[below(std::size(signs))];
    add({.kind = Kind::unary, .function = drawn.function}, {last}, drawn.algebra(x));
  }
  void add_binary(std::size_t last, const Tensor& x, std::size_t other) {
    const auto& y = sample_.value(other);
    const auto divides = x.element().is_floating() ? 0u : 1u;  // integers are not divided in chains
    const auto& drawn = x.element() == boolean ? logic[below(2)] : arithmetic[below(std::size(arithmetic) - divides)];
    if (below(2) == 0)
      return add({.kind = Kind::binary, .function = drawn.function}, {last, other}, drawn.algebra(x, y));
    add({.kind = Kind::binary, .function = drawn.function}, {other, last}, drawn.algebra(y, x));
  }

  static constexpr std::size_t absent = ~std::size_t{0};
  Shape shape_;
  std::uint64_t state_;
  ChainSample sample_;
};

/// The numbers that a view spans, in memory that nobody may leave.
std::unique_ptr<Guarded> guarded(const Tensor& tensor, Guarded::At at) {
  Extent last = 0;
  for (std::size_t axis = 0; axis < tensor.shape().rank(); ++axis)
    last += std::max<Extent>(tensor.shape()[axis] - 1, 0) * tensor.strides()[axis];
  const auto numbers = tensor.shape().volume() == 0 ? 0 : static_cast<std::size_t>(last + 1);
  auto memory = std::make_unique<Guarded>(numbers * tensor.element().size(), at);
  if (numbers != 0) std::memcpy(memory->get(), tensor.first(), numbers * tensor.element().size());
  return memory;
}

Tensor run_guarded(const ChainSample& sample, Guarded::At at) {
  const auto prepared = prepare(sample.task());
  EXPECT_NE(prepared.run, nullptr);
  if (prepared.run == nullptr) return {};
  std::vector<std::unique_ptr<Guarded>> memory;
  std::vector<const void*> places;
  for (const auto& operand : sample.operands) {
    memory.push_back(guarded(operand, at));
    places.push_back(memory.back()->get());
  }
  const auto type = sample.results.back().type();
  const Guarded result(type.bytes(), at), scratch((prepared.scratch_bytes + 63) / 64 * 64, at);
  EXPECT_EQ(prepared.run(prepared.task, places.data(), result.get(), scratch.get()), no_fault);
  return Tensor::copied(type, result.get());
}

/// One part after the other: the bits of the whole, and every number of it written once.
Tensor run_parts(const ChainSample& sample, int threads) {
  set_least_part(1e-3);
  const auto work = divide(sample.task(), threads);
  set_least_part(usual_least_part);
  const auto type = sample.results.back().type();
  const Bytes result(type.bytes()), scratch(work.scratch_bytes);
  EXPECT_TRUE(type.shape.volume() < threads || work.parts.size() > 1);
  for (const auto& part : work.parts) {
    std::vector<const void*> places;
    for (std::size_t i = 0; i < sample.operands.size(); ++i)
      places.push_back(static_cast<const std::byte*>(sample.operands[i].first()) + part.operands[i]);
    part.prepared.run(part.prepared.task, places.data(), result.get() + part.result, scratch.get());
  }
  if (work.parts.empty()) return sample.results.back();
  return Tensor::copied(type, result.get());
}

const std::vector<Shape> chain_shapes = {
    {},       {1},       {17},      {1023},     {1024},         {1025},         {2048},
    {5000},   {0},       {3, 0},    {5, 257},   {9, 1000},      {3, 4100},      {300, 1},
    {70, 40}, {1, 1, 1}, {3, 4, 5}, {7, 9, 64}, {2, 3, 2, 500}, {2, 2, 2, 2, 3}};

void expect_steps() {
  std::set<Kind> kinds;
  std::uint64_t seed = 0;
  for (const auto& shape : chain_shapes)
    for (const std::size_t links : {1, 2, 3, 3, 5, 5, 8, 8, 16, 16}) {
      Drawing drawing(shape, ++seed);
      const auto sample = drawing.draw(1 + drawing.below(links < 5 ? 4 : max_chain_operands), links);
      const auto what = "chain " + std::to_string(seed);
      for (const auto& link : sample.chain.links) kinds.insert(link.kind);
      for (const auto at : {Guarded::At::begin, Guarded::At::end})
        expect_same(run_guarded(sample, at), sample.results.back(), what);
      if (sample.operands.size() <= max_operands)
        expect_same(run_into_window(sample.task(), sample.operands).result, sample.results.back(), what + " window");
      for (const int threads : {2, 3}) expect_same(run_parts(sample, threads), sample.results.back(), what + " parts");
    }
  EXPECT_EQ(kinds.size(), 5u);
}
TEST(chains, give_the_bits_of_their_steps_one_by_one) {
  for (const auto target : available_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(use_target(target));
    expect_steps();
  }
  use_target("");
}

/// x * 0.5 * (1 + erf(x / sqrt 2)), as its nodes round it.
ChainSample gelu(const Tensor& x) {
  const auto number = [&](double value) { return full_like(x, value); };
  ChainSample sample;
  sample.operands = {x, number(0.5), number(0.7071067811865476), number(1.0)};
  const auto scaled = x * sample.operands[2];
  const auto bent = erf(scaled);
  const auto shifted = sample.operands[3] + bent;
  const auto half = x * sample.operands[1];
  sample.results = {scaled, bent, shifted, half, half * shifted};
  const auto e = x.element();
  sample.chain.links = {{Kind::binary, Function::multiply, Direction::eq, e, 2, {0, 2}},
                        {Kind::unary, Function::erf, Direction::eq, e, 1, {4}},
                        {Kind::binary, Function::add, Direction::eq, e, 2, {3, 5}},
                        {Kind::binary, Function::multiply, Direction::eq, e, 2, {0, 1}},
                        {Kind::binary, Function::multiply, Direction::eq, e, 2, {7, 6}}};
  return sample;
}

TEST(chains, keep_the_rounding_of_every_link) {
  for (const auto element : {f32, f64, bf16})
    for (const auto layout : layouts) {
      const auto sample = gelu(seeded(element, {37, 211}, 3, Contents::edges, layout));
      expect_same(run_guarded(sample, Guarded::At::end), sample.results.back(), "gelu");
    }
}

TEST(chains, may_write_over_an_operand) {
  for (const auto element : {f32, f64, bf16}) {
    const auto sample = gelu(seeded(element, {5000}, 4, Contents::plain));
    const auto prepared = prepare(sample.task());
    const auto type = sample.results.back().type();
    const Bytes values(type.bytes()), scratch(prepared.scratch_bytes);
    std::memcpy(values.get(), sample.operands[0].first(), type.bytes());
    const void* const places[] = {values.get(), sample.operands[1].first(), sample.operands[2].first(),
                                  sample.operands[3].first()};
    prepared.run(prepared.task, places, values.get(), scratch.get());
    expect_same(Tensor::copied(type, values.get()), sample.results.back(), "over its operand");
  }
}

TEST(chains, need_no_more_memory_than_some_tiles) {
  for (const Extent n : {3000, 1'000'000}) {
    const auto sample = gelu(full_like(seeded(f32, {n}, 5, Contents::plain), 0.5));
    EXPECT_LE(prepare(sample.task()).scratch_bytes, 4u * 8192);
  }
}

TEST(chains, of_links_that_refuse_numbers_or_are_not_elementwise_have_no_kernel) {
  const auto x = seeded(i64, {100}, 6, Contents::plain);
  ChainSample sample;
  sample.operands = {x, x};
  sample.results = {x};
  sample.chain.links = {{Kind::binary, Function::divide, Direction::eq, i64, 2, {0, 1}}};
  EXPECT_EQ(prepare(sample.task()).run, nullptr);
  sample.chain.links = {{Kind::copy, Function::add, Direction::eq, i64, 1, {0}}};
  EXPECT_EQ(prepare(sample.task()).run, nullptr);
  sample.chain.links.clear();
  EXPECT_EQ(prepare(sample.task()).run, nullptr);
  sample.chain.links = {{Kind::binary, Function::multiply, Direction::eq, i64, 2, {0, 1}}};
  EXPECT_NE(prepare(sample.task()).run, nullptr);
}

}  // namespace
}  // namespace topos::kernel
