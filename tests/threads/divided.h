// Owns what the tests of divided tasks share: the whole task's bits beside those of its parts.
#pragma once
#include <gtest/gtest.h>

#include "kernel/oracle.h"
#include "topos/kernel/partition.h"
#include "topos/kernel/threads.h"

namespace topos::kernel {

/// Sets the number of threads, and how small a part may be, for the length of a test.
class Threads : public testing::Test {
 protected:
  Threads() : before_(threads()) { set_least_part(1e-3); }
  ~Threads() override {
    set_threads(before_);
    set_least_part(usual_least_part);
  }

 private:
  int before_;
};

/// A task cut for so many threads, into memory of its own.
inline Outcome run_divided(const Task& task, const std::vector<Tensor>& operands, int count, std::size_t& parts) {
  const auto work = divide(task, count);
  EXPECT_NE(work.whole.run, nullptr) << name_of(task.kind);
  if (work.whole.run == nullptr) return {};
  parts = work.parts.size();
  const TensorType type{task.result.element, task.result.shape};
  const Bytes result(type.bytes()), scratch(work.scratch_bytes);
  const void* places[max_operands] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) places[i] = operands[i].first();
  const auto fault = run(work, places, result.get(), scratch.get());
  return {Tensor::copied(type, result.get()), fault};
}

/// The whole task's bits from what is cut for 2, 3, 4 and 7 threads; `cut`: that it has parts.
inline void expect_parts_agree(const Task& task, const std::vector<Tensor>& operands, const std::string& what,
                               bool cut = true) {
  const TensorType type{task.result.element, task.result.shape};
  SCOPED_TRACE(what + " of " + type.text());
  const auto whole = run(task, operands);
  for (const int count : {2, 3, 4, 7}) {
    std::size_t parts = 0;
    const auto divided = run_divided(task, operands, count, parts);
    EXPECT_EQ(divided.fault, whole.fault) << count;
    EXPECT_TRUE(whole.fault != no_fault || same_bits(divided.result, whole.result)) << count << " threads";
    EXPECT_TRUE(parts > 1 || !cut) << count << " threads";
  }
}

class DividedTasks : public Threads {
 protected:
  DividedTasks() { set_threads(3); }
};

}  // namespace topos::kernel
