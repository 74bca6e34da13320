// The convolution networks that golden texts are about.
#pragma once
#include "support/windows.h"

namespace topos::test {

/// conv2d, relu, max_pool: the nodes from the image to the pool.
struct PooledConvolution {
  Network network;
  Symbol image, kernel, bias, pooled, total;
};

/// An image fed, a kernel and a bias trained, in that order of recording; `total` is the pool's sum.
inline PooledConvolution pooled_convolution(const Shape& image, const Shape& kernel, Extent padding, Extent pool,
                                            ElementType element = f32) {
  Random random(31);
  Tape tape(element);
  const auto x = tape.input(random.tensor({element, image}, -1, 1));
  const auto w = tape.parameter(random.tensor({element, kernel}, -1, 1));
  const auto b = tape.parameter(random.tensor({element, {kernel[0]}}, -1, 1));
  const auto filtered = conv2d(x, w, b, 1, padding);
  const auto active = relu(filtered);
  const auto pooled = max_pool(active, pool, pool);
  const auto total = sum(pooled);
  const Symbol names[] = {x, w, b, pooled, total};
  return {std::move(tape).into_network(), names[0], names[1], names[2], names[3], names[4]};
}

/// A training step of a small convolution net: loss and gradients of every parameter.
struct TrainingStep {
  Network network;
  Symbol loss;
  std::vector<Symbol> roots;
};
inline TrainingStep training_step(const ConvolutionOptions& options, ElementType element = f32) {
  Random random(32);
  Tape tape(element);
  const auto x = tape.parameter(random.tensor({element, {2, 2, 9, 8}}, -1, 1));
  const auto w = tape.parameter(random.tensor({element, {3, 2, 3, 2}}, -1, 1));
  const auto b = tape.parameter(random.tensor({element, {3}}, -1, 1));
  const auto filtered = conv2d(x, w, b, options);
  const auto active = tanh(filtered);
  const auto pooled = max_pool(active, {2, 3}, {1, 2});
  const auto squares = pooled * pooled;
  const auto loss = sum(squares);
  const auto adjoints = tape.differentiate(loss, {x, w, b});
  const Symbol target = loss;
  return {std::move(tape).into_network(), target, adjoints.roots()};
}

/// What the plan and the interpreter give for every root, which must be the same bits.
inline void expect_plan_is_interpreter(const Network& network, const std::vector<Symbol>& roots) {
  const auto parameters = network.parameters();
  const auto plan = network.entry(roots).lower().forward(parameters);
  const auto run = network.forward(parameters);
  for (const auto root : roots) EXPECT_TRUE(same_bits(plan.of(root), run.of(root))) << "node " << root.index();
}

inline std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

}  // namespace topos::test
