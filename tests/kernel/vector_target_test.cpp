// Owns the tests of the choice of a vector target and of the line that tells builds apart.
#include "topos/kernel/vector_target.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topos/base/build_info.h"
#include "topos/kernel/task.h"

namespace topos::kernel {
namespace {

kernel::Run product_kernel() {
  Task task;
  task.kind = Kind::matmul;
  task.operand_count = 2;
  task.result = task.operands[0] = task.operands[1] = contiguous({f32, {4, 4}});
  return prepare(task).run;
}

TEST(vector_target, each_available_one_is_compiled_and_has_kernels_of_its_own) {
  const auto compiled = compiled_targets(), available = available_targets();
  ASSERT_FALSE(available.empty());
  EXPECT_EQ(target_in_use(), available.front());
  std::vector<kernel::Run> kernels;
  for (const auto name : available) {
    EXPECT_THAT(compiled, testing::Contains(name));
    ASSERT_TRUE(use_target(name));
    EXPECT_EQ(target_in_use(), name);
    EXPECT_EQ(available_targets(), available) << "the choice hides none";
    EXPECT_EQ(std::find(kernels.begin(), kernels.end(), product_kernel()), kernels.end()) << "not another's";
    kernels.push_back(product_kernel());
  }
  ASSERT_TRUE(use_target(""));
  EXPECT_EQ(target_in_use(), available.front());
  EXPECT_EQ(product_kernel(), kernels.front());
}

TEST(vector_target, one_that_is_not_there_is_refused_and_changes_nothing) {
  const auto before = target_in_use();
  EXPECT_FALSE(use_target("ABACUS"));
  EXPECT_EQ(target_in_use(), before);
}

TEST(build_info, names_version_compiler_and_targets) {
  const auto text = build_info();
  EXPECT_THAT(text, testing::StartsWith("topos 0."));
  EXPECT_THAT(text, testing::HasSubstr("numerics 1; "));
  EXPECT_THAT(text, testing::HasSubstr(std::string(target_in_use()) + " in use; fused multiply-add "));
  for (const auto name : compiled_targets()) EXPECT_THAT(text, testing::HasSubstr(std::string(name)));
}

}  // namespace
}  // namespace topos::kernel
