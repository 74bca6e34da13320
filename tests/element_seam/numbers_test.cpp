// Numbers of 1 to 16 bytes, rich and poor: sources, printing, movement, choice, conversions, derivatives.
#include "element_seam/numbers.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "support/program.h"

namespace seam {

topos::ElementType fixed_of_second_unit();
topos::Tensor tensor_of_second_unit();
topos::ElementType fixed_of_shared_library();
topos::Tensor tensor_of_shared_library();

}  // namespace seam

namespace topos::test {
namespace {

template <class T>
class Numbers : public testing::Test {};
using AllNumbers = testing::Types<seam::Score, seam::Fixed, seam::Float24, seam::Audited, seam::Jet, seam::Pair>;
TYPED_TEST_SUITE(Numbers, AllNumbers);

/// -3, -2, ... in an element.
template <class T>
Tensor counted(const Shape& shape) {
  std::vector<double> numbers;
  for (Extent i = 0; i < shape.volume(); ++i) numbers.push_back(static_cast<double>(i - 3));
  return Tensor::from(shape, numbers, element_of<T>());
}

/// A network's outputs by the interpreter, which a plan must give too.
void expect_plan(Network network, const std::vector<Symbol>& outputs) {
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto plan = network.entry(outputs).lower();
  for (int again = 0; again < 2; ++again) {
    const auto planned = plan.forward(parameters);
    for (const auto output : outputs)
      EXPECT_TRUE(bits_agree(planned.of(output), run.of(output))) << network.node(output).text();
  }
}

TYPED_TEST(Numbers, literals_and_printing_read_back) {
  using T = TypeParam;
  const auto element = element_of<T>();
  EXPECT_EQ(element.size(), sizeof(T));
  EXPECT_EQ(element.name(), ElementTraits<T>::name);
  Tape tape(element);
  const auto w = tape.parameter({{1.0, 2.0, 3.0}});
  const auto x = tape.input(4.0);
  const auto c = tape.leaf(Tensor::from<T>({2}, {ElementTraits<T>::from_double(5), ElementTraits<T>::from_double(6)}));
  EXPECT_EQ(w.element(), element);
  EXPECT_EQ(tape.payload(w)->text(), "[[" + ElementTraits<T>::print(ElementTraits<T>::from_double(1)) + ", " +
                                         ElementTraits<T>::print(ElementTraits<T>::from_double(2)) + ", " +
                                         ElementTraits<T>::print(ElementTraits<T>::from_double(3)) + "]]");
  EXPECT_EQ(tape.payload(x)->item(), 4);
  const auto scalar = tape.payload(x)->template scalar<T>();
  EXPECT_EQ(ElementTraits<T>::to_double(scalar), 4);
  EXPECT_EQ(convert(*tape.payload(c), f64).text(), "[5, 6]");
  std::ostringstream shown;
  shown << Tensor::full({element, {}}, 1);
  EXPECT_EQ(shown.str(), ElementTraits<T>::print(ElementTraits<T>::from_double(1)));
}

TYPED_TEST(Numbers, a_node_of_another_tape_shows_its_type) {
  Tape tape;
  tape.input(Tensor::full({element_of<TypeParam>(), {3}}, 1));
  EXPECT_NE(tape.describe().find(std::string(element_of<TypeParam>().name()) + "[3]"), std::string::npos)
      << tape.describe();
  Tape own(element_of<TypeParam>());
  own.input({1, 2, 3});
  EXPECT_EQ(own.describe().find(element_of<TypeParam>().name()), std::string::npos) << own.describe();
}

TYPED_TEST(Numbers, movement_places_whole_numbers) {
  using T = TypeParam;
  Tape tape(element_of<T>());
  std::vector<Symbol> all;
  const auto keep = [&](const Value& value) {
    all.push_back(value);
    return value;
  };
  const auto x = tape.parameter(counted<T>({3, 4}));
  const auto turned = keep(permute(x, {1, 0}));
  const auto window = keep(narrow(turned, 0, 1, 2));
  const auto padded = keep(pad(window, 1, 1, 5));
  keep(reshape(padded, {10}));
  keep(reshape(turned, {2, 6}));
  keep(concat({padded, padded}, 0));
  const auto windows = keep(unfold(x, 1, 2, 1, 2));
  keep(fold(windows, 1, 2, 1, 2, 4));
  keep(broadcast_along(x, 1, 3));
  keep(broadcast(narrow(reshape(x, {12}), 0, 3, 1), {2, 2}));
  const auto places = tape.input({2, 0, 2}, i64);
  const auto rows = keep(gather(x, places));
  keep(scatter(rows, places, 4));
  const auto flags = tape.input(
      Tensor::from<bool>({3, 4}, {true, false, true, false, true, true, false, false, true, false, false, true}));
  keep(select(flags, x, broadcast_along(narrow(reshape(x, {12}), 0, 2, 4), 0, 3)));
  keep(stop_gradient(x));
  expect_plan(std::move(tape).into_network(), all);
}

TYPED_TEST(Numbers, feeds_are_read_as_they_come) {
  using T = TypeParam;
  const auto element = element_of<T>();
  Tape tape(element);
  const auto x = tape.input(0.0);
  const auto y = tape.input(counted<T>({3, 2}));
  const auto spread = broadcast(x, {3, 2});
  const auto flags = tape.input(Tensor::from<bool>({3, 2}, {true, false, false, true, true, false}));
  const Symbol out = select(flags, spread, y), fed = x, matrix = y;
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto plan = network.entry({out}).lower();
  const auto turned = permute(counted<T>({2, 3}), {1, 0});
  const auto same = Tensor::full({element, {3, 2}}, 2);
  for (const auto& payload : {turned, same, counted<T>({3, 2})}) {
    const auto one = Tensor::from<T>({}, {ElementTraits<T>::from_double(5)});
    const auto expected = network.forward(parameters, {{fed, 5}, {matrix, payload}}).of(out);
    EXPECT_TRUE(bits_agree(plan.forward(parameters, {{fed, 5}, {matrix, payload}}).of(out), expected));
    EXPECT_TRUE(bits_agree(plan.forward(parameters, {{fed, one}, {matrix, payload}}).of(out), expected));
  }
  EXPECT_TRUE(throws([&] { plan.forward(parameters, {{fed, Tensor::full({f32, {}}, 1)}}); },
                     {.kind = ErrorKind::feed, .words = {"f32", std::string(element.name())}}));
}

TYPED_TEST(Numbers, conversions_go_through_a_double) {
  using T = TypeParam;
  const auto element = element_of<T>();
  for (const auto other : {f32, f64, bf16, i64}) {
    const auto numbers = Tensor::from<double>({5}, {-3, -1, 0, 2, 7}, other);
    const auto there = convert(numbers, element);
    EXPECT_EQ(there.element(), element);
    EXPECT_TRUE(bits_agree(convert(there, other), numbers)) << other.name();
    Tape tape(element);
    const auto x = tape.input(numbers);
    const auto moved = convert(x, element);
    const auto back = convert(moved, other);
    expect_plan(std::move(tape).into_network(), {moved, back});
  }
  EXPECT_EQ(convert(counted<T>({5}), boolean).text(), "[true, true, true, false, true]");
  EXPECT_EQ(convert(Tensor::from<bool>({2}, {true, false}), element).text(),
            Tensor::from<double>({2}, {1, 0}, element).text());
}

/// sum over w of x(w)^2 w-wise, trained or at least differentiated by every route.
template <class T>
void expect_one_gradient() {
  Tape tape(element_of<T>());
  const auto w = tape.parameter(counted<T>({2, 3}));
  const auto x = tape.input(counted<T>({3, 2}));
  const auto product = matmul(w, x);
  const auto square = product * product;
  const auto loss = sum(square);
  const auto adjoints = tape.differentiate(loss, {w, x});
  const Symbol target = loss;
  const auto network = std::move(tape).into_network();
  const auto parameters = network.parameters();
  const auto run = network.forward(parameters);
  const auto field = run.backward(target);
  const auto plan = network.entry(adjoints.roots()).lower().forward(parameters);
  const auto posture = network.entry({target}).backward().lower().forward(parameters).backward(target);
  for (const auto& [wrt, gradient] : adjoints.pairs()) {
    EXPECT_TRUE(bits_agree(run.of(gradient), field.of(wrt)));
    EXPECT_TRUE(bits_agree(plan.of(gradient), field.of(wrt)));
    EXPECT_TRUE(bits_agree(posture.of(wrt), field.of(wrt)));
  }
}

TEST(NumberDerivatives, engine_recorded_gradient_and_plans_agree) {
  expect_one_gradient<seam::Fixed>();
  expect_one_gradient<seam::Float24>();
  expect_one_gradient<seam::Audited>();
  expect_one_gradient<seam::Jet>();
  expect_one_gradient<seam::Pair>();
}

TEST(NumberOrder, is_the_numbers_own) {
  const auto score = element_of<seam::Score>();
  const auto x = Tensor::from<double>({5}, {3, -2, 7, -2, 0}, score);
  // Downwards: the largest is the least.
  EXPECT_EQ(max_along(x, 0).text(), "#-2");
  EXPECT_EQ(argmax_along(x, 0).text(), "1");
  EXPECT_EQ(compare(x, full_like(x, 0), Direction::gt).text(), "[false, true, false, true, false]");
  EXPECT_EQ(sign(x).text(), "[#-1, #1, #-1, #1, #0]");
  const auto none = Tensor::full({score, {}}, std::numeric_limits<double>::quiet_NaN());
  const auto one = Tensor::full({score, {}}, 1);
  EXPECT_EQ(none.text(), "none");
  EXPECT_EQ(maximum(none, one).text(), "none");
  EXPECT_EQ(minimum(one, none).text(), "none");
  EXPECT_EQ(compare(none, none, Direction::eq).text(), "false");
  EXPECT_EQ(compare(none, none, Direction::ne).text(), "true");
  EXPECT_EQ(compare(none, one, Direction::le).text(), "false");
  const auto with_none = Tensor::from<double>({3}, {1, std::numeric_limits<double>::quiet_NaN(), -5}, score);
  EXPECT_EQ(max_along(with_none, 0).text(), "none");
  EXPECT_EQ(argmax_along(with_none, 0).text(), "1");
  Tape tape(score);
  const auto a = tape.input(x), b = tape.input(Tensor::from<double>({5}, {0, -2, 8, 1, -1}, score));
  const auto larger = maximum(a, b);
  const auto smaller = minimum(a, b);
  const auto peak = max_along(larger, 0);
  const auto place = argmax_along(smaller, 0);
  const auto less = compare(a, b, Direction::lt);
  const auto total = sum(a);
  expect_plan(std::move(tape).into_network(), {larger, smaller, peak, place, less, total});
}

TEST(NumberUnits, one_element_in_every_unit_and_shared_library) {
  const auto fixed = element_of<seam::Fixed>();
  EXPECT_EQ(seam::fixed_of_second_unit(), fixed);
  EXPECT_EQ(seam::fixed_of_shared_library(), fixed);
  const auto known = known_elements();
  EXPECT_EQ(std::count(known.begin(), known.end(), fixed), 1);
  const auto here = Tensor::from<double>({2}, {1, -0.5}, fixed);
  EXPECT_TRUE(bits_agree(seam::tensor_of_second_unit(), here));
  EXPECT_TRUE(bits_agree(seam::tensor_of_shared_library(), here));
  EXPECT_EQ((seam::tensor_of_second_unit() + seam::tensor_of_shared_library()).text(), "[2, -1]");
}

}  // namespace
}  // namespace topos::test
