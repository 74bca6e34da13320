// Composed models as samples: layers, attention, cross entropy, diamonds, fan-out.
#pragma once
#include "support/samples.h"
#include "support/samples_composites.h"

namespace topos::test {

inline Recorded record_mlp(Tape& tape) {
  Random random(41);
  const auto element = tape.element();
  const auto x = tape.input(random.tensor({element, {6, 4}}, -1, 1));
  const auto w1 = tape.parameter(random.tensor({element, {4, 9}}, -1, 1));
  const auto b1 = tape.parameter(random.tensor({element, {9}}, -1, 1));
  const auto w2 = tape.parameter(random.tensor({element, {9, 3}}, -1, 1));
  const auto b2 = tape.parameter(random.tensor({element, {3}}, -1, 1));
  auto hidden = matmul(x, w1);
  const auto bias1 = broadcast_along(b1, 0, 6);
  hidden = hidden + bias1;
  hidden = tanh(hidden);
  auto out = matmul(hidden, w2);
  const auto bias2 = broadcast_along(b2, 0, 6);
  out = out + bias2;
  out = relu(out);
  return {{x, w1, b1, w2, b2}, mean(out, {0})};
}

/// softmax(q k^T * scale + mask) v over two heads.
inline Recorded record_attention(Tape& tape) {
  Random random(42);
  const TensorType type{tape.element(), {2, 4, 3}};
  const auto q = tape.parameter(random.tensor(type, -1, 1));
  const auto k = tape.parameter(random.tensor(type, -1, 1));
  const auto v = tape.parameter(random.tensor(type, -1, 1));
  const auto turned = permute(k, {0, 2, 1});
  auto scores = matmul(q, turned);
  scores = scores * 0.57735027;
  const auto row = tape.iota({2, 4, 4}, 1);
  const auto column = tape.iota({2, 4, 4}, 2);
  const auto past = compare(column, row, Direction::le);
  scores = select(past, scores, -std::numeric_limits<double>::infinity());
  const auto weights = softmax(scores, 2);
  return {{q, k, v}, matmul(weights, v)};
}

/// Log probabilities of classes, picked by gather from a flat table, averaged.
inline Recorded record_cross_entropy(Tape& tape) {
  Random random(43);
  const auto logits = tape.parameter(random.tensor({tape.element(), {5, 7}}, -2, 2));
  const auto classes = tape.input(random.indices({5}, 7));
  const auto log_p = log_softmax(logits, 1);
  const auto flat = reshape(log_p, {35});
  const auto row = tape.iota({5}, 0);
  const auto start = row * 7;
  const auto place = start + classes;
  const auto picked = gather(flat, place);
  const auto loss = mean(picked);
  const auto wide = logsumexp(logits, 1);
  const auto penalty = mean(wide);
  const auto cost = penalty - loss;
  return {{logits}, cost};
}

/// x = x op x, again and again: cotangents double at each step.
inline Recorded record_diamonds(Tape& tape) {
  const auto start = tape.parameter(Random(44).tensor({tape.element(), {2, 3}}, 0.3, 0.8));
  auto x = start;
  for (int i = 0; i < 4; ++i) {
    const auto left = tanh(x);
    const auto right = exp(x);
    const auto product = left * right;
    x = product / right;
    x = x + left;
  }
  return {{start}, x};
}

/// One value with many consumers of different kinds, in several shapes.
inline Recorded record_fan_out(Tape& tape) {
  const auto x = tape.parameter(Random(45).tensor({tape.element(), {3, 3}}, 0.4, 1.2));
  const auto root = sqrt(x);
  const auto logarithm = log(x);
  const auto turned = transpose(x);
  const auto product = matmul(x, turned);
  const auto window = narrow(x, 1, 1, 2);
  const auto padded = pad(window, 1, 0, 3);
  const auto rows = sum(x, {1});
  const auto spread = broadcast_along(rows, 1, 3);
  const auto joined = concat({root, logarithm, product, padded, spread, x}, 0);
  const auto larger = maximum(joined, 0.1);
  return {{x}, larger};
}

/// Embeddings of a context, flattened into a layer, as a character model has it.
inline Recorded record_embedding(Tape& tape) {
  Random random(46);
  const auto table = tape.parameter(random.tensor({tape.element(), {7, 2}}, -1, 1));
  const auto weights = tape.parameter(random.tensor({tape.element(), {6, 5}}, -1, 1));
  const auto context = tape.input(random.indices({4, 3}, 7));
  const auto rows = gather(table, context);
  const auto flat = reshape(rows, {4, 6});
  const auto hidden = matmul(flat, weights);
  const auto active = tanh(hidden);
  return {{table, weights}, log_softmax(active, 1)};
}

inline const std::vector<Sample>& model_samples() {
  static const std::vector<Sample> all{
      {"mlp", record_mlp},           {"attention", record_attention}, {"cross entropy", record_cross_entropy},
      {"diamonds", record_diamonds}, {"fan out", record_fan_out},     {"embedding", record_embedding}};
  return all;
}

/// Integers and predicates alone: everything that i64 and boolean can do.
inline Recorded record_integers(Tape& tape) {
  Random random(47);
  const auto a = tape.input(random.indices({3, 4}, 100));
  const auto b = tape.input(random.indices({3, 4}, 9));
  const auto divisor = b + 1;
  const auto quotient = a / divisor;
  const auto product = quotient * b;
  const auto rest = a - product;
  const auto negative = -rest;
  const auto larger = maximum(negative, b);
  const auto turned = transpose(b);
  const auto square = matmul(larger, turned);
  const auto rows = sum(square, {1});
  const auto spread = broadcast_along(rows, 1, 3);
  const auto test = compare(spread, square, Direction::ge);
  const auto other = compare(square, 40, Direction::ne);
  const auto both = logical_and(test, other);
  const auto none = logical_not(both);
  const auto flags = concat({both, none}, 1);
  const auto shown = convert(flags, i64);
  const auto padded = pad(square, 1, 1, 6);
  const auto chosen = select(flags, padded, shown);
  return {{}, chosen};
}

/// Every sample that has a smooth loss, then those of numbers alone.
inline std::vector<Sample> all_samples() {
  auto all = opcode_samples();
  all.insert(all.end(), model_samples().begin(), model_samples().end());
  for (auto& sample : composite_samples()) all.push_back(std::move(sample));
  all.push_back({"integers", record_integers});
  return all;
}

}  // namespace topos::test
