// A plan's bits do not depend on the number of threads, nor on who else runs it at the time.
#include <thread>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/models.h"
#include "topos/kernel/partition.h"
#include "topos/kernel/threads.h"

namespace topos::test {
namespace {

/// Even the smallest step is shared between threads.
class PlanThreads : public testing::TestWithParam<ElementType> {
 protected:
  PlanThreads() : before_(threads()) { kernel::set_least_part(1e-3); }
  ~PlanThreads() override {
    set_threads(before_);
    kernel::set_least_part(kernel::usual_least_part);
  }

 private:
  int before_;
};
INSTANTIATE_TEST_SUITE_P(Floats, PlanThreads, testing::Values(f32, f64, bf16),
                         [](const auto& info) { return std::string(info.param.name()); });

void expect_oracle(const Plan& plan, const Run& run, const Run& oracle, const std::string& what) {
  for (const auto symbol : plan.results())
    ASSERT_TRUE(bits_agree(run.of(symbol), oracle.of(symbol))) << what << "\n" << plan.program();
}

TEST_P(PlanThreads, do_not_reach_the_bits) {
  for (const auto& sample : model_samples()) {
    SCOPED_TRACE(case_name(sample, GetParam()));
    const auto program = build(sample, GetParam(), 1);
    const auto parameters = program.network.parameters();
    const auto oracle = program.network.forward(parameters);
    for (const int lowered : {1, 2, 3, 4}) {
      set_threads(lowered);
      const auto plan = program.network.entry(program.roots()).lower();
      for (const int count : {lowered, 1, 2, 4}) {
        set_threads(count);
        auto run = plan.forward(parameters);
        expect_oracle(plan, run, oracle, std::to_string(count));
        plan.forward_into(run, parameters);
        expect_oracle(plan, run, oracle, "again");
      }
    }
  }
}

TEST_P(PlanThreads, serve_callers_at_once) {
  set_threads(3);
  const auto program = build(model_samples().front(), GetParam(), 1);
  const auto parameters = program.network.parameters();
  const auto oracle = program.network.forward(parameters);
  const auto plan = program.network.entry(program.roots()).lower();
  std::atomic<int> differing{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 3; ++c)
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto run = plan.forward(parameters);
        for (const auto symbol : plan.results()) differing += !bits_agree(run.of(symbol), oracle.of(symbol));
      }
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(differing.load(), 0);
}

TEST_P(PlanThreads, name_the_index_that_is_out_of_range) {
  set_threads(3);
  Tape tape(GetParam());
  const auto table = tape.parameter(Tensor::full({GetParam(), {5, 8}}, 1));
  const auto rows = tape.input(Tensor::full({i64, {40}}, 0));
  const auto picked = gather(table, rows);
  const auto network = std::move(tape).into_network();
  const auto plan = network.entry({picked}).lower();
  std::vector<std::int64_t> indices(40, 2);
  indices[29] = 5;
  indices[33] = -1;
  try {
    plan.forward(network.parameters(), {{rows.symbol(), Tensor::from({40}, indices)}});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::index);
    EXPECT_NE(error.text().find("index 5 at place 29 is outside the 5 rows"), std::string::npos) << error.text();
  }
}

}  // namespace
}  // namespace topos::test
