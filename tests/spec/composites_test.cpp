// Composites that move and contract: split, flip, outer, one_hot, einsum, attention.
#include <gtest/gtest.h>

#include "support/edges.h"
#include "support/error.h"
#include "support/sequence.h"

namespace topos::test {
namespace {

using In = std::vector<Value>;

TEST(Moves, record_their_nodes) {
  EXPECT_EQ(sequence_of({{f32, {6, 2}}}, [](const In& in) { return split(in[0], 2, 0); }),
            "Narrow axis=0 start=0 len=3, Narrow axis=0 start=3 len=3");
  EXPECT_EQ(sequence_of({{f32, {2, 6}}}, [](const In& in) { return split_sizes(in[0], {1, 0, 5}, -1); }),
            "Narrow axis=1 start=0 len=1, Narrow axis=1 start=1 len=0, Narrow axis=1 start=1 len=5");
  EXPECT_EQ(sequence_of({{f32, {3, 2}}}, [](const In& in) { return flip(in[0], 0); }),
            "Iota axis=0, Leaf, Sub, Gather");
  EXPECT_EQ(sequence_of({{f32, {3, 2, 4}}}, [](const In& in) { return flip(in[0], -1); }),
            "Permute order=[2, 1, 0], Iota axis=0, Leaf, Sub, Gather, Permute order=[2, 1, 0]");
  EXPECT_EQ(sequence_of({{f32, {3}}, {f32, {2}}}, [](const In& in) { return outer(in[0], in[1]); }),
            "BroadcastAlong axis=1 extent=2, BroadcastAlong axis=0 extent=3, Mul");
  EXPECT_EQ(sequence_of({{i64, {3}}}, [](const In& in) { return one_hot(in[0], 4); }),
            "Iota axis=0, Gather, BroadcastAlong axis=1 extent=4, Iota axis=1, Compare direction=EQ, Convert "
            "element=f32");
}

class Moves : public testing::TestWithParam<ElementType> {
 protected:
  Tensor make(std::initializer_list<double> values, const Shape& shape) const {
    return reshape(row(values, GetParam()), shape);
  }
};
INSTANTIATE_TEST_SUITE_P(Elements, Moves, testing::Values(f32, f64, bf16, i64),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Moves, turn_and_cut_and_multiply) {
  const auto x = make({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return flip(in[0], 0); }, {x}), make({4, 5, 6, 1, 2, 3}, {2, 3})));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return flip(in[0], 1); }, {x}), make({3, 2, 1, 6, 5, 4}, {2, 3})));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return split(in[0], 3, 1)[1]; }, {x}), make({2, 5}, {2, 1})));
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return split_sizes(in[0], {1, 2}, 1)[1]; }, {x}),
                         make({2, 3, 5, 6}, {2, 2})));
  EXPECT_TRUE(
      bits_agree(value_of([](const In& in) { return outer(in[0], in[1]); }, {make({1, 2}, {2}), make({3, 0, -1}, {3})}),
                 make({3, 0, -1, 6, 0, -2}, {2, 3})));
  const auto element = GetParam();
  EXPECT_TRUE(bits_agree(value_of([=](const In& in) { return one_hot(in[0], 3, element); },
                                  {Tensor::from({2, 1}, std::vector<std::int64_t>{2, 0})}),
                         make({0, 0, 1, 1, 0, 0}, {2, 1, 3})));
  const auto none = Tensor::full({GetParam(), {0, 2}}, 1);
  EXPECT_EQ(value_of([](const In& in) { return flip(in[0], 0); }, {none}).shape(), (Shape{0, 2}));
  EXPECT_EQ(value_of([](const In& in) { return flip(in[0], 1); }, {none}).shape(), (Shape{0, 2}));
}

TEST(Moves, carry_cotangents_back) {
  const auto x = row({1, 2, 3});
  EXPECT_TRUE(bits_agree(cotangents_of([](const In& in) { return flip(in[0], 0); }, {x}, row({10, 20, 30}))[0],
                         row({30, 20, 10})));
  const auto g = cotangents_of([](const In& in) { return outer(in[0], in[1]); }, {row({1, 2}), row({3, 5})},
                               reshape(row({1, 1, 1, 10}), {2, 2}));
  EXPECT_TRUE(bits_agree(g[0], row({8, 53})));
  EXPECT_TRUE(bits_agree(g[1], row({3, 21})));
}

TEST(Moves, one_hot_refuses_an_index_out_of_range_at_the_run) {
  for (const double wrong : {3.0, -1.0})
    EXPECT_TRUE(throws([&] { value_of([](const In& in) { return one_hot(in[0], 3); }, {row({0, wrong}, i64)}); },
                       {ErrorKind::index, "Gather", {}, {"3"}}));
  EXPECT_EQ(value_of([](const In& in) { return one_hot(in[0], 2, boolean); }, {row({1}, i64)}).text(),
            "[[false, true]]");
}

TEST(Moves, refuse_what_does_not_fit) {
  Tape tape;
  const auto x = tape.input(Tensor::full({f32, {2, 6}}, 0));
  const auto scalar = tape.input(1.0);
  const auto size = tape.size();
  const auto refused = [](const char* name, std::vector<std::string> words, int line) {
    return Misuse{ErrorKind::type, name, {}, std::move(words), static_cast<std::uint32_t>(line)};
  };
  EXPECT_TRUE(throws([&] { split(x, 4, 1); }, refused("split", {"axis 1", "f32[2, 6]", "4"}, __LINE__)));
  EXPECT_TRUE(throws([&] { split(x, 0, 1); }, refused("split", {"0"}, __LINE__)));
  EXPECT_TRUE(throws([&] { split(x, 1, 2); }, refused("split", {"axis 2 is outside"}, __LINE__)));
  EXPECT_TRUE(throws([&] { split_sizes(x, {2, 3}, 1); }, refused("split_sizes", {"[2, 3]"}, __LINE__)));
  EXPECT_TRUE(throws([&] { split_sizes(x, {7, -1}, 1); }, refused("split_sizes", {"[7, -1]"}, __LINE__)));
  EXPECT_TRUE(throws([&] { flip(scalar, 0); }, refused("flip", {"f32[]"}, __LINE__)));
  EXPECT_TRUE(throws([&] { outer(x, x); }, refused("outer", {"f32[2, 6]", "vectors"}, __LINE__)));
  EXPECT_TRUE(throws([&] { one_hot(x, 2); }, refused("one_hot", {"f32[2, 6]", "i64"}, __LINE__)));
  EXPECT_EQ(tape.size(), size);
}

/// The sum over all labels by plain loops, for labels a to e.
Tensor plain_einsum(const std::string& a, const std::string& b, const std::string& out, const Tensor& x,
                    const Tensor& y) {
  std::map<char, Extent> extents;
  for (std::size_t i = 0; i < a.size(); ++i) extents[a[i]] = x.shape()[i];
  for (std::size_t i = 0; i < b.size(); ++i) extents[b[i]] = y.shape()[i];
  auto shape = Shape::zeros(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) shape[i] = extents[out[i]];
  std::vector<double> total(static_cast<std::size_t>(shape.volume()), 0.0);
  std::map<char, Extent> at;
  const auto place = [&](const std::string& term) {
    Extent index = 0;
    for (const char label : term) index = index * extents[label] + at[label];
    return static_cast<std::size_t>(index);
  };
  Extent combinations = 1;
  for (const auto& [label, extent] : extents) combinations *= extent;
  const auto xs = x.values<double>();
  const auto ys = y.values<double>();
  for (Extent i = 0; i < combinations; ++i) {
    auto rest = i;
    for (const auto& [label, extent] : extents) {
      at[label] = rest % extent;
      rest /= extent;
    }
    total[place(out)] += xs[place(a)] * ys[place(b)];
  }
  return Tensor::from(shape, total, f64);
}

TEST(Einsum, sums_products_over_labels) {
  Random random(23);
  const std::map<char, Extent> extents{{'a', 2}, {'b', 3}, {'c', 4}, {'d', 1}, {'e', 5}};
  const auto shape_of = [&](const std::string& term) {
    auto shape = Shape::zeros(term.size());
    for (std::size_t i = 0; i < term.size(); ++i) shape[i] = extents.at(term[i]);
    return shape;
  };
  struct Case {
    const char *a, *b, *out;
  };
  for (const auto& [a, b, out] : std::vector<Case>{{"abc", "ace", "abe"},
                                                   {"ab", "bc", "ac"},
                                                   {"ab", "bc", "ca"},
                                                   {"ba", "cb", "ac"},
                                                   {"ab", "ab", ""},
                                                   {"ab", "ab", "ab"},
                                                   {"ab", "ab", "ba"},
                                                   {"a", "b", "ab"},
                                                   {"a", "b", "ba"},
                                                   {"abc", "de", "b"},
                                                   {"abc", "cb", "a"},
                                                   {"", "ab", "ba"},
                                                   {"", "", ""},
                                                   {"abcde", "ebd", "dac"},
                                                   {"acb", "eab", "bae"}}) {
    const std::string text = std::string(a) + "," + b + "->" + out;
    SCOPED_TRACE(text);
    const auto whole = [&](const Shape& shape) {  // whole numbers: every order of adding gives the same bits
      std::vector<double> numbers;
      for (Extent i = 0; i < shape.volume(); ++i) numbers.push_back(static_cast<double>(random.below(9)) - 4);
      return Tensor::from(shape, numbers, f64);
    };
    const auto x = whole(shape_of(a));
    const auto y = whole(shape_of(b));
    const auto got = value_of([&](const In& in) { return einsum(text, in[0], in[1]); }, {x, y});
    EXPECT_TRUE(bits_agree(got + full_like(got, 0.0), plain_einsum(a, b, out, x, y)));
  }
}

TEST(Einsum, without_an_arrow_keeps_labels_of_one_operand_in_order) {
  const auto x = Tensor::full({f64, {2, 3}}, 1);
  const auto y = Tensor::full({f64, {3, 4}}, 2);
  EXPECT_TRUE(bits_agree(value_of([](const In& in) { return einsum("zb, ba", in[0], in[1]); }, {x, y}),
                         Tensor::full({f64, {4, 2}}, 6)));
  EXPECT_EQ(sequence_of({{f32, {5, 2, 3}}, {f32, {5, 3, 4}}},
                        [](const In& in) { return einsum("bij,bjk->bik", in[0], in[1]); }),
            "MatMul");
  EXPECT_EQ(
      sequence_of({{f32, {2, 3, 4}}, {f32, {5, 4}}}, [](const In& in) { return einsum("ijk,lk->li", in[0], in[1]); }),
      "SumAlong axis=1, Permute order=[1, 0], MatMul, Permute order=[1, 0]");
  EXPECT_EQ(sequence_of({{f32, {2, 3, 4}}, {f32, {3, 4, 5}}},
                        [](const In& in) { return einsum("ijk,jkl->il", in[0], in[1]); }),
            "Reshape shape=[2, 12], Reshape shape=[12, 5], MatMul");
}

TEST(Einsum, differentiates_like_a_product) {
  const auto g = cotangents_of([](const In& in) { return einsum("ij,jk->ki", in[0], in[1]); },
                               {reshape(row({1, 2, 3, 4}), {2, 2}), reshape(row({5, 6, 7, 8}), {2, 2})},
                               reshape(row({1, 0, 0, 10}), {2, 2}));
  EXPECT_TRUE(bits_agree(g[0], reshape(row({5, 7, 60, 80}), {2, 2})));
  EXPECT_TRUE(bits_agree(g[1], reshape(row({1, 30, 2, 40}), {2, 2})));
}

TEST(Einsum, says_what_is_wrong) {
  Tape tape;
  const auto a = tape.input(Tensor::full({f32, {2, 3}}, 0));
  const auto b = tape.input(Tensor::full({f32, {4, 3}}, 0));
  const auto size = tape.size();
  const auto spelled = [&](const char* text, std::vector<std::string> words) {
    return throws([&] { einsum(text, a, b); }, {ErrorKind::argument, "einsum", {}, std::move(words), __LINE__});
  };
  EXPECT_TRUE(spelled("ij", {"two operands"}));
  EXPECT_TRUE(spelled("ij->ij", {"two operands"}));
  EXPECT_TRUE(spelled("ij,kj->iq", {"label q", "result alone"}));
  EXPECT_TRUE(spelled("ii,kj->k", {"label i twice in ii"}));
  EXPECT_TRUE(spelled("ij,kj->ii", {"label i twice in ii"}));
  EXPECT_TRUE(spelled("i1,kj->i", {"\"1\"", "no label"}));
  EXPECT_TRUE(spelled("ij,kj,k->i", {"\",\""}));
  EXPECT_TRUE(spelled("ij-kj,->i", {"no label"}));
  EXPECT_TRUE(throws([&] { einsum("ijk,kj->i", a, b); },
                     {ErrorKind::type, "einsum", {"f32[2, 3]", "f32[4, 3]"}, {"ijk", "rank"}, __LINE__}));
  EXPECT_TRUE(throws([&] { einsum("ij,ik->jk", a, b); },
                     {ErrorKind::type, "einsum", {"f32[2, 3]", "f32[4, 3]"}, {"label i", "2", "4"}, __LINE__}));
  EXPECT_EQ(tape.size(), size);
}

}  // namespace
}  // namespace topos::test
