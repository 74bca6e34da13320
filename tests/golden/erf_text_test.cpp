// erf as it is written for a version of StableHLO: the lines, carried out one by one, against the element's own erf.
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/lowering.h"

namespace topos::test {
namespace {

/// Carries out lines over one argument: each operation rounds once, as a reference interpreter of StableHLO does.
class Lines {
 public:
  explicit Lines(const Tensor& argument) : shape_(argument.shape()) { values_.emplace("%arg0", argument); }

  Tensor run(const std::string& body) {
    std::istringstream stream(body);
    std::string name;
    for (std::string line; std::getline(stream, line);) {
      static constexpr std::string_view mark = " = stablehlo.";
      const auto at = line.find(mark);
      name = line.substr(0, at);
      const auto rest = line.substr(at + mark.size());
      const auto gap = rest.find(' ');
      const auto colon = rest.rfind(" : ");
      values_.insert_or_assign(name,
                               value(rest.substr(0, gap), rest.substr(gap + 1, colon - gap - 1), rest.substr(colon)));
    }
    return values_.at(name);
  }

 private:
  Tensor value(const std::string& operation, const std::string& text, const std::string& types) const {
    const auto element = types.ends_with("xf64>") ? f64 : types.ends_with("xbf16>") ? bf16 : f32;
    if (operation == "constant") return Tensor::full({element, shape_}, std::stod(text.substr(6)));
    std::vector<const Tensor*> in;
    std::istringstream words(text);
    for (std::string word; std::getline(words >> std::ws, word, ',');)
      if (word.starts_with('%')) in.push_back(&values_.at(word));
    if (operation == "convert") return convert(*in.at(0), element);
    if (operation == "abs") return abs(*in.at(0));
    if (operation == "sign") return sign(*in.at(0));
    if (operation == "exponential") return exp(*in.at(0));
    if (operation == "minimum") return minimum(*in.at(0), *in.at(1));
    if (operation == "add") return *in.at(0) + *in.at(1);
    if (operation == "subtract") return *in.at(0) - *in.at(1);
    if (operation == "multiply") return *in.at(0) * *in.at(1);
    if (operation == "compare") return compare(*in.at(0), *in.at(1), Direction::lt);
    if (operation == "select") return select(*in.at(0), *in.at(1), *in.at(2));
    ADD_FAILURE() << "an operation that erf is not made of: " << operation;
    return *in.at(0);
  }

  Shape shape_;
  std::map<std::string, Tensor> values_;
};

Tensor written_erf(const Tensor& x) {
  return Lines(x).run(of_one(x.shape(), [](const Value& v) { return erf(v); }, x.element(), {.target = "1.0.0"}));
}

/// Points of both signs over every magnitude that matters, close to the seam at 1 and to where erf rounds to 1.
Tensor points(ElementType element) {
  std::vector<double> all;
  for (int k = 0; k < 6000; ++k) all.push_back(std::ldexp(1.0 + (k * 37 % 1000) / 1000.0, k % 40 - 37));
  for (int k = 0; k < 20000; ++k) all.push_back(6.5 * k / 20000);
  for (int k = -500; k < 500; ++k) all.push_back(1.0 + std::ldexp(k, -23));
  for (std::size_t k = 0, n = all.size(); k < n; k += 2) all[k] = -all[k];
  return Tensor::from({static_cast<Extent>(all.size())}, all, element);
}

template <class T, class Bits>
Bits largest_distance(const Tensor& a, const Tensor& b) {
  const auto x = a.values<T>();
  const auto y = b.values<T>();
  Bits largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto left = std::bit_cast<Bits>(x[i]), right = std::bit_cast<Bits>(y[i]);  // of one sign, or far apart
    largest = std::max(largest, left > right ? left - right : right - left);
  }
  return largest;
}

TEST(ErfText, is_within_two_units_in_the_last_place) {
  // The arithmetic's own error is 1.3 units where exp is correctly rounded; one more is the reference's and the
  // count's.
  const auto single = points(f32);
  EXPECT_LE((largest_distance<float, std::uint32_t>(written_erf(single), erf(single))), 2u);
  const auto wide = points(f64);
  EXPECT_LE((largest_distance<double, std::uint64_t>(written_erf(wide), erf(wide))), 2u);
  // Rounded from f32 once: the neighbour of the nearest at most.
  const auto narrow = points(bf16);
  const auto exact = erf(narrow);
  const auto written = written_erf(narrow);
  EXPECT_LE((largest_distance<float, std::uint32_t>(convert(written, f32), convert(exact, f32))), 1u << 16);
}

TEST(ErfText, keeps_the_edges) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto element : {f32, f64, bf16}) {
    const auto x = Tensor::from(
        {7}, {0.0, -0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 7.0, -1e38}, element);
    EXPECT_TRUE(bits_agree(written_erf(x), erf(x))) << written_erf(x);
  }
  // Subnormal numbers keep their sign and lose no more than a unit.
  const auto tiny = Tensor::from({4}, {0x1p-149F, -0x1p-149F, 0x1.8p-130F, -0x1p-127F});
  EXPECT_LE((largest_distance<float, std::uint32_t>(written_erf(tiny), erf(tiny))), 1u);
}

}  // namespace
}  // namespace topos::test
