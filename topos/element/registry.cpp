#include "topos/element/registry.h"

#include <fmt/format.h>

#include <deque>
#include <mutex>

#include "topos/base/error.h"

namespace topos {
namespace {

/// Leaked on purpose: tensors with static lifetime may ask for their element at any time.
struct Registry {
  std::mutex mutex;
  std::deque<ElementInfo> elements;
  std::deque<std::string> names;
};
Registry& registry() {
  static auto* all = new Registry;
  return *all;
}

}  // namespace

std::optional<ElementType> element_named(std::string_view name) {
  for (const auto element : built_in_elements())
    if (element.name() == name) return element;
  const std::lock_guard lock(registry().mutex);
  for (const auto& element : registry().elements)
    if (element.name == name) return ElementType(&element);
  return std::nullopt;
}

std::vector<ElementType> known_elements() {
  const auto own = built_in_elements();
  std::vector<ElementType> elements(own.begin(), own.end());
  const std::lock_guard lock(registry().mutex);
  for (const auto& element : registry().elements) elements.emplace_back(&element);
  return elements;
}

ElementType register_element(const ElementInfo& candidate) {
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::argument, "ElementTraits", fmt::format("the name \"{}\" {}", candidate.name, why));
  };
  if (candidate.name.empty()) refuse("is empty");
  for (const auto element : built_in_elements())
    if (element.name() == candidate.name) refuse("is a built-in element's");
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto& element : all.elements) {
    if (element.name != candidate.name) continue;
    if (element.size != candidate.size)
      refuse(fmt::format("is taken by a number of {} bytes, not {}", element.size, candidate.size));
    return ElementType(&element);
  }
  all.names.emplace_back(candidate.name);  // the candidate's may go with its shared library
  all.elements.push_back(candidate);
  all.elements.back().name = all.names.back();
  return ElementType(&all.elements.back());
}

}  // namespace topos
