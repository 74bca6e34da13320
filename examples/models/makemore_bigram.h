// The graph of makemore_bigram: a table of letter pairs, and the loss of the letter that follows.
#pragma once
#include <topos/topos.h>

#include <tuple>

namespace examples {

/// Records a table [vocabulary, vocabulary] of logits, row by letter, read by `letters` [batch] and graded by the
/// letters that follow; gives the table, both inputs and the loss.
inline auto record_bigram(topos::Tape& tape, topos::Extent vocabulary, topos::Extent batch, std::uint64_t seed) {
  auto draw = topos::init::normal(seed, 0.01);
  const topos::Embedding table(tape, draw({vocabulary, vocabulary}));
  const auto zeros = topos::Tensor::full({topos::i64, {batch}}, 0);
  const auto letters = tape.input(zeros);
  const auto following = tape.input(zeros);
  const auto logits = table(letters);
  const auto loss = cross_entropy(logits, following);
  return std::tuple(table.table(), letters, following, loss);
}

/// Records the probability of each letter after each letter.
inline topos::Value record_bigram_probabilities(topos::Tape& tape, topos::Symbol table) {
  const auto logits = tape.resolve(table);
  return softmax(logits, 1);
}

}  // namespace examples
