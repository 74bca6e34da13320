// Owns the tests of sums, softmax and the largest at the lengths where their kernels change course, and of what their
// definitions promise: zeros behind a sum and masked places behind a row change nothing, nor does the batch.
#include "kernel/guarded.h"
#include "kernel/oracle.h"
#include "support/specials.h"

namespace topos::kernel {
namespace {

using test::infinity;

Tensor expected_of(Kind kind, const Tensor& x, const Shape& axes) {
  switch (kind) {
    case Kind::sum: return sum(x, axes);
    case Kind::softmax: return softmax(x, axes[0]);
    case Kind::log_softmax: return log_softmax(x, axes[0]);
    case Kind::logsumexp: return logsumexp(x, axes[0]);
    case Kind::max_along: return max_along(x, axes[0]);
    default: return argmax_along(x, axes[0]);
  }
}
Task task_along(Kind kind, const Tensor& x, const Shape& axes, const TensorType& result) {
  auto task = task_of(kind, {x}, result);
  task.axes = axes;
  return task;
}
/// The kernel's result of operands that lie between guarded pages, off any alignment but their own.
Tensor guarded(Kind kind, const Tensor& x, const Shape& axes, const TensorType& result, bool at_begin) {
  const auto dense = x.dense();
  const auto prepared = prepare(task_along(kind, dense, axes, result));
  if (prepared.run == nullptr) {
    ADD_FAILURE() << "no kernel of " << name_of(kind);
    return dense;
  }
  const auto at = at_begin ? Guarded::At::begin : Guarded::At::end;
  const Guarded operand(dense.type().bytes(), at), out(result.bytes(), at);
  const Bytes scratch(prepared.scratch_bytes);
  dense.copy_to(operand.get());
  const void* const places[max_operands] = {operand.get()};
  EXPECT_EQ(prepared.run(prepared.task, places, out.get(), scratch.get()), no_fault);
  return Tensor::copied(result, out.get());
}
void check(Kind kind, const Tensor& x, const Shape& axes) {
  const auto expected = expected_of(kind, x, axes);
  const auto what = std::string(name_of(kind)) + " over " + axes.text() + " of " + x.type().text();
  const auto task = task_along(kind, x, axes, expected.type());
  expect_same(run(task, {x}).result, expected, what);
}
void check_guarded(Kind kind, const Tensor& x, const Shape& axes) {
  const auto expected = expected_of(kind, x, axes);
  const auto what = std::string(name_of(kind)) + " of guarded " + x.type().text();
  for (const bool at_begin : {false, true})
    expect_same(guarded(kind, x, axes, expected.type(), at_begin), expected, what);
}
/// Numbers of very different size, so that another order of additions shows.
Tensor uneven(ElementType element, const Shape& shape, std::uint64_t seed) {
  const auto x = seeded(element, shape, seed, Contents::plain);
  if (element == i64) return x;
  return x * exp(seeded(element, shape, seed + 1, Contents::plain) * Tensor::full({element, shape}, 9));
}

constexpr Extent lengths[] = {1,   7,   8,    9,    31,   32,   33,   240,  255,  256,  257,  511,
                              512, 513, 1000, 1023, 1024, 1025, 1279, 1281, 2049, 3000, 4352, 70000};

TEST(reduction_kernels, rows_of_any_length_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const Extent n : lengths) {
      check(Kind::sum, uneven(element, {2, n}, 3), {1});
      check(Kind::sum, topos::narrow(uneven(element, {2, n + 1}, 4), 1, 1, n), {1});
      check(Kind::max_along, uneven(element, {2, n}, 5), {1});
      check(Kind::argmax_along, uneven(element, {2, n}, 6), {1});
      if (element == i64) continue;
      for (const auto kind : {Kind::softmax, Kind::log_softmax, Kind::logsumexp})
        check(kind, uneven(element, {2, n}, 7), {1});
    }
}

TEST(reduction_kernels, columns_of_any_width_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const Extent rows : {1, 3, 15, 16, 17, 33, 50, 64, 65, 130, 256, 257, 300, 1100})
      for (const Extent columns : {1, 2, 7, 8, 9, 16, 31, 127, 129, 300}) {
        if (rows > 300 && columns > 31) continue;
        check(Kind::sum, uneven(element, {rows, columns}, 3), {0});
        check(Kind::max_along, seeded(element, {rows, columns}, 5, Contents::edges), {0});
        check(Kind::argmax_along, seeded(element, {rows, columns}, 6, Contents::edges), {0});
        if (element == i64 || rows > 300) continue;
        for (const auto kind : {Kind::softmax, Kind::log_softmax, Kind::logsumexp})
          check(kind, uneven(element, {rows, columns}, 7), {0});
      }
  check(Kind::sum, uneven(f32, {40, 1100}, 8), {0});
  check(Kind::sum, uneven(f32, {600, 1100}, 8), {0});
}

TEST(reduction_kernels, middle_and_several_axes_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto& order : {Shape{0, 1, 2, 3}, Shape{3, 1, 0, 2}, Shape{2, 0, 3, 1}}) {
      const auto x = topos::permute(uneven(element, {6, 70, 9, 23}, 2), order);
      for (const auto& axes : {Shape{1}, Shape{0, 2}, Shape{0, 3}, Shape{1, 2}, Shape{1, 3}, Shape{0, 1, 2}})
        check(Kind::sum, x, axes);
      for (const Extent axis : {0, 1, 2, 3}) {
        check(Kind::max_along, x, {axis});
        check(Kind::argmax_along, x, {axis});
        if (element == f32 || element == bf16) check(Kind::softmax, x, {axis});
        if (element == f32) check(Kind::log_softmax, x, {axis});
      }
    }
  check(Kind::sum, uneven(f32, {5, 3, 2500}, 2), {0, 2});
}

TEST(reduction_kernels, sums_beyond_the_caches_reproduce_the_reference_bits) {
  for (const auto element : {f32, f64, bf16, i64}) {
    const Extent n = (Extent{4} << 20) / static_cast<Extent>(element.size());
    for (const Extent more : {-1, 0, 1, 300, 1100})
      check(Kind::sum, seeded(element, {n + more}, 3, Contents::plain), {0});
    check(Kind::sum, topos::narrow(seeded(element, {2, n + 700}, 3, Contents::plain), 1, 5, n + 690), {0, 1});
  }
}

TEST(reduction_kernels, nothing_outside_the_operands_is_touched) {
  for (const auto element : {f32, f64, bf16, i64})
    for (const Extent n : {1, 5, 13, 17, 40, 257, 1030})
      for (const auto kind :
           {Kind::sum, Kind::max_along, Kind::argmax_along, Kind::softmax, Kind::log_softmax, Kind::logsumexp}) {
        if (element == i64 && kind != Kind::sum && kind != Kind::max_along && kind != Kind::argmax_along) continue;
        check_guarded(kind, uneven(element, {3, n}, 1), {1});
        check_guarded(kind, uneven(element, {n, 13}, 1), {0});
        check_guarded(kind, uneven(element, {n, 37}, 1), {0});
      }
}

TEST(reduction_kernels, infinities_nan_and_zeros_anywhere_in_a_row_reproduce_the_reference) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent n : {9, 40, 100})
      for (const double number : {-0.0, 0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
        for (const Extent place : {Extent{0}, Extent{7}, n / 2, n - 1}) {
          for (const double others : {-0.0, -1.0}) {
            std::vector<double> numbers(static_cast<std::size_t>(n), others);
            numbers[static_cast<std::size_t>(place)] = number;
            const auto x = Tensor::from<double>({1, n}, numbers, element);
            for (const auto kind :
                 {Kind::sum, Kind::max_along, Kind::argmax_along, Kind::softmax, Kind::log_softmax, Kind::logsumexp}) {
              check(kind, x, {1});
              check(kind, transpose(topos::broadcast_along(Tensor::from<double>({n}, numbers, element), 0, 9)).dense(),
                    {0});
            }
          }
        }
}

/// A matrix with further columns of one number.
Tensor extended(const Tensor& x, Extent more, double number) {
  const auto behind = Tensor::full({x.element(), {x.shape()[0], more}}, number);
  const Tensor* const both[] = {&x, &behind};
  return concat(both, 1);
}
/// The first columns of a matrix.
Tensor first_columns(const Tensor& x, Extent n) { return topos::narrow(x, 1, 0, n).dense(); }
Tensor run_along(Kind kind, const Tensor& x, Extent axis) {
  const auto type = expected_of(kind, x, {axis}).type();
  return run(task_along(kind, x, {axis}, type), {x}).result;
}

TEST(reduction_kernels, zeros_behind_a_sum_change_no_bit) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent n : {5, 100, 256, 700, 1500})
      for (const Extent more : {1, 16, 300, 2000}) {
        const auto x = uneven(element, {3, n}, 11);
        const auto longer = extended(x, more, 0);
        expect_same(run_along(Kind::sum, longer, 1), run_along(Kind::sum, x, 1), "a sum with zeros behind it");
        expect_same(run_along(Kind::sum, transpose(longer).dense(), 0), run_along(Kind::sum, x, 1),
                    "the same of columns");
      }
}

TEST(reduction_kernels, masked_places_behind_a_row_change_no_bit_of_its_softmax) {
  for (const auto element : {f32, f64, bf16})
    for (const Extent n : {5, 100, 256, 700})
      for (const Extent more : {1, 16, 300}) {
        const auto x = uneven(element, {3, n}, 12);
        const auto masked = extended(x, more, -infinity);
        const auto expected = run_along(Kind::softmax, x, 1);
        expect_same(first_columns(run_along(Kind::softmax, masked, 1), n), expected, "a masked row");
        const auto columns = run_along(Kind::softmax, transpose(masked).dense(), 0);
        expect_same(first_columns(transpose(columns), n), expected, "a masked column");
      }
}

TEST(reduction_kernels, a_row_does_not_know_its_batch) {
  for (const auto kind : {Kind::sum, Kind::softmax, Kind::log_softmax, Kind::logsumexp})
    for (const Extent n : {10, 64, 300, 1100}) {
      const auto batch = uneven(f32, {9, n}, 13);
      const auto all = run_along(kind, batch, 1);
      for (Extent row = 0; row < 9; ++row) {
        const auto alone = topos::narrow(batch, 0, row, 1).dense();
        expect_same(run_along(kind, alone, 1), topos::narrow(all, 0, row, 1).dense(), "a row alone");
      }
    }
}

}  // namespace
}  // namespace topos::kernel
