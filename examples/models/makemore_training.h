// What programs that train makemore_mlp share: the streams of random numbers, the batches, the samples, the averages.
#pragma once

#include <topos/topos.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "examples/models/makemore_mlp.h"
#include "examples/support/names.h"

namespace examples {

inline constexpr std::int64_t makemore_batch_size = 32;
inline constexpr double makemore_learning_rate = 0.1;

/// A seed for each part of a run. Streams of their own: two made from one seed would draw the same numbers.
struct MakemoreSeeds {
  explicit MakemoreSeeds(std::uint64_t seed) : MakemoreSeeds(Splitmix(seed)) {}

  std::uint64_t split;
  std::uint64_t embedding;
  std::uint64_t layers;
  std::uint64_t batches;
  std::uint64_t sampling;

 private:
  // Members are initialised in the order of their declaration.
  explicit MakemoreSeeds(Splitmix seeds)
      : split(seeds.next()),
        embedding(seeds.next()),
        layers(seeds.next()),
        batches(seeds.next()),
        sampling(seeds.next()) {}
};

/// Rows of `samples` as the feeds of a batch. Those beyond the end of `rows` are padding.
inline std::vector<topos::Feed> makemore_feeds(const MakemoreBatch& batch, const Samples& samples,
                                               const std::vector<std::int64_t>& rows, std::int64_t size) {
  std::vector<std::int64_t> contexts(static_cast<std::size_t>(size * samples.context), 0);
  std::vector<std::int64_t> targets(static_cast<std::size_t>(size), no_letter);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto first = samples.contexts.begin() + rows[i] * samples.context;
    std::copy_n(first, samples.context, contexts.begin() + static_cast<std::int64_t>(i) * samples.context);
    targets[i] = samples.targets[static_cast<std::size_t>(rows[i])];
  }
  return {{batch.contexts, topos::Tensor::from({size, samples.context}, contexts)},
          {batch.targets, topos::Tensor::from({size}, targets)}};
}

/// Training batches of rows that are drawn with replacement.
class MakemoreBatches {
 public:
  /// Both are referred to.
  MakemoreBatches(const MakemoreBatch& batch, const Samples& samples, std::uint64_t seed)
      : batch_(batch), samples_(samples), stream_(seed), rows_(makemore_batch_size) {}

  /// The feeds of the next batch.
  std::vector<topos::Feed> next() {
    const auto count = static_cast<double>(samples_.size());
    for (auto& row : rows_) row = static_cast<std::int64_t>(stream_.unit() * count);
    return makemore_feeds(batch_, samples_, rows_, makemore_batch_size);
  }

 private:
  const MakemoreBatch& batch_;
  const Samples& samples_;
  Splitmix stream_;
  std::vector<std::int64_t> rows_;
};

/// Names, each drawn letter by letter from what the network gives for the last three.
inline std::vector<std::string> sample_names(const topos::Network& network, const MakemoreSampler& sampler,
                                             const topos::Parameters& parameters, int count, std::uint64_t seed) {
  const auto plan = network.entry({sampler.probabilities}).lower();
  const auto width = MakemoreSizes().context;
  Splitmix stream(seed);
  std::vector<std::string> names(static_cast<std::size_t>(count));
  for (auto& name : names) {
    std::vector<std::int64_t> context(static_cast<std::size_t>(width), 0);
    while (name.size() < 40) {  // an untrained network may never end a name
      const auto run = plan.forward(parameters, {{sampler.context, topos::Tensor::from({1, width}, context)}});
      const auto probabilities = run.of(sampler.probabilities).values<float>();
      const auto token = pick(std::span<const float>(probabilities), stream.unit());
      if (token == 0) break;
      name += letter(token);
      std::rotate(context.begin(), context.begin() + 1, context.end());
      context.back() = token;
    }
  }
  return names;
}

inline double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The mean of the last `count` values, or of all where there are fewer.
inline double mean_of_last(std::span<const double> values, std::size_t count) {
  return mean(values.last(std::min(count, values.size())));
}

/// The means of windows in a row, about as many as a chart has room for.
inline std::vector<double> chart_means(std::span<const double> values) {
  const auto window = std::max<std::size_t>(1, values.size() / 140);
  std::vector<double> means;
  for (std::size_t start = 0; start + window <= values.size(); start += window)
    means.push_back(mean(values.subspan(start, window)));
  return means;
}

}  // namespace examples
