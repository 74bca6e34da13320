// Owns the tests of softmax and its logarithms where their exponentials change course: at whole vectors and blocks, for
// numbers near the largest one and far below it, and over a sample of all exponents that the fast attempt takes.
#include <bit>

#include "kernel/guarded.h"
#include "kernel/oracle.h"
#include "support/specials.h"

namespace topos::kernel {
namespace {

constexpr Kind kinds[] = {Kind::softmax, Kind::log_softmax, Kind::logsumexp};
using test::infinity;
using test::nan;

Tensor expected_of(Kind kind, const Tensor& x, Extent axis) {
  if (kind == Kind::softmax) return softmax(x, axis);
  return kind == Kind::log_softmax ? log_softmax(x, axis) : logsumexp(x, axis);
}
void check(Kind kind, const Tensor& x, Extent axis) {
  const auto expected = expected_of(kind, x, axis);
  auto task = task_of(kind, {x}, expected.type());
  task.axes = {axis};
  expect_same(run(task, {x}).result, expected, std::string(name_of(kind)) + " along " + std::to_string(axis));
}
/// Numbers from -scale to scale.
Tensor spread(ElementType element, const Shape& shape, double scale, std::uint64_t seed) {
  return seeded(element, shape, seed, Contents::plain) * Tensor::full({element, shape}, scale);
}

TEST(softmax_kernels, lengths_around_vectors_and_blocks_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent n : {1,   2,   3,   4,   5,   7,    8,    9,    15,   16,   17,   33,   63,   64,   65,
                           127, 129, 255, 256, 257, 259,  263,  264,  271,  272,  273,  383,  511,  520,  527,
                           640, 767, 769, 775, 777, 1000, 1023, 1024, 1025, 1031, 1039, 1040, 1041, 1290, 2063})
      for (const auto kind : kinds) {
        check(kind, spread(element, {3, n}, 10, 1), 1);
        check(kind, topos::narrow(spread(element, {2, n + 1}, 25, 2), 1, 1, n), 1);
        if (n < 300) check(kind, transpose(spread(element, {9, n}, 10, 3)), 0);
      }
}

TEST(softmax_kernels, every_exponent_reproduces_the_reference_bits) {
  constexpr std::uint32_t first = 0x80000000, last = 0xC2D20000, step = 1021;  // -0 to -105
  constexpr Extent n = 4096;
  std::vector<float> numbers;
  for (std::uint32_t bits = first; bits < last; bits += step) {
    if (numbers.size() % n == 0) numbers.push_back(0);
    numbers.push_back(std::bit_cast<float>(bits));
  }
  numbers.resize((numbers.size() + n - 1) / n * n, -1.0f);
  const auto x = Tensor::from<float>({static_cast<Extent>(numbers.size()) / n, n}, numbers);
  check(Kind::softmax, x, 1);
}

TEST(softmax_kernels, exponents_that_a_smaller_margin_rounds_wrongly_reproduce_the_reference_bits) {
  constexpr std::uint32_t hard[] = {0xbd01153e, 0xbd08dfb4, 0xbd0bf215, 0xbd0d3c07, 0xbd35980b, 0xbd395385, 0xbe5fe982,
                                    0xbe9b4a7d, 0xbd5560c6, 0xbd5bccd3, 0xbd5dac18, 0xbd7cf30b, 0xc13ee1ec, 0xbfe4d967,
                                    0xc07c6464, 0xbd5ab14c, 0xbd5ada4e, 0xbe7a22d6, 0xbf6e4dc0, 0xbd4d202f, 0xbd4e406d,
                                    0xbd4ee08d, 0xbd5209d5, 0xbd5db3e1, 0xbd5dc113, 0xbd7b5448, 0xbe12ca9d, 0xbe1abb96,
                                    0xbe617681, 0xbe618119, 0xbe637ac9, 0xbe6db582, 0xbec82f5e, 0xbef7d990, 0xbef7e651,
                                    0xbfc378c5, 0xc00e1c6e, 0xc034b50d};
  for (const auto bits : hard) {
    std::vector<float> numbers(40, std::bit_cast<float>(bits));
    numbers[0] = 0;
    check(Kind::softmax, Tensor::from<float>({1, 40}, numbers), 1);
  }
}

TEST(softmax_kernels, a_number_far_below_or_none_anywhere_reproduces_the_reference) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent n : {9, 40, 260, 1100})
      for (const double number : {-64.0, -65.0, -87.5, -100.0, -103.9, -104.5, -200.0, -1e30, -infinity, infinity, nan})
        for (const Extent place : {Extent{0}, Extent{5}, n / 2, n - 1}) {
          std::vector<double> numbers(static_cast<std::size_t>(n), -0.5);
          numbers[static_cast<std::size_t>(n / 3)] = 0;
          numbers[static_cast<std::size_t>(place)] = number;
          for (const auto kind : kinds) check(kind, Tensor::from<double>({1, n}, numbers, element), 1);
        }
}

TEST(softmax_kernels, quotients_close_to_a_tie_reproduce_the_reference_bits) {
  // One over the sum is as close to a tie as it gets: the sum of two rounded parts of the inverse rounds wrongly.
  constexpr std::uint32_t hard[][8] = {
      {0x00000000, 0xbe19f336, 0xbfed468a, 0xbd7ea150, 0xbf317baf, 0xbfd1d1b6, 0xbfe5481a, 0xbff1c11e},
      {0x00000000, 0xc0127d06, 0xbf9bbb20, 0xbff244f1, 0xbf3d2d12, 0xbea92d9c, 0xbeff6491, 0xbf6a082b},
      {0x00000000, 0xc002446b, 0xbf7400e4, 0xbf2cd34d, 0xc00f87d3, 0xbcb50ae0, 0xc01b7c7c, 0xbe850395},
      {0x00000000, 0xc00a714b, 0xc009b88d, 0xbfa7cea4, 0xbe7b7908, 0xbf051c1d, 0xbf9f2ad1, 0xbe60c360},
      {0x00000000, 0xbef3b321, 0xbf854189, 0xc00b390c, 0xbf91d164, 0xc01c4c3c, 0xbf898186, 0xbf3c0bf8},
      {0x00000000, 0xbfd85af9, 0xbf6b82cd, 0xbcdb3cb0, 0xbf3a7af7, 0xc00e35c4, 0xbf0919a8, 0xbfa9059a},
      {0x00000000, 0xc018649c, 0xbfae7e6e, 0xbfc63726, 0xbf276665, 0xbea4830a, 0xbf5f2726, 0xbf1d229a}};
  for (const auto& row : hard)
    for (const Extent n : {8, 40}) {
      std::vector<float> numbers(static_cast<std::size_t>(n), -60.0f);  // which the sum does not see
      for (std::size_t i = 0; i < 8; ++i) numbers[i] = std::bit_cast<float>(row[i]);
      check(Kind::softmax, Tensor::from<float>({1, n}, numbers), 1);
    }
}

TEST(softmax_kernels, small_rows_beside_each_other_reproduce_the_reference_bits) {
  // Rows go through each pass together: one is far from its largest number, one has a NaN, one is all -inf.
  constexpr Extent rows = 19, n = 130;
  std::vector<double> numbers;
  for (Extent row = 0; row < rows; ++row)
    for (Extent i = 0; i < n; ++i) {
      auto number = static_cast<double>((i * 131 + row * 7) % 97) * -0.11;
      if (row % 5 == 2 && i % 9 == 4) number = -80.0 - static_cast<double>(i) * 0.2;
      if (row % 7 == 3 && i == 50) number = nan;
      if (row % 6 == 4) number = -infinity;
      if (row == 11 && i == 60) number = infinity;
      numbers.push_back(number);
    }
  for (const auto element : {f32, f64, bf16})
    for (const auto kind : kinds) {
      const auto x = Tensor::from<double>({rows, n}, numbers, element);
      check(kind, x, 1);
      check(kind, topos::narrow(x, 1, 1, n - 2), 1);
      check(kind, topos::reshape(x, {1, rows, n}), 2);
    }
}

TEST(softmax_kernels, a_column_does_not_see_its_neighbours) {
  constexpr Extent rows = 12, columns = 40;
  for (const auto element : {f32, f64, bf16}) {
    std::vector<double> numbers(rows * columns, -1.0);
    const double others[] = {nan, infinity, -infinity, -70.0, -300.0};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = -static_cast<double>(i * 37 % 29);
      if (i % 7 == 3) numbers[i] = others[i / 7 % 5];
    }
    for (const auto kind : kinds) check(kind, Tensor::from<double>({rows, columns}, numbers, element), 0);
  }
}

TEST(softmax_kernels, masked_rows_reproduce_the_reference) {
  for (const auto element : {f32, f64, bf16}) {
    constexpr Extent n = 600;
    std::vector<double> numbers;
    for (Extent row = 0; row < 20; ++row)
      for (Extent i = 0; i < n; ++i)
        numbers.push_back(i <= row * 31 ? static_cast<double>((i * 131 + row) % 97) * 0.1 : -infinity);
    for (const auto kind : kinds) check(kind, Tensor::from<double>({20, n}, numbers, element), 1);
  }
}

TEST(softmax_kernels, nothing_outside_a_row_is_touched) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent n : {3, 8, 13, 259, 263, 1029})
      for (const auto kind : kinds)
        for (const auto at : {Guarded::At::begin, Guarded::At::end}) {
          const auto x = spread(element, {2, n}, 15, 4).dense();
          const auto expected = expected_of(kind, x, 1);
          auto task = task_of(kind, {x}, expected.type());
          task.axes = {1};
          const auto prepared = prepare(task);
          const Guarded operand(x.type().bytes(), at), out(expected.type().bytes(), at),
              scratch((prepared.scratch_bytes + 63) / 64 * 64, at);
          x.copy_to(operand.get());
          const void* const places[max_operands] = {operand.get()};
          EXPECT_EQ(prepared.run(prepared.task, places, out.get(), scratch.get()), no_fault);
          expect_same(Tensor::copied(expected.type(), out.get()), expected, "a guarded row");
        }
}

}  // namespace
}  // namespace topos::kernel
