// Tests of the client against the server that compiles: what it computes, what it refuses, what it keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "examples/support/names.h"
#include "examples/support/resident_process.h"
#include "examples/support/stablehlo_server.h"
#include "tests/support/bits.h"
#include "tests/support/emitted.h"

namespace examples {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using topos::Tensor;
using topos::test::bits_agree;
using Argument = ResidentProcess::Argument;
using Drop = ResidentProcess::Drop;
using GivenUp = ResidentProcess::GivenUp;
using Result = ResidentProcess::Result;
using SendBack = ResidentProcess::SendBack;
using Slot = ResidentProcess::Slot;

/// weights - input, which the weights may be overwritten by, and their product: exact for small integers.
std::string module_text() {
  auto [network, weights, input, difference, product] = topos::Tape::record([](topos::Tape& tape) {
    const auto weights = tape.parameter(Tensor::from({2}, {1.0F, 2.0F}));
    const auto input = tape.input(Tensor::from({2}, {0.0F, 0.0F}));
    const auto difference = weights - input;
    const auto product = weights * input;
    return std::tuple(weights, input, difference, product);
  });
  return topos::test::emitted(network.entry({difference, product}).replaces(weights, difference).lower());
}

/// One process for all: none of the tests may keep it from going on.
class resident_server : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      process_ = std::make_unique<ResidentProcess>(stablehlo_server(""));
    } catch (const MissingData& error) {
      missing_ = error.what();
    }
  }
  static void TearDownTestSuite() {
    if (process_) process_->quit();
    process_.reset();
  }
  void SetUp() override {
    if (!process_) GTEST_SKIP() << missing_;
    program_ = process_->load(module_text());
    process_->put(Slot{1}, weights_);
  }
  void TearDown() override {
    if (!process_) return;
    const std::vector<Argument> arguments{weights_, input_};
    const auto results = run(arguments, {SendBack{}, SendBack{}});
    ASSERT_EQ(results.size(), 2U);
    EXPECT_TRUE(bits_agree(results[0], Tensor::from({2}, {6.0F, 5.0F})));
    EXPECT_TRUE(bits_agree(results[1], Tensor::from({2}, {7.0F, 24.0F})));
  }

  std::vector<Tensor> run(const std::vector<Argument>& arguments, const std::vector<Result>& results) {
    return process_->run(program_, arguments, results);
  }
  template <class Call>
  static std::string refusal(Call&& call) {
    try {
      call();
    } catch (const ResidentError& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  const Tensor weights_ = Tensor::from({2}, {7.0F, 8.0F});
  const Tensor input_ = Tensor::from({2}, {1.0F, 3.0F});
  ResidentProcess::Program program_;
  static inline std::unique_ptr<ResidentProcess> process_;
  static inline std::string missing_;
};

TEST_F(resident_server, steps_what_it_keeps) {
  EXPECT_EQ(program_.arguments, 2U);
  EXPECT_EQ(program_.results, 2U);
  for (int step = 0; step < 3; ++step) run({GivenUp{Slot{1}}, input_}, {Slot{1}, Drop{}});
  EXPECT_TRUE(bits_agree(process_->get(Slot{1}), Tensor::from({2}, {4.0F, -1.0F})));
}

TEST_F(resident_server, keeps_every_element_bit_for_bit) {
  const std::vector<Tensor> tensors{
      Tensor::from({3}, {1.5F, -0.0F, 1e-40F}),
      Tensor::from({1, 2}, {1e-310, -1e300}),
      Tensor::from({2, 2}, {1.0, -0.5, 3.14, 0.0}, topos::bf16),
      Tensor::from({2}, {std::int64_t{-1}, std::int64_t{1} << 60}),
      Tensor::from({3}, {true, false, true}),
      Tensor::full({topos::f32, {0, 3}}, 1),
      Tensor::full({topos::boolean, {}}, true),
  };
  for (const auto& tensor : tensors) {
    process_->put(Slot{9}, tensor);
    EXPECT_TRUE(bits_agree(process_->get(Slot{9}), tensor)) << tensor.type().text();
  }
}

TEST_F(resident_server, a_slot_that_was_given_up_is_empty) {
  run({GivenUp{Slot{1}}, input_}, {Drop{}, Drop{}});
  EXPECT_THAT(refusal([&] { process_->get(Slot{1}); }), HasSubstr("slot 1"));
  EXPECT_THAT(refusal([&] { run({Slot{1}, input_}, {Drop{}, Drop{}}); }), HasSubstr("slot 1"));
}

TEST_F(resident_server, refuses_what_is_no_module) {
  EXPECT_THAT(refusal([&] { process_->load("module {"); }), HasSubstr("1:"));
  EXPECT_NE(refusal([&] { process_->load(""); }), "nothing was refused");
  EXPECT_NE(refusal([&] { process_->load("\xff\xfe"); }), "nothing was refused");
}

TEST_F(resident_server, refuses_arguments_that_do_not_fit) {
  EXPECT_THAT(refusal([&] { run({input_}, {Drop{}, Drop{}}); }), HasSubstr("1"));
  EXPECT_THAT(refusal([&] { run({weights_, Tensor::from({2}, {1.0, 2.0})}, {Drop{}, Drop{}}); }), HasSubstr("f64"));
  EXPECT_THAT(refusal([&] { run({weights_, Tensor::from({1}, {1.0F})}, {Drop{}, Drop{}}); }), HasSubstr("1"));
  EXPECT_THAT(refusal([&] { run({Slot{5}, input_}, {Drop{}, Drop{}}); }), HasSubstr("slot 5"));
  EXPECT_THAT(refusal([&] { run({GivenUp{Slot{1}}, Slot{1}}, {Drop{}, Drop{}}); }), HasSubstr("slot 1"));
}

TEST_F(resident_server, refuses_results_that_do_not_fit) {
  EXPECT_THAT(refusal([&] { run({weights_, input_}, {SendBack{}}); }), HasSubstr("1 result"));
  EXPECT_NE(refusal([&] { run({weights_, input_}, {Slot{4}, Slot{4}}); }), "nothing was refused");
}

TEST_F(resident_server, refuses_numbers_that_name_nothing) {
  EXPECT_THAT(refusal([&] { process_->run({99, 2, 2}, {}, {}); }), HasSubstr("99"));
  EXPECT_THAT(refusal([&] { process_->get(Slot{77}); }), HasSubstr("slot 77"));
  EXPECT_THAT(refusal([&] { process_->drop(Slot{77}); }), HasSubstr("slot 77"));
  EXPECT_THAT(refusal([&] { process_->drop(ResidentProcess::Program{99, 0, 0}); }), HasSubstr("99"));
  const auto other = process_->load(module_text());
  process_->drop(other);
  EXPECT_NE(refusal([&] { process_->run(other, {}, {}); }), "nothing was refused");
}

/// Sets a variable of the environment for as long as it lives; nothing unsets it.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value)
      setenv(name_, value->c_str(), 1);
    else
      unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

constexpr const char* evaluator = "TOPOS_STABLEHLO_EVALUATOR";

TEST(stablehlo_server, is_the_command_that_is_given) {
  const Variable variable(evaluator, "other");
  EXPECT_THAT(stablehlo_server("python3 'a b.py' --fast"), ElementsAre("python3", "a b.py", "--fast"));
}

TEST(stablehlo_server, is_the_evaluator_of_the_environment) {
  const Variable variable(evaluator, "python3 evaluate.py");
  EXPECT_THAT(stablehlo_server(""), ElementsAre("python3", "evaluate.py", "--resident", "--engine", "xla"));
}

TEST(stablehlo_server, is_what_setup_installed) {
  const Variable variable(evaluator, std::nullopt);
  const auto source = std::filesystem::path(testing::TempDir()) / "stablehlo_server";
  std::filesystem::remove_all(source);
  std::filesystem::create_directories(source / "build/conformance/venv/bin");
  std::filesystem::create_directories(source / "tools");
  std::ofstream(source / "tools/serve-stablehlo.py") << "\n";
  try {
    stablehlo_server("", source);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const MissingData& error) {
    EXPECT_THAT(error.what(), HasSubstr("venv/bin/python; run scripts/setup --conformance"));
  }
  const auto python = source / "build/conformance/venv/bin/python";
  std::ofstream(python) << "\n";
  EXPECT_THAT(stablehlo_server("", source),
              ElementsAre(python.string(), (source / "tools/serve-stablehlo.py").string(), "--engine", "xla"));
  std::filesystem::remove_all(source);
}

}  // namespace
}  // namespace examples
