// Shapes of gradients, empty and rank-0 reductions, rows by index, and what an error says.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/emitted.h"
#include "support/error.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

Tensor shaped(std::initializer_list<double> values, const Shape& shape, ElementType element = f32) {
  return reshape(row(values, element), shape);
}

TEST(Traps, S04_rows_that_no_index_names) {
  const auto indices = Tensor::from({2}, std::vector<std::int64_t>{1, 0});
  for (const auto element : {f32, f64, bf16}) {
    const auto add_rows = [](const In& in) {
      const auto used = narrow(in[0], 0, 0, 2);
      const auto added = scatter(used, in[2], 2);
      return in[1] + added;
    };
    const std::vector<Tensor> in{row({5, 7, 9}, element), row({1, 2}, element), indices};
    EXPECT_TRUE(bits_agree(value_of(add_rows, in), row({8, 7}, element)));
    const auto g = cotangents_of(add_rows, in, row({1, 10}, element));
    EXPECT_TRUE(bits_agree(g[0], row({10, 1, 0}, element)));
    EXPECT_TRUE(bits_agree(g[1], row({1, 10}, element)));
  }
  // Without the cut the two lengths clash at the line that records.
  Tape tape;
  const auto rows = tape.input({5, 7, 9}, f32);
  const auto places = tape.input(indices);
  EXPECT_TRUE(
      throws([&] { scatter(rows, places, 2); }, {ErrorKind::type, "Scatter", {"f32[3]", "i64[2]"}, {}, __LINE__}));
}

TEST(Traps, S05_an_index_out_of_range_is_never_clamped) {
  std::vector<double> numbers;
  for (int i = 0; i < 256; ++i) numbers.push_back(i);
  const auto table = Tensor::from({256}, numbers, f32);
  const auto pick = [](const In& in) { return gather(in[0], in[1]); };
  EXPECT_TRUE(bits_agree(value_of(pick, {table, row({0, 255}, i64)}), row({0, 255})));
  for (const double wrong : {256.0, 65535.0, -1.0}) {
    const auto indices = row({0, wrong, 255}, i64);
    const std::string text = std::to_string(static_cast<std::int64_t>(wrong));
    Tape tape;
    const auto operand = tape.input(table);
    const auto places = tape.input(row({0, 1, 255}, i64));
    const Symbol place = places;
    const auto picked = gather(operand, places);
    const auto network = std::move(tape).into_network();
    const auto parameters = network.parameters();
    const auto plan = network.entry({picked.symbol()}).lower();
    const Misuse wanted{ErrorKind::index, "Gather", {}, {text, "256"}};
    EXPECT_TRUE(throws([&] { network.forward(parameters, {{place, indices}}); }, wanted)) << "interpreter";
    EXPECT_TRUE(throws([&] { plan.forward(parameters, {{place, indices}}); }, wanted)) << "plan";
    EXPECT_TRUE(throws([&] { gather(table, indices); }, wanted)) << "the algebra of tensors";
    EXPECT_NE(emitted(plan).find("clamped"), std::string::npos);
  }
}

TEST(Traps, S06_the_gradient_of_a_broadcast_operand_has_its_shape) {
  struct Case {
    Shape from, to;
  };
  for (const auto element : {f32, f64, bf16})
    for (const auto& [from, to] : std::vector<Case>{{{1, 4}, {3, 4}},
                                                    {{4}, {3, 4}},
                                                    {{3, 1}, {3, 4}},
                                                    {{1, 1}, {3, 4}},
                                                    {{}, {3, 4}},
                                                    {{2, 1, 4}, {2, 3, 4}},
                                                    {{1, 3, 1}, {2, 3, 4}},
                                                    {{3, 4}, {3, 4}}}) {
      const auto f = [&to = to](const In& in) {
        const auto spread = broadcast_to(in[1], to);
        return in[0] + spread;
      };
      const auto g = cotangents_of(f, {Tensor::full({element, to}, 1), Tensor::full({element, from}, 1)},
                                   Tensor::full({element, to}, 1));
      const auto times = static_cast<double>(to.volume() / from.volume());
      EXPECT_TRUE(bits_agree(g[1], Tensor::full({element, from}, times))) << from.text();
      EXPECT_TRUE(bits_agree(g[0], Tensor::full({element, to}, 1)));
    }
}

TEST(Traps, S07_a_scalar_beside_a_vector_has_a_scalar_gradient) {
  for (const auto element : {f32, f64, bf16})
    for (const auto& f : std::vector<ValueFunction>{[](const In& in) {
                                                      const auto spread = broadcast_like(in[1], in[0]);
                                                      return in[0] * spread;
                                                    },
                                                    [](const In& in) {
                                                      const auto spread = broadcast_to(in[1], in[0].shape());
                                                      return in[0] * spread;
                                                    }}) {
      const auto g = cotangents_of(f, {row({1, 1}, element), Tensor::full({element, {}}, 0)}, row({1, 1}, element));
      EXPECT_TRUE(bits_agree(g[1], Tensor::full({element, {}}, 2)));
      EXPECT_TRUE(bits_agree(g[0], row({0, 0}, element)));
    }
}

TEST(Traps, S10_a_mean_over_axes_goes_back_where_it_came_from) {
  for (const auto element : {f32, f64, bf16}) {
    const auto x = Tensor::full({element, {2, 3, 4}}, 1);
    const auto over = [](const Shape& axes) { return [axes](const In& in) { return mean(in[0], axes); }; };
    // Distinct upstream values: a misplaced axis would move them. Twelve and eight are exact divisors of these.
    const auto rows = cotangents_of(over({1, 2}), {x}, row({12, 24}, element))[0];
    EXPECT_TRUE(bits_agree(narrow(rows, 0, 0, 1), Tensor::full({element, {1, 3, 4}}, 1)));
    EXPECT_TRUE(bits_agree(narrow(rows, 0, 1, 1), Tensor::full({element, {1, 3, 4}}, 2)));
    const auto columns = cotangents_of(over({2, 0}), {x}, row({8, 16, 32}, element))[0];
    for (Extent i = 0; i < 3; ++i)
      EXPECT_TRUE(bits_agree(narrow(columns, 1, i, 1), Tensor::full({element, {2, 1, 4}}, 1 << i)));
    const auto middle = cotangents_of(over({1}), {x}, shaped({3, 6, 9, 12, 15, 18, 21, 24}, {2, 4}, element))[0];
    for (Extent i = 0; i < 3; ++i)
      EXPECT_TRUE(bits_agree(narrow(middle, 1, i, 1), shaped({1, 2, 3, 4, 5, 6, 7, 8}, {2, 1, 4}, element)));
  }
}

TEST(Traps, S11_a_maximum_beside_an_empty_axis) {
  for (const auto element : {f32, f64, bf16, i64}) {
    const auto x = Tensor::full({element, {0, 4}}, 1);
    EXPECT_EQ(value_of([](const In& in) { return max_along(in[0], 1); }, {x}).type(), (TensorType{element, {0}}));
    EXPECT_EQ(value_of([](const In& in) { return max(in[0], {1}); }, {x}).type(), (TensorType{element, {0}}));
    EXPECT_EQ(value_of([](const In& in) { return argmax_along(in[0], 1); }, {x}).type(), (TensorType{i64, {0}}));
    EXPECT_TRUE(
        bits_agree(value_of([](const In& in) { return sum(in[0], {0}); }, {x}), Tensor::full({element, {4}}, 0)));
    Tape tape;
    const auto value = tape.input(x);
    EXPECT_TRUE(throws([&] { max_along(value, 0); },
                       {ErrorKind::type, "MaxAlong (C3)", {x.type().text()}, {"empty along axis 0"}, __LINE__}));
    EXPECT_TRUE(throws([&] { max_along(x, 0); }, {ErrorKind::type, "MaxAlong"}));
  }
}

TEST(Traps, S12_a_maximum_of_nothing_is_an_error) {
  Tape tape;
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0}, Shape{2, 0, 2}}) {
      const auto x = tape.input(Tensor::full({element, shape}, 1));
      const auto size = tape.size();
      EXPECT_TRUE(throws([&] { max(x); }, {ErrorKind::type, "MaxAlong", {}, {"there is no maximum"}, __LINE__}));
      EXPECT_TRUE(throws([&] { min(x); }, {ErrorKind::type, "MaxAlong", {}, {}, __LINE__}));
      EXPECT_EQ(tape.size(), size);
    }
}

TEST(Traps, S13_the_mean_of_nothing) {
  for (const auto element : {f32, f64, bf16}) {
    const auto x = Tensor::full({element, {2, 0, 4}}, 1);
    EXPECT_TRUE(bits_agree(value_of([](const In& in) { return mean(in[0]); }, {x}), Tensor::full({element, {}}, nan)));
    EXPECT_TRUE(
        bits_agree(value_of([](const In& in) { return mean(in[0], {1}); }, {x}), Tensor::full({element, {2, 4}}, nan)));
    EXPECT_TRUE(bits_agree(value_of([](const In& in) { return sum(in[0]); }, {x}), Tensor::full({element, {}}, 0)));
    EXPECT_EQ(cotangents_of([](const In& in) { return mean(in[0]); }, {x}, Tensor::full({element, {}}, 1))[0].type(),
              x.type());
  }
}

TEST(Traps, S14_the_sum_over_an_empty_axis_is_zero) {
  for (const auto element : {f32, f64, bf16, i64}) {
    const auto x = Tensor::full({element, {2, 2, 0, 3}}, 1);
    EXPECT_TRUE(bits_agree(value_of([](const In& in) { return sum(in[0], {2}, keepdims); }, {x}),
                           Tensor::full({element, {2, 2, 1, 3}}, 0)));
    EXPECT_TRUE(bits_agree(value_of([](const In& in) { return sum(in[0], {2, 0}, keepdims); }, {x}),
                           Tensor::full({element, {1, 2, 1, 3}}, 0)));
  }
}

TEST(Traps, S16_reductions_of_rank_0_and_over_no_axes) {
  for (const auto element : {f32, f64, bf16}) {
    const auto scalar = Tensor::full({element, {}}, 3.5);
    const auto matrix = shaped({1, 2, 3, 4}, {2, 2}, element);
    for (const auto& f :
         std::vector<ValueFunction>{[](const In& in) { return max(in[0]); }, [](const In& in) { return min(in[0]); },
                                    [](const In& in) { return sum(in[0]); }, [](const In& in) { return mean(in[0]); },
                                    [](const In& in) {
                                      const auto total = sum(in[0]);
                                      return max(total);
                                    }}) {
      EXPECT_TRUE(bits_agree(value_of(f, {scalar}), scalar));
      EXPECT_TRUE(
          bits_agree(cotangents_of(f, {scalar}, Tensor::full({element, {}}, 2))[0], Tensor::full({element, {}}, 2)));
    }
    for (const auto& f : std::vector<ValueFunction>{
             [](const In& in) { return max(in[0], {}); }, [](const In& in) { return min(in[0], {}); },
             [](const In& in) { return sum(in[0], {}); }, [](const In& in) { return mean(in[0], {}); },
             [](const In& in) { return norm(in[0], {}, 1); }})
      EXPECT_TRUE(bits_agree(value_of(f, {matrix}), matrix));
  }
  Tape tape;
  const auto scalar = tape.input(3.5);
  const std::vector<std::string> words{"axis 1", "f32[]"};
  EXPECT_TRUE(throws([&] { max(scalar, {1}); }, {ErrorKind::type, "max", {"f32[]"}, words, __LINE__}));
  EXPECT_TRUE(throws([&] { sum(scalar, {1}); }, {ErrorKind::type, "Sum", {"f32[]"}, words, __LINE__}));
  EXPECT_TRUE(throws([&] { max_along(scalar, 1); }, {ErrorKind::type, "MaxAlong", {"f32[]"}, words, __LINE__}));
  EXPECT_TRUE(throws([&] { softmax(scalar, 1); }, {ErrorKind::type, "Softmax", {"f32[]"}, words, __LINE__}));
}

TEST(Traps, S17_a_product_that_does_not_fit_says_why) {
  Tape tape;
  const auto a = tape.input(Tensor::full({f32, {1, 2}}, 0));
  const auto vector = tape.input(Tensor::full({f32, {3}}, 0));
  const auto b = tape.input(Tensor::full({f32, {3, 4}}, 0));
  const auto wide = tape.input(Tensor::full({f64, {2, 4}}, 0));
  const auto size = tape.size();
  const std::vector<std::string> types{"f32[1, 2]", "f32[3]"}, others{"f32[1, 2]", "f32[3, 4]"};
  const std::vector<std::string> rank{"MatMul", "f32[1, 2]", "f32[3]", "rank, at least 2", "shapes_test.cpp:"};
  const std::vector<std::string> inner{"inner extents 2 and 3 differ", "shapes_test.cpp:"};
  EXPECT_TRUE(throws([&] { matmul(a, vector); }, {ErrorKind::type, "MatMul (C3)", types, rank, __LINE__}));
  EXPECT_TRUE(throws([&] { matmul(a, b); }, {ErrorKind::type, "MatMul (C2)", others, inner, __LINE__}));
  EXPECT_TRUE(throws([&] { matmul(a, wide); },
                     {ErrorKind::type, "MatMul (C1)", {"f32[1, 2]", "f64[2, 4]"}, {"elements"}, __LINE__}));
  EXPECT_EQ(tape.size(), size);
}

}  // namespace
}  // namespace topos::test
