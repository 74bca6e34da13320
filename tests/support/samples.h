// At least one sample for every opcode: a new opcode without its `samples` overload does not compile.
#pragma once
#include "support/samples_contraction.h"
#include "support/samples_elementary.h"
#include "support/samples_movement.h"
#include "support/samples_window.h"

namespace topos::test {

/// The samples of the variant's opcode of that place.
template <std::size_t... I>
std::vector<std::vector<Sample>> samples_by_opcode(std::index_sequence<I...>) {
  return {samples(std::variant_alternative_t<I, Op>{})...};
}
inline const std::vector<std::vector<Sample>>& samples_by_opcode() {
  static const auto all = samples_by_opcode(std::make_index_sequence<std::variant_size_v<Op>>{});
  return all;
}
template <std::size_t... I>
std::vector<std::string_view> opcode_names(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, Op>::name...};
}
inline std::vector<std::string_view> opcode_names() {
  return opcode_names(std::make_index_sequence<std::variant_size_v<Op>>{});
}
inline const std::vector<Sample>& opcode_samples() {
  static const auto all = [] {
    std::vector<Sample> flat;
    for (const auto& samples : samples_by_opcode()) flat.insert(flat.end(), samples.begin(), samples.end());
    return flat;
  }();
  return all;
}

}  // namespace topos::test
