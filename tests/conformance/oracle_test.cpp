// The oracle itself: what it foretells, what it leaves open, and what it would notice.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/emission.h"
#include "support/files.h"
#include "support/judged/case_file.h"
#include "support/judged/enclosure.h"
#include "support/judged/text_order.h"

namespace topos::test {
namespace {

Tensor vector_of(std::initializer_list<double> numbers, ElementType element = f32) {
  return Tensor::from({static_cast<Extent>(numbers.size())}, numbers, element);
}

/// Where the numbers of a function of one tensor may lie.
template <class F>
Answer enclosed_by(const Tensor& x, F f) {
  const auto enclosure = f(Enclosure::of(x));
  return {enclosure.value, enclosure.value, enclosure.center(), enclosure.radius()};
}

TEST(TextOrder, adds_from_left_to_right_and_rounds_each_product) {
  // 2^24 + 1 is not a float: from the left every 1 is lost, in lanes only two.
  std::vector<double> numbers(17, 1);
  numbers[0] = 0x1p24;
  const auto x = Tensor::from({17}, numbers, f32);
  EXPECT_EQ(sum(TextOrder{x}, {0}).value.item(), 0x1p24);
  EXPECT_EQ(sum(x, {0}).item(), 0x1p24 + 14);
  // (1 + e)^2 - 1 is 2 e + e^2 in a fused chain, 2 e where the product is rounded first.
  const auto near = 1 + 0x1p-12;
  const auto a = Tensor::from({1, 2}, {1.0, near}, f32), b = Tensor::from({2, 1}, {-1.0, near}, f32);
  EXPECT_EQ(convert(matmul(TextOrder{a}, TextOrder{b}).value, f64).values<double>()[0], 0x1p-11);
  EXPECT_EQ(convert(matmul(a, b), f64).values<double>()[0], 0x1p-11 + 0x1p-24);
}

TEST(Enclosures, of_arithmetic_hold_one_number_and_of_functions_a_few) {
  const auto x = vector_of({0.1, 3, -7.5});
  const auto product = enclosed_by(x, [](const Enclosure& t) { return t * t; });
  for (const double radius : product.radius.values<double>()) EXPECT_EQ(radius, 0);
  const auto wave = enclosed_by(x, [](const Enclosure& t) { return tanh(t); });
  const auto radii = wave.radius.values<double>();
  EXPECT_GT(radii[0], 0x1p-27);  // the unit in the last place of 0.1 is 2^-27
  EXPECT_LT(radii[0], 0x1p-23);
}

TEST(Enclosures, notice_a_wrong_number) {
  const auto x = vector_of({0.1, 0.7, -2});
  const auto sine = enclosed_by(x, [](const Enclosure& t) { return sin(t); });
  EXPECT_FALSE(outside(sin(x), sine));
  EXPECT_TRUE(outside(tanh(x), sine));
  EXPECT_TRUE(outside(sin(x) * (1 + 0x1p-20), sine));
  const auto total = enclosed_by(x, [](const Enclosure& t) { return sum(t, {0}); });
  EXPECT_TRUE(outside(sum(x, {0}) + 1e-6, total));
  EXPECT_FALSE(outside(sum(x, {0}) + 1e-7, total));
}

TEST(Enclosures, leave_open_what_engines_may_choose) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  const auto subnormal = vector_of({0x1p-140, 1});
  const auto itself = enclosed_by(subnormal, [](const Enclosure& t) { return t; });
  EXPECT_FALSE(outside(vector_of({0, 1}), itself));  // read as zero
  EXPECT_TRUE(outside(vector_of({0, 0}), itself));
  // A fed zero has a sign, a computed one none, so that one over it is either infinity.
  const auto zero = vector_of({0, -0.0});
  const auto over = [](const Enclosure& t) { return full_like(t, 1.0) / t; };
  EXPECT_EQ(enclosed_by(zero, over).radius.values<double>()[0], 0);
  const auto computed = enclosed_by(zero, [&](const Enclosure& t) { return over(t + t); });
  EXPECT_EQ(computed.radius.values<double>()[0], infinity);
  // Neighbours apart by less than the error of a function: which is larger is open.
  const auto close = vector_of({0.5, 0.5 + 0x1p-24});
  const auto place = enclosed_by(close, [](const Enclosure& t) { return argmax_along(exp(t), 0); });
  EXPECT_EQ(place.radius.item(), infinity);
  const auto clear = enclosed_by(vector_of({0.5, 0.6}), [](const Enclosure& t) { return argmax_along(exp(t), 0); });
  EXPECT_EQ(clear.radius.item(), 0);
}

/// Names another folder for modules while it lives.
class ModulesIn {
 public:
  explicit ModulesIn(const std::string& folder) {
    if (const char* before = std::getenv("TOPOS_MODULES")) before_ = before;
    ::setenv("TOPOS_MODULES", folder.c_str(), 1);
  }
  ~ModulesIn() {
    if (before_)
      ::setenv("TOPOS_MODULES", before_->c_str(), 1);
    else
      ::unsetenv("TOPOS_MODULES");
  }

 private:
  std::optional<std::string> before_;
};

TEST(Emitted, leaves_a_module_once_with_its_answers) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "topos_emitted_once";
  std::filesystem::remove_all(folder);
  auto [network, out] = Tape::record(f32, [](Tape& tape) {
    const auto x = tape.input(Tensor::full({f32, {2, 3}}, 0));
    return erf(x);
  });
  const auto plan = network.entry({out}).lower();
  const ModulesIn there(folder.string());
  const auto text = emitted(plan, {}, {"sample", "an \"error\" function"});
  EXPECT_NE(text.find("chlo.erf"), std::string::npos);
  const auto path = folder / content_name(text);
  const auto written = bytes_of(path.string() + ".case");
  EXPECT_EQ(bytes_of(path.string() + ".mlir"), text);
  EXPECT_NE(written.find(R"("title": "an \"error\" function")"), std::string::npos);
  EXPECT_NE(written.find(R"("sets": ["recorded", "specials"])"), std::string::npos);
  EXPECT_NE(written.find(R"("unpredictable": ["Erf over f32"])"), std::string::npos);
  // A frame is 16 bytes and what they count; a set here is an argument and four tensors of 6 numbers, two of f64.
  std::uint64_t length = 0;
  std::memcpy(&length, written.data() + 8, sizeof length);
  EXPECT_EQ(written.size(), 16 + length + 2 * (16 + 5 * (8 + 2 * 8) + 3 * 24 + 2 * 48));
  // This and the one for StableHLO 1.0.0, no temporary files.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 4);
  write_whole(path.string() + ".case", "kept");
  emitted(plan, {}, {"sample", "again"});
  EXPECT_EQ(bytes_of(path.string() + ".case"), "kept");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace topos::test
