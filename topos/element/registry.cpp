#include "topos/element/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>

#include "topos/base/error.h"

namespace topos {
namespace {

/// Leaked on purpose: tensors with static lifetime may ask for their element at any time.
struct Registry {
  std::mutex mutex;
  struct Entry {
    ElementInfo info;
    std::string name;  // the candidate's may go with its shared library
    const std::type_info* number;
  };
  std::deque<Entry> entries;
};
Registry& registry() {
  static auto* all = new Registry;
  return *all;
}

}  // namespace

std::vector<ElementType> known_elements() {
  const auto own = built_in_elements();
  std::vector<ElementType> elements(own.begin(), own.end());
  const std::lock_guard lock(registry().mutex);
  for (const auto& entry : registry().entries) elements.emplace_back(&entry.info);
  return elements;
}

ElementType register_element(const ElementInfo& candidate, const std::type_info& number) {
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::argument, "ElementTraits", fmt::format("the name \"{}\" {}", candidate.name, why));
  };
  if (candidate.name.empty()) refuse("is empty");
  for (const auto element : built_in_elements())
    if (element.name() == candidate.name) refuse("is a built-in element's");
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto& entry : all.entries) {
    if (entry.name != candidate.name) continue;
    if (*entry.number != number) refuse("is another number's");
    if (entry.info.size != candidate.size)
      refuse(fmt::format("is taken by a number of {} bytes, not {}", entry.info.size, candidate.size));
    return ElementType(&entry.info);
  }
  auto& entry = all.entries.emplace_back(Registry::Entry{candidate, std::string(candidate.name), &number});
  entry.info.name = entry.name;
  return ElementType(&entry.info);
}

bool is_users(ElementType element) {
  const auto own = built_in_elements();
  return std::find(own.begin(), own.end(), element) == own.end();
}

std::string_view traits_for(Function function) {
  switch (function) {
    case Function::negate: return "negate";
    case Function::absolute: return "less and negate, or absolute";
    case Function::sign: return "less, or sign";
    case Function::logical_not:
    case Function::logical_and:
    case Function::logical_or: return "nothing, for logic is over boolean";
    case Function::add:
    case Function::sum: return "add";
    case Function::subtract: return "subtract";
    case Function::multiply: return "multiply";
    case Function::divide: return "divide";
    case Function::maximum: return "less, or maximum";
    case Function::minimum: return "less, or minimum";
    case Function::equal: return "equal";
    case Function::order: return "less and equal";
    case Function::matmul: return "add and multiply, or multiply_add";
    case Function::softmax: return "add, subtract, divide, less, equal, exp and log";
    default: return name_of(function);  // the elementary functions are called as they are named
  }
}

}  // namespace topos
