// What threads share without asking: the registry of elements, interned sites and types of loaded networks.
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "element_seam/numbers.h"
#include "support/models.h"
#include "support/random_program.h"

namespace topos::test {
namespace {

TEST(SharedState, one_element_for_all_threads) {
  std::vector<std::thread> threads;
  std::vector<ElementType> elements(4, f32);
  for (std::size_t i = 0; i < elements.size(); ++i)
    threads.emplace_back([&elements, i] { elements[i] = element_of<seam::Jet>(); });
  for (auto& thread : threads) thread.join();
  for (const auto element : elements) EXPECT_EQ(element, element_of<seam::Jet>());
}

TEST(SharedState, networks_are_read_from_text_by_several_threads_at_once) {
  const auto text = to_text(build(model_samples()[0], f32, 1).network);
  std::vector<std::string> again(4);
  std::vector<std::thread> threads;
  for (auto& each : again) threads.emplace_back([&] { each = to_text(from_text(text)); });
  for (auto& thread : threads) thread.join();
  for (const auto& each : again) EXPECT_EQ(each, text);
}

}  // namespace
}  // namespace topos::test
