// Every opcode by its samples, over every element of floats: forward, with gradients, and some of second order.
#include <set>

#include "conformance/emission.h"
#include "support/judged/case_file.h"
#include "support/models.h"

namespace topos::test {
namespace {

/// Views make no difference to a module but a line of movement: those of f32 stand for the others'.
bool is_repetition(const std::string& name) {
  for (const std::string_view form : {" permuted", " narrowed", " by column", " in long rows"})
    if (name.ends_with(form)) return true;
  return false;
}

TEST(Opcodes, every_sample_over_every_float) {
  const auto& samples = opcode_samples();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool repetition = is_repetition(samples[i].name);
    emit_sample(samples[i], f32, "sample", 0);
    if (!repetition || samples[i].name.ends_with(" permuted")) emit_sample(samples[i], f32, "sample", 1);
    if (repetition) continue;
    // Of the others every second sample forward, its neighbour backward.
    emit_sample(samples[i], f64, "sample", i % 2 == 0 ? 0 : 1);
    emit_sample(samples[i], bf16, "sample", i % 2 == 0 ? 1 : 0);
  }
}

TEST(Opcodes, a_third_of_the_samples_to_second_order) {
  const auto& samples = opcode_samples();
  for (std::size_t i = 0; i < samples.size(); i += 3)
    if (!is_repetition(samples[i].name) && build(samples[i], f32, 0).wrt.size() > 0)
      emit_sample(samples[i], f32, "sample", 2);
}

TEST(Opcodes, every_composite) {
  for (const auto element : {f32, f64, bf16})
    for (const auto& sample : composite_samples())
      for (const int order : {0, 1}) emit_sample(sample, element, "composite", order);
  for (const auto& sample : composite_samples()) emit_sample(sample, f32, "composite", 2);
}

/// Elementwise functions over a square of special numbers: every pair of them.
template <class F>
void emit_elementwise(const std::string& name, ElementType element, int operands, F f) {
  constexpr Extent side = 37;
  Tape tape(element);
  std::vector<Value> in;
  for (int k = 0; k < operands; ++k)
    in.push_back(tape.input(Tensor::full({element, operands == 1 ? Shape{side} : Shape{side, side}}, 0)));
  const Symbol out = f(in);
  const auto network = std::move(tape).into_network();
  const auto title = name + " over special numbers of " + std::string(element.name());
  EXPECT_TRUE(agrees_with_itself(network.entry({out}).lower(), {"sample", title}));
}

using Values = std::vector<Value>;

TEST(Specials, of_one_number) {
  for (const auto element : {f32, f64, bf16}) {
    const auto emit = [&](const char* name, auto f) {
      emit_elementwise(name, element, 1, [f](const Values& in) { return f(in[0]); });
    };
    emit("Neg", [](const Value& x) { return -x; });
    emit("Abs", [](const Value& x) { return abs(x); });
    emit("Sign", [](const Value& x) { return sign(x); });
    emit("Exp", [](const Value& x) { return exp(x); });
    emit("Expm1", [](const Value& x) { return expm1(x); });
    emit("Log", [](const Value& x) { return log(x); });
    emit("Log1p", [](const Value& x) { return log1p(x); });
    emit("Sqrt", [](const Value& x) { return sqrt(x); });
    emit("Rsqrt", [](const Value& x) { return rsqrt(x); });
    emit("Tanh", [](const Value& x) { return tanh(x); });
    emit("Sin", [](const Value& x) { return sin(x); });
    emit("Cos", [](const Value& x) { return cos(x); });
    emit("Erf", [](const Value& x) { return erf(x); });
    emit("ErfDerivative", [](const Value& x) { return erf_derivative(x); });
    emit("Logistic", [](const Value& x) { return logistic(x); });
    emit("Softplus", [](const Value& x) { return softplus(x); });
    emit("MaxAlong", [](const Value& x) { return max_along(reshape(x, {1, 37}), 1); });
    emit("ArgMaxAlong", [](const Value& x) { return argmax_along(x, 0); });
    for (const auto to : {f32, f64, bf16, i64, boolean})
      emit(("Convert to " + std::string(to.name()) + " from").c_str(), [to](const Value& x) { return convert(x, to); });
  }
}

TEST(Specials, of_two_numbers) {
  for (const auto element : {f32, f64, bf16}) {
    const auto emit = [&](const std::string& name, auto f) {
      emit_elementwise(name, element, 2, [f](const Values& in) { return f(in[0], in[1]); });
    };
    emit("Add", [](const Value& a, const Value& b) { return a + b; });
    emit("Sub", [](const Value& a, const Value& b) { return a - b; });
    emit("Mul", [](const Value& a, const Value& b) { return a * b; });
    emit("Div", [](const Value& a, const Value& b) { return a / b; });
    emit("Power", [](const Value& a, const Value& b) { return power(a, b); });
    emit("Maximum", [](const Value& a, const Value& b) { return maximum(a, b); });
    emit("Minimum", [](const Value& a, const Value& b) { return minimum(a, b); });
    for (const auto direction :
         {Direction::eq, Direction::ne, Direction::lt, Direction::le, Direction::gt, Direction::ge}) {
      const auto word = std::string(name_of(direction));
      emit("Compare " + word, [=](const Value& a, const Value& b) { return compare(a, b, direction); });
      emit("Select by " + word, [=](const Value& a, const Value& b) {
        const auto test = compare(a, b, direction);
        return select(test, a, b);
      });
    }
    emit("MaxAlong of differences", [](const Value& a, const Value& b) {
      const auto difference = a - b;
      return max_along(difference, 1);
    });
    emit("ArgMaxAlong of products", [](const Value& a, const Value& b) {
      const auto product = a * b;
      return argmax_along(product, 0);
    });
  }
}

/// Two chained operations show what an engine rounds or flushes in between.
TEST(Specials, of_chains) {
  for (const auto element : {f32, f64, bf16}) {
    const auto emit = [&](const std::string& name, auto f) {
      emit_elementwise(name, element, 2, [f](const Values& in) { return f(in[0], in[1]); });
    };
    emit("(a + b) - b", [](const Value& a, const Value& b) {
      const auto total = a + b;
      return total - b;
    });
    emit("a * b + a", [](const Value& a, const Value& b) {
      const auto product = a * b;
      return product + a;
    });
    emit("a / 3 * b", [](const Value& a, const Value& b) {
      const auto third = a / 3.0;
      return third * b;
    });
    emit("log(exp(a)) / exp(b)", [](const Value& a, const Value& b) {
      const auto power = exp(a);
      const auto back = log(power);
      const auto divisor = exp(b);
      return back / divisor;
    });
    emit("a / sqrt(b)", [](const Value& a, const Value& b) {
      const auto root = sqrt(b);
      return a / root;
    });
    emit("0 + a * b", [](const Value& a, const Value& b) {
      const auto product = a * b;
      const auto zero = full_like(a, 0.0);
      return zero + product;
    });
  }
}

/// A plan of everything that the opcodes can be, so that a judge can tell what it never saw.
TEST(Catalog, names_every_opcode_and_every_composition) {
  std::vector<std::string> opcodes, raises;
  for (const auto name : opcode_names()) opcodes.emplace_back(name);
  for (int kind = 0; kind <= static_cast<int>(PatternKind::reduce_window_gradient); ++kind)
    raises.push_back(snake_name(static_cast<PatternKind>(kind)));
  EXPECT_EQ(std::set<std::string>(opcodes.begin(), opcodes.end()).size(), std::variant_size_v<Op>);
  EXPECT_EQ(raises.front(), "window_product");
  EXPECT_EQ(raises.size(), 7u);
  if (const auto folder = modules_folder())
    write_whole(*folder + "/catalog.json",
                "{\"opcodes\": " + json_list(opcodes) + ", \"raises\": " + json_list(raises) + "}\n");
}

}  // namespace
}  // namespace topos::test
