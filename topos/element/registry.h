// Elements by name: the built-in ones, and the user's, each once in the whole process.
#pragma once
#include <string_view>
#include <typeinfo>
#include <vector>

#include "topos/element/element.h"

namespace topos {

/// The built-in elements and all that are registered so far.
std::vector<ElementType> known_elements();

/// The one description under the candidate's name: the candidate's copy, or the one that the same number gave before
/// from another shared library. Throws Error(argument) for a name that is empty, a built-in's or another number's. Any
/// thread may call it.
ElementType register_element(const ElementInfo& candidate, const std::type_info& number);

/// Whether the element is a user's number, which ElementTraits describes.
bool is_users(ElementType element);
/// What ElementTraits must have for a function: "less and equal".
std::string_view traits_for(Function function);

}  // namespace topos
