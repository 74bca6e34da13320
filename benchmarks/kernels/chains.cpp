// Chains of elementwise steps in one pass, beside the same kernels one after the other and beside one plain loop.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "plain/chains.h"
#include "row_contest.h"
#include "topos/kernel/chain.h"

namespace {

using topos::Extent;
using topos::Function;
using topos::Shape;
using topos::kernel::Kind;
using topos::kernel::Link;
using Floats = std::shared_ptr<float[]>;

struct Level {
  const char* name;
  Extent rows;
};
constexpr Level levels[] = {{"L1", 8}, {"L2", 128}, {"DRAM", 65536}};
constexpr Extent columns = 256;

Link unary(Function function, std::size_t x) {
  return {Kind::unary, function, topos::Direction::eq, topos::f32, 1, {x}};
}
Link binary(Function function, std::size_t a, std::size_t b) {
  return {Kind::binary, function, topos::Direction::eq, topos::f32, 2, {a, b}};
}

/// How an operand lies: a matrix of its own, a row for all rows, or one number.
enum class Lies { whole, row, number };
Shape strides_of(Lies lies) {
  return lies == Lies::whole ? Shape{columns, 1} : lies == Lies::row ? Shape{0, 1} : Shape{0, 0};
}

struct Example {
  const char* name;
  std::vector<Lies> operands;
  std::vector<float> values;  // of the operands that are numbers
  std::vector<Link> links;
  void (*plain)(std::size_t rows, const std::vector<Floats>& operands, float* out);
};
using enum Function;
const Example examples[] = {
    {"p - rate * g",
     {Lies::whole, Lies::number, Lies::whole},
     {0.1f},
     {binary(multiply, 1, 2), binary(subtract, 0, 3)},
     [](std::size_t rows, const std::vector<Floats>& x, float* out) {
       plain::descend(rows * columns, x[0].get(), x[1].get(), x[2].get(), out);
     }},
    {"g * (1 - y * y)",
     {Lies::whole, Lies::whole, Lies::number},
     {1.0f},
     {binary(multiply, 0, 0), binary(subtract, 2, 3), binary(multiply, 1, 4)},
     [](std::size_t rows, const std::vector<Floats>& x, float* out) {
       plain::tanh_rule(rows * columns, x[0].get(), x[1].get(), out);
     }},
    {"hardswish",
     {Lies::whole, Lies::number, Lies::number, Lies::number},
     {3.0f, 0.0f, 6.0f},
     {binary(add, 0, 1), binary(maximum, 4, 2), binary(minimum, 5, 3), binary(multiply, 0, 6), binary(divide, 7, 3)},
     [](std::size_t rows, const std::vector<Floats>& x, float* out) {
       plain::hardswish(rows * columns, x[0].get(), out);
     }},
    {"tanh(x + bias)",
     {Lies::whole, Lies::row},
     {},
     {binary(add, 0, 1), unary(tanh, 2)},
     [](std::size_t rows, const std::vector<Floats>& x, float* out) {
       plain::bias_tanh(rows, columns, x[0].get(), x[1].get(), out);
     }},
};

topos::kernel::Task task_of(const Example& example, const Shape& shape) {
  auto chain = std::make_shared<topos::kernel::Chain>();
  for (const auto lies : example.operands) chain->operands.push_back({topos::f32, shape, strides_of(lies)});
  chain->links = example.links;
  auto task = bench::task_of(Kind::chain, {}, shape);
  task.operand_count = example.operands.size();
  task.chain = std::move(chain);
  return task;
}

/// The links as kernels of their own, each into memory of its own.
struct Steps {
  Steps(const Example& example, const Shape& shape, const std::vector<Floats>& operands) : memory(operands) {
    for (const auto& link : example.links) {
      auto task = bench::task_of(link.kind, {}, shape);
      task.function = link.function;
      task.operand_count = link.operand_count;
      for (std::size_t k = 0; k < link.operand_count; ++k) {
        const auto place = link.operands[k];
        const auto lies = place < example.operands.size() ? example.operands[place] : Lies::whole;
        task.operands[k] = {topos::f32, shape, strides_of(lies)};
      }
      prepared.push_back(topos::kernel::prepare(task));
      memory.push_back(bench::numbers<float>(static_cast<std::size_t>(shape.volume()), 1));
      places.push_back({memory[link.operands[0]].get(), memory[link.operands[1]].get(), nullptr});
    }
  }
  void operator()() const {
    for (std::size_t l = 0; l < prepared.size(); ++l)
      prepared[l].run(prepared[l].task, places[l].data(), memory[memory.size() - prepared.size() + l].get(), nullptr);
  }

  std::vector<Floats> memory;
  std::vector<topos::kernel::Prepared> prepared;
  std::vector<std::array<const void*, 3>> places;
};

bench::Contest contest(const Example& example, Extent rows) {
  const Shape shape{rows, columns};
  const auto n = static_cast<std::size_t>(shape.volume());
  std::vector<Floats> operands;
  std::size_t next = 0;
  for (const auto lies : example.operands) {
    operands.push_back(bench::numbers<float>(n, operands.size() + 1));
    if (lies == Lies::number) operands.back()[0] = example.values[next++];
  }
  const auto out = bench::numbers<float>(n, 8), theirs = bench::numbers<float>(n, 9);
  const auto ours = bench::kernel(task_of(example, shape), {operands.begin(), operands.end()}, out);
  const auto steps = std::make_shared<Steps>(example, shape, operands);
  const auto plain = example.plain;
  return {ours,
          {{"steps", [=] { (*steps)(); }},
           {"-Ofast", [=] { plain(static_cast<std::size_t>(rows), operands, theirs.get()); }}},
          [=] {
            ours.run();
            (*steps)();
            if (std::memcmp(out.get(), steps->memory.back().get(), n * sizeof(float)) != 0)
              throw std::runtime_error("a chain has other bits than its steps");
          }};
}

const bench::Rows chains([] {
  for (const auto& [level, rows] : levels)
    for (const auto& example : examples)
      bench::add({fmt::format("chains, {}", level), fmt::format("{} {}x{}", example.name, rows, columns),
                  static_cast<double>(rows * columns), "Gelem/s",
                  [&example, rows = rows] { return contest(example, rows); }});
});

}  // namespace
