// The graph of makemore_mlp: three letters of context, embedded, through a small network to the letter that follows.
#pragma once
#include <topos/topos.h>

namespace examples {

/// The sizes of the model.
struct MakemoreSizes {
  topos::Extent vocabulary = 27;
  topos::Extent context = 3;
  topos::Extent embedding = 10;
  topos::Extent hidden = 200;
};

/// The model's parameters, by name; calling it records it for one more batch.
class MakemoreMlp {
 public:
  /// Records the parameters: the embedding from normal(., 1), the layers by xavier.
  MakemoreMlp(topos::Tape& tape, const MakemoreSizes& sizes, std::uint64_t embedding_seed, std::uint64_t layer_seed)
      : sizes_(sizes),
        embedding_(tape, topos::init::normal(embedding_seed, 1.0)({sizes.vocabulary, sizes.embedding})),
        layers_(tape, {sizes.context * sizes.embedding, sizes.hidden, sizes.vocabulary}, topos::Activation::tanh,
                topos::init::xavier(layer_seed)) {}

  /// The logits [batch, vocabulary] of i64 contexts [batch, context].
  topos::Value operator()(const topos::Value& contexts) const {
    const auto batch = contexts.shape()[0];
    const auto rows = embedding_(contexts);
    const auto features = reshape(rows, {batch, sizes_.context * sizes_.embedding});
    return layers_(features);
  }

  /// The embedding, then each layer's weights and bias.
  std::vector<topos::Symbol> parameters() const {
    auto all = layers_.parameters();
    all.insert(all.begin(), embedding_.table());
    return all;
  }

 private:
  MakemoreSizes sizes_;
  topos::Embedding embedding_;
  topos::Mlp layers_;
};

/// A class that no letter has: rows that fill up a batch carry it and are not counted.
inline constexpr std::int64_t no_letter = -1;

/// One recording of the model with its inputs and its loss.
struct MakemoreBatch {
  topos::Symbol contexts;
  topos::Symbol targets;
  topos::Symbol loss;
};

/// Records the model's loss over batches of `size`; of rows whose target is no_letter if `padded`.
inline MakemoreBatch record_makemore_batch(topos::Tape& tape, const MakemoreMlp& model, const MakemoreSizes& sizes,
                                           topos::Extent size, bool padded) {
  const auto contexts = tape.input(topos::Tensor::full({topos::i64, {size, sizes.context}}, 0));
  const auto targets = tape.input(topos::Tensor::full({topos::i64, {size}}, 0));
  const auto logits = model(contexts);
  const auto loss = padded ? cross_entropy(logits, targets, no_letter) : cross_entropy(logits, targets);
  return {contexts, targets, loss};
}

/// The model for one context at a time, with probabilities for loss.
struct MakemoreSampler {
  topos::Symbol context;
  topos::Symbol probabilities;
};

inline MakemoreSampler record_makemore_sampler(topos::Tape& tape, const MakemoreMlp& model,
                                               const MakemoreSizes& sizes) {
  const auto context = tape.input(topos::Tensor::full({topos::i64, {1, sizes.context}}, 0));
  const auto logits = model(context);
  const auto probabilities = softmax(logits, 1);
  return {context, probabilities};
}

}  // namespace examples
