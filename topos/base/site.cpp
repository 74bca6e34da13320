#include "topos/base/site.h"

#include <fmt/format.h>

namespace topos {

std::string Site::text() const {
  std::string_view name = file_;
  if (const auto slash = name.find_last_of("/\\"); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  return fmt::format("{}:{}", name, line_);
}

}  // namespace topos
