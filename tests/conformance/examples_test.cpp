// The example programs' models at their own sizes, forward and with gradients.
#include "conformance/emission.h"
#include "examples/models/line_fit.h"
#include "examples/models/makemore_bigram.h"
#include "examples/models/makemore_mlp.h"
#include "examples/models/walkthrough.h"

namespace topos::test {
namespace {

testing::AssertionResult emits_example(const Network& network, const std::vector<Symbol>& roots, std::string title) {
  return agrees_with_itself(network.entry(roots).lower(), {"example", std::move(title)});
}

TEST(Examples, walkthrough) {
  for (const auto element : {f32, f64, bf16}) {
    Tape tape(element);
    const auto model = examples::record_walkthrough(tape);
    const Symbol hidden = model.hidden, loss = model.loss;
    const auto adjoints = tape.differentiate(loss, {model.weights});
    const auto network = std::move(tape).into_network();
    const auto name = "walkthrough over " + std::string(element.name());
    EXPECT_TRUE(emits_example(network, {loss, hidden}, name));
    auto roots = adjoints.roots();
    roots.push_back(hidden);
    EXPECT_TRUE(emits_example(network, roots, name + ", gradients"));
  }
}

TEST(Examples, gradient_descent) {
  for (const auto element : {f32, f64, bf16}) {
    Tape tape(element);
    const auto [w, b, losses, total] = examples::record_line_fit(tape);
    std::vector<Symbol> each(losses.begin(), losses.end());
    const auto adjoints = tape.differentiate(total, {w, b});
    const auto network = std::move(tape).into_network();
    const auto name = "line fit over " + std::string(element.name());
    EXPECT_TRUE(emits_example(network, each, name + ", each point"));
    EXPECT_TRUE(emits_example(network, adjoints.roots(), name + ", gradients"));
  }
}

TEST(Examples, makemore_bigram) {
  for (const auto element : {f32, f64, bf16}) {
    Tape tape(element);
    const auto [table, letters, following, loss] = examples::record_bigram(tape, 27, 32, 5);
    const Symbol probabilities = examples::record_bigram_probabilities(tape, table);
    const auto adjoints = tape.differentiate(loss, {table});
    const auto network = std::move(tape).into_network();
    const auto name = "bigram over " + std::string(element.name());
    EXPECT_TRUE(emits_example(network, {probabilities}, name + ", probabilities"));
    EXPECT_TRUE(emits_example(network, adjoints.roots(), name + ", gradients"));
  }
}

TEST(Examples, makemore_mlp) {
  for (const bool padded : {false, true}) {
    Tape tape(f32);
    const examples::MakemoreSizes sizes;
    const examples::MakemoreMlp model(tape, sizes, 1, 2);
    const auto batch = examples::record_makemore_batch(tape, model, sizes, 32, padded);
    const auto adjoints = tape.differentiate(batch.loss, model.parameters());
    const auto sampler = examples::record_makemore_sampler(tape, model, sizes);
    const auto step = Sgd().record(tape, adjoints, tape.input(0.125));
    const auto network = std::move(tape).into_network();
    const std::string name = padded ? "makemore, padded batches" : "makemore";
    EXPECT_TRUE(emits_example(network, {sampler.probabilities}, name + ", sampler"));
    EXPECT_TRUE(emits_example(network, adjoints.roots(), name + ", gradients"));
    EXPECT_TRUE(emits_example(network, step.roots(), name + ", a step"));
  }
}

}  // namespace
}  // namespace topos::test
