// Products with what is constant or steady: what a kernel would lay out in every run is laid out once, with the same
// bits.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "support/bits.h"
#include "support/count.h"
#include "support/random.h"
#include "support/readings.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

TEST(packed_constants, are_laid_out_once_for_all_products) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent rows : {1, 3, 40}) {
      Tape tape(element);
      const auto x = tape.parameter(Random(1).tensor({element, {rows, 70}}, -1, 1));
      const auto table = tape.leaf(Random(2).tensor({element, {50, 70}}, -1, 1));
      const auto turned = transpose(table);
      const auto first = matmul(x, turned);
      const auto bent = tanh(x);
      const auto second = matmul(bent, turned);
      const auto network = std::move(tape).into_network();
      const auto plan = network.entry({first, second}).lower();
      EXPECT_EQ(count_in(plan.program(), "packed 0"), 2u) << plan.program();
      EXPECT_EQ(count_in(plan.program(), "packed 1"), 0u) << plan.program();
      expect_interpreter(network, plan);
    }
}

TEST(packed_constants, may_be_windows_and_batches_of_a_constant) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(3).tensor({f32, {2, 5, 8}}, -1, 1));
  const auto table = tape.leaf(Random(4).tensor({f32, {30, 12}}, -1, 1));
  const auto window = narrow(table, 1, 3, 8);
  const auto lower = narrow(window, 0, 7, 20);
  const auto turned = transpose(lower);
  const auto batches = broadcast_along(turned, 0, 2);
  const auto product = matmul(x, batches);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({product}).lower();
  EXPECT_EQ(count_in(plan.program(), "packed 0"), 1u) << plan.program();
  expect_interpreter(network, plan);
}

TEST(packed_constants, that_products_read_in_place_are_not_copied_nor_is_what_may_change) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(5).tensor({f32, {4, 30}}, -1, 1));
  const auto table = tape.leaf(Random(6).tensor({f32, {30, 20}}, -1, 1));
  const auto weights = tape.parameter(Random(7).tensor({f32, {20, 30}}, -1, 1));
  const auto plain = matmul(x, table);
  const auto turned = transpose(weights);
  const auto changing = matmul(x, turned);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({plain, changing}).lower();
  EXPECT_EQ(count_in(plan.program(), "packed"), 0u) << plan.program();
  expect_interpreter(network, plan);
}

/// x * w^T with a steady w, and what it reads.
struct Dense {
  explicit Dense(ElementType element = f32, Extent rows = 3) {
    Tape tape(element);
    const auto input = tape.input(Random(1).tensor({element, {rows, 70}}, -1, 1));
    const auto weights = tape.parameter(Random(2).tensor({element, {50, 70}}, -1, 1));
    const auto transposed = transpose(weights);
    const auto result = matmul(input, transposed);
    w = weights;
    turned = transposed;
    product = result;
    bent = relu(result);
    network = std::move(tape).into_network();
  }
  Tensor weights(std::uint64_t seed) const { return Random(seed).tensor(network->node(w).type(), -1, 1); }
  Plan plan() const { return network->entry({bent}).steady({w}).lower(); }

  Symbol w, turned, product, bent;
  std::optional<Network> network;
};

TEST(packed_parameters, are_laid_out_again_when_a_run_brings_another_payload) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent rows : {1, 3, 40}) {
      const Dense dense(element, rows);
      const auto plan = dense.plan();
      EXPECT_EQ(count_in(plan.program(), "packed 0"), 1u) << plan.program();
      const auto first = dense.network->parameters();
      const auto second = first.with({{dense.w, dense.weights(3)}});
      auto run = plan.forward(first);
      for (const auto* parameters : {&first, &first, &second, &first, &second, &second}) {
        plan.forward_into(run, *parameters);
        ASSERT_TRUE(bits_agree(run.of(dense.bent), dense.network->forward(*parameters).of(dense.bent)));
      }
    }
}

TEST(packed_parameters, may_be_views_and_single_numbers) {
  const Dense dense;
  const auto plan = dense.plan();
  const auto table = Random(4).tensor({f32, {70, 50}}, -1, 1);
  const auto wide = Random(5).tensor({f32, {50, 140}}, -1, 1);
  // The third and the fourth start at the same number.
  const Tensor payloads[] = {Tensor::full({f32, {50, 70}}, 0.5),
                             transpose(table),
                             narrow(wide, 1, 0, 70),
                             wide.view({f32, {50, 70}}, {70, 1}, 0),
                             Tensor::full({f32, {50, 70}}, 0.25),
                             Tensor::full({f32, {50, 70}}, -0.5)};
  for (const auto& payload : payloads) {
    const auto parameters = dense.network->parameters().with({{dense.w, payload}});
    const auto expected = dense.network->forward(parameters).of(dense.bent);
    for (int again = 0; again < 2; ++again) ASSERT_TRUE(bits_agree(plan.forward(parameters).of(dense.bent), expected));
  }
}

TEST(packed_parameters, may_be_gone_before_the_next_come) {
  const Dense dense;
  const auto plan = dense.plan();
  for (std::uint64_t seed = 10; seed < 20; ++seed) {
    const auto parameters = dense.network->parameters().with({{dense.w, dense.weights(seed)}});
    ASSERT_TRUE(bits_agree(plan.forward(parameters).of(dense.bent), dense.network->forward(parameters).of(dense.bent)));
  }
}

TEST(packed_parameters, may_be_the_results_of_the_plan_that_reads_them) {
  Tape tape(f32);
  const auto w = tape.parameter(Random(6).tensor({f32, {30, 30}}, -1, 1));
  const auto turned = transpose(w);
  const auto next = matmul(w, turned);
  const auto scaled = next * 0.125;
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({scaled}).steady({w}).lower();
  auto parameters = network.parameters();
  auto run = plan.forward(parameters);
  for (int k = 0; k < 6; ++k) {  // the buffers of results are written again, but for one that is kept
    const auto expected = network.forward(parameters).of(scaled);
    plan.forward_into(run, parameters);
    ASSERT_TRUE(bits_agree(run.of(scaled), expected)) << k;
    parameters = parameters.with({{w, run.of(scaled)}});
    run = plan.forward(parameters);
  }
}

TEST(packed_parameters, are_kept_by_each_of_several_runs_at_once) {
  const Dense dense;
  const auto plan = dense.plan();
  const auto work = [&](std::uint64_t seed, bool& agree) {
    const auto parameters = dense.network->parameters().with({{dense.w, dense.weights(seed)}});
    const auto expected = dense.network->forward(parameters).of(dense.bent);
    agree = true;
    for (int k = 0; k < 50; ++k) agree = agree && bits_agree(plan.forward(parameters).of(dense.bent), expected);
  };
  bool agree[3];
  std::vector<std::thread> threads;
  for (std::uint64_t k = 0; k < 3; ++k) threads.emplace_back(work, 30 + k, std::ref(agree[k]));
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(agree[0] && agree[1] && agree[2]);
}

TEST(packed_inputs, are_steady_by_the_tensor_that_is_fed) {
  Tape tape(f32);
  const auto x = tape.parameter(Random(7).tensor({f32, {2, 20}}, -1, 1));
  const auto table = tape.input(Random(8).tensor({f32, {33, 20}}, -1, 1));
  const auto turned = transpose(table);
  const auto product = matmul(x, turned);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({product}).steady({table}).lower();
  EXPECT_EQ(count_in(plan.program(), "packed 0"), 1u) << plan.program();
  const auto parameters = network.parameters();
  const auto fed = Random(9).tensor({f32, {33, 20}}, -1, 1);
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(bits_agree(plan.forward(parameters).of(product), network.forward(parameters).of(product)));
    for (int again = 0; again < 2; ++again)
      ASSERT_TRUE(bits_agree(plan.forward(parameters, {{table, fed}}).of(product),
                             network.forward(parameters, {{table, fed}}).of(product)));
  }
}

TEST(steady, is_refused_for_what_no_run_is_given) {
  const Dense dense;
  const auto refusal = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::pair(error.kind(), std::string(error.what()));
    }
    return std::pair(ErrorKind::type, std::string("nothing was thrown"));
  };
  const auto [kind, text] = refusal([&] { dense.network->entry({dense.bent}).steady({dense.product}); });
  EXPECT_EQ(kind, ErrorKind::argument);
  EXPECT_NE(text.find("BoundEntry::steady"), std::string::npos) << text;
  EXPECT_NE(text.find("MatMul"), std::string::npos) << text;
  Entry entry{.roots = {dense.bent}};
  entry.steady = {dense.turned};
  EXPECT_EQ(refusal([&] { dense.network->bind(entry).lower(); }).first, ErrorKind::argument);
  const Dense other;
  EXPECT_EQ(refusal([&] { dense.network->entry({dense.bent}).steady({other.w}); }).first, ErrorKind::family);
}

}  // namespace
}  // namespace topos::test
