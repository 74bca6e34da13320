// How the layers report a misuse: an Error of the facade's name, with the types and the recording line. Internal.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topos/base/error.h"

namespace topos::neural {

/// Shapes, ranks or elements that do not fit.
[[noreturn]] inline void refuse_type(std::string_view facade, const std::string& text, std::vector<std::string> types,
                                     const Site& site) {
  throw Error(ErrorKind::type, std::string(facade), text, std::move(types), site);
}

/// An argument outside its meaning.
[[noreturn]] inline void refuse_argument(std::string_view facade, const std::string& text,
                                         const Site& site = Site::none()) {
  throw Error(ErrorKind::argument, std::string(facade), text, {}, site);
}

}  // namespace topos::neural
