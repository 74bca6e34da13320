// The pool's promises, and tasks cut into parts: the bits of the whole task for any number of threads.
#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "support/sanitized.h"
#include "threads/divided.h"
#include "topos/base/float_environment.h"
#include "topos/kernel/parallel.h"

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace topos::kernel {
namespace {

template <class F>
void each_part(int parts, F&& f) {
  in_parallel(parts, [](void* job, int part) { (*static_cast<F*>(job))(part); }, &f);
}

TEST_F(Threads, every_part_is_done_once) {
  for (const int count : {1, 2, 3, 4, 9}) {
    set_threads(count);
    for (const int parts : {0, 1, 2, 3, 17, 400}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(parts));
      each_part(parts, [&](int part) { ++done[static_cast<std::size_t>(part)]; });
      for (const auto& times : done) ASSERT_EQ(times.load(), 1) << count << " threads, " << parts << " parts";
    }
  }
}

TEST_F(Threads, parts_run_on_several_threads_at_once) {
  set_threads(2);
  std::atomic<int> arrived{0};
  std::array<std::thread::id, 2> ids;
  each_part(2, [&](int part) {  // neither returns before the other has begun
    ids[static_cast<std::size_t>(part)] = std::this_thread::get_id();
    ++arrived;
    while (arrived.load() < 2) std::this_thread::yield();
  });
  EXPECT_NE(ids[0], ids[1]);
}

TEST_F(Threads, a_job_inside_a_part_stays_on_its_thread) {
  set_threads(3);
  std::atomic<int> strayed{0};
  EXPECT_FALSE(in_part());
  each_part(6, [&](int) {
    const auto outer = std::this_thread::get_id();
    if (!in_part()) ++strayed;
    int next = 0;
    each_part(5, [&](int part) { strayed += std::this_thread::get_id() != outer || part != next++; });
  });
  EXPECT_EQ(strayed.load(), 0);
  EXPECT_FALSE(in_part());
}

TEST_F(Threads, callers_at_once_all_get_their_work_done) {
  set_threads(3);
  std::atomic<long> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int job = 0; job < 200; ++job) {
        std::array<int, 7> parts{};
        each_part(7, [&](int part) { parts[static_cast<std::size_t>(part)] = part + 1; });
        for (const int part : parts) total += part;
      }
    });
  for (int i = 0; i < 50; ++i) set_threads(1 + i % 4);  // while they work
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 4L * 200 * 28);
}

TEST_F(Threads, the_number_of_threads_is_what_was_set) {
  for (const int count : {1, 5, 2}) {
    set_threads(count);
    EXPECT_EQ(threads(), count);
  }
  for (const int count : {0, -1, 1025, INT32_MIN}) EXPECT_THROW(set_threads(count), Error) << count;
  EXPECT_EQ(threads(), 2);
}

TEST_F(Threads, the_variable_names_a_number_of_threads) {
  EXPECT_EQ(thread_count_of("1"), 1);
  EXPECT_EQ(thread_count_of("1024"), 1024);
  EXPECT_GE(thread_count_of(nullptr), 1);
  for (const auto* value : {"", "0", "-2", "1025", "two", "2 ", " 2", "+2", "2.0", "99999999999999"}) try {
      thread_count_of(value);
      ADD_FAILURE() << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::argument);
      EXPECT_NE(error.text().find("TOPOS_THREADS is \"" + std::string(value) + "\""), std::string::npos);
    }
}

TEST_F(Threads, parts_compute_in_the_standard_mode) {
  if (float_control::controls == 0) GTEST_SKIP() << "this processor has one mode";
  set_threads(2);
  std::atomic<int> standard{0};
  const auto own = float_control::read();
#if defined(__SSE__)
  float_control::write(own | 0xE040);  // toward zero, subnormals flushed
#elif defined(__aarch64__)
  float_control::write(own | 0x01C00000);
#endif
  const auto changed = float_control::read();
  each_part(64, [&](int) { standard += (float_control::read() & float_control::controls) == float_control::standard; });
  const auto after = float_control::read();
  float_control::write(own);
  EXPECT_EQ(standard.load(), 64);
  EXPECT_EQ(after & float_control::controls, changed & float_control::controls);
  EXPECT_NE(after & float_control::controls, float_control::standard);
}

#if defined(__unix__)
TEST_F(Threads, a_process_that_forks_gets_a_pool_of_its_own) {
  if (TOPOS_TEST_SANITIZED) GTEST_SKIP() << "a sanitizer's threads do not survive a fork";
  set_threads(3);
  each_part(3, [](int) {});
  const auto child = fork();
  if (child == 0) {
    std::atomic<int> arrived{0};
    each_part(2, [&](int) {
      ++arrived;
      while (arrived.load() < 2) std::this_thread::yield();
    });
    _exit(arrived.load() == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

TEST_F(DividedTasks, of_elements) {
  for (const auto element : {f32, f64, bf16})
    for (const auto layout : layouts)
      for (const auto& shape : {Shape{1000}, Shape{3, 101}, Shape{2, 5, 67}}) {
        const std::vector<Tensor> x{seeded(element, shape, 1, Contents::edges, layout)};
        auto unary = task_of(Kind::unary, x, {element, shape});
        unary.function = Function::tanh;
        expect_parts_agree(unary, x, "tanh");
        expect_parts_agree(task_of(Kind::copy, x, {element, shape}), x, "copy");
        const std::vector<Tensor> two{x[0], seeded(element, shape, 2, Contents::edges)};
        auto binary = task_of(Kind::binary, two, {element, shape});
        binary.function = Function::divide;
        expect_parts_agree(binary, two, "divide");
        auto compare = task_of(Kind::compare, two, {boolean, shape});
        expect_parts_agree(compare, two, "compare");
        const std::vector<Tensor> three{seeded(boolean, shape, 3, Contents::plain), two[0], two[1]};
        expect_parts_agree(task_of(Kind::select, three, {element, shape}), three, "select");
        expect_parts_agree(task_of(Kind::convert, x, {i64, shape}), x, "convert");
      }
  expect_parts_agree(task_of(Kind::fill_zero, {}, {f32, {999}}), {}, "zeros");
}

TEST_F(DividedTasks, into_windows_of_larger_memory) {
  const Shape shape{5, 77};
  const std::vector<Tensor> x{seeded(f32, shape, 4, Contents::edges)};
  auto task = task_of(Kind::copy, x, {f32, shape});
  task.result.strides = {100, 1};
  set_threads(3);
  const auto work = divide(task, 3);
  EXPECT_GT(work.parts.size(), 1u);
  std::vector<float> memory(500, -7.0F);
  const void* places[max_operands] = {x[0].first()};
  run(work, places, memory.data(), nullptr);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 100; ++j) {
      const auto* from = static_cast<const float*>(x[0].first()) + i * 77 + j;
      EXPECT_EQ(std::memcmp(&memory[i * 100 + j], j < 77 ? from : &memory[499], sizeof(float)), 0) << i << ' ' << j;
    }
}

TEST_F(DividedTasks, of_products) {
  struct Case {
    Shape a, b;
  };
  const Case cases[] = {{{64, 9}, {9, 33}},         {{1, 40}, {40, 700}},          {{5, 30}, {30, 17}},
                        {{3, 50, 20}, {3, 20, 11}}, {{2, 3, 7, 5}, {2, 3, 5, 90}}, {{2, 1, 8}, {2, 8, 300}},
                        {{200, 3}, {3, 1}}};
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto& [a, b] : cases)
      for (const auto layout : {Layout::contiguous, Layout::transposed, Layout::repeated}) {
        const std::vector<Tensor> operands{seeded(element, a, 5, Contents::plain, layout),
                                           seeded(element, b, 6, Contents::plain, layout)};
        auto shape = a;
        shape[a.rank() - 1] = b[b.rank() - 1];
        expect_parts_agree(task_of(Kind::matmul, operands, {element, shape}), operands, "product");
      }
}

TEST_F(DividedTasks, of_reductions) {
  struct Case {
    Shape shape, axes;
  };
  const Case cases[] = {{{40, 300}, {1}}, {{300, 600}, {0}}, {{4, 70, 9}, {1}}, {{2, 30, 40}, {0, 2}}};
  for (const auto element : {f32, f64, bf16, i64})
    for (const auto& [shape, axes] : cases)
      for (const auto layout : layouts) {
        const std::vector<Tensor> x{seeded(element, shape, 7, Contents::plain, layout)};
        Shape kept;
        std::vector<Extent> extents;
        for (std::size_t i = 0; i < shape.rank(); ++i)
          if (!axes.contains(static_cast<Extent>(i))) extents.push_back(shape[i]);
        kept = extents;
        auto sum = task_of(Kind::sum, x, {element, kept});
        sum.axes = axes;
        expect_parts_agree(sum, x, "sum");
      }
  std::vector<Tensor> all{seeded(f32, {5000}, 8, Contents::plain)};
  auto sum = task_of(Kind::sum, all, {f32, {}});
  sum.axes = {0};
  expect_parts_agree(sum, all, "a sum of everything", false);
}

TEST_F(DividedTasks, along_an_axis) {
  for (const auto element : {f32, f64, bf16})
    for (const auto& shape : {Shape{30, 40}, Shape{2, 3, 50}, Shape{7, 20, 3}})
      for (Extent axis = 0; axis < static_cast<Extent>(shape.rank()); ++axis)
        for (const auto kind :
             {Kind::softmax, Kind::log_softmax, Kind::logsumexp, Kind::max_along, Kind::argmax_along}) {
          const bool mapped = kind == Kind::softmax || kind == Kind::log_softmax;
          for (const auto layout : layouts) {
            const std::vector<Tensor> x{seeded(element, shape, 9, Contents::plain, layout)};
            auto task =
                task_of(kind, x, {kind == Kind::argmax_along ? i64 : element, mapped ? shape : shape.without(axis)});
            task.axes = {axis};
            expect_parts_agree(task, x, std::string(name_of(kind)));
          }
        }
}

TEST_F(DividedTasks, of_rows_and_windows) {
  for (const auto element : {f32, bf16, i64}) {
    std::vector<std::int64_t> places(60);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i * 7 % 11);
    const std::vector<Tensor> rows{seeded(element, {11, 3, 5}, 10, Contents::edges), Tensor::from({20, 3}, places)};
    expect_parts_agree(task_of(Kind::gather, rows, {element, {20, 3, 3, 5}}), rows, "gather");
    const std::vector<Tensor> added{seeded(element, {20, 3, 5}, 11, Contents::plain), rows[1]};
    expect_parts_agree(task_of(Kind::scatter, added, {element, {11, 5}}), added, "scatter", false);
    const std::vector<Tensor> taps{seeded(element, {6, 4, 5, 3, 2}, 12, Contents::plain)};
    auto fold = task_of(Kind::fold, taps, {element, {6, 4, 11, 2}});
    fold.axes = {2};
    fold.step = 2;
    expect_parts_agree(fold, taps, "fold");
  }
}

TEST_F(DividedTasks, of_images) {
  const Extent batch = 3, channels = 2, height = 9, width = 8, rows = 4, columns = 6, filters = 5;
  const Shape image{batch, channels, height, width};
  const auto places = batch * rows * columns, taps = channels * 9;
  for (const auto element : {f32, f64, bf16})
    for (const auto layout : {Layout::contiguous, Layout::transposed}) {
      const auto windowed = [&](Kind kind, const std::vector<Tensor>& operands, const Shape& result) {
        auto task = task_of(kind, operands, {element, result});
        task.rows = {3, 2, 1, 0};
        task.columns = {3, 1, 1, 0};
        expect_parts_agree(task, operands, std::string(name_of(kind)));
      };
      const auto x = seeded(element, image, 17, Contents::plain, layout);
      const auto matrix = seeded(element, {taps, filters}, 18, Contents::plain, layout);
      const auto cotangent = seeded(element, {places, filters}, 19, Contents::plain, layout);
      const auto routed = seeded(element, {batch, channels, rows, columns, 1}, 20, Contents::plain);
      windowed(Kind::window_product, {x, matrix}, {places, filters});
      windowed(Kind::window_input_gradient, {cotangent, permute(matrix, {1, 0})}, image);
      windowed(Kind::window_kernel_gradient, {x, cotangent}, {taps, filters});
      windowed(Kind::window_maximum, {x}, {batch, channels, rows, columns});
      windowed(Kind::window_maximum_gradient, {x, routed}, image);
    }
  const std::vector<Tensor> alone{seeded(f32, {1, 1, 3, 5}, 21, Contents::plain),
                                  seeded(f32, {9, 2}, 22, Contents::plain)};
  auto task = task_of(Kind::window_product, alone, {f32, {3, 2}});
  task.rows = task.columns = {3, 1, 1, 0};
  expect_parts_agree(task, alone, "one image", false);
}

TEST_F(DividedTasks, name_the_first_number_that_they_refuse) {
  for (const std::size_t bad : {0, 13, 31, 59}) {
    std::vector<std::int64_t> places(60, 1);
    places[bad] = 11;
    places[59] = -1;
    const std::vector<Tensor> rows{seeded(f32, {11, 3}, 13, Contents::plain), Tensor::from({20, 3}, places)};
    const auto gather = task_of(Kind::gather, rows, {f32, {20, 3, 3}});
    EXPECT_EQ(run(gather, rows).fault, static_cast<Extent>(bad));
    expect_parts_agree(gather, rows, "gather");
    std::vector<std::int64_t> divisors(60, 3);
    divisors[bad] = 0;
    divisors[59] = 0;
    const auto turned = permute(Tensor::from({3, 20}, divisors), {1, 0});
    const std::vector<Tensor> numbers{seeded(i64, {20, 3}, 14, Contents::plain), turned};
    auto division = task_of(Kind::binary, numbers, {i64, {20, 3}});
    division.function = Function::divide;
    expect_parts_agree(division, numbers, "division");
  }
}

TEST_F(DividedTasks, run_with_another_number_of_threads_than_they_were_cut_for) {
  const std::vector<Tensor> x{seeded(f32, {3000}, 15, Contents::edges)};
  auto task = task_of(Kind::unary, x, {f32, {3000}});
  task.function = Function::exp;
  const auto whole = run(task, x);
  for (const int cut_for : {1, 2, 6}) {
    const auto work = divide(task, cut_for);
    EXPECT_EQ(work.parts.size(), cut_for == 1 ? 0u : static_cast<std::size_t>(cut_for));
    for (const int count : {1, 2, 6}) {
      set_threads(count);
      const Bytes result(12000), scratch(work.scratch_bytes);
      const void* places[max_operands] = {x[0].first()};
      run(work, places, result.get(), scratch.get());
      EXPECT_TRUE(same_bits(Tensor::copied({f32, {3000}}, result.get()), whole.result)) << cut_for << ' ' << count;
    }
  }
}

TEST_F(Threads, small_tasks_stay_whole) {
  set_least_part(usual_least_part);
  const std::vector<Tensor> x{seeded(f32, {1000}, 16, Contents::plain)};
  EXPECT_TRUE(divide(task_of(Kind::copy, x, {f32, {1000}}), 8).parts.empty());
  const std::vector<Tensor> large{seeded(f32, {2000000}, 16, Contents::plain)};
  EXPECT_EQ(divide(task_of(Kind::copy, large, {f32, {2000000}}), 8).parts.size(), 8u);
}

}  // namespace
}  // namespace topos::kernel
