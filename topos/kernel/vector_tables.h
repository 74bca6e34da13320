// Owns the tables of the elementary functions as vectors look them up: two columns side by side. Internal.
#pragma once
#include <cstddef>

#include "topos/element/elementary.h"

namespace topos::kernel::tables {

/// Entries of two tables, alone and in pairs: short vectors load pairs, long ones keep whole columns.
template <std::size_t n>
struct Pairs {
  static constexpr std::size_t size = n;
  alignas(64) double pair[n][2];
  alignas(64) double first[n];
  alignas(64) double second[n];
};
template <std::size_t n>
constexpr Pairs<n> paired(const double (&first)[n], const double (&second)[n]) {
  Pairs<n> both{};
  for (std::size_t i = 0; i < n; ++i) {
    both.pair[i][0] = both.first[i] = first[i];
    both.pair[i][1] = both.second[i] = second[i];
  }
  return both;
}

namespace numbers = elementary::table;
inline constexpr double none[16] = {};
inline constexpr auto power = paired(numbers::power_high, numbers::power_low);
inline constexpr auto reciprocal_and_log = paired(numbers::reciprocal, numbers::log_reciprocal);
inline constexpr auto log_reciprocal = paired(numbers::log_reciprocal_high, numbers::log_reciprocal_low);
inline constexpr auto reciprocal = paired(numbers::reciprocal, none);
inline constexpr auto erf_high = paired(numbers::erf_high, numbers::erf_low);
/// Coefficients 2 j and 2 j + 1.
inline constexpr Pairs<16> erf_quotient[6] = {paired(numbers::erf_quotient[0], numbers::erf_quotient[1]),
                                              paired(numbers::erf_quotient[2], numbers::erf_quotient[3]),
                                              paired(numbers::erf_quotient[4], numbers::erf_quotient[5]),
                                              paired(numbers::erf_quotient[6], numbers::erf_quotient[7]),
                                              paired(numbers::erf_quotient[8], numbers::erf_quotient[9]),
                                              paired(numbers::erf_quotient[10], numbers::erf_quotient[11])};
inline constexpr Pairs<22> erf_rise[6] = {
    paired(numbers::erf_rise[0], numbers::erf_rise[1]), paired(numbers::erf_rise[2], numbers::erf_rise[3]),
    paired(numbers::erf_rise[4], numbers::erf_rise[5]), paired(numbers::erf_rise[6], numbers::erf_rise[7]),
    paired(numbers::erf_rise[8], numbers::erf_rise[9]), paired(numbers::erf_rise[10], numbers::erf_rise[11])};

}  // namespace topos::kernel::tables
