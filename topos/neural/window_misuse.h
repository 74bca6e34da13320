// The checks that convolutions and pools share, each an Error of the facade's name. Internal.
#pragma once
#include <fmt/format.h>

#include "topos/neural/misuse.h"
#include "topos/neural/pair.h"
#include "topos/spec/value.h"

namespace topos::neural {

/// Who complains, about which operands, from which line.
struct Complaint {
  std::string_view facade;
  std::vector<std::string> types;
  Site site;

  [[noreturn]] void type(const std::string& text) const { refuse_type(facade, text, types, site); }
  [[noreturn]] void argument(const std::string& text) const {
    throw Error(ErrorKind::argument, std::string(facade), text, types, site);
  }

  void at_least(std::string_view word, Pair pair, Extent least) const {
    for (const auto extent : {pair.rows, pair.columns})
      if (extent < least) argument(fmt::format("the {} {} is below {}", word, extent, least));
  }
};

/// The places of an axis that a window reaches over.
constexpr Extent span_of(Extent size, Extent dilation) { return (size - 1) * dilation + 1; }

/// How many windows fit an axis of `extent`, padding included. Complains where none does.
inline Extent windows_of(const Complaint& complaint, Extent extent, Extent size, Extent stride, Extent dilation) {
  const auto span = span_of(size, dilation);
  if (span > extent)
    complaint.type(fmt::format("a window of {} does not fit an axis of {}, padding included", span, extent));
  return (extent - span) / stride + 1;
}

}  // namespace topos::neural
