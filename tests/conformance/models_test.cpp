// Models: layers, attention, embeddings, convolutions, pools and norms; forward, training steps and inference.
#include "support/models.h"
#include "conformance/emission.h"
#include "support/convolution_models.h"
#include "support/samples_windows.h"

namespace topos::test {
namespace {

constexpr ElementType floats[] = {f32, f64, bf16};

TEST(Models, composed_ones_forward_and_with_their_loss) {
  for (const auto element : floats)
    for (const auto& sample : model_samples()) {
      emit_sample(sample, element, "model", 0);
      emit_program(build(sample, element, 1), "training", case_name(sample, element) + ", loss and gradients");
    }
  for (const auto& sample : model_samples()) emit_program(build(sample, f32, 2), "training", sample.name + ", order 2");
  emit_sample({"integers", record_integers}, f32, "sample", 0);
}

TEST(Models, windows_forward_and_their_gradients) {
  for (const auto element : floats)
    for (const auto& sample : window_samples())
      for (const int order : {0, 1}) emit_sample(sample, element, order == 0 ? "model" : "training", order);
  for (const auto& sample : window_samples()) emit_sample(sample, f32, "training", 2);
}

TEST(Models, convolutions_with_every_option_train) {
  const ConvolutionOptions all[] = {{},
                                    {{2, 1}, {0, 0}, {1, 1}, 1},
                                    {{1, 1}, {1, 1}, {1, 1}, 1},
                                    {{2, 2}, {1, 0}, {1, 2}, 1},
                                    {{1, 2}, {2, 1}, {2, 1}, 1},
                                    {{3, 2}, {1, 1}, {1, 1}, 1}};
  for (const auto element : floats)
    for (const auto& options : all) {
      const auto step = training_step(options, element);
      const auto title = "a step of convolution, tanh and pool over " + std::string(element.name());
      EXPECT_TRUE(agrees_with_itself(step.network.entry(step.roots).lower(), {"training", title}));
    }
}

TEST(Models, a_convolution_and_its_pool_at_several_sizes) {
  for (const auto element : floats) {
    const auto emit = [&](const Shape& image, const Shape& kernel, Extent padding, Extent pool) {
      const auto model = pooled_convolution(image, kernel, padding, pool, element);
      const auto title = "conv2d, relu and max_pool over " + std::string(element.name());
      EXPECT_TRUE(agrees_with_itself(model.network.entry({model.pooled}).lower(), {"model", title}));
      EXPECT_TRUE(agrees_with_itself(model.network.entry({model.pooled, model.total}).lower(), {"model", title}));
    };
    emit({1, 1, 6, 6}, {2, 1, 3, 3}, 0, 2);
    emit({2, 3, 5, 5}, {2, 3, 2, 2}, 1, 2);
    emit({1, 2, 4, 4}, {1, 2, 1, 1}, 0, 2);
    emit({2, 1, 8, 7}, {3, 1, 3, 3}, 1, 3);
  }
}

/// One batch norm, trained and used.
TEST(Models, batch_norms_train_and_infer) {
  for (const auto element : floats)
    for (const Shape& shape : {Shape{4, 3}, Shape{2, 3, 2, 2}}) {
      Random random(71);
      Tape tape(element);
      const auto row = random.tensor({element, {shape[1]}}, 0.5, 1.5);
      const auto x = tape.parameter(random.tensor({element, shape}, -2, 2));
      const auto statistic = element == bf16 ? f32 : element;
      const auto mean = tape.input(random.tensor({statistic, {shape[1]}}, -1, 1));
      const auto variance = tape.input(convert(row, statistic));
      const BatchNorm norm(tape, row, random.tensor({element, {shape[1]}}, -1, 1), 1e-3);
      const auto trained = norm.express(x);
      const auto inferred = norm.express_with(x, mean, variance);
      const auto square = trained.output * trained.output;
      const auto cube = square * trained.output;
      const auto loss = sum(cube);
      const std::vector<Symbol> results{trained.output, trained.mean, trained.variance};
      const Symbol inference = inferred;
      const auto adjoints = tape.differentiate(loss, {x, norm.scale(), norm.shift()});
      const auto network = std::move(tape).into_network();
      const auto title = "batch norm of " + shape.text() + " over " + std::string(element.name());
      EXPECT_TRUE(agrees_with_itself(network.entry(results).lower(), {"training", title + ", training"}));
      EXPECT_TRUE(agrees_with_itself(network.entry({inference}).lower(), {"model", title + ", inference"}));
      EXPECT_TRUE(agrees_with_itself(network.entry(adjoints.roots()).lower(), {"training", title + ", gradients"}));
    }
}

/// The optimizer's update inside the module: parameters and its memory in, parameters and its memory out.
TEST(Models, optimizers_step_inside_the_module) {
  for (const auto element : floats)
    for (const bool adam : {false, true}) {
      Tape tape(element);
      const auto recorded = record_mlp(tape);
      const auto square = recorded.output * recorded.output;
      const auto loss = sum(square);
      const auto rate = tape.input(0.125);
      const std::vector<Symbol> wrt(recorded.wrt.begin() + 1, recorded.wrt.end());
      const auto adjoints = tape.differentiate(loss, wrt);
      const auto step = adam ? Adam().record(tape, adjoints, rate) : Sgd().record(tape, adjoints, rate);
      const auto network = std::move(tape).into_network();
      auto entry = network.entry(step.roots());
      const std::string title = std::string(adam ? "Adam" : "Sgd") + " over " + std::string(element.name());
      EXPECT_TRUE(agrees_with_itself(entry.lower(), {"training", title}));
      for (const auto& [source, value] : step.replacements()) entry.replaces(source, value);
      EXPECT_TRUE(agrees_with_itself(entry.lower(), {"training", title + ", arguments overwritten"}));
    }
}

}  // namespace
}  // namespace topos::test
