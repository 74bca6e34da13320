#include "topos/base/error.h"

#include <fmt/format.h>

#include <utility>

namespace topos {
namespace {

std::string sentence(const std::string& operation, const std::string& text, const Site& site) {
  auto message = operation.empty() ? text : fmt::format("{}: {}", operation, text);
  if (site.known()) message += fmt::format("; recorded at {}", site.text());
  return message;
}

}  // namespace

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::type: return "type";
    case ErrorKind::family: return "family";
    case ErrorKind::coverage: return "coverage";
    case ErrorKind::feed: return "feed";
    case ErrorKind::argument: return "argument";
    case ErrorKind::index: return "index";
    case ErrorKind::number: return "number";
    case ErrorKind::file: return "file";
    case ErrorKind::emission: return "emission";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, std::string operation, const std::string& text, std::vector<std::string> types, Site site)
    : std::runtime_error(sentence(operation, text, site)),
      kind_(kind),
      operation_(std::move(operation)),
      text_(text),
      types_(std::move(types)),
      site_(site) {}

}  // namespace topos
