// Elements by name: the built-in ones, and the user's, each once in the whole process.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "topos/element/element.h"

namespace topos {

/// The element of that name; nothing if there is none.
std::optional<ElementType> element_named(std::string_view name);

/// The built-in elements and all that are registered so far.
std::vector<ElementType> known_elements();

/// The one description under the candidate's name: the candidate's copy, or the one that another shared library gave
/// before. Throws Error(argument) for a name that is empty, taken by a number of another size, or a built-in's.
/// Any thread may call it.
ElementType register_element(const ElementInfo& candidate);

}  // namespace topos
